// The options that choose which files a command leaves out.

import ArgumentParser
import MementoKit

struct IgnoreArguments: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Leave out what the pattern matches, as in .gitignore", valueName: "PATTERN"))
  var exclude: [WordArgument] = []

  @Option(
    parsing: .unconditionalSingleValue, help: ArgumentHelp("The same with the patterns in FILE", valueName: "FILE"))
  var excludeFrom: [PathArgument] = []

  @Flag(help: "Read .gitignore files as well")
  var gitignore = false

  @Flag(help: "Leave out what is in folders with a CACHEDIR.TAG")
  var excludeCaches = false

  @Option(help: ArgumentHelp("Leave out files of more than SIZE bytes (500k, 20M, 1.5G)", valueName: "SIZE"))
  var excludeLargerThan: SizeArgument?

  @Flag(help: "Enter other file systems that are mounted in the folder")
  var crossMounts = false

  /// Whether the user gave any of them.
  var isGiven: Bool {
    !exclude.isEmpty || !excludeFrom.isEmpty || gitignore || excludeCaches || excludeLargerThan != nil || crossMounts
  }

  /// The options as the library takes them. Reads the pattern files; their paths are relative to `directory`.
  func options(from directory: BytePath) throws -> IgnoreOptions {
    var options = IgnoreOptions()
    options.patterns = exclude.map(\.bytes)
    for file in excludeFrom { try options.addPatterns(of: directory.resolving(file.path), name: file.path) }
    options.readsGitignore = gitignore
    options.excludesCaches = excludeCaches
    options.largestFile = excludeLargerThan?.bytes
    options.crossesMounts = crossMounts
    return options
  }
}
