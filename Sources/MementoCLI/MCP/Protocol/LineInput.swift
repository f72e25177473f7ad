// The lines that a client writes. A line is bounded: the rest of a longer one is passed over, so that the next one can be
// answered.

import MementoSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct LineInput {
  enum Event: Equatable {
    case line([UInt8])
    /// A line that is longer than the limit. It was read and dropped.
    case tooLong
    /// The end of the input, or a signal that asks for an end.
    case end
  }

  /// How many bytes a line may have.
  let limit: Int
  private let descriptor: Int32
  private let isEnding: () -> Bool
  private var buffer: [UInt8] = []
  /// How much of the buffer has no line end.
  private var searched = 0
  private var isDropping = false
  private var isAtEnd = false

  init(_ descriptor: Int32, limit: Int, isEnding: @escaping () -> Bool) {
    self.descriptor = descriptor
    self.limit = limit
    self.isEnding = isEnding
  }

  mutating func next() -> Event {
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[..<end])
        buffer.removeSubrange(...end)
        searched = 0
        if isDropping || line.count > limit {
          isDropping = false
          return .tooLong
        }
        return .line(line)
      }
      searched = buffer.count
      if buffer.count > limit {
        buffer.removeAll()
        searched = 0
        isDropping = true
      }
      if isAtEnd { return last() }
      switch fill() {
      case .some(true): continue
      case .some(false): isAtEnd = true
      case .none: return .end
      }
    }
  }

  /// What was asked in a last line without an end is answered as well.
  private mutating func last() -> Event {
    defer {
      buffer.removeAll()
      searched = 0
      isDropping = false
    }
    if isDropping { return .tooLong }
    return buffer.isEmpty ? .end : .line(buffer)
  }

  /// Reads more. False at the end of the input, nil when a signal asks for an end.
  private mutating func fill() -> Bool? {
    while true {
      if isEnding() { return nil }
      // A signal that comes between the question above and this wait is seen a second later.
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, 1000) <= 0 { continue }
      var piece = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &piece, piece.count)
      if count > 0 {
        buffer += piece[..<count]
        return true
      }
      if count == 0 || (errno != EINTR && errno != EAGAIN) { return false }
    }
  }
}
