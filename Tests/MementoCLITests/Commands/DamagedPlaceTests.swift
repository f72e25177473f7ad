import MementoSystem
import TestSupport
import Testing

@testable import MementoCLI

/// What says where a store is, and what a user wants of all stores, may be damaged. Then no command works on another store or
/// makes one, and the store that there is stays as it is.
@Suite struct DamagedPlaceTests {
  private let folder: CommandFolder
  private let stores: TemporaryDirectory
  private var store: String { "\(stores.path)/store" }

  init() throws {
    folder = try CommandFolder(files: "a", "sub/b")
    stores = try TemporaryDirectory()
    try folder.done("save", "one", "--store", "\(stores.path)/store")
  }

  private static let commands = [
    ["list"], ["log"], ["status"], ["diff", "one"], ["save", "two"], ["save", "two", "--from", "one"], ["undo"],
    ["restore", "one"], ["delete", "one"], ["delete", "--purge", "one"], ["gc"], ["verify", "--read-data"], ["stats"],
    ["prune", "--keep-last", "1"], ["config"], ["config", "keep", "3d"],
  ]

  private func expectRefused(_ when: String, statuses: ClosedRange<Int32> = 1...20) throws {
    let before = try FolderRecord(of: store)
    let others = try stores.names()
    for command in DamagedPlaceTests.commands {
      let run = try CommandRun(bytes: command.map(\.bytes), in: folder.path)
      #expect(statuses.contains(run.status), "\(when), \(command): \(run.output)\(run.errors)")
      #expect(run.errors.hasPrefix("memento: "), "\(when), \(command): \(run.errors)")
    }
    #expect(try FolderRecord(of: store).differences(from: before) == [], "\(when)")
    #expect(try stores.names() == others, "\(when)")
    #expect(try folder.read("a") == "a" && folder.directory.names(".memento") == [".gitignore", "store"], "\(when)")
  }

  @Test(arguments: ["", "\n", "x", "/", "/nowhere\n", "relative/path\n", "/tmp/%zz\n", "%00\n", "\u{1}\u{2}"])
  func aPointerOfAnotherForm(_ text: String) throws {
    try folder.write(".memento/store", text)
    try expectRefused("\(text.debugDescription)")
  }

  /// Whatever bit of the pointer is flipped: it does not lead to a store, or that store does not name this folder.
  @Test func aFlippedBit() throws {
    let bytes = try folder.directory.read(".memento/store")
    var generator = SplitMix64(seed: 11)
    for _ in 0..<4 {
      let bit = Int.random(in: 0..<(bytes.count - 1) * 8, using: &generator)
      try folder.directory.write(".memento/store", Content.flipping(bytes, bit: bit))
      try expectRefused("bit \(bit)")
    }
    try folder.directory.write(".memento/store", bytes)
    #expect(try folder.done("list").output.contains("one"))
  }

  @Test func aPointerThatIsNoFile() throws {
    let tools = FolderTools("\(folder.path)/.memento".bytes)
    try tools.remove("store".bytes)
    try tools.makeFolder("store".bytes)
    try expectRefused("a folder")
    try tools.remove("store".bytes)
    try tools.makeFifo("store".bytes)
    try expectRefused("a fifo")
    try tools.remove("store".bytes)
    try tools.makeLink("store".bytes, to: "\(stores.path)/store/config".bytes)
    try expectRefused("a link")
  }

  /// A user's config that is not understood is an error of every command, and not the lack of one.
  @Test(arguments: ["bad", "trust", "trust = a\n", "\u{0}"])
  func aUsersConfig(_ text: String) throws {
    let home = try CommandFolder()
    try home.write("memento/config", text)
    let before = try FolderRecord(of: store)
    for command in DamagedPlaceTests.commands where command[0] != "config" {
      let run = try CommandRun(
        bytes: command.map(\.bytes), in: folder.path, environment: ["XDG_CONFIG_HOME": home.path])
      #expect(run.status == 2, "\(command): \(run.output)\(run.errors)")
      #expect(run.errors.contains("memento/config, line 1"), "\(command): \(run.errors)")
    }
    #expect(try FolderRecord(of: store).differences(from: before) == [])
  }
}
