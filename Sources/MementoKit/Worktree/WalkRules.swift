// The rules of one walk: what the command and the config say, and what is kept from before.

struct WalkRules: Sendable {
  let current: RuleSet
  /// What the last save was told to leave out, and what the restores since have left alone.
  let kept: [RuleSet]
  /// The command has options of its own.
  let isOneOff: Bool

  /// These rules and one set more.
  func keeping(_ set: RuleSet) -> WalkRules {
    WalkRules(current: current, kept: kept + [set], isOneOff: isOneOff)
  }

  /// The filter of the top folder.
  var filter: FolderFilter { FolderFilter(current, kept: kept) }
}
