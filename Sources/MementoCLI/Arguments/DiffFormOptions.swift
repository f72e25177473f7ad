// The options that choose the form of a diff.

import ArgumentParser

enum DiffForm: String, EnumerableFlag {
  case patch
  case stat
  case nameStatus

  static func name(for form: DiffForm) -> NameSpecification {
    form == .patch ? [.customShort("p"), .long] : .long
  }

  static func help(for form: DiffForm) -> ArgumentHelp? {
    switch form {
    case .patch: "Show the lines that differ, as a unified diff"
    case .stat: "Show how many lines differ in each file"
    case .nameStatus: "Show a letter and a path for each change"
    }
  }
}

struct DiffFormOptions: ParsableArguments {
  @Flag(exclusivity: .exclusive)
  var form: DiffForm?

  @Option(
    name: [.customShort("U", allowingJoined: true), .customLong("unified")],
    help: ArgumentHelp("With --patch: show so many lines around each change (default: 3)", valueName: "N"))
  var context: CountArgument?

  func validate(with global: GlobalOptions) throws {
    if global.json, let form, form != .stat { throw ValidationError("--json has a form of its own") }
    if context != nil, let form, form != .patch { throw ValidationError("--unified goes with --patch") }
  }
}
