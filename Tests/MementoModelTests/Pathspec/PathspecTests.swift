import MementoSystem
import TestSupport
import Testing

@testable import MementoModel

@Suite struct PathspecTests {
  private static let files = [
    "a.c", "b.h", "Makefile", "README", "x", "src/a.c", "src/b.C", "src/a.h", "src/sub/deep.c", "src/sub/x",
    "vendor/a.c", "vendor/lib/b.c", "docs/README", "docs/a[1].txt", "docs/a1.txt", "a[1].txt", "a1.txt",
    "src*/star.c", "foo bar/x y.c", "top/src/a.c",
  ]

  private func selector(_ texts: [String], from place: String = "") throws -> PathSelector {
    let reader = PathspecReader(folder: BytePath("/home/me/project"), place: BytePath(place))
    return PathSelector([], try texts.map { try reader.read($0.bytes) })
  }

  private func selected(_ texts: [String], from place: String = "") throws -> [String] {
    let selector = try selector(texts, from: place)
    return PathspecTests.files.filter { selector.contains(BytePath($0)) }.sorted()
  }

  /// The same pathspecs of git select the same files. No pattern here matches a folder, where git has none.
  @Test func gitSelectsTheSame() throws {
    let folder = try TemporaryDirectory()
    for file in PathspecTests.files {
      let parts = file.split(separator: "/").dropLast()
      for count in parts.indices {
        let parent = parts[...count].joined(separator: "/")
        if !folder.exists(parent) { try folder.descriptor.makeDirectory(parent.bytes) }
      }
      try folder.write(file, [])
    }
    func git(_ words: [String], in place: String) throws -> [String] {
      let run = try Launch(["/usr/bin/env", "git"] + words, in: folder.path + "/" + place)
      if run.status != 0 { throw Failed(errors: run.errors) }
      return run.output.split(separator: "\0").map(String.init).sorted()
    }
    _ = try git(["init", "-q"], in: "")
    _ = try git(["add", "."], in: "")
    let cases: [[String]] = [
      ["*.c"], ["*.c", ":!vendor"], [":!vendor"], [":^*.c"], [":!*.c", ":!vendor"], ["src"], ["src/"], ["x/"],
      [":(glob)*.c"], [":(glob)**/*.c"], [":(glob)src/*"], [":(glob)src/**"], [":(glob,icase)SRC/*.c"],
      [":(icase)*.c"], [":(icase)readme"], [":(icase)SRC/B.c"], [":(literal)a[1].txt"], ["a[1].txt"], ["docs/a[1].txt"],
      [":(literal)*.c"], [":(top)*.c"], [":/*.c"], [":/src"], [":/:src"], [":(exclude)src", "*.c"], ["src/*.c"],
      [":(exclude,glob)src/*", "src"], ["src\\*/star.c"], ["src*"], ["?"], ["[a-b].?"], ["foo bar"], ["*x*"],
      [":!src/sub", "src"], [":(exclude,icase)SRC", "."], ["."], ["src/../a.c"], ["./src//a.c"], ["*", ":!*/*"],
    ]
    for texts in cases {
      let mine = try selected(texts)
      let theirs = try git(["ls-files", "-z", "--full-name", "--"] + texts, in: "")
      #expect(mine == theirs, "\(texts)")
    }
    for texts in [
      ["*.c"], [":/*.c"], ["../*.h"], [":/", ":!."], ["sub"], [".", ":!sub"], ["../vendor", "a.c"], ["s*b/*"],
    ] {
      let mine = try selected(texts, from: "src")
      #expect(try mine == git(["ls-files", "-z", "--full-name", "--"] + texts, in: "src"), "\(texts) in src")
    }
    #expect(try selected(["*.c"], from: "src*") == git(["ls-files", "-z", "--full-name", "--", "*.c"], in: "src*"))
  }

  private struct Failed: Error {
    let errors: String
  }

  /// Git has no folders, so there it would match nothing.
  @Test func aPatternThatMatchesAFolderMeansAllThatIsInIt() throws {
    #expect(try selected(["ven?or"]) == ["vendor/a.c", "vendor/lib/b.c"])
    #expect(try selected(["v*r/"]) == ["vendor/a.c", "vendor/lib/b.c"])
    #expect(try selected([":(glob)ven?or"]) == [])
    #expect(try selector(["ven?or"]).inside("vendor".bytes, isFolder: true)?.isAll == true)
    #expect(try selector([":!*.c"]).inside("vendor".bytes, isFolder: true)?.isAll == false)
    #expect(try selector([":!src"]).inside("vendor".bytes, isFolder: true)?.isAll == true)
    #expect(try selector([":!src"]).inside("src".bytes, isFolder: true) == nil)
  }

  @Test(arguments: [
    ":(attr:x)a", ":(globs)a", ":(top", ":(literal,glob)a", ":#a", ":%", "../a", "a/../../b", "/etc/*",
  ])
  func whatIsRefused(_ text: String) {
    #expect(throws: PathspecError.self) { try selector([text]) }
  }

  @Test func anAbsolutePatternIsOneOfTheFolder() throws {
    #expect(try selected(["/home/me/project/src/*.h"], from: "docs") == ["src/a.h"])
  }
}
