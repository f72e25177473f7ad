// What is known here of the indexes of a remote, so that each is read once.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore

/// Text: `index NAME`, then a line for each of its packs and for each index that it replaces. It is derived: what cannot be
/// read of it is asked for again.
struct IndexOutlines: IndexCache {
  private static let firstLine = "memento indexes 1"
  private static let lastLine = "end"

  /// A pack as an index names it.
  struct Pack: Hashable {
    let id: ObjectID
    let name: ObjectID
    let size: UInt64
    /// The salt of its sealed object; empty where it is not known.
    var salt: [UInt8] = []
  }

  private struct Entry {
    var packs: [Pack] = []
    var replaces: [ObjectName] = []
  }

  private var known: [ObjectName: Entry] = [:]
  /// Records that were read, and whose packs the local index does not know yet.
  private(set) var unread: [IndexRecord] = []
  /// The bytes of their tables.
  private var unreadBytes = 0
  /// Takes records over when so many bytes of them are in memory. A remote may have more than fits into it.
  var takeOver: (([IndexRecord]) throws(RemoteError) -> Void)?
  private static let mostUnread = 32 << 20

  init() {}

  /// Nothing is known when the bytes are not whole.
  init(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let lines = text.split(separator: "\n")
    guard lines.first == Substring(IndexOutlines.firstLine), lines.last == Substring(IndexOutlines.lastLine) else {
      return
    }
    var found: [ObjectName: Entry] = [:]
    var current: ObjectName?
    for line in lines.dropFirst().dropLast() {
      let words = line.split(separator: " ")
      switch (words.first, words.count) {
      case ("index", 2):
        guard let name = ObjectName(String(words[1])) else { return }
        current = name
        found[name] = Entry()
      case ("pack", 4), ("pack", 5):
        guard let current, let id = ObjectID(hex: String(words[1])), let name = ObjectID(hex: String(words[2])),
          let size = UInt64(words[3]), let salt = IndexOutlines.salt(words.dropFirst(4).first)
        else { return }
        found[current]?.packs.append(Pack(id: id, name: name, size: size, salt: salt))
      case ("replaces", 2):
        guard let current, let old = ObjectName(String(words[1])) else { return }
        found[current]?.replaces.append(old)
      default: return
      }
    }
    known = found
  }

  /// `names`: the indexes that are still there.
  func encoded(keeping names: Set<ObjectName>) -> [UInt8] {
    var text = IndexOutlines.firstLine + "\n"
    for (name, entry) in known.sorted(by: { $0.key < $1.key }) where names.contains(name) {
      text += "index \(name)\n"
      for pack in entry.packs {
        text += "pack \(pack.id) \(pack.name) \(pack.size)"
        if let digits = IndexOutlines.digits(pack.salt) { text += " \(digits)" }
        text += "\n"
      }
      for old in entry.replaces { text += "replaces \(old)\n" }
    }
    return Array((text + IndexOutlines.lastLine + "\n").utf8)
  }

  /// The bytes of a salt; none where there is no word for it. Nil when the word is not 64 digits.
  private static func salt(_ word: Substring?) -> [UInt8]? {
    guard let word else { return [] }
    return ObjectID(hex: String(word))?.bytes
  }

  /// A salt as a word; nil where there is none.
  private static func digits(_ salt: [UInt8]) -> ObjectID? {
    guard salt.count == ObjectID.size else { return nil }
    return salt.withUnsafeBytes { bytes in bytes.baseAddress.map { ObjectID(loading: $0) } }
  }

  /// The packs that some indexes name.
  func packs(of indexes: Set<ObjectName>) -> [Pack] {
    indexes.sorted().flatMap { known[$0]?.packs ?? [] }
  }

  mutating func outline(of name: ObjectName) throws(RemoteError) -> IndexOutline? {
    known[name].map { IndexOutline(packs: $0.packs.map(\.name), replaces: $0.replaces) }
  }

  mutating func keep(_ record: IndexRecord, as name: ObjectName) throws(RemoteError) {
    note(record, as: name)
    unread.append(record)
    unreadBytes += record.packs.reduce(0) { $0 + $1.contents.count }
    if let takeOver, unreadBytes > IndexOutlines.mostUnread { try takeOver(takeUnread()) }
  }

  /// Notes an index whose packs the local index knows.
  mutating func note(_ record: IndexRecord, as name: ObjectName) {
    known[name] = Entry(
      packs: record.packs.map { Pack(id: $0.id, name: $0.name, size: $0.size, salt: $0.salt) },
      replaces: record.replaces)
  }

  /// The records that are to be taken over, which are forgotten here.
  mutating func takeUnread() -> [IndexRecord] {
    defer { (unread, unreadBytes) = ([], 0) }
    return unread
  }
}
