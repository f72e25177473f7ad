import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A store outside of its folder: how the two find each other, and what works from where.
@Suite struct StoreElsewhereTests {
  private let folder: CommandFolder
  private let stores: TemporaryDirectory
  private let store: String
  /// A folder that is none of theirs.
  private let other: CommandFolder

  init() throws {
    folder = try CommandFolder(files: "a", "sub/b")
    stores = try TemporaryDirectory()
    store = "\(stores.path)/the store"
    other = try CommandFolder(files: "mine")
    try folder.done("save", "one", "--store", store)
  }

  private func elsewhere(_ arguments: String...) throws -> CommandRun {
    try CommandRun(bytes: arguments.map(\.bytes), in: other.path, environment: ["MEMENTO_STORE": store])
  }

  @Test func itIsFoundAgainFromItsFolder() throws {
    #expect(try folder.read(".memento/store") == "\(stores.path)/the%20store\n")
    #expect(try folder.directory.names(".memento") == [".gitignore", "store"])
    let run = try folder.memento("list", "-v", below: "sub")
    #expect(run.output.contains("  one  "))
    #expect(run.errors == "memento: folder \(folder.path), store \(store)\n")
    // No second store is made, and what leads to the first is not recorded.
    let saved = try folder.memento("save", "two", below: "sub")
    #expect(saved.errors == "memento: this concerns the folder \(folder.path)\n")
    #expect(try !folder.done("ls", "-R", "two").output.contains(".memento"))
    try folder.write("a", "changed")
    try folder.done("restore", "one")
    #expect(try folder.read("a") == "a")
    #expect(try folder.directory.names(".memento") == [".gitignore", "store"])
    #expect(try folder.memento("init").errors.hasPrefix("memento: there is a store already: \(store)\n"))
    #expect(try folder.done("status").output.hasSuffix("nothing changed\n"))
  }

  /// Whatever reads or writes the folder; the folder and what somebody else has here stay as they are.
  @Test(arguments: [
    ["save", "x"], ["save", "-n"], ["restore", "one"], ["restore", "one", "a"], ["restore", "one", "-n"], ["undo"],
    ["redo"],
    ["restore", "--continue"], ["restore", "--abort"], ["status"], ["diff"], ["diff", "one"], ["check-ignore", "a"],
  ])
  func theFolderIsOutOfBoundsFromElsewhere(_ arguments: [String]) throws {
    try folder.write("a", "edited")
    let before = try FolderRecord(of: folder.path)
    let refs = try stores.read("the store/refs")
    for directory in [other.path, "/"] {
      let run = try CommandRun(
        bytes: arguments.map(\.bytes), in: directory, environment: ["MEMENTO_STORE": store])
      #expect(run.status == 1, "\(run.output)\(run.errors)")
      #expect(run.output.isEmpty)
      #expect(
        run.errors.hasPrefix(
          "memento: the store \(store) belongs to the folder \(folder.path), and this is \(directory)\nhint: "),
        "\(run.errors)")
      #expect(run.errors.contains("memento -C \(folder.path) "))
    }
    let json = try elsewhere("status", "--json")
    #expect(try JSONValue(json.errorBytes)["id"] == .text("outside-folder"))
    #expect(try elsewhere("run", "--", "true").status == 125)
    #expect(try FolderRecord(of: folder.path).differences(from: before) == [])
    #expect(try stores.read("the store/refs") == refs)
    #expect(try other.directory.names() == ["mine"])
  }

  @Test(arguments: [false, true])
  func theStoreWorksFromAnywhere(_ isFolderGone: Bool) throws {
    try folder.write("a", "second")
    try folder.done("save", "two")
    if isFolderGone {
      for name in ["a", "sub/b", ".memento/store", ".memento/.gitignore"] { folder.remove(name) }
      for name in ["sub", ".memento", ""] { rmdir("\(folder.path)/\(name)") }
    }
    #expect(try elsewhere("list").output.contains("  two  "))
    #expect(try elsewhere("log", "--", "a").output.split(separator: "\n").count == 2)
    #expect(try elsewhere("show", "one").status == 0)
    #expect(try elsewhere("cat", "one:a").output == "a")
    #expect(try elsewhere("ls", "one:sub").output == "b\n")
    #expect(try elsewhere("diff", "one", "two", "--name-status", "--", "a").output == "M a\n")
    #expect(try elsewhere("restore", "one", "a", "--stdout").output == "a")
    #expect(try elsewhere("restore", "one", "--to", "copy", "sub").status == 0)
    #expect(try other.read("copy/sub/b") == "sub/b")
    let named = try elsewhere("save", "three", "--from", "one")
    #expect(named.errors == "memento: this concerns the store \(store) of the folder \(folder.path)\n")
    #expect(try elsewhere("rename", "three", "four").status == 0)
    #expect(try elsewhere("delete", "four").status == 0)
    #expect(try elsewhere("gc").status == 0)
    #expect(try elsewhere("verify", "--read-data").status == 0)
    #expect(try elsewhere("verify", "--repair").errors.contains("the folder is not read"))
    #expect(try elsewhere("status").status == 1)
  }

  /// A store of the version before: its folder has nothing that leads to it.
  @Test func namingBothMakesThemFindEachOther() throws {
    for name in ["store", ".gitignore"] { folder.remove(".memento/\(name)") }
    rmdir("\(folder.path)/.memento")
    // Below the folder the store alone says that this is its folder.
    let below = try folder.memento("status", "--store", store, below: "sub")
    #expect(below.status == 1 && below.errors.contains("memento -C \(folder.path) --store"), "\(below.errors)")
    #expect(try folder.memento("status", "--store", store).status == 0)
    #expect(try folder.memento("save", "-n", "--store", store).status == 0)
    #expect(!folder.directory.exists(".memento"))
    #expect(try folder.memento("save", "two", "--store", store).status == 0)
    #expect(try folder.read(".memento/store") == "\(stores.path)/the%20store\n")
    #expect(try folder.memento("status", below: "sub").status == 0)
  }

  /// A store that was received may name any folder, also one that is above everything.
  @Test(arguments: [false, true])
  func aStoreDoesNotChooseItsFolder(_ isAbove: Bool) throws {
    let victim = try CommandFolder(files: "precious", "sub/x")
    let config = try String(decoding: stores.read("the store/config"), as: UTF8.self)
    try stores.write(
      "the store/config", config.replacing(folder.path, with: isAbove ? "/" : victim.path).bytes)
    let before = try FolderRecord(of: victim.path)
    for place in isAbove ? [victim.path, "\(victim.path)/sub"] : [other.path, "\(victim.path)/sub", folder.path] {
      for command in [["restore", "one"], ["save", "stolen"], ["undo"], ["status"]] {
        let run = try CommandRun(bytes: (command + ["--store", store]).map(\.bytes), in: place)
        #expect(run.status == 1, "\(run.output)")
        #expect(run.errors.contains(place) && run.errors.contains(isAbove ? "folder /," : victim.path), "\(run.errors)")
      }
    }
    // Nor does it where its folder leads to it.
    let run = try folder.memento("restore", "one")
    #expect(run.status == 1 && run.errors.contains("and not to \(folder.path)"), "\(run.errors)")
    #expect(try FolderRecord(of: victim.path).differences(from: before) == [])
  }

  @Test func aLinkLeadsToTheStore() throws {
    for name in ["store", ".gitignore"] { folder.remove(".memento/\(name)") }
    rmdir("\(folder.path)/.memento")
    symlink(store, "\(folder.path)/.memento")
    #expect(try folder.memento("save", "two", below: "sub").status == 0)
    #expect(try !folder.done("ls", "-R", "two").output.contains(".memento"))
    // A store that was moved, and names no folder.
    let moved = try CommandFolder(files: "c")
    try moved.done("save", "one")
    rename("\(moved.path)/.memento", "\(stores.path)/moved")
    symlink("\(stores.path)/moved", "\(moved.path)/.memento")
    #expect(try moved.done("save", "two").errors.isEmpty)
    #expect(try moved.memento("status", "--store", "\(stores.path)/moved").errors.contains("does not say which folder"))
    #expect(try CommandRun("list", "--store", "\(stores.path)/moved", in: "/").output.contains("  two  "))
    // A link to another folder's store is no way into it.
    let third = try CommandFolder(files: "d")
    symlink(store, "\(third.path)/.memento")
    #expect(
      try third.memento("save", "x").errors.contains("belongs to the folder \(folder.path), and not to \(third.path)"))
  }

  @Test func aStoreThatIsGoneIsNotReplaced() throws {
    rename(store, "\(stores.path)/away")
    for arguments in [["list"], ["save", "x"], ["save", "-n"]] {
      let run = try CommandRun(bytes: arguments.map(\.bytes), in: folder.path)
      #expect(run.status == 10)
      #expect(run.errors.contains("the store of the folder \(folder.path) cannot be used: \(store): "), "\(run.errors)")
    }
    #expect(try folder.directory.names(".memento") == [".gitignore", "store"])
    try folder.write(".memento/store", "\(stores.path)/away")
    #expect(try folder.memento("save", "x").status == 0)
    try folder.write(".memento/store", "relative")
    #expect(try folder.memento("list").status == 13)
    unlink("\(folder.path)/.memento/store")
    symlink("\(stores.path)/away/config", "\(folder.path)/.memento/store")
    #expect(try folder.memento("list").status == 1)
  }

  /// Copied with what leads to the store, a folder is still another one.
  @Test func aCopyOfTheFolderIsAnotherFolder() throws {
    try other.write(".memento/store", try folder.read(".memento/store"))
    let run = try other.memento("save", "x")
    #expect(run.status == 1)
    #expect(run.errors.contains("belongs to the folder \(folder.path), and not to \(other.path)"), "\(run.errors)")
    #expect(try other.memento("list").output.contains("  one  "))
  }

  @Test func onlyAnEmptyFolderBecomesAStore() throws {
    try other.write("kept/file", "x")
    chmod("\(other.path)/kept", 0o1777)
    let run = try other.memento("save", "x", "--store", "\(other.path)/kept")
    #expect(run.status == 1)
    #expect(
      run.errors == "memento: \(other.path)/kept is not empty, and no store\nhint: name a folder that is new or empty\n"
    )
    #expect(try other.directory.status("kept").permissions == 0o1777)
    #expect(try other.directory.names("kept") == ["file"])
    #expect(!other.directory.exists(".memento"))
    mkdir("\(other.path)/empty", 0o755)
    #expect(try other.memento("save", "x", "--store", "\(other.path)/empty").status == 0)
    #expect(try other.directory.status("empty").permissions == 0o700)
    // One whose making was interrupted.
    try stores.descriptor.makeDirectory("half".bytes)
    try stores.descriptor.makeDirectory("half/packs".bytes)
    #expect(try CommandRun("init", "--store", "\(stores.path)/half", in: "\(folder.path)/sub").status == 0)
  }

  @Test func theFirstStoreInTheListOfFoldersCounts() throws {
    #expect(
      try folder.memento("list", "--store", "\(stores.path)/no").errors.hasPrefix("memento: there is no store at "))
    #expect(try folder.memento("list", "--store", "").status == 2)
    #expect(try folder.memento("list", environment: ["MEMENTO_STORE": ""]).status == 0)
    let missing = try folder.memento("list", "--store", "\(stores.path)/no", environment: ["MEMENTO_STORE": store])
    #expect(missing.status == 10)
    #expect(try folder.memento("list", "--store", ".memento").output.contains("  one  "))
  }
}
