// Compares the grammar of rule files with git itself. It generates folders, names, patterns and rule files, and
// compares for every path the rule that decides: its file, its line and its text.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

@Suite(.enabled(if: Machine.has("git"), "git is missing"))
struct IgnoreGitTests {
  /// Names with special characters of patterns, names that are not text, and names with common beginnings and ends.
  private static let names: [[UInt8]] =
    [
      "a", "b", "c", "ab", "abc", "foo", "bar", "foo.o", "x.o", "foobar", "*", "**", "?", "[a]", "[", "]", "!a", "#a",
      "\\a",
      "a\\", "a ", " a", " ", "a b", "-", "a-b", "^", "A", "Z", "0", "9", ".a", "é", "\t", "{a}", "a\r", "\u{1}",
    ].map { Array($0.utf8) } + [[0xff], [0x61, 0xff], [0x80, 0x2e, 0x6f]]

  private static let pieces: [[UInt8]] =
    [
      "a", "b", "c", "o", "foo", "bar", ".", ".o", "*", "**", "***", "?", "/", "/", "/", "**/", "/**", "/**/", "\\",
      "\\*", "\\/",
      "\\ ", " ", "!", "#", "\\!", "\\#", "[a]", "[!a]", "[^a]", "[a-c]", "[]a]", "[!]a]", "[a", "[", "]",
      "[[:alpha:]]",
      "[[:digit:]]", "[[:space:]]", "[[:punct:]]", "[![:lower:]]", "[[:upper:]a]", "[[:bogus:]]", "[[:a]", "[\\]]",
      "[a-\\c]",
      "[c-a]", "[a-]", "[-a]", "[*-~]", "[/]", "[a/b]", "[[:print:]", "[[:cntrl:]]", "\\a", "\\\\", "\t", "é", "-",
      "[^-a]", "[a\\-c]",
    ].map { Array($0.utf8) } + [[0xff], Array("[".utf8) + [0x80] + Array("-".utf8) + [0xff] + Array("]".utf8)]

  private static func pattern(_ random: inout SplitMix64) -> [UInt8] {
    while true {
      let pattern = anyPattern(&random)
      if !isMisread(pattern) { return pattern }
    }
  }

  /// Older versions of git read these patterns wrongly, against their own manual. They remove the text before the first
  /// wildcard, and then take the `**` of `a**/b` for one that follows a slash. `aStarThatFollowsALetterIsOne` tests
  /// what is right.
  private static func isMisread(_ pattern: [UInt8]) -> Bool {
    guard let first = pattern.firstIndex(where: Wildcard.isSpecial), first > 0 else { return false }
    return pattern[first...].starts(with: "**".bytes) && pattern[first - 1] != UInt8(ascii: "/")
  }

  private static func anyPattern(_ random: inout SplitMix64) -> [UInt8] {
    var pattern: [UInt8] = []
    if random.next() % 5 == 0 { pattern += Array("!".utf8) }
    if random.next() % 6 == 0 { pattern += Array("/".utf8) }
    if random.next() % 2 == 0 {
      // Parts of real paths, so that many generated patterns match something.
      for _ in 0...random.next() % 3 {
        pattern += names[Int(random.next() % UInt64(names.count))]
        if random.next() % 2 == 0 { pattern += pieces[Int(random.next() % UInt64(pieces.count))] }
        if random.next() % 2 == 0 { pattern += Array("/".utf8) }
      }
    } else {
      for _ in 0...random.next() % 5 { pattern += pieces[Int(random.next() % UInt64(pieces.count))] }
    }
    if random.next() % 6 == 0 { pattern += Array("/".utf8) }
    return pattern
  }

  private static func ruleFile(_ random: inout SplitMix64) -> [UInt8] {
    var file: [UInt8] = random.next() % 10 == 0 ? [0xef, 0xbb, 0xbf] : []
    for _ in 0...random.next() % 12 {
      switch random.next() % 16 {
      case 0: file += Array("# a comment".utf8)
      case 1: break
      case 2: file += Array("   ".utf8)
      case 3: file += pattern(&random) + Array("  ".utf8)
      case 4: file += pattern(&random) + Array("\\  ".utf8)
      case 5: file += pattern(&random) + Array("\r".utf8)
      case 6: file += pattern(&random) + Array(" \r".utf8)
      case 7: file += pattern(&random) + [0] + pattern(&random)
      default: file += pattern(&random)
      }
      file += Array("\n".utf8)
    }
    if random.next() % 4 == 0 { file.removeLast() }
    return file
  }

  private struct Sample {
    let directory: TemporaryDirectory
    let folder: FolderTools
    /// The generated folders, as relative paths. `paths` has folders and files.
    var folders: [[UInt8]] = [[]]
    var paths: [[UInt8]] = []

    init(_ random: inout SplitMix64) throws {
      directory = try TemporaryDirectory()
      folder = try FolderTools(making: directory.path.bytes + "/work".bytes)
      while paths.count < 70 {
        let above = folders[Int(random.next() % UInt64(folders.count))]
        let name = IgnoreGitTests.names[Int(random.next() % UInt64(IgnoreGitTests.names.count))]
        let path = above.isEmpty ? name : above + "/".bytes + name
        if paths.contains(path) || path.count(where: { $0 == UInt8(ascii: "/") }) > 4 { continue }
        paths.append(path)
        if random.next() % 2 == 0 {
          try folder.makeFolder(path)
          folders.append(path)
        } else {
          try folder.write(path, [])
        }
      }
    }
  }

  /// The answer of git: for each path the file, the line and the pattern of the rule, or three empty fields.
  private func git(_ sample: Sample) throws -> [[[UInt8]]] {
    let run = try Launch(
      ["git", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"],
      in: String(decoding: sample.folder.path, as: UTF8.self),
      input: Array(sample.paths.joined(separator: [0])) + [0],
      environment: ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"])
    let fields = run.outputBytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { Array($0) }
    return stride(from: 0, to: fields.count, by: 4).map { Array(fields[$0..<min($0 + 4, fields.count)]) }
  }

  @Test(arguments: 0..<40)
  func everyDecisionIsGits(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed) &* 7919 &+ 1)
    let sample = try Sample(&random)
    let place = String(decoding: sample.folder.path, as: UTF8.self)
    #expect(try Launch(["git", "init", "-q"], in: place).status == 0)
    let root = SharedDescriptor(try Descriptor.open(sample.folder.path, .namedDirectory))
    var options = IgnoreOptions()
    options.readsGitignore = true
    var decided = 0
    for _ in 0..<8 {
      var files: [([UInt8], [UInt8])] = []
      for folder in sample.folders where folder.isEmpty || random.next() % 4 == 0 {
        let path = (folder.isEmpty ? [] : folder + "/".bytes) + FolderRuleFiles.gitName
        files.append((path, IgnoreGitTests.ruleFile(&random)))
      }
      for (path, bytes) in files { try sample.folder.write(path, bytes) }
      var lookup = IgnoreLookup(root: root, filter: FolderFilter(RuleSet(options)))
      for answer in try git(sample) {
        try #require(answer.count == 4)
        let path = answer[3]
        var ours: [[UInt8]] = [[], [], [], path]
        if let rule = try lookup.reason(for: BytePath(path).components)?.rule {
          ours = [rule.source.bytes, "\(rule.line)".bytes, rule.pattern, path]
          decided += 1
        }
        if ours != answer {
          let texts = (ours + answer).map { String(decoding: $0, as: UTF8.self).debugDescription }
          let rules = files.map {
            "\(String(decoding: $0.0, as: UTF8.self)): \(String(decoding: $0.1, as: UTF8.self).debugDescription)"
          }
          Issue.record("seed \(seed): ours \(texts.prefix(4)), git's \(texts.suffix(4)), \(rules)")
        }
      }
      for (path, _) in files { try sample.folder.remove(path) }
    }
    #expect(decided > 20, "the patterns fit too little to prove anything")
  }
}
