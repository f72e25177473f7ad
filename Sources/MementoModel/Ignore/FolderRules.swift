// The rules that hold in one folder: its own, those of the folders above, and those of the whole walk. A folder without
// rule files shares the rules of the one above.
//
// Who has the first word: the command line; then `.mementoignore`, the deepest folder first; then `.gitignore`, where it is
// read, in the same order; then the config. In one list the last pattern that fits decides. A folder that is ignored is not
// entered, so nothing in it can be taken back in.

final class FolderRules: Sendable {
  /// The next folder above that has rule files. Unsafe, but changed only in `deinit`, where nobody else holds the rules.
  nonisolated(unsafe) private var above: FolderRules?
  let ruleSet: RuleSet
  /// Bytes of the folder's path with a slash at its end; 0 for the top.
  private let base: Int
  private let own: IgnoreList?
  private let git: IgnoreList?
  /// Some pattern here or above is compared with paths and not only with names.
  let needsPaths: Bool

  /// The rules of the top folder, apart from its rule files.
  init(_ ruleSet: RuleSet) {
    self.ruleSet = ruleSet
    above = nil
    base = 0
    own = nil
    git = nil
    needsPaths = ruleSet.commandLine.contains(where: \.needsPaths) || ruleSet.config?.needsPaths == true
  }

  /// The rules of a folder below, which has rule files.
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
    // A chain as long as the tree is deep must not be freed by as many nested calls.
    var next = above
    above = nil
    while isKnownUniquelyReferenced(&next) {
      let up = next?.above
      next?.above = nil
      next = up
    }
  }

  /// The rules in a folder with rule files; `folder` is its path from the top.
  func entering(_ folder: [UInt8], _ files: FolderRuleFiles) -> FolderRules {
    FolderRules(self, files, folder: folder)
  }

  /// The rule that decides about a name in this folder; nil when none does. `path`, from the top, is looked at only when
  /// `needsPaths`.
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

  /// Whether a name is left out by a pattern, or a file by its size.
  func ignores(
    name: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>, isFolder: Bool, fileSize: UInt64?
  ) -> Bool {
    if let limit = ruleSet.largestFile, let fileSize, fileSize > limit { return true }
    return match(name: name, path: path, isFolder: isFolder)?.isNegated == false
  }

  /// Why a name is left out, or the rule that takes it back in; nil when nothing is said about it.
  func decision(name: [UInt8], path: [UInt8], isFolder: Bool, fileSize: UInt64?) -> IgnoreReason? {
    if let limit = ruleSet.largestFile, let fileSize, fileSize > limit { return .size(limit) }
    return name.withUnsafeBufferPointer { name in
      path.withUnsafeBufferPointer { path in
        match(name: name, path: path, isFolder: isFolder).map { .rule($0.rule) }
      }
    }
  }
}
