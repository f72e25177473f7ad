// Every wait for another process can be cancelled at once, and the monitor is told of it.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct WaitingTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.write("a".bytes, "a".bytes)
    try shop.save("one")
  }

  /// Cancels waits: at once, or after it was told of one.
  final class Listener: Monitor {
    private let holders = Mutex<[StoreHolder?]>([])
    private let isPatient: Bool

    init(isPatient: Bool) {
      self.isPatient = isPatient
    }

    var heard: [StoreHolder?] { holders.withLock { $0 } }
    func begin(_ phase: Phase) {}
    func advance(files: Int, bytes: UInt64) {}
    func report(_ problem: Problem) {}
    func wait(for holder: StoreHolder?) { holders.withLock { $0.append(holder) } }
    var isCancelled: Bool { !isPatient || !heard.isEmpty }
  }

  private func open(hearing listener: Listener, waiting seconds: Double = 600) throws -> Repository {
    var options = RepositoryFixture.quick
    options.lockWait = seconds
    options.monitor = listener
    return try Repository.find(from: BytePath(shop.folder.path), options: options)
  }

  private static let operations: [(String, @Sendable (Repository) throws -> Any)] = [
    ("save", { try $0.save(SaveOptions(name: "two")) }), ("name", { try $0.name("one", as: "two") }),
    ("values", { try $0.saveValues([NamedValue(name: "v", bytes: [])]) }), ("delete", { try $0.delete(["one"]) }),
    ("rename", { try $0.rename("one", to: "two") }), ("restore", { try $0.restore("one") }),
    ("undo", { try $0.undo() }), ("redo", { try $0.redo() }), ("continue", { try $0.continueRestore() }),
    ("abort", { try $0.abortRestore() }), ("gc", { try $0.collectGarbage() }), ("repair", { try $0.repair() }),
    ("restore --to", { try $0.restore("one", to: BytePath($0.folder.bytes + "-copy".bytes)) }),
  ]

  @Test(arguments: operations.map(\.0))
  func aWaitForTheStoreIsEnded(_ name: String) throws {
    let operation = try #require(WaitingTests.operations.first { $0.0 == name }).1
    let lock = try shop.repository.lockAlone()
    let refs = try shop.storeFolder.read("refs".bytes)
    #expect(code { try operation(open(hearing: Listener(isPatient: false))) } == .cancelled)
    #expect(try shop.storeFolder.read("refs".bytes) == refs)
    _ = consume lock
  }

  /// An operation with a monitor of its own asks that monitor.
  @Test func theMonitorOfAnOperationIsAsked() throws {
    let lock = try shop.repository.lockAlone()
    let repository = try open(hearing: Listener(isPatient: true))
    let listener = Listener(isPatient: false)
    #expect(code { try repository.save(SaveOptions(name: "two"), monitor: listener) } == .cancelled)
    #expect(code { try repository.restore("one", monitor: listener) } == .cancelled)
    #expect(code { try repository.collectGarbage(monitor: listener) } == .cancelled)
    _ = consume lock
  }

  enum Wait: CaseIterable, Sendable {
    case store, refs, making
  }

  @Test(arguments: Wait.allCases)
  func aWaitIsTold(_ wait: Wait) throws {
    let listener = Listener(isPatient: true)
    switch wait {
    case .store:
      let lock = try shop.repository.lockAlone()
      #expect(code { try open(hearing: listener).delete(["one"]) } == .cancelled)
      _ = consume lock
    case .refs:
      let lock = try FileLock.acquire(
        StoreFolder.refsLockName, in: Descriptor.open(shop.storeFolder.path, .directory), .exclusive, waiting: 0)
      #expect(code { try open(hearing: listener).delete(["one"]) } == .cancelled)
      _ = consume lock
    case .making:
      var options = RepositoryFixture.quick
      options.monitor = listener
      try shop.outside.makeFolder(".memento".bytes)
      let store = try Descriptor.open(shop.outside.absolute(".memento".bytes), .directory)
      let lock = try StoreLocks.takeForMaking(in: store, waiting: 0)
      #expect(code { try Repository.create(folder: BytePath(shop.outside.path), options: options) } == .cancelled)
      _ = consume lock
    }
    #expect(listener.heard.count == 1)
    #if os(Linux)
      #expect(listener.heard.first??.process == Host.processID)
    #endif
  }

  @Test func whoHoldsItIsNamedWhenTheTimeRunsOut() throws {
    let lock = try shop.repository.lockAlone()
    let patient = Listener(isPatient: true)
    do {
      _ = try open(hearing: patient, waiting: 0).delete(["one"])
      Issue.record("it was not locked")
    } catch let error as RepositoryError {
      #expect(error.code == .locked)
      #if os(Linux)
        #expect(error.holder?.process == Host.processID)
      #endif
    }
    #expect(patient.heard.isEmpty)
    _ = consume lock
  }
}
