import MementoKit
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The completion files are written by hand; no command and no option may be missing from them.
@Suite struct CompletionFilesTests {
  @Test(arguments: ["memento.bash", "_memento", "memento.fish"])
  func nothingIsMissing(_ file: String) throws {
    let text = try contents(of: file)
    for command in MementoCommand.commandNames {
      #expect(text.contains(command))
      let inner = MementoCommand.groups.filter { $0.key.split(separator: " ").first.map(String.init) == command }
      let paths = inner.flatMap { group in group.value.map { group.key.split(separator: " ").map(String.init) + [$0] } }
      for word in paths.compactMap(\.last) { #expect(text.contains(word)) }
      let help = try ([[command]] + paths).map { words in
        try CommandRun(bytes: (words + ["--help"]).map { Array($0.utf8) }).output
      }.joined()
      for word in help.split(whereSeparator: { " ,[]\n.;".contains($0) }) where isLongOption(word) {
        // fish says `-l option`.
        let isThere = text.contains(word) || text.contains("-l \(word.dropFirst(2))")
        #expect(isThere, "\(command) \(word)")
      }
    }
  }

  private func isLongOption(_ word: Substring) -> Bool {
    word.hasPrefix("--") && word.count > 2 && word.dropFirst(2).allSatisfy { $0.isLetter || $0 == "-" }
  }

  private func contents(of file: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let descriptor = open("/" + root + "/completions/" + file, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 17)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
