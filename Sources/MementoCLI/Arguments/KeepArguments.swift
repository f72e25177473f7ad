// The option for files that a restore does not change.

import ArgumentParser
import MementoKit

struct KeepArguments: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Leave what the pattern matches as it is, as in .gitignore", valueName: "PATTERN"))
  var keep: [WordArgument] = []

  var patterns: [[UInt8]] { keep.map(\.bytes) }
}
