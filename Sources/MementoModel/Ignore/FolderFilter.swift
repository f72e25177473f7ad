// Everything that excludes entries of one folder: the current rules, and older rules that still apply. A name that
// either of them ignores is ignored.

/// Decides which entries of one folder are ignored.
package struct FolderFilter: Sendable {
  /// The current rules. Nil while they cannot ignore anything.
  private var now: FolderRules?
  private var kept: [FolderRules]
  private let ruleSet: RuleSet

  /// The filter of the top folder, before its rule files are read. `kept`: older rules that still apply.
  package init(_ ruleSet: RuleSet, kept: [RuleSet] = []) {
    self.ruleSet = ruleSet
    now = ruleSet.isEffective ? FolderRules(ruleSet) : nil
    self.kept = kept.filter(\.isEffective).map { FolderRules($0) }
  }

  /// Whether nothing can be ignored here.
  package var isEmpty: Bool { now == nil && kept.isEmpty }

  /// Whether some pattern is compared with a whole path and not only with a name.
  package var needsPaths: Bool { now?.needsPaths == true || kept.contains(where: \.needsPaths) }

  /// Whether folders must be checked for a cache tag.
  package var excludesCaches: Bool {
    now?.ruleSet.excludesCaches == true || kept.contains(where: \.ruleSet.excludesCaches)
  }

  /// Whether `.gitignore` is read.
  package var readsGitignore: Bool { ruleSet.options.readsGitignore }

  /// The filter of a folder, given its rule files. `path`: returns the path of the folder from the top; it is called
  /// only when needed.
  package func entering(_ files: FolderRuleFiles, path: () -> [UInt8]) -> FolderFilter {
    if kept.isEmpty, files.isEmpty { return self }
    let path = path()
    var inner = self
    if !files.isEmpty { inner.now = (now ?? FolderRules(ruleSet)).entering(path, files) }
    inner.kept = kept.map { rules in
      rules.ruleSet.files?[path].map { rules.entering(path, $0) } ?? rules
    }
    return inner
  }

  /// Whether a name in the folder is ignored. `path`: its path from the top, used only if `needsPaths`. `fileSize`: its
  /// size in bytes, for a regular file.
  package func ignores(
    name: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>, isFolder: Bool, fileSize: UInt64?
  ) -> Bool {
    if now?.ignores(name: name, path: path, isFolder: isFolder, fileSize: fileSize) == true { return true }
    return kept.contains { $0.ignores(name: name, path: path, isFolder: isFolder, fileSize: fileSize) }
  }

  /// Why a name in the folder is ignored; if it is not, the rule with `!` that includes it. Nil when no rule matches
  /// it.
  package func decision(name: [UInt8], path: [UInt8], isFolder: Bool, fileSize: UInt64?) -> IgnoreReason? {
    let first = now?.decision(name: name, path: path, isFolder: isFolder, fileSize: fileSize)
    if first?.isIgnoring == true { return first }
    for rules in kept {
      let reason = rules.decision(name: name, path: path, isFolder: isFolder, fileSize: fileSize)
      if let reason, reason.isIgnoring { return reason }
    }
    return first
  }
}
