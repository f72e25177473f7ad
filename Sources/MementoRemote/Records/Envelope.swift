// The outer form of each record: a first line of text, a checksum, the body.

internal import MementoModel
internal import MementoObjects

/// `memento KIND VERSION` and a newline, the SHA-256 of the body, the body. Numbers are as in all of memento's formats.
enum Envelope {
  /// No record is larger, in bytes.
  static let largest = 64 << 20

  static func seal(_ kind: String, _ version: Int, _ body: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: body.count + 80)
    writer.append("memento \(kind) \(version)\n".utf8)
    writer.id(ObjectID(hashing: body))
    writer.append(body)
    return writer.bytes
  }

  /// A reader of the body. `name`: the object, for errors.
  static func open(_ bytes: [UInt8], _ kind: String, _ version: Int, _ name: ObjectName?) throws(RemoteError)
    -> ByteReader
  {
    let first = bytes.prefix(100).prefix { $0 != UInt8(ascii: "\n") }
    let line = String(decoding: first, as: UTF8.self)
    guard line == "memento \(kind) \(version)" else {
      if let number = number(line, after: "memento \(kind) "), number > version {
        throw .newerFormat(name, found: line)
      }
      throw .damaged(name, reason: "its first line is not \"memento \(kind) \(version)\"")
    }
    guard first.count < bytes.count else { throw .damaged(name, reason: "it ends too early") }
    guard bytes.count <= largest else { throw .tooMuch("a record has more than \(largest) bytes") }
    return try checking(name) { () throws(FormatError) in
      var reader = try ByteReader(bytes, in: first.count + 1..<bytes.count)
      let sum = try reader.id()
      var hasher = ContentHasher()
      bytes.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[reader.position...])) }
      guard hasher.finish() == sum else { throw FormatError("its checksum is wrong") }
      return reader
    }
  }

  /// The version in a first line. Nil when it is none that a later memento writes: a changed byte there is damage.
  private static func number(_ line: String, after words: String) -> Int? {
    guard line.hasPrefix(words), let number = Int(line.dropFirst(words.count)), line == "\(words)\(number)" else {
      return nil
    }
    return number
  }

  static func checking<Result>(
    _ name: ObjectName?, _ body: () throws(FormatError) -> Result
  ) throws(RemoteError) -> Result {
    do throws(FormatError) {
      return try body()
    } catch {
      throw .damaged(name, reason: error.reason)
    }
  }
}

extension ByteWriter {
  mutating func text(_ text: some Collection<UInt8>) {
    varint(UInt64(text.count))
    append(text)
  }
}

extension ByteReader {
  /// A text with its length before it.
  mutating func bytes(atMost limit: Int) throws(FormatError) -> [UInt8] { try take(try count(atMost: limit)) }

  mutating func text(atMost limit: Int) throws(FormatError) -> String {
    guard let text = String(validating: try bytes(atMost: limit), as: UTF8.self) else {
      throw FormatError("a text is not UTF-8")
    }
    return text
  }

  /// Checks that nothing follows.
  func finish() throws(FormatError) {
    guard isAtEnd else { throw FormatError("something follows its end") }
  }
}
