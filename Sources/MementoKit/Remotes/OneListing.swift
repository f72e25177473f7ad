// Asks a storage once what it has. Every request of a bucket costs money and time.

internal import MementoObjects
internal import MementoSystem
internal import Synchronization

/// Passes everything on but listings: these are answered from one listing of everything, which is made when it is first
/// needed. For one short operation, which must see what there was at one time anyway.
final class OneListing: ObjectStorage {
  private struct Listing: Sendable {
    let objects: [ListedObject]
    let now: Timestamp
  }

  private let base: any ObjectStorage
  private let listing = Mutex<(known: Listing?, isFresh: Bool)>((nil, false))
  /// A listing with more objects than this is without end, or of a remote that this machine cannot work with: an object takes
  /// some 300 bytes of memory here.
  static let most = max(1_000_000, Int(clamping: Host.memory() / 2048))
  /// So many pages without any object of a remote may come: a bucket may have other objects under the prefix.
  private static let mostEmpty = 100_000

  private let most: Int

  /// `most`: how many objects there may be.
  init(_ base: any ObjectStorage, most: Int = OneListing.most) {
    self.base = base
    self.most = most
  }

  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    if listing.withLock({ $0.isFresh }) {
      // Also as one page: sealed names have another order than those that are listed.
      let found = try whole(prefix)
      return ObjectPage(objects: found.objects, next: nil, now: found.now)
    }
    let all = try everything()
    let objects = prefix.isEmpty ? all.objects : all.objects.filter { $0.name.text.hasPrefix(prefix) }
    return ObjectPage(objects: objects, next: nil, now: all.now)
  }

  /// From now on, each listing is a new one.
  func lookAnew() {
    listing.withLock { $0 = (nil, true) }
  }

  private func everything() throws(ObjectError) -> Listing {
    if let known = listing.withLock({ $0.known }) { return known }
    let made = try whole("")
    listing.withLock { $0.known = made }
    return made
  }

  private func whole(_ prefix: String) throws(ObjectError) -> Listing {
    var objects: [ListedObject] = []
    var page: String?
    // When it began: what is put later may be missing.
    var now: Timestamp?
    var seen: Set<String> = []
    var empty = 0
    repeat {
      let found = try base.list(prefix, page: page)
      objects += found.objects
      now = now ?? found.now
      page = found.next
      if found.objects.isEmpty { empty += 1 }
      guard objects.count <= most, empty <= OneListing.mostEmpty,
        page.map({ seen.insert($0).inserted }) ?? true
      else {
        throw ObjectError(.garbled, nil, "the remote lists its objects without end")
      }
    } while page != nil
    return Listing(objects: objects, now: now ?? .distantPast)
  }

  func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try base.size(of: name) }

  func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ObjectError)
    -> Int
  {
    try base.read(name, at: offset, into: buffer)
  }

  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) { try base.put(source, as: name) }

  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    try base.putIfAbsent(source, as: name)
  }

  func remove(_ name: ObjectName) throws(ObjectError) { try base.remove(name) }
}
