// What this store knows of a remote by itself: the file `remotes/NAME/remote`.

internal import MementoStore
internal import MementoSystem

/// Text with a fact on each line; see docs/format.md, "remotes".
struct RemoteEntry: Equatable {
  static let firstLine = "memento remote 1"
  static let limit = 1 << 16

  var url: RemoteURL
  /// The id of the repository there: hexadecimal digits.
  var repository: String
  var isSealed: Bool
  /// Under which name this store writes refs records there: hexadecimal digits.
  var writer: String
  /// The device and the inode of the store that this was written for. A copy of the store has others: it does not use the
  /// remote before its user has confirmed that.
  var home: FileIdentity
  /// When this store last wrote or read there.
  var lastContact: Timestamp?
  /// Whether snapshots came from there: others may have made them.
  var hasGiven = false

  func encoded() -> [UInt8] {
    var text = "\(RemoteEntry.firstLine)\nurl \(url)\nrepository \(repository)\nform \(isSealed ? "sealed" : "plain")\n"
    text += "writer \(writer)\nhome \(home.device) \(home.inode)\n"
    if let lastContact { text += "contact \(lastContact.rfc3339)\n" }
    if hasGiven { text += "given yes\n" }
    return Array(text.utf8)
  }

  init(url: RemoteURL, repository: String, isSealed: Bool, writer: String, home: FileIdentity) {
    self.url = url
    self.repository = repository
    self.isSealed = isSealed
    self.writer = writer
    self.home = home
  }

  /// `name`: for the error when the bytes are not valid.
  init(_ bytes: [UInt8], name: String) throws(RepositoryError) {
    func damaged(_ reason: String) -> RepositoryError {
      RepositoryError(.damaged, "remotes/\(name)/remote cannot be read: \(reason)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged("it is no text") }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: true).makeIterator()
    guard let first = lines.next() else { throw damaged("it is empty") }
    if first != RemoteEntry.firstLine {
      if first.hasPrefix("memento remote ") {
        throw RepositoryError(.newerFormat, "the remote \(name) was added by a newer memento (\(first.prefix(40)))")
      }
      throw damaged("its first line is not \"\(RemoteEntry.firstLine)\"")
    }
    var facts: [Substring: Substring] = [:]
    while let line = lines.next() {
      guard let space = line.firstIndex(of: " ") else { throw damaged("a line has no value") }
      facts[line[..<space]] = line[line.index(after: space)...]
    }
    guard let urlText = facts["url"], let repository = facts["repository"], let form = facts["form"],
      let writer = facts["writer"], let home = facts["home"], let identity = RemoteEntry.identity(home)
    else { throw damaged("a line is missing") }
    guard bytes.last == UInt8(ascii: "\n") else { throw damaged("its last line is cut") }
    guard form == "sealed" || form == "plain" else { throw damaged("its form is not known") }
    for id in [repository, writer] {
      guard id.utf8.count == 32, id.utf8.allSatisfy({ hexValue($0) != nil }) else { throw damaged("an id is wrong") }
    }
    url = try RemoteURL(String(urlText))
    self.repository = String(repository)
    isSealed = form == "sealed"
    self.writer = String(writer)
    self.home = identity
    hasGiven = facts["given"] == "yes"
    if let contact = facts["contact"] {
      guard let time = Timestamp(rfc3339: Array(contact.utf8)[...]) else { throw damaged("a time is wrong") }
      lastContact = time
    }
  }

  private static func identity(_ text: Substring) -> FileIdentity? {
    let words = text.split(separator: " ")
    guard words.count == 2, let device = UInt64(words[0]), let inode = UInt64(words[1]) else { return nil }
    return FileIdentity(device: device, inode: inode)
  }
}
