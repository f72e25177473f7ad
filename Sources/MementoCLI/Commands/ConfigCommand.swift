// memento config

import ArgumentParser
import MementoKit
import MementoSystem

struct ConfigCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show and change settings",
    usage: """
      memento config [--user] [KEY]
      memento config [--user] [--add] [-n] KEY VALUE
      memento config [--user] [--unset | --unset-all] [-n] KEY [VALUE]
      """,
    discussion: """
      Without a VALUE, prints the settings that hold, defaults included, and where each comes from; with a KEY, only its \
      value, and status 1 when it has none. With a VALUE, checks it and writes it into the config of the store; all other \
      lines stay as they are.

      --user is about ~/.config/memento/config: what is said there holds in all stores that do not say otherwise.
      """)

  @Argument(help: ArgumentHelp("The key; with -v, all are listed with what they mean", valueName: "KEY"))
  var key: TextArgument?

  @Argument(help: ArgumentHelp("The value to write, or to remove", valueName: "VALUE"))
  var value: WordArgument?

  @Flag(help: "Keep the other values: for ignore, protect and trust")
  var add = false

  @Flag(help: "Remove the value, or VALUE where there are several")
  var unset = false

  @Flag(help: "Remove all values of the key")
  var unsetAll = false

  @Flag(help: "Use the user's own config instead of that of the store")
  var user = false

  @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing")
  var dryRun = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if [add, unset, unsetAll].count(where: \.self) > 1 {
      throw ValidationError("--add, --unset and --unset-all exclude each other")
    }
    if key == nil && (add || unset || unsetAll) { throw ValidationError("a KEY is missing") }
    if add && value == nil { throw ValidationError("--add needs a KEY and a VALUE") }
    if unsetAll && value != nil { throw ValidationError("--unset-all takes no VALUE") }
  }

  func run(in session: Session) throws -> ExitStatus {
    if let change {
      let summary = user ? try changeUser(change, session) : try changeStore(change, session)
      if session.options.json {
        try session.write(document: ConfigChangeDocument(summary))
      } else {
        for line in text(session).changed(summary) { try session.say(line) }
      }
      return .done
    }
    let all = try user ? userSettings(session) : session.openRepository().settings()
    return try show(all, session)
  }

  private func text(_ session: Session) -> SettingsText {
    SettingsText(
      form: session.form, directory: session.directory,
      home: session.context.environment["HOME"].map { BytePath($0) })
  }

  private var change: ConfigChange? {
    guard let key else { return nil }
    if unsetAll { return .unsetAll(key.text) }
    if unset { return .unset(key.text, value?.bytes) }
    return value.map { add ? .add(key.text, $0.bytes) : .set(key.text, to: $0.bytes) }
  }

  private func show(_ all: [ConfigSetting], _ session: Session) throws -> ExitStatus {
    var shown = all
    if let key {
      shown = all.filter { $0.key.name == key.text }
      if shown.isEmpty { throw unknownKey(key.text) }
    }
    if session.options.json {
      try session.write(document: ConfigDocument(shown))
    } else if key != nil {
      for value in shown.flatMap(\.values) {
        let shown = session.form.isTerminal ? Array(TerminalText.escaped(value.bytes).utf8) : value.bytes
        try session.write(shown + [UInt8(ascii: "\n")])
      }
    } else {
      for line in text(session).lines(shown, withMeaning: session.options.verbose) {
        try session.write(line: line)
      }
    }
    return key != nil && shown.allSatisfy(\.values.isEmpty) ? .failed : .done
  }

  private func unknownKey(_ name: String) -> ErrorReport {
    if ConfigKey.named(name) != nil {
      return .usage("\(name) counts in the config of a store only", advice: Advice.listKeys)
    }
    let nearest = ConfigKey.nearest(to: name).map { "; did you mean \"\($0)\"?" } ?? ""
    return .usage("there is no key \"\(name)\"\(nearest)", advice: Advice.listKeys)
  }

  // MARK: The two files

  private func changeStore(_ change: ConfigChange, _ session: Session) throws -> ConfigChangeSummary {
    try session.openRepository(toChange: .store).changeConfig(change, isDryRun: dryRun)
  }

  private func changeUser(_ change: ConfigChange, _ session: Session) throws -> ConfigChangeSummary {
    try ConfigFile.changeOfUser(at: try userPath(session), change, isDryRun: dryRun)
  }

  private func userSettings(_ session: Session) throws -> [ConfigSetting] {
    try (session.config.file ?? ConfigFile(path: try userPath(session), bytes: [])).settings()
  }

  /// The user's config. A link is followed: many keep their settings elsewhere.
  private func userPath(_ session: Session) throws -> BytePath {
    guard let path = UserConfig.path(session.context.environment) else {
      throw ErrorReport.usage("neither XDG_CONFIG_HOME nor HOME says where the user's config is")
    }
    do throws(Errno) {
      return try Paths.canonical(path)
    } catch {
      if error == .notFound { return path }
      throw ErrorReport.system("read", path, error)
    }
  }
}
