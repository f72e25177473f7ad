// `journal`: one line for each operation, appended. People read it, `log --all` does, and a name with a time is looked
// up in it. It is advisory: no restore depends on it.

package import MementoSystem

/// One line of the journal.
package struct JournalEntry: Equatable, Sendable {
  package var time: Timestamp
  package var user: String
  package var operation: String
  /// The snapshot that the operation made or went to.
  package var snapshot: ObjectID?
  package var name: String?
  /// For a rename: the name before.
  package var formerName: String?
  /// The fork in whose folder it happened; nil for the main folder.
  package var fork: ForkID?

  package init(
    time: Timestamp, user: String, operation: String, snapshot: ObjectID?, name: String?, formerName: String? = nil,
    fork: ForkID? = nil
  ) {
    self.fork = fork
    self.time = time
    self.user = user
    self.operation = operation
    self.snapshot = snapshot
    self.name = name
    self.formerName = formerName
  }
}

/// The journal of a store.
package struct Journal: Sendable {
  private let folder: StoreFolder

  package init(_ folder: StoreFolder) {
    self.folder = folder
  }

  /// Appends lines. An error is ignored: the operations have succeeded, and the journal is advisory.
  package func append(_ entries: [JournalEntry]) {
    let text = entries.map { JournalLine.text($0) + "\n" }.joined()
    if text.isEmpty { return }
    do throws(Errno) {
      try folder.root.createOwnedIfMissing(StoreFolder.journalName)
      try folder.root.open(StoreFolder.journalName, .append).write(Array(text.utf8))
    } catch {
      // As above.
    }
  }

  /// Appends a line. An error is ignored.
  package func append(_ entry: JournalEntry) {
    append([entry])
  }

  /// Returns a reader of the lines, newest first. It has no lines when there is no journal. Throws when the file cannot
  /// be opened.
  package func newestFirst() throws(StoreError) -> JournalReader {
    let none = JournalReader(nil, size: 0)
    return try onFile("read", "journal") { () throws(Errno) -> JournalReader in
      guard let file = try openFile() else { return none }
      let status = try file.descriptor.status()
      // Only a regular file has lines. Nothing that can be restored depends on the journal.
      return status.isRegular ? JournalReader(file, size: status.size) : none
    }
  }

  /// Opens the journal. Nil when the system says twice that there is none.
  private func openFile() throws(Errno) -> SharedDescriptor? {
    for _ in 1...2 {
      do throws(Errno) {
        return SharedDescriptor(try folder.root.open(StoreFolder.journalName, .read))
      } catch {
        if error != .notFound { throw error }
      }
    }
    return nil
  }
}

/// Encodes and decodes a line: words with a space between them.
package enum JournalLine {
  /// The line of an entry, without a newline.
  static func text(_ entry: JournalEntry) -> String {
    var words = [
      entry.time.rfc3339, PercentText.encode(entry.user.utf8), entry.operation + (entry.fork.map { "@\($0)" } ?? ""),
      entry.snapshot?.description ?? "-", word(entry.name),
    ]
    if let former = entry.formerName { words.append(word(former)) }
    return words.joined(separator: " ")
  }

  /// The word for a name in a line.
  package static func word(_ name: String?) -> String {
    name.map { PercentText.encode($0.utf8) } ?? "-"
  }

  /// Decodes a line. Nil when it is not a line of a journal.
  static func entry(_ line: some Sequence<UInt8>) -> JournalEntry? {
    let words = String(decoding: Array(line), as: UTF8.self).split(separator: " ")
    guard words.count > 2 else { return nil }
    // `restore@3f0c91aa`: in a fork.
    let operation = words[2].split(separator: "@", maxSplits: 1)
    let fork = operation.count == 2 ? ForkID(operation[1]) : nil
    guard words.count == 5 || (words.count == 6 && operation[0] == "rename"), operation.count == 1 || fork != nil,
      let time = Timestamp(rfc3339: String(words[0])),
      let user = PercentText.decode(String(words[1]))
    else { return nil }
    func name(_ word: Substring) -> String? {
      word == "-" ? nil : PercentText.decode(String(word)).map { String(decoding: $0, as: UTF8.self) }
    }
    return JournalEntry(
      time: time, user: String(decoding: user, as: UTF8.self), operation: String(operation[0]),
      snapshot: ObjectID(hex: String(words[3])), name: name(words[4]),
      formerName: words.count == 6 ? name(words[5]) : nil, fork: fork)
  }
}

extension Journal {
  /// Puts other snapshots in the place of some in all lines; lines that are not understood stay as they are. The journal
  /// is replaced as a whole. Throws when it cannot be read or written: it is as it was then.
  package func exchange(_ snapshots: [ObjectID: ObjectID]) throws(StoreError) {
    if snapshots.isEmpty { return }
    try onFile("write", "journal") { () throws(Errno) in
      guard let old = try folder.root.contents(of: StoreFolder.journalName) else { return }
      var new: [UInt8] = []
      new.reserveCapacity(old.count)
      for line in old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        if line.startIndex > 0 { new.append(UInt8(ascii: "\n")) }
        JournalLine.append(line, exchanging: snapshots, to: &new)
      }
      if new != old { try folder.replaceFile(StoreFolder.journalName, with: new, "journal") }
    }
  }
}

extension JournalLine {
  /// Appends a line with another snapshot, if there is one for that of the line.
  fileprivate static func append(
    _ line: ArraySlice<UInt8>, exchanging snapshots: [ObjectID: ObjectID], to bytes: inout [UInt8]
  ) {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
    guard words.count > 3, let new = ObjectID(words[3]).flatMap({ snapshots[$0] }) else {
      bytes.append(contentsOf: line)
      return
    }
    bytes.append(contentsOf: line[..<words[3].startIndex])
    new.appendHex(to: &bytes)
    bytes.append(contentsOf: line[words[3].endIndex...])
  }
}
