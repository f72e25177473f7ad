// The packs of a remote, as the store sees them.

internal import MementoObjects
internal import MementoStore
internal import MementoSystem
internal import Synchronization

/// Keeps packs as objects. Which packs there are is known from one listing and from what this process has put.
final class RemotePacks: PackStorage {
  private struct State: Sendable {
    /// The packs of the listing, with the sizes of their objects.
    var listed: [ObjectID: UInt64]
    /// The packs of which the size is known, in bytes as the store sees them.
    var sizes: [ObjectID: UInt64] = [:]
  }

  private let objects: any ObjectStorage
  private let failures: RemoteFailures
  private let form: ObjectForm
  private let state: Mutex<State>

  /// `listed`: the packs with the sizes of their objects.
  init(_ objects: any ObjectStorage, _ form: ObjectForm, listed: [ObjectID: UInt64], _ failures: RemoteFailures) {
    self.objects = objects
    self.form = form
    self.failures = failures
    state = Mutex(State(listed: listed))
  }

  static func name(_ pack: ObjectID) -> ObjectName {
    let digits = pack.description
    return ObjectName("packs/\(digits.prefix(2))/\(digits)")!  // hexadecimal digits make a name
  }

  /// The pack that an object is; nil for another object.
  static func id(_ name: ObjectName) -> ObjectID? {
    let parts = name.text.split(separator: "/")
    guard parts.count == 3, parts[0] == "packs", let id = ObjectID(hex: String(parts[2])),
      id.description == parts[2], parts[1] == parts[2].prefix(2)
    else { return nil }
    return id
  }

  /// Notes what the index says of packs. One whose object has another size does not count as there.
  func expect(_ packs: [IndexedPack]) {
    state.withLock { state in
      for pack in packs { state.sizes[pack.id] = pack.size }
    }
  }

  func modified() -> Timestamp? { nil }

  func list(withSizes: Bool) throws(StoreError) -> [ListedPack] {
    state.withLock { state in
      state.listed.compactMap { id, stored in
        guard let size = state.sizes[id] else { return ListedPack(id: id, size: nil) }
        return form.storedSize(of: size, as: RemotePacks.name(id)) == stored ? ListedPack(id: id, size: size) : nil
      }
    }
  }

  func size(of pack: ObjectID) throws(StoreError) -> UInt64 {
    let (isListed, known) = state.withLock { ($0.listed[pack], $0.sizes[pack]) }
    guard let isListed else { throw missing(pack) }
    if let known {
      guard form.storedSize(of: known, as: RemotePacks.name(pack)) == isListed else { throw missing(pack) }
      return known
    }
    return try failures.attempt("read", pack) { () throws(ObjectError) in try objects.size(of: RemotePacks.name(pack)) }
  }

  func open(_ pack: ObjectID) throws(StoreError) -> PackReader {
    guard state.withLock({ $0.listed[pack] != nil }) else { throw missing(pack) }
    return PackReader(
      Ranges(
        name: RemotePacks.name(pack), known: state.withLock { $0.sizes[pack] }, objects: objects, failures: failures))
  }

  func put(_ file: consuming TemporaryFile, as pack: ObjectID, isFlushed: Bool) throws(StoreError) {
    let source = try FileObject(file.file)
    let size = source.size
    let stored = form.storedSize(of: size, as: RemotePacks.name(pack)) ?? size
    try failures.attempt("write", pack) { () throws(ObjectError) in
      try objects.put(source, as: RemotePacks.name(pack))
    }
    state.withLock { state in
      state.sizes[pack] = size
      state.listed[pack] = stored
    }
  }

  func remove(_ packs: [ObjectID]) throws(StoreError) {
    for pack in packs {
      try failures.attempt("remove", pack) { () throws(ObjectError) in try objects.remove(RemotePacks.name(pack)) }
      state.withLock { _ = $0.listed.removeValue(forKey: pack) }
    }
  }

  func setAside(_ packs: [ObjectID]) throws(StoreError) {
    // Nothing of a remote is renamed. What is damaged stays where it is, and the pushes that come pass it over.
  }

  func flush() throws(StoreError) {}

  private func missing(_ pack: ObjectID) -> StoreError {
    .damaged(file: "packs/\(pack.short)….pack", reason: "the remote does not have it whole")
  }

  private struct Ranges: PackRanges {
    let name: ObjectName
    let known: UInt64?
    let objects: any ObjectStorage
    let failures: RemoteFailures

    func size() throws(Errno) -> UInt64 {
      if let known { return known }
      return try failures.attempt { () throws(ObjectError) in try objects.size(of: name) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) -> Int {
      try failures.attempt { () throws(ObjectError) in try objects.read(name, at: offset, into: buffer) }
    }
  }
}
