import MementoKit
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct FolderPathsTests {
  private let paths = FolderPaths(directory: BytePath("/nowhere/top/sub"), folder: BytePath("/nowhere/top"))

  @Test(arguments: [
    ("a", "sub/a"), ("./a//b/", "sub/a/b"), ("../a", "a"), (".", "sub"), ("..", ""), ("/nowhere/top", ""),
    ("/nowhere/top/x", "x"), ("../../top/y", "y"),
  ])
  func pathsBecomeRelativeToTheFolder(_ path: String, _ relative: String) throws {
    #expect(try paths.relative(BytePath(path)) == BytePath(relative))
  }

  @Test(arguments: ["../..", "/", "/nowhere", "/nowhere/topper", "../../other"])
  func whatIsOutsideIsRefused(_ path: String) {
    #expect(throws: ErrorReport.self) { try paths.relative(BytePath(path)) }
  }

  @Test func refusalNamesBoth() {
    do {
      _ = try paths.relative(BytePath("/etc"))
      Issue.record("not refused")
    } catch {
      let report = error as? ErrorReport
      #expect(report?.status == .usage)
      #expect(report?.message == "/etc is not in the folder /nowhere/top")
    }
  }

  @Test func aWayThroughALinkLeadsToTheSamePlace() throws {
    var template = Array("/tmp/memento-test-XXXXXX".utf8CString)
    #expect(mkdtemp(&template) != nil)
    let base = try Paths.canonical(BytePath(template.dropLast().map { UInt8(bitPattern: $0) }))
    let real = base.appending("real".utf8)
    let link = base.appending("link".utf8)
    defer {
      _ = Paths.withCString(link) { unlink($0) }
      _ = Paths.withCString(real) { rmdir($0) }
      _ = Paths.withCString(base) { rmdir($0) }
    }
    #expect(Paths.withCString(real) { mkdir($0, 0o700) } == 0)
    #expect(Paths.withCString(link) { name in Paths.withCString(real) { symlink($0, name) } } == 0)
    let paths = FolderPaths(directory: real, folder: link)
    #expect(try paths.relative(link.appending("a".utf8)) == BytePath("a"))
    #expect(try paths.relative(BytePath("b")) == BytePath("b"))
  }
}
