// A save that ends early, wherever that is.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

/// Cancels when it was asked so many times.
private final class ImpatientMonitor: Monitor {
  private let left: Atomic<Int>

  init(after count: Int) {
    left = Atomic(count)
  }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}
  var isCancelled: Bool { left.subtract(1, ordering: .relaxed).newValue < 0 }
}

struct CancelledSaveTests {
  private let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    for folder in ["a", "b", "a/c"] {
      try shop.folder.makeFolder(folder.bytes)
      for number in 0..<60 { try shop.folder.write("\(folder)/\(number)".bytes, "\(folder) \(number)".bytes) }
    }
    try shop.folder.write("large".bytes, Content.random(5_000_000, seed: 1))
  }

  /// A batch of files that was not saved whole is no reason to finish its folder.
  @Test func itEndsAnywhere() throws {
    var ended = 0
    for count in stride(from: 0, to: 260, by: 4) {
      do {
        _ = try shop.repository.save(SaveOptions(), monitor: ImpatientMonitor(after: count))
      } catch {
        #expect(error.code == .cancelled)
        ended += 1
      }
      #expect(try shop.folder.folder(".memento/tmp").names().isEmpty)
      if count % 40 == 0 { try shop.folder.write("a/\(count % 60)".bytes, "again \(count)".bytes) }
    }
    #expect(ended > 12)
    let saved = try shop.save("all")
    #expect(saved.snapshot.files == 181)
    _ = try shop.repository.verify(VerifyOptions(readPercent: 100))
  }
}
