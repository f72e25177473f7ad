// Notes what a restore does to git repositories. Snapshots contain `.git` like any other folder, so a restore also
// takes commits back. Each such repository gets a line in the report.

internal import MementoStore
internal import MementoSystem

/// Finds the repositories whose HEAD or other refs a plan changes. Reads the present refs from the folder and the new
/// ones from the store.
struct GitNotes {
  private let repository: Repository
  private let plan: RestorePlan

  init(_ repository: Repository, _ plan: RestorePlan) {
    self.repository = repository
    self.plan = plan
  }

  /// One note for each repository, sorted by path.
  func notes() throws(RepositoryError) -> [Problem] {
    try changes().sorted { $0.key < $1.key }.compactMap { path, items in
      let change = GitChange(folder: path, items: items, repository: repository)
      return change.message.map { Problem(path: path, message: $0, isNote: true) }
    }
  }

  /// The files of HEAD and refs that the plan changes, by the path of the `.git` folder and by their path in it.
  private func changes() throws(RepositoryError) -> [BytePath: [String: PlanItem]] {
    var places: [(git: Int, names: [[UInt8]])?] = []
    for (index, directory) in plan.directories.enumerated() {
      if directory.parent >= 0, let place = places[directory.parent] {
        places.append((place.git, place.names + [directory.name]))
      } else {
        places.append(directory.parent >= 0 && directory.name == Array(".git".utf8) ? (index, []) : nil)
      }
    }
    var changes: [BytePath: [String: PlanItem]] = [:]
    if places.allSatisfy({ $0 == nil }) { return changes }
    try plan.items.forEach(.content) { (item) throws(RepositoryError) in
      guard let place = places[item.directory] else { return }
      let name = (place.names + [item.name]).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
      guard name == "HEAD" || name == "packed-refs" || name.hasPrefix("refs/") || name.hasPrefix("reftable/") else {
        return
      }
      changes[BytePath(plan.path(of: place.git)), default: [:]][name] = item
    }
    return changes
  }
}

/// HEAD and refs of one repository, before and after the restore.
private struct GitChange {
  let folder: BytePath
  let items: [String: PlanItem]
  let repository: Repository

  private enum Side {
    case before
    case after
  }

  /// The checked-out branch and commit.
  private struct Head: Equatable {
    /// Nil when HEAD holds the id of a commit.
    var branch: String?
    var commit: String?

    /// For example `main at abc1234`.
    var text: String {
      let commit = GitChange.short(commit)
      return branch.map { "\(GitChange.short(name: $0)) at \(commit)" } ?? commit
    }
  }

  private static let limit = 16 << 20
  private static let longestLine = 4096
  /// When more refs change, they are counted without comparing each one.
  private static let mostRefs = 1000

  /// The note; nil when no ref changes its meaning.
  var message: String? {
    do throws(RepositoryError) {
      let before = try head(.before)
      let after = try head(.after)
      if (before == nil) != (after == nil) { return GitChange.move(before, after) }
      var refs = try changedRefs()
      if let branch = before?.branch, branch == after?.branch, before != after { refs.removeAll { $0 == branch } }
      let others = try others(refs, isAlone: before == after)
      let parts = [GitChange.move(before, after), others].compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: "; ")
    } catch {
      // A failure here must not stop the restore, so the note stays general.
      return "HEAD or refs change"
    }
  }

  private static func move(_ before: Head?, _ after: Head?) -> String? {
    switch (before, after) {
    case (nil, nil): nil
    case (let before?, nil): "HEAD (\(before.text)) is removed"
    case (nil, let after?): "HEAD comes back: \(after.text)"
    case (let before?, let after?):
      if before == after {
        nil
      } else if let branch = before.branch, branch == after.branch {
        "HEAD moves from \(short(before.commit)) to \(short(after.commit)) (\(short(name: branch)))"
      } else {
        "HEAD moves from \(before.text) to \(after.text)"
      }
    }
  }

  /// For example `2 other refs change`. A single ref is described with its old and new commit.
  private func others(_ refs: [String], isAlone: Bool) throws(RepositoryError) -> String? {
    if refs.isEmpty { return items.keys.contains { $0.hasPrefix("reftable/") } ? "refs change" : nil }
    if isAlone, refs.count == 1 {
      let before = try commit(refs[0], .before)
      let after = try commit(refs[0], .after)
      let name = GitChange.short(name: refs[0])
      guard let before else { return "\(name) comes back at \(GitChange.short(after))" }
      guard let after else { return "\(name) (\(GitChange.short(before))) is removed" }
      return "\(name) moves from \(GitChange.short(before)) to \(GitChange.short(after))"
    }
    let count = isAlone ? "\(refs.count)" : "\(refs.count) other"
    return refs.count == 1 ? "\(count) ref changes" : "\(count) refs change"
  }

  private static func short(_ commit: String?) -> String { commit.map { String($0.prefix(7)) } ?? "no commit" }

  private static func short(name: String) -> String {
    for start in ["refs/heads/", "refs/tags/", "refs/remotes/"] where name.hasPrefix(start) {
      return String(name.dropFirst(start.count))
    }
    return name
  }

  // MARK: Meaning

  private func head(_ side: Side) throws(RepositoryError) -> Head? {
    guard let text = try text("HEAD", side) else { return nil }
    guard text.hasPrefix("ref: ") else { return Head(branch: nil, commit: GitChange.commit(text)) }
    let branch = String(text.dropFirst(5))
    return Head(branch: branch, commit: try commit(branch, side))
  }

  /// The commit that a ref names. The file of the ref counts before `packed-refs`.
  private func commit(_ ref: String, _ side: Side) throws(RepositoryError) -> String? {
    // The name comes from a file, so it must not lead outside of `refs/`.
    guard ref.hasPrefix("refs/"), !ref.split(separator: "/").contains("..") else { return nil }
    if let text = try text(ref, side) { return GitChange.commit(text) }
    return try packed(side)[ref].flatMap(GitChange.commit)
  }

  /// The id of a commit; nil when the text is not one.
  private static func commit(_ text: String) -> String? {
    text.utf8.count >= 7 && text.utf8.allSatisfy { hexValue($0) != nil } ? text : nil
  }

  /// The refs that name another commit after the restore.
  private func changedRefs() throws(RepositoryError) -> [String] {
    var names = Set(items.keys.filter { $0.hasPrefix("refs/") })
    if items["packed-refs"] != nil {
      let before = try packed(.before)
      let after = try packed(.after)
      names.formUnion(before.filter { after[$0.key] != $0.value }.keys)
      names.formUnion(after.filter { before[$0.key] == nil }.keys)
    }
    if names.count > GitChange.mostRefs { return names.sorted() }
    var changed: [String] = []
    for name in names.sorted() where try commit(name, .before) != commit(name, .after) { changed.append(name) }
    return changed
  }

  private func packed(_ side: Side) throws(RepositoryError) -> [String: String] {
    var refs: [String: String] = [:]
    for line in (try bytes("packed-refs", side) ?? []).split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count == 2, words[1].starts(with: "refs/".utf8) else { continue }
      refs[String(decoding: words[1], as: UTF8.self)] = String(decoding: words[0], as: UTF8.self)
    }
    return refs
  }

  // MARK: Files

  /// The first line of a file; nil when the file does not exist.
  private func text(_ name: String, _ side: Side) throws(RepositoryError) -> String? {
    try bytes(name, side).map { bytes in
      String(decoding: bytes.prefix(GitChange.longestLine).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }

  private func bytes(_ name: String, _ side: Side) throws(RepositoryError) -> [UInt8]? {
    guard side == .after, let item = items[name] else { return try present(name) }
    guard case .file(let size, let content)? = item.new?.content else { return nil }
    guard size <= GitChange.limit else { throw RepositoryError(.damaged, "\(name) is too long") }
    return try SnapshotLists(repository).contents(SizedContent(size: size, content: content))
  }

  private func present(_ name: String) throws(RepositoryError) -> [UInt8]? {
    let root = try repository.root
    do throws(Errno) {
      return try FolderFile(root).contents(of: folder.appending(name.utf8), limit: GitChange.limit)
    } catch {
      // A folder where a file should be, or a file where a folder should be, is not a ref either.
      if [.notFound, .isDirectory, .notDirectory, .loop].contains(error) { return nil }
      throw RepositoryError(.system, "cannot read \(name): \(error)", systemError: error.code)
    }
  }
}
