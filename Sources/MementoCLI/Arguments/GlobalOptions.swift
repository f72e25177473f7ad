// The options that all commands have.

import ArgumentParser

struct GlobalOptions: ParsableArguments {
  @Option(
    name: .customShort("C", allowingJoined: true), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Run as if started in DIR; several add up, as in git", valueName: "DIR"))
  var directories: [PathArgument] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Keep the store in DIR instead of .memento (or set MEMENTO_STORE)", valueName: "DIR"))
  var store: PathArgument?

  @Option(help: ArgumentHelp("Wait so long for another process", valueName: "SECONDS"))
  var wait = SecondsArgument(10)

  @Option(help: ArgumentHelp("Use colour", valueName: "WHEN"))
  var color = ColorChoice.auto

  @Flag(help: "Show no progress")
  var noProgress = false

  @Flag(help: "Show long output without a pager")
  var noPager = false

  @Flag(name: .shortAndLong, help: "Print only what was asked for, and problems")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Name the store, and print ids in full")
  var verbose = false

  @Flag(help: "Print one JSON document")
  var json = false
}

extension ColorChoice: ExpressibleByArgument {}

/// The options of commands that change something.
struct ChangeOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @Flag(help: "Do not wait for the disk: safe against a kill, not against a power cut")
  var noSync = false
}

/// The options of commands that print records.
struct RecordOptions: ParsableArguments {
  @Flag(name: .customShort("z"), help: "End records with NUL, and escape nothing")
  var isNullSeparated = false

  func validate(with global: GlobalOptions) throws {
    if isNullSeparated && global.json { throw ValidationError("-z and --json exclude each other") }
  }
}
