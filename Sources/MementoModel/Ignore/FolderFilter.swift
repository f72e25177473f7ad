// All that leaves something out of one folder: the rules of now and, beside them, rules of before that still count. What
// either ignores is ignored.

package struct FolderFilter: Sendable {
  /// Rules of now; nil while nothing can be ignored.
  private var now: FolderRules?
  private var kept: [FolderRules]
  private let ruleSet: RuleSet

  /// The filter of the top folder, before its rule files are read.
  package init(_ ruleSet: RuleSet, kept: [RuleSet] = []) {
    self.ruleSet = ruleSet
    now = ruleSet.isEffective ? FolderRules(ruleSet) : nil
    self.kept = kept.filter(\.isEffective).map { FolderRules($0) }
  }

  /// Nothing is ignored here.
  package var isEmpty: Bool { now == nil && kept.isEmpty }

  /// Patterns are compared with paths and not only with names.
  package var needsPaths: Bool { now?.needsPaths == true || kept.contains(where: \.needsPaths) }

  /// Folders have to be asked whether they are caches.
  package var excludesCaches: Bool {
    now?.ruleSet.excludesCaches == true || kept.contains(where: \.ruleSet.excludesCaches)
  }

  /// `.gitignore` is read.
  package var readsGitignore: Bool { ruleSet.options.readsGitignore }

  /// The filter inside of a folder with these rule files; `path`, from the top, is asked for only when it is needed.
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

  /// Whether a name in the folder is ignored. `path` is its path from the top, looked at only when `needsPaths`.
  package func ignores(
    name: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>, isFolder: Bool, fileSize: UInt64?
  ) -> Bool {
    if now?.ignores(name: name, path: path, isFolder: isFolder, fileSize: fileSize) == true { return true }
    return kept.contains { $0.ignores(name: name, path: path, isFolder: isFolder, fileSize: fileSize) }
  }

  /// Why a name in the folder is ignored or, failing that, which rule takes it back in; nil when nothing is said about it.
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
