// The steps that many operations share for the folder: open it, leave the pointer to the store, and collect its rules.

internal import MementoStore
internal import MementoSystem

extension Repository {
  /// The open folder, for everything that reads or writes it. Throws where the folder may not be used.
  var root: SharedDescriptor {
    get throws(RepositoryError) {
      switch access {
      case .attached(let folder, _): return folder.shared
      case .detached(let error): throw error
      }
    }
  }

  /// Whether the folder may be read and written. False when the program was started outside of the folder, when the
  /// folder is missing, or when it does not belong to the store. Then only operations on the store work.
  public var isAttached: Bool {
    if case .attached = access { return true }
    return false
  }

  /// The folder that the store belongs to; that of a fork is another one.
  var mainFolder: BytePath { folderConfig.folder ?? storePath.parent }

  /// The folder of which this one is a fork; nil when it is none.
  public var forkOf: BytePath? { store.refs.fork == nil ? nil : mainFolder }

  /// What is kept about each folder of the store: the main one and all forks.
  func worktrees() throws(RepositoryError) -> [WorktreeStorage] {
    try translating { () throws(StoreError) in
      let forks: [ForkID?] = [nil] + (try store.refs.ofMainFolder.read().forks.map(\.id))
      return try forks.map { (fork) throws(StoreError) in
        try WorktreeStorage(in: store.folder, store.healed, of: fork)
      }
    }
  }

  /// Prepares an operation that changes something and reads or writes the folder. Throws where the folder may not be
  /// used. Leaves a pointer to the store in the folder if none is there. A failure to write the pointer is no error:
  /// the user has named store and folder, and can do so again.
  func prepareFolder(isDryRun: Bool) throws(RepositoryError) {
    _ = try root
    leavePointer(isDryRun: isDryRun)
  }

  /// Leaves a pointer to the store in the folder if none is there. For operations that change only the store.
  func leavePointer(isDryRun: Bool = false) {
    guard !isDryRun, case .attached(let folder, needsPointer: true) = access else { return }
    // On failure, the user must name the store again next time.
    try? StorePointer(store: storePath).leave(in: folder.shared.descriptor, isDurable: store.folder.isDurable)
  }

  /// The rules of a walk. `keepingEarlier`: also applies the rules stored by earlier commands; false for a save, which
  /// stores new ones.
  func rules(
    _ options: IgnoreOptions = IgnoreOptions(), keepingEarlier: Bool = true
  ) throws(RepositoryError) -> WalkRules {
    let config = folderConfig
    var whole = options
    whole.readsGitignore = options.readsGitignore || config.readsGitignore
    whole.excludesCaches = options.excludesCaches || config.excludesCaches
    whole.crossesMounts = options.crossesMounts || config.crossesMounts
    whole.largestFile = options.largestFile ?? config.largestFile
    let users = config.ignored.filter(\.isOfUser)
    let list = IgnoreList(
      lines: config.ignored.filter { !$0.isOfUser }.map { ($0.line, $0.pattern) }, source: configSource,
      after: userConfig.map { (users.map { ($0.line, $0.pattern) }, $0.path) })
    return WalkRules(
      current: RuleSet(whole, config: list), kept: keepingEarlier ? try PersistedRules(worktree).read() : [],
      isOneOff: options != IgnoreOptions())
  }

  /// How messages name the config when one of its rules decides.
  var configSource: BytePath {
    storePath == folder.appending(ReservedName.store)
      ? BytePath(".memento/config") : storePath.appending(StoreFolder.configName)
  }
}
