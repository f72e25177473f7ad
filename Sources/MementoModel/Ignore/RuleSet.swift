// What holds for a whole walk: the lists of the command line and of the config, and the switches. Rules that stand in the
// folder come with its folders.

/// The rule files of one folder, read.
package struct FolderRuleFiles: Equatable, Sendable {
  package static let name = Array(".mementoignore".utf8)
  package static let gitName = Array(".gitignore".utf8)

  /// The bytes of `.mementoignore`.
  package var own: [UInt8]?
  /// The bytes of `.gitignore`.
  package var git: [UInt8]?

  package init(own: [UInt8]? = nil, git: [UInt8]? = nil) {
    self.own = own
    self.git = git
  }

  package var isEmpty: Bool { own == nil && git == nil }
}

package final class RuleSet: Sendable {
  /// What the command line says; the last list has the first word.
  package let commandLine: [IgnoreList]
  /// What the config says: it has the last word.
  package let config: IgnoreList?
  package let excludesCaches: Bool
  package let largestFile: UInt64?
  /// Rule files as they once were, by the path of their folder; nil: as they are now.
  package let files: [[UInt8]: FolderRuleFiles]?
  /// What all this was made of.
  package let options: IgnoreOptions

  /// `options` with what the config switches on, and the patterns of the config.
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

  /// It can leave something out of a folder without rule files.
  var isEffective: Bool {
    !commandLine.isEmpty || config != nil || excludesCaches || largestFile != nil || files?.isEmpty == false
  }
}
