// A fixture: a folder with a store, a folder beside it that must never change, and the usual operations of tests.

import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct RepositoryFixture {
  let directory: TemporaryDirectory
  /// The folder that is saved and restored.
  let folder: FolderTools
  /// Stands for the rest of the machine.
  let outside: FolderTools
  let repository: Repository

  /// `parity`: false makes a store in which nothing is healed, for tests of what is lost.
  init(parity: Bool = true) throws {
    directory = try TemporaryDirectory()
    let path = directory.path.bytes
    folder = try FolderTools(making: path + "/work".bytes)
    outside = try FolderTools(making: path + "/outside".bytes)
    try outside.write("canary".bytes, "alive".bytes)
    let made = try Repository.create(folder: BytePath(folder.path), options: RepositoryFixture.quick)
    if parity {
      repository = made
    } else {
      let config = folder.folder(".memento")
      try config.write("config".bytes, try config.read("config".bytes) + "parity = none\n".bytes)
      repository = try Repository.find(from: BytePath(folder.path), options: RepositoryFixture.quick)
    }
  }

  static var quick: OpenOptions {
    var options = OpenOptions()
    options.isDurable = false
    options.lockWait = 10
    return options
  }

  /// Opens the repository as another process would.
  func reopened() throws -> Repository {
    try Repository.find(from: BytePath(folder.path), options: RepositoryFixture.quick)
  }

  var state: Manifest { get throws { try Manifest(folder) } }

  /// Saves twelve versions of a file that are nearly the same, each with a name.
  func saveVersions(in repository: Repository) throws {
    for number in 0..<12 {
      var text = Content.random(60_000, seed: 5)
      text[number * 1000] ^= 1
      try folder.write("file".bytes, text)
      _ = try repository.save(SaveOptions(name: "v\(number)"))
    }
  }

  @discardableResult
  func save(_ name: String? = nil, _ change: (inout SaveOptions) -> Void = { _ in }) throws -> SaveSummary {
    var options = SaveOptions(name: name)
    change(&options)
    return try repository.save(options)
  }

  @discardableResult
  func restore(_ revision: Revision, _ change: (inout RestoreOptions) -> Void = { _ in }) throws -> RestoreSummary {
    var options = RestoreOptions()
    change(&options)
    return try repository.restore(revision, options)
  }

  /// Restores into a new folder and returns that folder.
  func extract(_ revision: Revision, to name: String, paths: [String] = []) throws -> (FolderTools, RestoreSummary) {
    let place = directory.path.bytes + "/".bytes + name.bytes
    var options = ExtractOptions()
    options.paths = paths.map { BytePath($0) }
    let summary = try repository.restore(revision, to: BytePath(place), options)
    return (FolderTools(place), summary)
  }

  func tree(_ revision: Revision) throws -> ObjectID? {
    try record(revision).tree
  }

  func record(_ revision: Revision) throws -> SnapshotRecord {
    try SnapshotRecord.read(repository.snapshot(revision).id.object, from: repository.store)
  }

  /// The folder of the store.
  var storeFolder: FolderTools { folder.folder(".memento") }
}

/// The code of the error that a call throws; nil when it succeeds.
func code(_ body: () throws -> some Any) -> RepositoryError.Code? {
  do {
    _ = try body()
    return nil
  } catch let error as RepositoryError {
    return error.code
  } catch {
    Issue.record("\(error)")
    return nil
  }
}

let isSuperuser = Host.isSuperuser

/// Counts calls from any thread.
final class Counter: Sendable {
  private let value = Mutex(0)

  func next() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}
