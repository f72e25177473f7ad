// A store in a temporary folder, with functions for tests.

import MementoStore
import MementoSystem
import TestSupport

struct StoreFixture {
  let directory: TemporaryDirectory

  init(_ change: (inout Config) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    var config = Config()
    // Most tests of damage are about what cannot be healed.
    config.parity = .none
    change(&config)
    _ = try Store.create(inOwn: directory.descriptor.duplicate(), config)
  }

  func open() throws -> Store {
    try Store(opening: directory.descriptor.duplicate(), durable: false)
  }

  func folder() throws -> StoreFolder {
    try StoreFolder(adopting: directory.descriptor.duplicate(), durable: false)
  }

  /// The names of files in a folder of the store.
  func files(_ name: String) throws -> [String] {
    try directory.names(name)
  }

  /// The only file in a folder of the store.
  func onlyFile(_ name: String) throws -> String {
    let names = try files(name)
    guard names.count == 1, let first = names.first else { throw Errno.notFound }
    return "\(name)/\(first)"
  }

  func empty(_ name: String) throws {
    for file in try files(name) { try directory.descriptor.removeFile("\(name)/\(file)".bytes) }
  }
}

extension StoreFolder {
  /// Takes the lock for removing packs.
  func lockAlone() throws -> StoreLock<RemovesPacks> {
    try StoreLocks(self, Config()).take(RemovesPacks.self, upgrading: false, waiting: 0)
  }
}

extension Store {
  /// Stores blobs in one pack. Returns the ids of those that were new.
  @discardableResult
  func put(_ blobs: [[UInt8]], _ kind: BlockKind = .data) throws -> [ObjectID] {
    let writer = try packWriter()
    let new = try add(blobs, kind, to: writer)
    try writer.finish()
    return new
  }

  func add(_ blobs: [[UInt8]], _ kind: BlockKind = .data, to writer: PackWriter) throws -> [ObjectID] {
    var block = blockWriter(writer, kind)
    var new: [ObjectID] = []
    for blob in blobs {
      let id = ObjectID(hashing: blob)
      guard writer.claim(id) else { continue }
      new.append(id)
      try blob.withUnsafeBytes { try block.add(id, $0) }
    }
    try block.flush()
    return new
  }
}

/// How a call ended, without details that differ between runs.
enum Outcome: Equatable {
  case done
  case system(Errno)
  case damaged
  case missing
  case newerFormat
  case badConfig
  case locked
  case cancelled
  case unknownFork
  case other
}

func outcome<Result: ~Copyable>(_ body: () throws -> Result) -> Outcome {
  do {
    _ = try body()
    return .done
  } catch let error as StoreError {
    switch error {
    case .system(_, _, let error): return .system(error)
    case .damaged: return .damaged
    case .missing: return .missing
    case .newerFormat: return .newerFormat
    case .badConfig: return .badConfig
    case .locked: return .locked
    case .cancelled: return .cancelled
    case .unknownFork: return .unknownFork
    }
  } catch {
    return .other
  }
}
