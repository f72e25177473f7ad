import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct HelperSearchTests {
  private let folder: CommandFolder

  init() throws {
    folder = try CommandFolder(files: "bin/memento", "libexec/memento/helper", "one/helper", "two/helper")
    for name in ["bin/memento", "libexec/memento/helper", "one/helper", "two/helper"] { folder.makeExecutable(name) }
  }

  private func find(_ name: String = "helper", path: String? = nil, beside: String? = "bin/memento") throws -> String? {
    let found = HelperSearch.find(
      name, beside: beside.map { BytePath("\(folder.path)/\($0)") },
      path: path.map { $0.replacing("@", with: folder.path).bytes })
    return try found.map {
      String(decoding: try Paths.canonical($0).bytes.dropFirst(folder.path.utf8.count + 1), as: UTF8.self)
    }
  }

  @Test func theNearestCounts() throws {
    #expect(try find(path: "@/one:@/two") == "libexec/memento/helper")
    try folder.write("bin/helper", "x")
    folder.makeExecutable("bin/helper")
    #expect(try find(path: "@/one:@/two") == "bin/helper")
    #expect(try find(path: "@/one:@/two", beside: nil) == "one/helper")
  }

  @Test func onlyProgramsCount() throws {
    try folder.write("three/helper", "not executable")
    try folder.write("four/helper/x", "a folder")
    #expect(try find(path: "@/three:@/four:@/two", beside: nil) == "two/helper")
    #expect(try find("another", path: "@/one") == nil)
    #expect(try find(path: nil, beside: nil) == nil)
    #expect(try find(path: "one:two:::.", beside: nil) == nil)
  }

  @Test func theNameSaysTheEngine() throws {
    #expect(HelperSearch.name(try RemoteURL("s3://b").engine) == "memento-remote-s3")
  }
}
