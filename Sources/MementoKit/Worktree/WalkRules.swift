// The rules of one walk: those of the command and the config, and those kept from earlier commands.

struct WalkRules: Sendable {
  let current: RuleSet
  /// The rules that the last save was given, and those that later restores have followed.
  let kept: [RuleSet]
  /// Whether the command has ignore options of its own.
  let isOneOff: Bool

  /// These rules and one more set.
  func keeping(_ set: RuleSet) -> WalkRules {
    WalkRules(current: current, kept: kept + [set], isOneOff: isOneOff)
  }

  /// The filter of the top folder.
  var filter: FolderFilter { FolderFilter(current, kept: kept) }
}
