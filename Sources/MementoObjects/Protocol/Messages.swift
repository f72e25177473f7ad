// What is in the frames. A decoder returns nil for anything that docs/remote-helpers.md does not allow.

internal import MementoTime

/// What a program asks a helper for.
enum ObjectRequest: Equatable {
  case list(prefix: String, page: String?)
  case size(ObjectName)
  case read(ObjectName, offset: UInt64, count: Int)
  /// `hash`: the SHA-256 of the content, if the helper takes it.
  case put(ObjectName, size: UInt64, isOnlyIfAbsent: Bool, hash: [UInt8]? = nil)
  case remove(ObjectName)

  func frame(_ request: UInt32) -> [UInt8] {
    var frame: FrameWriter
    switch self {
    case .list(let prefix, let page):
      frame = FrameWriter(.list, request)
      frame.add(UInt16(prefix.utf8.count))
      frame.add(prefix.utf8)
      frame.add(UInt8(page == nil ? 0 : 1))
      if let page { frame.add(page.utf8) }
    case .size(let name):
      frame = FrameWriter(.size, request)
      frame.add(name.text.utf8)
    case .read(let name, let offset, let count):
      frame = FrameWriter(.read, request)
      frame.add(offset)
      frame.add(UInt32(count))
      frame.add(name.text.utf8)
    case .put(let name, let size, let isOnlyIfAbsent, let hash):
      frame = FrameWriter(.put, request)
      frame.add(size)
      frame.add(UInt8((isOnlyIfAbsent ? 1 : 0) | (hash == nil ? 0 : 2)))
      if let hash { frame.add(hash) }
      frame.add(name.text.utf8)
    case .remove(let name):
      frame = FrameWriter(.remove, request)
      frame.add(name.text.utf8)
    }
    return frame.finish()
  }

  init?(_ kind: FrameKind, _ payload: UnsafeRawBufferPointer) {
    var reader = MessageReader(payload)
    switch kind {
    case .list:
      guard let length = reader.number(UInt16.self), length <= 200, let prefix = reader.bytes(Int(length)),
        let hasPage = reader.number(UInt8.self), hasPage <= 1
      else { return nil }
      let page = reader.remainder()
      guard page.count <= FrameLimit.pageText, hasPage == 1 || page.isEmpty else { return nil }
      self = .list(
        prefix: String(decoding: prefix, as: UTF8.self),
        page: hasPage == 1 ? String(decoding: page, as: UTF8.self) : nil)
    case .size:
      guard let name = reader.name() else { return nil }
      self = .size(name)
    case .read:
      guard let offset = reader.number(UInt64.self), let count = reader.number(UInt32.self),
        count <= FrameLimit.read, let name = reader.name()
      else { return nil }
      self = .read(name, offset: offset, count: Int(count))
    case .put:
      guard let size = reader.number(UInt64.self), let flags = reader.number(UInt8.self), flags <= 3 else { return nil }
      var hash: [UInt8]?
      if flags & 2 != 0 {
        guard let bytes = reader.bytes(FrameLimit.hash) else { return nil }
        hash = Array(bytes)
      }
      guard let name = reader.name() else { return nil }
      self = .put(name, size: size, isOnlyIfAbsent: flags & 1 != 0, hash: hash)
    case .remove:
      guard let name = reader.name() else { return nil }
      self = .remove(name)
    default: return nil
    }
  }
}

extension ListedObject {
  func add(to frame: inout FrameWriter) {
    frame.add(UInt8(name.text.utf8.count))
    frame.add(name.text.utf8)
    frame.add(size)
    frame.add(modified)
  }

  init?(_ reader: inout MessageReader) {
    guard let length = reader.number(UInt8.self), let text = reader.bytes(Int(length)),
      let name = ObjectName(String(decoding: text, as: UTF8.self)), let size = reader.number(UInt64.self),
      let modified = Timestamp(&reader)
    else { return nil }
    self.init(name: name, size: size, modified: modified)
  }
}

extension FrameWriter {
  mutating func add(_ time: Timestamp) {
    add(time.seconds)
    add(time.nanoseconds)
  }
}

extension Timestamp {
  init?(_ reader: inout MessageReader) {
    guard let seconds = reader.number(Int64.self), let nanoseconds = reader.number(UInt32.self) else { return nil }
    self.init(seconds: seconds, nanoseconds: nanoseconds)
    if !isValid { return nil }
  }
}

extension ObjectError {
  func frame(_ request: UInt32) -> [UInt8] {
    var frame = FrameWriter(.error, request)
    frame.add(kind.rawValue)
    frame.add(reason.utf8.prefix(FrameLimit.reason))
    return frame.finish()
  }

  /// The text of another program: of its first line, what can be printed. A kind that is not known is a failure.
  init?(_ payload: UnsafeRawBufferPointer, _ name: ObjectName?) {
    var reader = MessageReader(payload)
    guard let number = reader.number(UInt8.self) else { return nil }
    let reason = ObjectError.printable(reader.remainder())
    let kind = Kind(rawValue: number) ?? .failed
    self.init(kind, name, reason.isEmpty ? "the helper failed and did not say why" : reason)
  }

  static func printable(_ bytes: UnsafeRawBufferPointer) -> String {
    let line = bytes.prefix(FrameLimit.reason).prefix { $0 != UInt8(ascii: "\n") }
    let scalars = String(decoding: line, as: UTF8.self).unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
      default: true
      }
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}
