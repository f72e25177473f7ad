import TestSupport
import Testing

@testable import MementoModel

@Suite struct PathFilterTests {
  private func contains(_ paths: [String], _ path: String) -> Bool {
    PathFilter(paths.map { BytePath($0) }).contains(path.bytes)
  }

  @Test func aPathMeansAllThatIsInIt() {
    let paths = ["a/b", "a/b-c", "d", "d/e", "a/b/c", "f/g/h"]
    for meant in ["a/b", "a/b/x/y", "a/b-c", "d", "d/x", "f/g/h/i"] { #expect(contains(paths, meant), "\(meant)") }
    for other in ["a", "a/c", "a/b-", "e", "f/g", "f", "g/h", ""] { #expect(!contains(paths, other), "\(other)") }
  }

  @Test func theWayToAPathIsGone() throws {
    let filter = PathFilter([BytePath("a/b"), BytePath("c")])
    let inside = try #require(filter.inside("a".bytes))
    #expect(!filter.isAll && !inside.isAll)
    #expect(inside.inside("b".bytes)?.isAll == true)
    #expect(inside.inside("c".bytes) == nil && filter.inside("b".bytes) == nil)
    #expect(filter.inside("c".bytes)?.inside("x".bytes)?.isAll == true)
  }

  @Test func nothingNamedIsEverything() {
    #expect(PathFilter([]).isAll && PathFilter([BytePath("a"), BytePath("")]).isAll && PathFilter.all.isAll)
    #expect(contains([], "x/y"))
  }

  /// A path as long as one argument of a command line can be.
  @Test func aPathMayBeDeep() {
    let deep = String(repeating: "a/", count: 60_000)
    #expect(contains([deep], deep + "b"))
    #expect(!contains([deep + "c"], deep + "b"))
  }
}
