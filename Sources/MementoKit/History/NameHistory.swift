// Lists what a name meant, newest first. Each snapshot records what its name meant before it (`replaces`). That is
// enough as long as the name is only saved to. Only the journal knows when an existing snapshot got the name, and when
// the name was deleted or renamed. Without the journal, the list follows `replaces` alone.

internal import MementoStore
internal import MementoSystem

struct NameHistory {
  struct Meaning {
    /// When the name began to mean this.
    var since: Timestamp
    /// Nil when the name did not exist.
    var snapshot: ObjectID?
  }

  private let records: RecordReader
  private var name: String
  /// What the name means at the point that the history has reached.
  private var snapshot: ObjectID?
  private var journal: JournalReader
  /// Lines about the name that were read ahead, newest first. Each comes with the reader as it was after that line.
  private var ahead: [(line: JournalEntry, older: JournalReader)] = []

  init(_ name: String, _ repository: Repository, _ refs: Refs, _ records: RecordReader) throws(RepositoryError) {
    self.name = name
    self.records = records
    snapshot = refs[name]
    journal = try translating { () throws(StoreError) in try Journal(repository.store.folder).newestFirst() }
  }

  /// The next older meaning; nil at the end.
  mutating func next() throws(RepositoryError) -> Meaning? {
    while true {
      guard let id = snapshot else {
        guard let line = try line(at: 0) else { return nil }
        snapshot = line.snapshot
        if takesName(line) {
          ahead.removeFirst()
          return Meaning(since: line.time, snapshot: nil)
        }
        // This line gave the name to a snapshot. The journal does not say how the name was lost later.
        if snapshot == nil { ahead.removeFirst() }
        continue
      }
      let record = try records.kept(id)
      if let line = try takeLine(giving: id) {
        if let former = line.formerName {
          name = former  // the same meaning under its former name
          continue
        }
        snapshot = line.operation == "save" ? record?.replaces : nil
        return Meaning(since: line.time, snapshot: id)
      }
      snapshot = record?.replaces
      return Meaning(since: record?.time ?? .distantPast, snapshot: id)
    }
  }

  private func takesName(_ line: JournalEntry) -> Bool {
    line.operation == "delete" || line.formerName.map { $0.utf8.elementsEqual(name.utf8) } == true
  }

  /// Takes the newest line by which the name got this snapshot, and skips newer lines: two saves at once may have
  /// written their lines in the other order. Returns nil, and skips nothing, when there is no such line.
  private mutating func takeLine(giving id: ObjectID) throws(RepositoryError) -> JournalEntry? {
    var index = 0
    while let line = try line(at: index) {
      if line.snapshot == id, !takesName(line) {
        if line.formerName != nil { journal = ahead[index].older }
        ahead.removeFirst(line.formerName != nil ? ahead.count : index + 1)
        return line
      }
      index += 1
    }
    return nil
  }

  private mutating func line(at index: Int) throws(RepositoryError) -> JournalEntry? {
    let word = Array(JournalLine.word(name).utf8)
    while ahead.count <= index {
      let next = try translating { () throws(StoreError) in try journal.next { NameHistory.mentions($0, word) } }
      guard let line = next else { return nil }
      if ["save", "name", "rename", "delete"].contains(line.operation) { ahead.append((line, journal)) }
    }
    return ahead[index].line
  }

  /// Whether one of the last two words of a line is `word`.
  private static func mentions(_ line: ArraySlice<UInt8>, _ word: [UInt8]) -> Bool {
    let space = UInt8(ascii: " ")
    guard let last = line.lastIndex(of: space) else { return false }
    if line[(last + 1)...].elementsEqual(word) { return true }
    guard let before = line[..<last].lastIndex(of: space) else { return false }
    return line[(before + 1)..<last].elementsEqual(word)
  }
}

extension NameHistory {
  /// The snapshot that the name meant before its last `steps` changes; nil when there were fewer. A change that gives
  /// the name the snapshot it already has does not count, and a deletion does not count either.
  static func snapshot(
    of name: String, back steps: Int, _ repository: Repository, _ refs: Refs, _ records: RecordReader
  ) throws(RepositoryError) -> ObjectID? {
    var history = try NameHistory(name, repository, refs, records)
    var current = refs[name]
    var left = steps
    while left > 0 {
      guard let meaning = try history.next() else { return nil }
      guard let id = meaning.snapshot, id != current else { continue }
      current = id
      left -= 1
    }
    return current
  }

  /// The snapshot that the name meant at a time; nil when the name did not exist.
  static func snapshot(
    of name: String, at time: Timestamp, _ repository: Repository, _ refs: Refs, _ records: RecordReader
  ) throws(RepositoryError) -> ObjectID? {
    var history = try NameHistory(name, repository, refs, records)
    while let meaning = try history.next() {
      if meaning.since <= time { return meaning.snapshot }
    }
    return nil
  }
}
