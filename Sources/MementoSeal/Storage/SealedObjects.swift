// A storage whose objects are sealed in another storage.

package import MementoObjects
internal import Synchronization

/// Seals what is put and opens what is read, so that code above it need not know. Markers and slots (`format/` and
/// `keys/`) pass as they are. Three things differ from the storage below:
/// - A listing has the sizes of the stored objects, which padding makes larger. `storedSize(of:)` says which size an
///   object must have there; `size(of:)` reads the header.
/// - A listing is not in the order of names where names are sealed. Objects whose names are none of this repository
///   are left out.
/// - A damaged object is `ObjectError.Kind.damaged`, and one of a newer version is `.newer`.
package final class SealedObjects: ObjectStorage {
  /// So many headers are remembered.
  private static let maximumHeaders = 4096

  private let storage: any ObjectStorage
  private let master: MasterKey
  private let names: SealedName
  private let headers = Mutex<[ObjectName: SealedHeader]>([:])

  package init(_ storage: any ObjectStorage, _ master: MasterKey) {
    self.storage = storage
    self.master = master
    names = SealedName(master)
  }

  /// The size of the stored object that seals a content of `size` bytes; the size itself where it is not sealed. Nil
  /// when an object cannot be that long.
  package static func storedSize(of size: UInt64, as name: ObjectName) -> UInt64? {
    SealedName.isSealed(name) ? SealedStream.storedSize(of: size) : size
  }

  /// Notes the header of an object, such as an index knows it, and saves the next reader a request. A header that is
  /// not that of the object does no harm.
  package func note(_ header: SealedHeader, of name: ObjectName) {
    headers.withLock { headers in
      if headers.count >= SealedObjects.maximumHeaders, headers[name] == nil { headers.removeAll() }
      headers[name] = header
    }
  }

  /// What this storage knows of the header of an object that it has put or read. An index may keep it.
  package func knownHeader(of name: ObjectName) -> SealedHeader? {
    headers.withLock { $0[name] }
  }

  package func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    let listed = try storage.list(SealedObjects.storedPrefix(prefix), page: page)
    let objects = listed.objects.compactMap { object -> ListedObject? in
      guard let name = names.plain(object.name), name.text.hasPrefix(prefix) else { return nil }
      return ListedObject(name: name, size: object.size, modified: object.modified)
    }
    return ObjectPage(objects: objects, next: listed.next, now: listed.now)
  }

  /// The size of the content. Reads the header, unless it is known; then this looks only whether the object is there.
  package func size(of name: ObjectName) throws(ObjectError) -> UInt64 {
    guard SealedName.isSealed(name) else { return try storage.size(of: name) }
    let header = try reader(name).header()
    note(header, of: name)
    return header.size
  }

  package func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    guard SealedName.isSealed(name) else { return try storage.read(name, at: offset, into: buffer) }
    let reader = try reader(name)
    let known = knownHeader(of: name)
    do throws(ObjectError) {
      let (count, header) = try reader.read(at: offset, into: buffer, header: known)
      if known == nil { note(header, of: name) }
      return count
    } catch  where error.kind == .damaged && known != nil {
      // The object may have been put again, with a salt of its own, since the header was noted.
      _ = headers.withLock { $0.removeValue(forKey: name) }
      let header = try reader.header()
      guard header != known else { throw error }
      note(header, of: name)
      return try reader.read(at: offset, into: buffer, header: header).count
    }
  }

  package func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    guard SealedName.isSealed(name) else { return try storage.put(source, as: name) }
    let stored = try stored(name)
    let sealer = try Sealer(source, as: stored, master)
    try storage.put(sealer, as: stored)
    note(sealer.header, of: name)
  }

  package func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    guard SealedName.isSealed(name) else { return try storage.putIfAbsent(source, as: name) }
    let stored = try stored(name)
    let sealer = try Sealer(source, as: stored, master)
    let result = try storage.putIfAbsent(sealer, as: stored)
    if case .put = result { note(sealer.header, of: name) }
    return result
  }

  package func remove(_ name: ObjectName) throws(ObjectError) {
    _ = headers.withLock { $0.removeValue(forKey: name) }
    try storage.remove(try stored(name))
  }

  func reader(_ name: ObjectName) throws(ObjectError) -> SealedReader {
    SealedReader(try stored(name), master, in: storage)
  }

  private func stored(_ name: ObjectName) throws(ObjectError) -> ObjectName {
    guard let stored = names.stored(name) else {
      throw ObjectError(.local, name, "\(name) has the form of a sealed name")
    }
    return stored
  }

  /// The longest prefix that also the stored names have: whole parts, and no digits of an id.
  static func storedPrefix(_ prefix: String) -> String {
    var parts = prefix.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    if let last = parts.last, parts.count > 1, last.utf8.count == 2, Hexadecimal.bytes(last.utf8) != nil {
      parts = parts.dropLast()
    }
    return parts.map { "\($0)/" }.joined()
  }
}
