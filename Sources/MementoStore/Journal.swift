// `journal`: a line an operation, appended, for people and `log --all`. Advisory: nothing depends on it.

package import MementoSystem

package struct JournalEntry: Equatable, Sendable {
  package var time: Timestamp
  package var user: String
  package var operation: String
  /// The snapshot it made or went to.
  package var snapshot: ObjectID?
  package var name: String?

  package init(
    time: Timestamp, user: String, operation: String, snapshot: ObjectID?, name: String?
  ) {
    self.time = time
    self.user = user
    self.operation = operation
    self.snapshot = snapshot
    self.name = name
  }
}

package struct Journal: Sendable {
  private let folder: StoreFolder

  package init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Appends a line an entry; a failure is no reason to fail what has succeeded.
  package func append(_ entries: [JournalEntry]) {
    var text = ""
    for entry in entries {
      let words = [
        entry.time.rfc3339, PercentText.encode(entry.user.utf8), entry.operation,
        entry.snapshot?.description ?? "-", entry.name.map { PercentText.encode($0.utf8) } ?? "-",
      ]
      text += words.joined(separator: " ") + "\n"
    }
    guard let file = try? folder.root.open(StoreFolder.journalName, .append) else { return }
    try? file.write(Array(text.utf8))
  }

  /// All lines that can be read, oldest first.
  package func entries() -> [JournalEntry] {
    guard let bytes = try? folder.root.contents(of: StoreFolder.journalName) else { return [] }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count == 5, let time = Timestamp(rfc3339: String(words[0])),
        let user = PercentText.decode(String(words[1]))
      else { return nil }
      return JournalEntry(
        time: time, user: String(decoding: user, as: UTF8.self), operation: String(words[2]),
        snapshot: ObjectID(hex: String(words[3])),
        name: words[4] == "-"
          ? nil
          : PercentText.decode(String(words[4])).map { String(decoding: $0, as: UTF8.self) })
    }
  }
}
