// The texts of the policy, and that the config reads them.

import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct RetentionPolicyTests {
  @Test func theDefaultsAreOnes() {
    #expect(
      RetentionPolicy.standard.texts.map { "\($0.key) = \($0.value)" } == [
        "keep = 30d, 200", "trash = 14d", "max-size = none", "auto-gc = true",
      ])
    #expect(RetentionPolicy.standard.texts.allSatisfy { ConfigKey.named($0.key)?.standard == $0.value })
  }

  @Test func theConfigReadsItsTexts() throws {
    let lines = "keep = 6mo,7\ntrash = 90min\nmax-size = 10%\nauto-gc = no\n"
    let config = FolderConfig(try Config("format = 1\n\(lines)".bytes))
    #expect(config.faults == [] && config.unknownKeys == [])
    #expect(config.retention.texts.map(\.value) == ["186d, 7", "90min", "10%", "false"])
    let written = config.retention.texts.map { "\($0.key) = \($0.value)\n" }.joined()
    #expect(try FolderConfig(Config("format = 1\n\(written)".bytes)).retention == config.retention)
    // What is left out has its default.
    #expect(RetentionPolicy.Keep("30")?.text == "30d, 30" && RetentionPolicy.Keep("12h")?.text == "12h, 200")
    let none = try FolderConfig(Config("format = 1\nmax-size = 5G\nmax-size = none\n".bytes))
    #expect(none.retention == RetentionPolicy.standard)
  }

  @Test(arguments: [
    "keep =", "keep = 30d, 200, 3", "keep = 30d 200", "keep = -1d", "keep = 30d,", "keep = 1d, 2d",
    "keep = 5000y", "trash = 14", "trash = d", "trash = 14 d", "trash = 99999999999999999999s", "max-size = 0%",
    "max-size = 101%", "max-size = much", "max-size = 5G%", "max-size = %", "auto-gc = maybe",
  ])
  func badValuesAreNamed(_ line: String) throws {
    let config = FolderConfig(try Config("format = 1\n\(line)\n".bytes))
    #expect(config.faults.map(\.text) == [line])
    #expect(config.retention == RetentionPolicy.standard)
  }

  @Test func budgetsAreSizesOrShares() throws {
    for (text, bytes, again) in [
      ("5G", 5 << 30, "5G"), ("1.5k", 1536, "1536"), ("0", 0, "0"), ("10 %", 100_000, "10%"),
      ("100%", 1_000_000, "100%"),
    ] as [(String, UInt64, String)] {
      let budget = try #require(RetentionPolicy.Budget(text))
      #expect(budget.bytes(ofDisk: 1_000_000) == bytes && budget.text == again)
    }
  }
}
