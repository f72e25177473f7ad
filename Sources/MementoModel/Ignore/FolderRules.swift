// The rules that apply in one folder: its own, those of the folders above, and those of the whole walk. A folder
// without rule files shares the rules of the folder above.
//
// The order of priority is: the command line; `.mementoignore`, the deepest folder first; `.gitignore`, if it is read,
// in the same order; the config. Within one list, the last pattern that matches decides. An ignored folder is not
// entered, so no rule can include anything in it again.

final class FolderRules: Sendable {
  /// The next folder above that has rule files. `nonisolated(unsafe)`: it changes only in `deinit`, when nobody else
  /// refers to these rules.
  nonisolated(unsafe) private var above: FolderRules?
  let ruleSet: RuleSet
  /// The length in bytes of the folder's path with a slash at its end. 0 for the top folder.
  private let base: Int
  private let own: IgnoreList?
  private let git: IgnoreList?
  /// Whether some pattern here or above is compared with a whole path and not only with a name.
  let needsPaths: Bool

  /// The rules of the top folder, without its rule files.
  init(_ ruleSet: RuleSet) {
    self.ruleSet = ruleSet
    above = nil
    base = 0
    own = nil
    git = nil
    needsPaths = ruleSet.commandLine.contains(where: \.needsPaths) || ruleSet.config?.needsPaths == true
  }

  /// The rules of a folder below `above` that has rule files.
  private init(_ above: FolderRules, _ files: FolderRuleFiles, folder: [UInt8]) {
    self.above = above
    ruleSet = above.ruleSet
    base = folder.isEmpty ? 0 : folder.count + 1
    let prefix = BytePath(folder)
    own = files.own.map { IgnoreList(file: $0, source: prefix.appending(FolderRuleFiles.name)) }
    git = files.git.map { IgnoreList(file: $0, source: prefix.appending(FolderRuleFiles.gitName)) }
    needsPaths = above.needsPaths || own?.needsPaths == true || git?.needsPaths == true
  }

  deinit {
    // The chain may be as long as the tree is deep. Free it in a loop: nested calls of `deinit` could overflow the
    // stack.
    var next = above
    above = nil
    while isKnownUniquelyReferenced(&next) {
      let up = next?.above
      next?.above = nil
      next = up
    }
  }

  /// The rules of a folder that has rule files. `folder`: its path from the top.
  func entering(_ folder: [UInt8], _ files: FolderRuleFiles) -> FolderRules {
    FolderRules(self, files, folder: folder)
  }

  /// The rule that decides about a name in this folder. Nil when none matches. `path`: its path from the top, used only
  /// if `needsPaths`.
  func match(name: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>, isFolder: Bool) -> IgnoreList.Match? {
    for list in ruleSet.commandLine.reversed() {
      if let match = list.lastMatch(name: name, path: path, isFolder: isFolder) { return match }
    }
    if let match = match(\.own, name, path, isFolder) ?? match(\.git, name, path, isFolder) { return match }
    return ruleSet.config?.lastMatch(name: name, path: path, isFolder: isFolder)
  }

  private func match(
    _ list: (FolderRules) -> IgnoreList?, _ name: UnsafeBufferPointer<UInt8>, _ path: UnsafeBufferPointer<UInt8>,
    _ isFolder: Bool
  ) -> IgnoreList.Match? {
    var rules: FolderRules? = self
    while let current = rules {
      if let list = list(current) {
        let below = list.needsPaths ? UnsafeBufferPointer(rebasing: path[current.base...]) : path
        if let match = list.lastMatch(name: name, path: below, isFolder: isFolder) { return match }
      }
      rules = current.above
    }
    return nil
  }

  /// Whether a name is ignored because of a pattern, or a file because of its size.
  func ignores(
    name: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>, isFolder: Bool, fileSize: UInt64?
  ) -> Bool {
    if let limit = ruleSet.largestFile, let fileSize, fileSize > limit { return true }
    return match(name: name, path: path, isFolder: isFolder)?.isNegated == false
  }

  /// Why a name is ignored, or the rule with `!` that includes it. Nil when no rule matches it.
  func decision(name: [UInt8], path: [UInt8], isFolder: Bool, fileSize: UInt64?) -> IgnoreReason? {
    if let limit = ruleSet.largestFile, let fileSize, fileSize > limit { return .size(limit) }
    return name.withUnsafeBufferPointer { name in
      path.withUnsafeBufferPointer { path in
        match(name: name, path: path, isFolder: isFolder).map { .rule($0.rule) }
      }
    }
  }
}
