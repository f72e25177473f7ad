// Which packs the indexes of a remote name: what is known of them here, so that each is read once.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore

/// Text: `index NAME`, then a line for each pack and for each index that it replaces. What cannot be read of it is asked for
/// again.
struct IndexOutlines: IndexCache {
  private static let firstLine = "memento indexes 1"

  private var known: [ObjectName: IndexOutline] = [:]
  /// Records that were read and whose packs the local index does not know yet.
  private(set) var unread: [IndexRecord] = []

  init() {}

  init(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    var lines = text.split(separator: "\n").makeIterator()
    guard lines.next() == Substring(IndexOutlines.firstLine) else { return }
    var name: ObjectName?
    var packs: [ObjectID] = []
    var replaces: [ObjectName] = []
    func finish(_ known: inout [ObjectName: IndexOutline]) {
      if let name { known[name] = IndexOutline(packs: packs, replaces: replaces) }
    }
    while let line = lines.next() {
      let words = line.split(separator: " ")
      guard words.count == 2 else { return }
      switch words[0] {
      case "index":
        finish(&known)
        name = ObjectName(String(words[1]))
        (packs, replaces) = ([], [])
      case "pack":
        guard let id = ObjectID(hex: String(words[1])) else { return }
        packs.append(id)
      case "replaces":
        guard let old = ObjectName(String(words[1])) else { return }
        replaces.append(old)
      case "end":
        finish(&known)
        return
      default: return
      }
    }
  }

  func encoded(keeping names: Set<ObjectName>) -> [UInt8] {
    var text = IndexOutlines.firstLine + "\n"
    for (name, outline) in known.sorted(by: { $0.key < $1.key }) where names.contains(name) {
      text += "index \(name)\n"
      for pack in outline.packs { text += "pack \(pack)\n" }
      for old in outline.replaces { text += "replaces \(old)\n" }
    }
    return Array((text + "end of-list\n").utf8)
  }

  mutating func outline(of name: ObjectName) throws(RemoteError) -> IndexOutline? { known[name] }

  mutating func keep(_ record: IndexRecord, as name: ObjectName) throws(RemoteError) {
    known[name] = IndexOutline(record)
    unread.append(record)
  }

  /// Notes an index that was put.
  mutating func note(_ record: IndexRecord, as name: ObjectName) {
    known[name] = IndexOutline(record)
  }

  /// The records that are to be taken over, which are forgotten here.
  mutating func takeUnread() -> [IndexRecord] {
    defer { unread = [] }
    return unread
  }
}
