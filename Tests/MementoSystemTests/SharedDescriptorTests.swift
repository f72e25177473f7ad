import Dispatch
import MementoSystem
import Synchronization
import TestSupport
import Testing

struct SharedDescriptorTests {
  @Test func closesWithItsLastUser() throws {
    let folder = try TemporaryDirectory()
    try folder.write("file", "x".bytes)
    let watch = try folder.descriptor.open("file".bytes, .read)
    var first: SharedDescriptor? = SharedDescriptor(try folder.descriptor.open("file".bytes, .read))
    // The lock tells whether the descriptor is still open.
    try first?.descriptor.lockAgainstSweep()
    let second = first
    first = nil
    let whileShared = watch.isLockedByOther()
    #expect(whileShared)
    let bytes = try second?.descriptor.contents()
    #expect(bytes == "x".bytes)
    withExtendedLifetime(second) {}
  }

  @Test func isReadFromManyThreads() throws {
    let folder = try TemporaryDirectory()
    let bytes = Content.random(1 << 16, seed: 1)
    try folder.write("file", bytes)
    let file = SharedDescriptor(try folder.descriptor.open("file".bytes, .read))
    let wrong = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      for round in 0..<50 {
        let start = (worker * 7919 + round * 104_729) % 60_000
        let piece = try? file.descriptor.bytes(at: UInt64(start), count: 5000)
        if piece != Array(bytes[start..<start + 5000]) { wrong.withLock { $0 += 1 } }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }
}
