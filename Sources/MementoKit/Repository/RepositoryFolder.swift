// What every operation does with the folder of a repository: reach it, lead from it to the store, and know its rules.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// The folder, opened, for all that reads or writes it. Throws where the folder is out of bounds.
  var root: SharedDescriptor {
    get throws(RepositoryError) {
      switch access {
      case .attached(let folder, _): return folder.shared
      case .detached(let error): throw error
      }
    }
  }

  /// Whether the folder may be read and written. Otherwise only what concerns the store alone can be done: the program was
  /// started outside of the folder, the folder is gone, or it does not say that it belongs to the store.
  public var isAttached: Bool {
    if case .attached = access { return true }
    return false
  }

  /// Before the folder is read or written by what changes something. Throws where the folder is out of bounds. Where nothing
  /// leads from the folder to the store yet, something does from now on. Whoever got here has named both and can go on
  /// doing so: a folder that cannot be written is no reason to fail.
  func prepareFolder(isDryRun: Bool) throws(RepositoryError) {
    _ = try root
    leavePointer(isDryRun: isDryRun)
  }

  /// The same before what changes the store alone.
  func leavePointer(isDryRun: Bool = false) {
    guard !isDryRun, case .attached(let folder, needsPointer: true) = access else { return }
    // Where this fails the store must be named each time, and this is tried again.
    try? StorePointer.leave(in: folder.shared.descriptor, to: storePath, isDurable: store.folder.isDurable)
  }

  /// The rules of a walk. `keepingEarlier`: what is kept counts, too; false for a save, which decides anew.
  func rules(
    _ options: IgnoreOptions = IgnoreOptions(), keepingEarlier: Bool = true
  ) throws(RepositoryError) -> WalkRules {
    let config = folderConfig
    var whole = options
    whole.readsGitignore = options.readsGitignore || config.readsGitignore
    whole.excludesCaches = options.excludesCaches || config.excludesCaches
    whole.crossesMounts = options.crossesMounts || config.crossesMounts
    whole.largestFile = options.largestFile ?? config.largestFile
    let list = IgnoreList(lines: config.ignored.map { ($0.line, $0.pattern) }, source: configSource)
    return WalkRules(
      current: RuleSet(whole, config: list), kept: keepingEarlier ? try KeptRules(worktree).read() : [],
      isOneOff: options != IgnoreOptions())
  }

  /// How the config is called where a rule of it decides.
  var configSource: BytePath {
    storePath == folder.appending(ReservedName.store)
      ? BytePath(".memento/config") : storePath.appending(StoreFolder.configName)
  }
}
