// The rules of a whole walk: the lists of the command line and of the config, and the switches. The rules in rule files
// are not here, but with their folders.

/// The content of the rule files of one folder.
package struct FolderRuleFiles: Equatable, Sendable {
  package static let name = Array(".mementoignore".utf8)
  package static let gitName = Array(".gitignore".utf8)

  /// The bytes of `.mementoignore`. Nil when there is none.
  package var own: [UInt8]?
  /// The bytes of `.gitignore`. Nil when there is none.
  package var git: [UInt8]?

  package init(own: [UInt8]? = nil, git: [UInt8]? = nil) {
    self.own = own
    self.git = git
  }

  package var isEmpty: Bool { own == nil && git == nil }
}

/// The rules that apply to all folders of a walk.
package final class RuleSet: Sendable {
  /// The lists of the command line. The last list has the highest priority.
  package let commandLine: [IgnoreList]
  /// The patterns of the config. They have the lowest priority of all.
  package let config: IgnoreList?
  package let excludesCaches: Bool
  package let largestFile: UInt64?
  /// Rule files as they were at an earlier time, by the path of their folder. Nil: the current files apply.
  package let files: [[UInt8]: FolderRuleFiles]?
  /// The options that these rules were made from.
  package let options: IgnoreOptions

  /// `options`: the options of the command together with the switches of the config. `config`: the patterns of the
  /// config.
  package init(_ options: IgnoreOptions, config: IgnoreList? = nil, files: [[UInt8]: FolderRuleFiles]? = nil) {
    var lists = options.files.map { IgnoreList(file: $0.bytes, source: $0.name) }
    if !options.patterns.isEmpty {
      lists.append(IgnoreList(patterns: options.patterns, source: BytePath("--exclude")))
    }
    commandLine = lists.filter { !$0.isEmpty }
    self.config = config.flatMap { $0.isEmpty ? nil : $0 }
    excludesCaches = options.excludesCaches
    largestFile = options.largestFile
    self.files = files
    self.options = options
  }

  /// Whether it can ignore anything in a folder without rule files.
  var isEffective: Bool {
    !commandLine.isEmpty || config != nil || excludesCaches || largestFile != nil || files?.isEmpty == false
  }
}
