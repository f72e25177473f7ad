// `cache/verified`: when each pack was read and found whole. Nothing relies on it. It is lost with `cache/`, and then
// nothing counts as read.

package import MementoSystem

package struct VerificationRecord: Equatable, Sendable {
  /// What is known of a pack.
  package struct Pack: Equatable, Sendable {
    /// Since when all of it was read; nil when that never happened.
    package var read: Timestamp?
    /// A reading in parts has come so far: bytes from the start of the pack.
    package var offset: UInt64 = 0
    /// When that reading began.
    package var begun: Timestamp?

    package init() {}
  }

  private static let firstLine = "memento verified 1"
  private static let fileName = Array("verified".utf8)
  private static let sizeLimit = 64 << 20

  package var packs: [ObjectID: Pack] = [:]
  /// Since when everything was read that was in the store at that time.
  package var full: Timestamp?

  package init() {}

  /// The record of a store. Empty when there is none that can be read and is whole.
  package init(of store: Store) {
    guard
      let bytes = try? store.folder.contents(ofCache: VerificationRecord.fileName, limit: VerificationRecord.sizeLimit),
      let record = VerificationRecord(bytes)
    else { return }
    self = record
  }

  /// Keeps the record. Does nothing in a store that cannot be written.
  package func keep(in store: Store) {
    store.folder.keep(inCache: VerificationRecord.fileName, encoded(), "verified")
  }

  /// Notes that a pack was read. `from`: where the reading began. `rest`: where the next one goes on; nil when it came to
  /// the end. `time`: when the check began. A pack that is hurt does not count as read.
  package mutating func note(_ pack: ObjectID, from: UInt64, rest: UInt64?, at time: Timestamp, isHurt: Bool) {
    if isHurt {
      packs[pack] = nil
      return
    }
    var entry = packs[pack] ?? Pack()
    let begun = from == 0 ? time : entry.begun ?? time
    if let rest {
      entry.offset = rest
      entry.begun = begun
    } else {
      entry.read = begun
      entry.offset = 0
      entry.begun = nil
    }
    packs[pack] = entry
  }

  /// Notes that packs that are not among these are gone, and whether now everything was read.
  package mutating func close(present: Set<ObjectID>) {
    packs = packs.filter { present.contains($0.key) }
    let times = present.map { packs[$0]?.read }
    guard let oldest = times.compactMap(\.self).min(), !times.contains(nil) else { return }
    if full.map({ $0 < oldest }) ?? true { full = oldest }
  }

  // MARK: Text

  package init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst() == VerificationRecord.firstLine[...], lines.popLast() == "",
      let sum = lines.popLast()?.split(separator: " "), sum.count == 2, sum[0] == "checksum"
    else { return nil }
    let body = lines.map { $0 + "\n" }.joined()
    guard ObjectID(hex: String(sum[1])) == ObjectID(hashing: Array(body.utf8)) else { return nil }
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 2, words[0] == "full" {
        full = Timestamp(rfc3339: words[1])
      } else if words.count == 5, words[0] == "pack", let id = ObjectID(hex: words[1]), let offset = UInt64(words[3]) {
        var pack = Pack()
        pack.read = Timestamp(rfc3339: words[2])
        pack.offset = offset
        pack.begun = Timestamp(rfc3339: words[4])
        packs[id] = pack
      } else {
        return nil
      }
    }
  }

  package func encoded() -> [UInt8] {
    var body = full.map { "full \($0.rfc3339)\n" } ?? ""
    for (id, pack) in packs.sorted(by: { $0.key < $1.key }) {
      body += "pack \(id) \(pack.read?.rfc3339 ?? "-") \(pack.offset) \(pack.begun?.rfc3339 ?? "-")\n"
    }
    let sum = ObjectID(hashing: Array(body.utf8))
    return Array("\(VerificationRecord.firstLine)\n\(body)checksum \(sum)\n".utf8)
  }
}
