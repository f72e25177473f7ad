// A storage in memory, which the tests can damage and whose requests they count.

import MementoObjects
import MementoTime
import Synchronization

final class MemoryObjects: ObjectStorage {
  private struct State {
    var objects: [ObjectName: [UInt8]] = [:]
    var reads: [(name: ObjectName, offset: UInt64, count: Int)] = []
  }

  private let state = Mutex(State())
  /// So many objects are in a page of a listing.
  let pageSize: Int

  init(pageSize: Int = 1000) { self.pageSize = pageSize }

  subscript(name: ObjectName) -> [UInt8]? {
    get { state.withLock { $0.objects[name] } }
    set { state.withLock { $0.objects[name] = newValue } }
  }

  var names: [ObjectName] { state.withLock { $0.objects.keys.sorted() } }
  var reads: Int { state.withLock { $0.reads.count } }
  var lastRead: (name: ObjectName, offset: UInt64, count: Int)? { state.withLock { $0.reads.last } }

  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    let all = state.withLock { state in
      state.objects.filter { $0.key.text.hasPrefix(prefix) && $0.key.text > page ?? "" }
    }
    let names = all.keys.sorted().prefix(pageSize)
    return ObjectPage(
      objects: names.map {
        ListedObject(name: $0, size: UInt64(all[$0]?.count ?? 0), modified: Timestamp(seconds: 1, nanoseconds: 0))
      },
      next: names.count < all.count ? names.last?.text : nil, now: Timestamp(seconds: 2, nanoseconds: 0))
  }

  private func bytes(_ name: ObjectName) throws(ObjectError) -> [UInt8] {
    guard let bytes = self[name] else { throw ObjectError(.notFound, name, "there is no \(name)") }
    return bytes
  }

  func size(of name: ObjectName) throws(ObjectError) -> UInt64 { UInt64(try bytes(name).count) }

  func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    state.withLock { $0.reads.append((name, offset, buffer.count)) }
    let part = try bytes(name).dropFirst(Int(offset)).prefix(buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) { self[name] = try source.contents() }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    guard self[name] == nil else { return .exists }
    try put(source, as: name)
    return .put
  }

  func remove(_ name: ObjectName) throws(ObjectError) { self[name] = nil }
}

extension ObjectSource {
  /// All bytes, read at once.
  func contents() throws(ObjectError) -> [UInt8] { try contents(0..<Int(size)) }

  func contents(_ range: Range<Int>) throws(ObjectError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 1)
    defer { buffer.deallocate() }
    try read(into: buffer, at: UInt64(range.lowerBound))
    return Array(buffer)
  }
}

extension ObjectStorage {
  /// The bytes of an object from `offset` on, at most `count`.
  func contents(_ name: ObjectName, at offset: UInt64 = 0, count: Int) throws(ObjectError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return Array(buffer.prefix(try read(name, at: offset, into: buffer)))
  }
}
