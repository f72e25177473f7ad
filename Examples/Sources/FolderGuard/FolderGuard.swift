// Saves a folder, lets a step go wrong in it, and puts it back.

import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Says what could not be saved or restored.
struct Speaker: Monitor {
  func begin(_ phase: Phase) { print("\(phase) …") }
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) { print("\(problem.path): \(problem.message)") }
  var isCancelled: Bool { false }
}

@main
struct FolderGuard {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 2 else {
      print("usage: FolderGuard FOLDER")
      return
    }
    do throws(RepositoryError) {
      let repository = try Repository.openOrCreate(folder: BytePath(words[1]))
      let saved = try repository.save(SaveOptions(name: "before"), monitor: Speaker())
      print("saved \(saved.snapshot.files) files")

      goWrong(in: words[1])
      for change in try repository.status().changes { print(change.kind, change.path) }

      let restored = try repository.restore("before", monitor: Speaker())
      print("put back: \(restored.created) created, \(restored.replaced) replaced, \(restored.removed) removed")
      try repository.undo()
      print("and the failed step again: \(try repository.status().changes.count) unsaved changes")
      try repository.redo()
    } catch {
      print("failed: \(error.message)")
      exit(1)
    }
  }

  private static func goWrong(in folder: String) {
    guard let file = fopen("\(folder)/half-written", "w") else { return }
    fputs("half", file)
    fclose(file)
  }
}
