// `rules` in the store: the rules that the last save was given, and those that were in force when a later restore
// changed rule files. They apply in addition to those of the folder, until the next save drops them. So a restore does
// not turn the files that it left alone into unsaved changes, redo finds the folder as undo left it, and an interrupted
// restore is finished with the rules that it began with.

internal import MementoStore
internal import MementoSystem

struct PersistedRules {
  static let name = Array("rules".utf8)
  private static let firstLine = "memento rules 1"
  private static let largest = 256 << 20
  /// The greatest number of sets; older ones are dropped.
  private static let limit = 16

  private let worktree: WorktreeStorage

  init(_ worktree: WorktreeStorage) {
    self.worktree = worktree
  }

  /// The stored rules; empty when there is no such file. Throws when it cannot be read or decoded: without these rules,
  /// a restore could remove files that it must leave alone.
  func read() throws(RepositoryError) -> [RuleSet] {
    try translating { () throws(StoreError) in
      guard let bytes = try bytes(healing: true) else { return [] }
      return try sets(bytes)
    }
  }

  /// The bytes of the file; nil when there is none. `healing`: those of the second copy where the file has rotted.
  private func bytes(healing: Bool) throws(StoreError) -> [UInt8]? {
    do throws(Errno) {
      let limit = PersistedRules.largest
      return healing
        ? try worktree.healedRules(worktree.rulesName, limit: limit)
        : try worktree.contents(of: worktree.rulesName, limit: limit)
    } catch {
      switch error {
      case .isDirectory, .loop, .invalid, .noDevice, .rangeError:
        throw damaged("it is not a file of rules")
      default: throw .system(operation: "read", path: worktree.rulesPath, error)
      }
    }
  }

  private func sets(_ bytes: [UInt8]) throws(StoreError) -> [RuleSet] {
    let first = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(40), as: UTF8.self)
    if first.hasPrefix("memento rules "), first != PersistedRules.firstLine {
      throw .newerFormat(found: first)
    }
    guard let sets = PersistedRules.decode(bytes) else { throw damaged("it is not understood") }
    return sets
  }

  private func damaged(_ reason: String) -> StoreError {
    .damaged(file: worktree.rulesPath, reason: reason)
  }

  /// Moves a damaged file to `damaged/` of the store, and puts back its second copy. Returns whether there was one. Nil when
  /// the file is not damaged. `isAside`: what was in its place, and was no file, was moved there already.
  func mend(isAside: Bool) throws(RepositoryError) -> Bool? {
    if !isAside, try isWhole() { return nil }
    let copy = try translating { () throws(StoreError) in try worktree.copy(of: worktree.rulesName) }
    if !isAside {
      try translating { () throws(StoreError) in try worktree.setAside(worktree.rulesName, worktree.rulesPath) }
    }
    guard let sets = copy.flatMap({ PersistedRules.decode($0) }) else { return false }
    try replace(with: sets)
    return true
  }

  /// Whether the file is not there, or can be used as it is, without its copy.
  private func isWhole() throws(RepositoryError) -> Bool {
    do throws(RepositoryError) {
      _ = try read()
      return try translating { () throws(StoreError) in try bytes(healing: true) == bytes(healing: false) }
    } catch {
      guard error.code == .damaged else { throw error }
      return false
    }
  }

  /// Stores these sets instead of all earlier ones.
  func replace(with sets: [RuleSet]) throws(RepositoryError) {
    do throws(Errno) {
      if sets.isEmpty { return try worktree.remove(worktree.rulesName) }
      try worktree.replace(worktree.rulesName, with: PersistedRules.encode(sets), "rules")
    } catch {
      throw RepositoryError(
        .system, "cannot write the rules that a restore keeps: \(error)",
        systemError: error.code)
    }
  }

  /// Stores the last 16 of these sets. Equal sets count once.
  func replace(withLast sets: [RuleSet]) throws(RepositoryError) {
    var last: [RuleSet] = []
    var texts: Set<[String]> = []
    for set in sets.reversed()
    where last.count < PersistedRules.limit && texts.insert(PersistedRules.encode(set)).inserted {
      last.append(set)
    }
    try replace(with: last.reversed())
  }

  // MARK: Text

  static func encode(_ sets: [RuleSet]) -> [UInt8] {
    Array(([firstLine] + sets.flatMap { encode($0) }).map { $0 + "\n" }.joined().utf8)
  }

  /// One fact a line. Each set begins with the word `set` and its switches.
  private static func encode(_ set: RuleSet) -> [String] {
    var first = "set"
    if set.options.readsGitignore { first += " gitignore" }
    if set.options.excludesCaches { first += " exclude-caches" }
    if let largest = set.options.largestFile { first += " exclude-larger-than=\(largest)" }
    if set.options.crossesMounts { first += " cross-mounts" }
    var lines = [first]
    lines += set.options.patterns.map { "exclude /\(PercentText.encode($0))" }
    lines += set.options.files.map { "from /\(PercentText.encode($0.name.bytes)) /\(PercentText.encode($0.bytes))" }
    for (folder, files) in (set.files ?? [:]).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      if let own = files.own {
        lines.append("mementoignore /\(PercentText.encode(folder)) /\(PercentText.encode(own))")
      }
      if let git = files.git { lines.append("gitignore /\(PercentText.encode(folder)) /\(PercentText.encode(git))") }
    }
    return lines
  }

  /// Decodes the file; nil when that fails.
  static func decode(_ bytes: [UInt8]) -> [RuleSet]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popFirst().map(String.init) == firstLine, lines.popLast() == "" else { return nil }
    var sets: [(options: IgnoreOptions, files: [[UInt8]: FolderRuleFiles])] = []
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false)
      if words[0] == "set" {
        guard let options = options(words.dropFirst()) else { return nil }
        sets.append((options, [:]))
        continue
      }
      let values = words.dropFirst().compactMap { $0.first == "/" ? PercentText.decode(String($0.dropFirst())) : nil }
      guard !sets.isEmpty, values.count == words.count - 1, let first = values.first else { return nil }
      let last = sets.count - 1
      switch (words[0], values.count) {
      case ("exclude", 1): sets[last].options.patterns.append(first)
      case ("from", 2): sets[last].options.files.append(.init(name: BytePath(first), bytes: values[1]))
      case ("mementoignore", 2): sets[last].files[first, default: FolderRuleFiles()].own = values[1]
      case ("gitignore", 2): sets[last].files[first, default: FolderRuleFiles()].git = values[1]
      default: return nil
      }
    }
    return sets.map { RuleSet($0.options, files: $0.files) }
  }

  private static func options(_ words: ArraySlice<Substring>) -> IgnoreOptions? {
    var options = IgnoreOptions()
    for word in words {
      switch word {
      case "gitignore": options.readsGitignore = true
      case "exclude-caches": options.excludesCaches = true
      case "cross-mounts": options.crossesMounts = true
      default:
        let parts = word.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "exclude-larger-than", let size = UInt64(parts[1]) else { return nil }
        options.largestFile = size
      }
    }
    return options
  }
}
