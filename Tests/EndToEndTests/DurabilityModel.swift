// Says from the system calls of a command what of its work a power cut could take. It is stricter than any file system:
// a content is safe when it was flushed, a name when its folder was, and both when the whole file system was.

import TestSupport
import Testing

struct DurabilityModel {
  /// Files with content that is not flushed.
  private var unflushed: Set<String> = []
  /// Paths whose names are not flushed.
  private var unnamed: Set<String> = []
  /// Files that were removed, and could be back after a power cut.
  private var unremoved: Set<String> = []
  /// The folder of the test. What is elsewhere is no business of memento.
  private let folder: String
  /// Whether a store has no config yet.
  private var isBeingMade = false
  /// What a power cut could have taken when something was made that relies on it, or when a command had ended.
  private(set) var violations: [String] = []

  init(_ folder: String) {
    self.folder = folder
  }

  /// Runs a command line in the folder, on one processor, and follows its calls. `isAcknowledged`: false for a command with --no-sync,
  /// which only must not do anything before its mark is durable.
  mutating func run(_ arguments: [String], isAcknowledged: Bool = true) throws -> Launch {
    let log = try TemporaryDirectory()
    let run = try Launch(
      ["taskset", "-c", "0", "strace", "-y", "-qq", "-s", "0", "-o", "\(log.path)/log", "-e", "signal=none", "-e"]
        + ["trace=\(Injection.mutating),openat,copy_file_range", Machine.program] + arguments,
      in: folder, environment: ["XDG_CONFIG_HOME": "\(folder)/home"])
    for line in String(decoding: try log.read("log"), as: UTF8.self).split(separator: "\n") {
      if let call = Call(line) { follow(call, isAcknowledged: isAcknowledged) }
    }
    expectSafe("at the end", isAcknowledged: isAcknowledged)
    if arguments.first == "purge" { expectGone() }
    return run
  }

  private mutating func follow(_ call: Call, isAcknowledged: Bool) {
    switch call.name {
    case "openat":
      if call.text.contains("O_EXCL") { unnamed.insert(call.path(0)) }
    case "mkdirat":
      unnamed.insert(call.path(0))
      if call.path(0).hasSuffix("/.memento") || call.path(0).hasSuffix("/elsewhere") { isBeingMade = true }
    case "symlinkat", "mknodat": unnamed.insert(call.path(0))
    case "write", "pwrite64", "ftruncate": unflushed.insert(call.files[0])
    case "copy_file_range": unflushed.insert(call.files[1])
    case "fsync", "fdatasync":
      let file = call.files[0]
      unflushed.remove(file)
      unnamed = unnamed.filter { $0.parent != file }
      unremoved = unremoved.filter { $0.parent != file }
    case "syncfs":
      unflushed = []
      unnamed = []
      unremoved = []
    case "linkat": unnamed.insert(call.path(1))
    case "renameat", "renameat2":
      let (old, new) = (call.path(0), call.path(1))
      // A store is one when it has its config, which is the last of its parts.
      if Part(new).name == "config" { isBeingMade = false }
      if Part(new).isCommit, !isBeingMade {
        expectSafe("before \(Part(new).name) is replaced", except: old, isAcknowledged: isAcknowledged)
      }
      if unflushed.contains(old), Part(new).counts, isAcknowledged {
        violations.append("\(Part(new).name) gets its name before its content is flushed")
      }
      if call.text.contains("RENAME_EXCHANGE") {
        unnamed.formUnion([old, new])
      } else {
        move(old, to: new)
        unnamed.insert(new)
      }
    case "unlinkat":
      let path = call.path(0)
      unflushed.remove(path)
      unnamed.remove(path)
      for entry in unremoved where Part(entry).isEntry && entry.parent == path.parent {
        violations.append("\(Part(path).name) is removed before \(Part(entry).name) is surely gone")
      }
      unremoved.insert(path)
      if Part(path).mustFollowItsSuccessor {
        expectSafe("before \(Part(path).name) is removed", isAcknowledged: isAcknowledged)
      }
    default: break
    }
  }

  private mutating func move(_ old: String, to new: String) {
    for set in [\DurabilityModel.unflushed, \DurabilityModel.unnamed] {
      for path in self[keyPath: set] where path == old || path.hasPrefix(old + "/") {
        self[keyPath: set].remove(path)
        self[keyPath: set].insert(new + path.dropFirst(old.count))
      }
    }
  }

  /// Nothing that was removed comes back.
  private mutating func expectGone() {
    violations += unremoved.filter { $0.hasPrefix(folder + "/") }.sorted().map { "at the end: \($0) may come back" }
  }

  private mutating func expectSafe(_ when: String, except: String = "", isAcknowledged: Bool) {
    let isDue = { (path: String) in
      path != except && path.hasPrefix(folder + "/") && Part(path).counts
        && (isAcknowledged || Part(path).name == "unsynced")
    }
    violations += unflushed.filter(isDue).sorted().map { "\(when): the content of \($0) is not flushed" }
    violations += unnamed.filter(isDue).sorted().map { "\(when): the name of \($0) is not flushed" }
  }
}

/// A system call in the output of strace with -y, which shows the path of each descriptor.
private struct Call {
  let name: String
  let text: Substring
  /// The paths of its descriptors, in order.
  let files: [String]
  /// Its texts, in order.
  private let texts: [String]

  /// Nil for a call that failed.
  init?(_ line: Substring) {
    // strace aligns the results.
    guard let open = line.firstIndex(of: "("), let equals = line.indices.last(where: { line[$0...].hasPrefix(" = ") }),
      let close = line[..<equals].lastIndex(of: ")"), line[equals...].dropFirst(3).first?.isNumber == true
    else { return nil }
    name = String(line[..<open])
    text = line[open..<close]
    var files: [String] = []
    var texts: [String] = []
    var rest = text
    while let mark = rest.firstIndex(where: { $0 == "<" || $0 == "\"" }) {
      let begin = rest.index(after: mark)
      guard let end = rest[begin...].firstIndex(of: rest[mark] == "<" ? ">" : "\"") else { break }
      if rest[mark] == "<" { files.append(String(rest[begin..<end])) } else { texts.append(String(rest[begin..<end])) }
      rest = rest[rest.index(after: end)...]
    }
    self.files = files
    // What a link says comes before its path.
    self.texts = name == "symlinkat" ? Array(texts.dropFirst()) : texts
    if files.isEmpty { return nil }
  }

  /// The path that a descriptor and a text name.
  func path(_ number: Int) -> String {
    guard number < texts.count, number < files.count else { return "" }
    return texts[number].hasPrefix("/") ? texts[number] : "\(files[number])/\(texts[number])"
  }
}

/// What a path of a test is.
private struct Part {
  /// Its path in the store; nil outside of it.
  private let inStore: Substring?
  private let path: String

  init(_ path: String) {
    self.path = path
    inStore = (path.range(of: "/elsewhere/") ?? path.range(of: "/.memento/")).map { path[$0.upperBound...] }
  }

  var name: String { inStore.map(String.init) ?? path }

  private static let derived = [
    "index", "cache", "parity", "backup", "journal", "tmp", "bad-blocks", ".gitignore", "lock", "packs.lock",
    "folder.lock",
    "refs.lock", "refs.prev",
  ]

  /// Whether it must survive a power cut: it cannot be derived from anything, or a pending restore needs it.
  var counts: Bool {
    guard let inStore else { return true }
    if inStore.hasPrefix("tmp/restore-") { return true }
    return !Part.derived.contains(String(inStore.prefix { $0 != "/" }))
  }

  /// Whether it makes something visible that relies on the rest.
  var isCommit: Bool { inStore == "refs" || inStore == "config" }

  /// Whether the other files of its folder count only as long as it is there.
  var isEntry: Bool {
    guard let words = inStore?.split(separator: "/") else { return false }
    return words.count == 3 && words[0] == "remotes" && words[2] == "remote"
  }

  /// Whether what takes its place must be safe before it is removed.
  var mustFollowItsSuccessor: Bool {
    guard let inStore else { return false }
    return inStore == "unsynced" || (inStore.hasPrefix("packs/") && inStore.hasSuffix(".pack"))
  }
}

extension String {
  fileprivate var parent: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "" }
}

extension StringProtocol {
  /// Where a text is in this one.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
