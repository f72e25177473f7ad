import TestSupport
import Testing

/// Other programs can apply the output of `diff --patch`: for any two snapshots, the patch turns one into the other.
@Suite(.needsProgram) struct PatchTests {
  private enum Node: Equatable {
    case file([UInt8], isExecutable: Bool)
    case link([UInt8])

    var isLink: Bool { if case .link = self { true } else { false } }
  }

  /// Names that a careless parser splits, some of them not valid UTF-8.
  private static let names: [[UInt8]] = [
    "plain".bytes, "two words".bytes, "ża".bytes, "tab\there".bytes, "line\nend".bytes, "quo\"te".bytes,
    "back\\slash".bytes, " front".bytes, "end ".bytes, "esc\u{1B}[31m".bytes, [0x61, 0xFF, 0x62], "-dash".bytes,
    "b".bytes, "a\u{202E}b".bytes, "x  y".bytes, "dev".bytes, "#hash".bytes,
  ]

  private static func lines(_ random: inout SplitMix64) -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      // There are few different lines, so that many repeat; some look like parts of a patch.
      let line = ["", "a", "b", "}", "  if x {", "-- old", "++ new", "@@ -1 +1 @@", "diff --git a/x b/x", "\\ No"]
      text += line.randomElement(using: &random)!.bytes + [10]
    }
    if Bool.random(using: &random), !text.isEmpty { text.removeLast() }
    return text
  }

  private static func node(_ random: inout SplitMix64) -> Node {
    if Int.random(in: 0..<6, using: &random) == 0 { return .link(names.randomElement(using: &random)!) }
    return .file(lines(&random), isExecutable: Int.random(in: 0..<4, using: &random) == 0)
  }

  private static func isFree(_ path: [UInt8], in tree: [[UInt8]: Node]) -> Bool {
    !tree.keys.contains { $0.starts(with: path + [47]) || path.starts(with: $0 + [47]) || $0 == path }
  }

  private static func path(_ random: inout SplitMix64) -> [UInt8] {
    let name = names.randomElement(using: &random)!
    return Int.random(in: 0..<3, using: &random) == 0 ? names.randomElement(using: &random)! + [47] + name : name
  }

  private static func tree(_ random: inout SplitMix64) -> [[UInt8]: Node] {
    var tree: [[UInt8]: Node] = [:]
    for _ in 0..<12 {
      let path = path(&random)
      if isFree(path, in: tree) { tree[path] = node(&random) }
    }
    return tree
  }

  /// `keepingTypes`: GNU patch cannot turn a file into a link or a folder in one step.
  private static func changed(
    _ before: [[UInt8]: Node], keepingTypes: Bool, _ random: inout SplitMix64
  ) -> [[UInt8]: Node] {
    var tree = before
    for path in tree.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let old = tree[path] else { continue }
      switch Int.random(in: 0..<8, using: &random) {
      case 0: tree[path] = nil
      case 1:
        tree[path] = nil
        let other = self.path(&random)
        let isUsable = isFree(other, in: tree) && (!keepingTypes || isFree(other, in: before))
        tree[isUsable ? other : path] = old
      case 2:
        let new = node(&random)
        if !keepingTypes || new.isLink == old.isLink { tree[path] = new }
      case 3 where !keepingTypes:
        tree[path] = nil
        tree[path + [47] + "inner".bytes] = old
      case 4, 5:
        guard case .file(var bytes, let isExecutable) = old else { break }
        let place = Int.random(in: 0...bytes.count, using: &random)
        bytes.insert(contentsOf: lines(&random).prefix(12), at: place)
        tree[path] = .file(bytes, isExecutable: isExecutable != Bool.random(using: &random))
      case 6 where !keepingTypes:
        // A folder becomes a file.
        guard let slash = path.firstIndex(of: 47) else { break }
        let folder = Array(path[..<slash])
        for inner in tree.keys where inner.starts(with: folder + [47]) { tree[inner] = nil }
        tree[folder] = node(&random)
      default: break
      }
    }
    return tree
  }

  private func write(_ tree: [[UInt8]: Node], _ shell: Shell) throws {
    let folder = FolderTools(shell.path.bytes)
    for (path, node) in tree {
      for slash in path.indices where path[slash] == 47 { try? folder.makeFolder(Array(path[..<slash])) }
      switch node {
      case .file(let bytes, let isExecutable): try folder.write(path, bytes, mode: isExecutable ? 0o755 : 0o644)
      case .link(let target): try folder.makeLink(path, to: target)
      }
    }
  }

  @Test(.enabled(if: Machine.has("patch"), "patch is missing"), arguments: 0..<30)
  func patchAppliesWhatWasPrinted(_ seed: UInt64) throws {
    try check(seed, keepingTypes: true, "patch -p1 -s -f --no-backup-if-mismatch <../patch")
  }

  @Test(.enabled(if: Machine.has("git"), "git is missing"), arguments: 0..<30)
  func gitAppliesWhatWasPrinted(_ seed: UInt64) throws {
    try check(
      seed, keepingTypes: false, "git -c core.autocrlf=false apply --allow-empty --whitespace=nowarn -p1 ../patch")
  }

  private func check(_ seed: UInt64, keepingTypes: Bool, _ apply: String) throws {
    var random = SplitMix64(seed: seed)
    let shell = try Shell()
    let elsewhere = try Shell()
    let old = PatchTests.tree(&random)
    try write(old, shell)
    try shell.done("save", "old", "-q")
    try #require(shell.run("find . -mindepth 1 -maxdepth 1 ! -name .memento -exec rm -r -- {} +").status == 0)
    try write(PatchTests.changed(old, keepingTypes: keepingTypes, &random), shell)
    try shell.done("save", "new", "-q")
    let run = try shell.run(
      """
      memento restore old --to \(elsewhere.path)/a -q; memento restore new --to \(elsewhere.path)/b -q
      memento diff old new --patch >\(elsewhere.path)/patch
      memento diff old --patch | cmp - \(elsewhere.path)/patch
      cd \(elsewhere.path)/a; if grep -q '^diff --git' ../patch; then \(apply); fi
      cd ..; find a b -type d -empty -delete
      diff -r --no-dereference a b
      for side in a b; do find $side ! -type d -printf '%y %m %P\\0' | sort -z >$side.modes; done; cmp a.modes b.modes
      """)
    let patch = String(decoding: try elsewhere.directory.read("patch"), as: UTF8.self)
    #expect(run.status == 0 && run.errors.isEmpty && run.output.isEmpty, "\(run.errors)\(run.output)\n\(patch)")
  }
}
