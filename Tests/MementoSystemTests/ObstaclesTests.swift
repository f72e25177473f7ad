import MementoSystem
import TestSupport
import Testing

struct ObstaclesTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write("file", "content".bytes)
  }

  @Test func theStatusIsThatOfLstat() throws {
    let file = try folder.descriptor.obstacles(to: "file".bytes)
    #expect(file.status == (try folder.descriptor.status(of: "file".bytes)))
    #expect(file.obstacles == [])
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "/".bytes)
    #expect(try folder.descriptor.obstacles(to: "link".bytes).status.kind == .symbolicLink)
    #expect(try folder.descriptor.obstacles(to: []).status == folder.descriptor.status())
    #expect(throws: Errno.notFound) { try folder.descriptor.obstacles(to: "nothing".bytes) }
  }

  @Test(.enabled(if: Machine.isRoot && Machine.has("chattr"), "only root can, with chattr"), arguments: ["+i", "+a"])
  func attributes(_ attribute: String) throws {
    let path = "\(folder.path)/file"
    // Not every file system has them.
    guard try Launch(["chattr", attribute, path]).status == 0 else { return }
    let found = try folder.descriptor.obstacles(to: "file".bytes)
    _ = try Launch(["chattr", "-ia", path])
    #expect(found.obstacles == (attribute == "+i" ? .immutable : .appendOnly))
  }

  @Test func mountPoints() throws {
    let root = try Descriptor.open("/".bytes, .namedDirectory)
    #expect(try root.obstacles(to: []).obstacles.contains(.mountPoint))
    #expect(try folder.descriptor.obstacles(to: []).obstacles == [])
  }

  @Test func directoriesThatMayBeChanged() throws {
    try folder.descriptor.checkMayChange()
  }
}
