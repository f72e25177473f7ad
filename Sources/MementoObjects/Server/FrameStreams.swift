// Frames in and out of the descriptors of a server.

internal import MementoSystem
internal import Synchronization

/// What comes in. One thread reads it.
///
/// `@unchecked Sendable`: all but `isClosed` is used by the thread that runs the server.
final class FrameInput: @unchecked Sendable {
  enum Event {
    /// Nothing came for a while.
    case nothing
    case end
    /// Valid until the next call.
    case frame(FrameHeader, UnsafeRawBufferPointer)
  }

  /// In seconds: after how long `.nothing` is returned.
  let pause: Double
  private let raw: Int32
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: FrameLimit.payload + FrameLimit.header, alignment: 16)
  private var begin = 0
  private var end = 0
  private let isClosed = Atomic<Bool>(false)

  init(_ raw: Int32, pause: Double) {
    self.raw = raw
    self.pause = pause
    StreamOutput(raw).enlargePipe()
  }

  deinit {
    buffer.deallocate()
  }

  /// From now on the input is at its end. Any thread may call this.
  func close() {
    isClosed.store(true, ordering: .relaxed)
  }

  /// The first line without its end; nil when the input ends before.
  func line() throws(ObjectError) -> [UInt8]? {
    while true {
      let bytes = buffer[begin..<end]
      if let place = bytes.firstIndex(of: UInt8(ascii: "\n")) {
        defer { begin = place + 1 }
        return Array(bytes[..<place])
      }
      guard bytes.count < FrameLimit.greeting else { throw ObjectError(.garbled, "the first line is too long") }
      switch try fill() {
      case true?, nil: continue
      case false?: return nil
      }
    }
  }

  func next() throws(ObjectError) -> Event {
    while true {
      if end - begin >= FrameLimit.header {
        guard let header = FrameHeader(UnsafeRawBufferPointer(rebasing: buffer[begin..<end])) else {
          throw ObjectError(.garbled, "a frame that is too large")
        }
        let start = begin + FrameLimit.header
        if end - start >= header.length {
          begin = start + header.length
          return .frame(header, UnsafeRawBufferPointer(rebasing: buffer[start..<begin]))
        }
      }
      switch try fill() {
      case true?: continue
      case nil: return .nothing
      case false?:
        // A frame that is cut short was not asked for.
        return .end
      }
    }
  }

  /// Reads more. False at the end, nil when nothing came.
  private func fill() throws(ObjectError) -> Bool? {
    if begin > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[begin..<end])
      buffer.copyMemory(from: rest)
      begin = 0
      end = rest.count
    }
    do throws(Errno) {
      let ready = try Readiness.wait(reading: raw, writing: nil, seconds: min(pause, 1))
      if isClosed.load(ordering: .relaxed) { return false }
      guard ready.canRead else { return nil }
      let count = try StreamInput(raw).read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
      end += count
      return count > 0
    } catch {
      if error == .wouldBlock { return nil }
      if error == Errno.connectionReset { return false }
      throw ObjectError(.local, "reading requests: \(error.message)")
    }
  }
}

/// What goes out: whole frames, from any thread.
final class FrameOutput: Sendable {
  private let raw: Int32
  /// When something went out last, in seconds of the monotonic clock.
  private let last: Mutex<Double>

  init(_ raw: Int32) {
    self.raw = raw
    StreamOutput(raw).enlargePipe()
    last = Mutex(Clock.monotonicSeconds())
  }

  func send(_ frame: [UInt8]) throws(ObjectError) {
    try last.withLock { (last) throws(ObjectError) in
      try write(frame)
      last = Clock.monotonicSeconds()
    }
  }

  /// Sends a frame when nothing was sent for `seconds`, and not when that would have to wait.
  func sendIfSilent(_ frame: [UInt8], for seconds: Double) throws(ObjectError) {
    let result = last.withLockIfAvailable { last -> ObjectError? in
      do throws(ObjectError) {
        guard Clock.monotonicSeconds() - last >= seconds, try canWrite(waiting: 0) else { return nil }
        try write(frame)
        last = Clock.monotonicSeconds()
        return nil
      } catch {
        return error
      }
    }
    if let error = result ?? nil { throw error }
  }

  private func canWrite(waiting seconds: Double) throws(ObjectError) -> Bool {
    do throws(Errno) {
      return try Readiness.wait(reading: nil, writing: raw, seconds: seconds).canWrite
    } catch {
      throw ObjectError(.local, "writing answers: \(error.message)")
    }
  }

  private func write(_ bytes: [UInt8]) throws(ObjectError) {
    var done = 0
    while done < bytes.count {
      do throws(Errno) {
        done += try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) -> Int in
          try StreamOutput(raw).writeSome(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[done...])))
        }
      } catch {
        // The descriptor may be shared with a process that has set it so.
        guard error == .wouldBlock else { throw ObjectError(.local, "writing answers: \(error.message)") }
        _ = try canWrite(waiting: 1)
      }
    }
  }
}
