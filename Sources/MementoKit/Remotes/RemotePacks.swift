// The packs of a remote, as the store sees them.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// Keeps packs as objects. The object of a pack has a random name, which the indexes tell. Which packs there are is known
/// from one listing and from what this process has put.
final class RemotePacks: DistantPackStorage {
  /// A pack and its object.
  struct Pack: Sendable {
    let name: ObjectID
    /// In bytes, of the pack and not of its object.
    let size: UInt64
    /// The salt of its sealed object; empty in a plain remote, or where it is not known.
    var salt: [UInt8] = []
  }

  private struct State: Sendable {
    /// The objects of the listing, with their sizes.
    var listed: [ObjectID: UInt64]
    /// The packs that can be relied upon.
    var packs: [ObjectID: Pack] = [:]
    /// What this process has put.
    var put: [ObjectID: Pack] = [:]
    /// What these say of themselves, until an index has it.
    var contents: [ObjectID: PackContents] = [:]
    /// Objects that nothing may rely on, whatever names them.
    var distrusted: Set<ObjectID> = []
  }

  private let objects: any ObjectStorage
  private let failures: RemoteFailures
  private let form: ObjectForm
  private let state: Mutex<State>

  /// `listed`: the names of the objects in the listing, with their sizes.
  init(_ objects: any ObjectStorage, _ form: ObjectForm, listed: [ObjectID: UInt64], _ failures: RemoteFailures) {
    self.objects = objects
    self.form = form
    self.failures = failures
    state = Mutex(State(listed: listed))
  }

  /// Notes a pack that an index names. False when its object is not there with the size that it must have, or is not
  /// trusted.
  @discardableResult
  func note(_ id: ObjectID, _ pack: Pack) -> Bool {
    state.withLock { state in
      guard !state.distrusted.contains(pack.name), let stored = state.listed[pack.name],
        form.storedSize(of: pack.size, as: PackObject.name(pack.name)) == stored
      else { return false }
      state.packs[id] = pack
      return true
    }
  }

  /// Notes a pack as an index names it.
  func note(_ pack: IndexOutlines.Pack) {
    note(pack.id, Pack(name: pack.name, size: pack.size, salt: pack.salt))
  }

  /// Takes the objects of another listing, with their sizes.
  func see(_ objects: [ObjectID: UInt64]) {
    state.withLock { $0.listed.merge(objects) { $1 } }
  }

  /// The objects of the packs that can be relied upon.
  var objectNames: Set<ObjectID> { state.withLock { Set($0.packs.values.map(\.name)) } }

  /// Leaves out the packs of some objects for good: a collection is going to remove them. The index has to be reconciled
  /// afterwards. A pack of which there is another object, too, has to be noted again.
  func distrust(_ names: Set<ObjectID>) {
    state.withLock { state in
      state.distrusted.formUnion(names)
      state.packs = state.packs.filter { !names.contains($0.value.name) }
    }
  }

  /// A pack that can be relied upon, with its object.
  subscript(id: ObjectID) -> Pack? { state.withLock { $0.packs[id] } }

  /// The object of a pack; nil when there is no such pack.
  func object(of id: ObjectID) -> ObjectID? { self[id]?.name }

  /// An object that this process has put or looked at, with its salt.
  func pack(in object: ObjectID, size: UInt64) -> Pack {
    let header = (objects as? SealedObjects)?.knownHeader(of: PackObject.name(object))
    return Pack(name: object, size: size, salt: header?.salt ?? [])
  }

  /// What this process has put, by the ids of the packs.
  var put: [ObjectID: Pack] { state.withLock { $0.put } }

  /// What a pack says of itself that this process has put. It is forgotten here.
  func takeContents(of id: ObjectID) -> PackContents? { state.withLock { $0.contents.removeValue(forKey: id) } }

  /// Objects that are no pack that is known.
  func unknownObjects() -> Set<ObjectID> {
    state.withLock { state in Set(state.listed.keys).subtracting(state.packs.values.map(\.name)) }
  }

  func modified() -> Timestamp? { nil }

  func list(withSizes: Bool) throws(StoreError) -> [ListedPack] {
    state.withLock { $0.packs.map { ListedPack(id: $0.key, size: $0.value.size) } }
  }

  func size(of pack: ObjectID) throws(StoreError) -> UInt64 {
    try known(pack).size
  }

  func open(_ pack: ObjectID) throws(StoreError) -> PackReader {
    reader(of: try known(pack))
  }

  func reader(of pack: Pack) -> PackReader {
    // With its salt, the header need not be asked for.
    if let sealed = objects as? SealedObjects, let header = SealedHeader(salt: pack.salt, size: pack.size) {
      sealed.note(header, of: PackObject.name(pack.name))
    }
    return PackReader(Ranges(name: PackObject.name(pack.name), length: pack.size, objects: objects, failures: failures))
  }

  func put(
    _ file: consuming TemporaryFile, borrowing borrowed: BorrowedBytes, as id: ObjectID
  ) throws(StoreError) {
    let source = try FileObject(file.file, borrowed)
    // While it is here: reading it back from there would be three requests.
    let contents = try PackContents(of: PackReader(file.file), named: id)
    var generator = SystemRandomNumberGenerator()
    let object = PackObject.random(using: &generator)
    let name = PackObject.name(object)
    do throws(Errno) {
      try failures.attempt { () throws(ObjectError) in try objects.put(source, as: name) }
    } catch {
      throw .system(operation: "write", path: "packs/\(id.short)….pack", error)
    }
    let pack = pack(in: object, size: source.size)
    let stored = form.storedSize(of: pack.size, as: name)
    state.withLock { state in
      state.listed[pack.name] = stored
      state.packs[id] = pack
      state.put[id] = pack
      state.contents[id] = contents
    }
  }

  func remove(_ packs: [ObjectID]) throws(StoreError) {
    // Only a collection removes packs of a remote, after they were marked.
    throw .damaged(file: "packs", reason: "packs of a remote are not removed like this")
  }

  func setAside(_ packs: [ObjectID]) throws(StoreError) {
    try remove(packs)
  }

  func flush() throws(StoreError) {}

  private func known(_ id: ObjectID) throws(StoreError) -> Pack {
    guard let pack = state.withLock({ $0.packs[id] }) else {
      throw .damaged(file: "packs/\(id.short)….pack", reason: "the remote does not have it whole")
    }
    return pack
  }

  private struct Ranges: PackRanges {
    let name: ObjectName
    let length: UInt64
    let objects: any ObjectStorage
    let failures: RemoteFailures

    func size() throws(Errno) -> UInt64 { length }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
      try failures.attempt { () throws(ObjectError) in
        // Else all that is tried in its place would wait as long as this did.
        if let lost = failures.connection { throw lost }
        return try objects.read(name, at: offset, into: buffer)
      }
    }
  }
}
