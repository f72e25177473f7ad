// Writes a file or a value to standard output: the exact bytes, a form for people, or JSON.

import MementoKit

struct ContentPrinter {
  /// The largest content of a JSON document, in bytes.
  private static let largestDocument: UInt64 = 64 << 20
  /// The largest value that `memento show` prints, in bytes.
  private static let largestShown: UInt64 = 1 << 20

  private let repository: Repository
  private let revision: Revision
  private let path: BytePath?

  init(_ repository: Repository, _ revision: Revision, _ path: BytePath?) {
    self.repository = repository
    self.revision = revision
    self.path = path
  }

  /// Writes exactly the bytes.
  func write(in session: Session) throws {
    var reader = try repository.content(of: revision, path: path)
    while let bytes = try reader.next() { try session.write(bytes) }
  }

  /// Writes the content for people. On a terminal, control characters are made visible. Elsewhere the exact bytes are
  /// written.
  func show(in session: Session) throws {
    guard session.form.isTerminal else { return try write(in: session) }
    var reader = try repository.content(of: revision, path: path)
    var rest: [UInt8] = []
    while let bytes = try reader.next() {
      try session.checkInterruption()
      if bytes.contains(0) {
        let word = ShellWord.quoted("\(revision):\(TerminalText.escaped(path ?? BytePath("")))")
        return try session.write(
          line: "(\(Quantity.bytes(reader.size)) that are not text; `memento cat \(word)` writes them)")
      }
      rest += bytes
      // Lines are written whole. A line of more than 1 MiB is written in pieces.
      guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) ?? (rest.count > 1 << 20 ? rest.count - 1 : nil)
      else { continue }
      try write(rest[...end], in: session)
      rest.removeSubrange(...end)
    }
    try write(rest[...], in: session)
  }

  /// Writes a value below the record of its snapshot. Text of up to 1 MiB, such as the JSON of a program, is written
  /// and ends with a line break. Of anything else only the size is shown.
  func showValue(in session: Session) throws {
    var reader = try repository.content(of: revision, path: nil)
    var bytes: [UInt8] = []
    if reader.size <= ContentPrinter.largestShown {
      while let piece = try reader.next() { bytes += piece }
    }
    guard bytes.count == reader.size, !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
      let word = ShellWord.quoted(revision.text)
      return try session.write(line: "(\(Quantity.bytes(reader.size)); `memento cat \(word)` writes them)")
    }
    if session.form.isTerminal { return try write(bytes[...], in: session) }
    try session.write(bytes)
    if let last = bytes.last, last != UInt8(ascii: "\n") { try session.write(line: "") }
  }

  private func write(_ lines: ArraySlice<UInt8>, in session: Session) throws {
    if lines.isEmpty { return }
    var lines = lines
    if lines.last == UInt8(ascii: "\n") { lines.removeLast() }
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      try session.write(line: VisibleContent.line(line))
    }
  }

  func writeDocument(in session: Session) throws {
    let snapshot = try repository.snapshot(revision)
    var reader = try repository.content(of: revision, path: path)
    guard reader.size <= ContentPrinter.largestDocument else {
      throw ErrorReport(
        status: .failed, id: RepositoryError.Code.invalidArgument.description,
        "\(Quantity.bytes(reader.size)) are too much for a JSON document", advice: Advice.writeBytes, path: path)
    }
    var bytes: [UInt8] = []
    while let piece = try reader.next() { bytes += piece }
    let entry = try path.map { try repository.entry(revision, path: $0) }
    try session.write(document: ContentDocument(snapshot, path, entry, bytes))
  }
}
