import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// A scratch folder is exactly the snapshot that was put there, whatever was done to it before.
struct ScratchFolderTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try write("same", "same")
    try write("text", "one")
    try shop.folder.makeFolder("d".bytes)
    try write("d/same", "same")
    try write("d/gone", "gone")
    try shop.folder.setMode("d".bytes, 0o750)
    try shop.folder.makeHardLink("linked".bytes, to: "same".bytes)
    try shop.save("one")
    try write("text", "two")
    try shop.folder.remove("d/gone".bytes)
    try shop.folder.makeFolder("e".bytes)
    try write("e/new", "new")
    try shop.save("two")
  }

  private func write(_ name: String, _ text: String) throws { try shop.folder.write(name.bytes, text.bytes) }

  private func make() throws -> ScratchFolder {
    try shop.repository.makeScratchFolder(in: BytePath(shop.outside.path))
  }

  private func put(_ name: Revision, _ scratch: ScratchFolder) throws {
    #expect(try scratch.put(shop.repository.snapshot(name).id) == [])
  }

  /// What another restore to a new folder makes of the snapshot.
  private func expect(_ scratch: ScratchFolder, _ name: Revision, _ copy: String) throws {
    let (folder, summary) = try shop.extract(name, to: copy)
    #expect(summary.problems == [])
    let record = try FolderRecord(of: scratch.path.lossyText)
    #expect(try record.differences(from: FolderRecord(of: String(decoding: folder.path, as: UTF8.self))) == [])
  }

  @Test func oneSnapshotAfterTheOther() throws {
    let scratch = try make()
    for (number, name) in (["one", "two", "one", "one", "two"] as [Revision]).enumerated() {
      try put(name, scratch)
      try expect(scratch, name, "copy-\(number)")
    }
    try scratch.remove()
    #expect(try shop.outside.names() == ["canary".bytes])
  }

  @Test func whatNobodyTouchedIsNotWrittenAgain() throws {
    let scratch = try make()
    try put("one", scratch)
    let folder = try Descriptor.open(scratch.path.bytes, .namedDirectory)
    // The clock of the file system may stand still for a moment; what was written just now is written again.
    Clock.sleep(seconds: 0.2)
    try put("one", scratch)
    Clock.sleep(seconds: 0.2)
    try put("one", scratch)
    let before = try folder.status(of: "d/same".bytes).inode
    let linked = try folder.status(of: "same".bytes).inode
    Clock.sleep(seconds: 0.2)
    try put("two", scratch)
    #expect(try folder.status(of: "d/same".bytes).inode == before)
    #expect(try folder.status(of: "same".bytes).inode != linked, "a file with two names is made anew")
    try expect(scratch, "two", "copy")
    try scratch.remove()
  }

  @Test func everythingThatACommandDoesIsTakenBack() throws {
    let scratch = try make()
    let path = scratch.path.lossyText
    let deeds = [
      "touch -r same old; printf SAME > same; touch -r old same; rm old",
      "chmod 600 text; chmod 777 d; chmod 000 d/gone; chmod 500 .",
      "echo more >> d/same; ln text d/linked; mkdir -p x/y; echo > x/y/z; chmod 0 x",
      "rm -r d; echo file > d; rm text; mkdir text; echo > text/inside",
      "rm text; ln -s same text; rm -r d; ln -s /nowhere d",
      "mv d e; mv same s2; mv text same; mv s2 text",
      "mkfifo fifo; echo > ../beside; mkdir ../more; setfattr -n user.a -v b . d text 2>/dev/null; true",
      "cp -p text t2; mv t2 text; chmod g+s d",
      "cd ..; rm -rf \"$OLDPWD\"",
      "cd ..; rm -rf \"$OLDPWD\"; ln -s /tmp \"$OLDPWD\"",
    ]
    var number = 0
    for deed in deeds {
      for next in ["one", "two"] as [Revision] {
        number += 1
        try put("one", scratch)
        Clock.sleep(seconds: 0.12)
        let run = try Launch(["sh", "-c", "cd \"$1\" && \(deed)", "sh", path])
        #expect(run.status == 0, "\(deed): \(run.errors)")
        try put(next, scratch)
        try expect(scratch, next, "copy-\(number)")
        #expect(try FolderTools(scratch.container.bytes).names().count == 1, "\(deed)")
      }
    }
    try scratch.remove()
    #expect(try shop.outside.names() == ["canary".bytes])
  }

  @Test func neitherTheStoreNorTheFolderChanges() throws {
    let folder = String(decoding: shop.folder.path, as: UTF8.self)
    let before = (try FolderRecord(of: folder), try FolderRecord(of: folder + "/.memento"))
    let scratch = try make()
    try put("one", scratch)
    try put("two", scratch)
    try scratch.remove()
    #expect(try FolderRecord(of: folder).differences(from: before.0) == [])
    #expect(try FolderRecord(of: folder + "/.memento").differences(from: before.1) == [])
  }

  @Test func aSnapshotThatIsGoneHarmsOnlyItself() throws {
    let scratch = try make()
    try put("one", scratch)
    #expect(code { try scratch.put(SnapshotID(ObjectID.zero)) } == .noSuchState)
    try put("one", scratch)
    try expect(scratch, "one", "copy")
    try scratch.remove()
  }

  @Test func itIsNeverInsideOfTheFolderOrTheStore() throws {
    for place in [shop.folder.path, shop.folder.path + "/d".bytes, shop.storeFolder.path] {
      #expect(code { try shop.repository.makeScratchFolder(in: BytePath(place)) } == .invalidArgument)
    }
    #expect(
      code { try shop.repository.makeScratchFolder(in: BytePath(shop.folder.path + "/no".bytes)) } == .invalidArgument)
    #expect(code { try shop.repository.makeScratchFolder(in: BytePath(shop.outside.path + "/no".bytes)) } == .system)
  }
}
