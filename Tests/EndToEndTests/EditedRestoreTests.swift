import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program goes on editing the folder during a restore, and the restore is killed. Afterwards every edit must be in
/// the folder, in a snapshot, or in `rescue/`.
@Suite(.needsProgram) struct EditedRestoreTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// All texts of the form `precious-N.` in the folder, in snapshots and in `rescue/`.
  private func found() throws -> Set<String> {
    let run = try shell.run(
      """
      find .memento/rescue -type f -exec cat {} + 2>/dev/null
      find . -path ./.memento -prune -o -type f -exec cat {} +
      for id in $(memento log --all --json | grep -o '"id":"[0-9a-f]*"' | cut -d'"' -f4 | sort -u); do
        memento restore "$id" --to "$FOLDER-copy" -q 2>/dev/null && find "$FOLDER-copy" -type f -exec cat {} +
        chmod -R u+rwx "$FOLDER-copy"; rm -rf "$FOLDER-copy"
      done
      """)
    return Set(run.output.split(separator: "\n").filter { $0.hasPrefix("precious-") }.map { String($0) })
  }

  @Test(.needsStrace, arguments: ModelSettings.seeds(2), [[], ["--discard"]])
  func nothingIsLost(_ seed: UInt64, _ options: [String]) throws {
    var generator = SplitMix64(seed: seed)
    let files = (0..<60).map { "f\($0)" } + (0..<20).map { "d/f\($0)" }
    let folder = FolderTools(shell.path.bytes)
    try folder.makeFolder("d".bytes)
    func fill(_ text: String) throws {
      for file in files { try folder.write(file.bytes, "\(text) \(file)\n".bytes) }
    }
    try fill("one")
    try shell.done("save", "one", "-q")
    try fill("another")
    try shell.done("save", "two", "-q")
    var written: Set<String> = []
    var number = 0
    var kills = 0
    for round in 0..<12 {
      let target = round % 2 == 0 ? "one" : "two"
      // The restore is killed at one of its renames, or after the edits.
      let isKilledInside = round % 3 != 0
      let injections =
        isKilledInside
        ? [
          "-e", "inject=newfstatat:delay_exit=1000", "-e",
          "inject=?renameat2:signal=KILL:when=\(Int.random(in: 1...60, using: &generator))",
        ] : ["-e", "inject=?renameat2:delay_exit=1500"]
      let program = try RunningProgram(
        ["strace", "-f", "-qq", "-o", "/dev/null"] + injections + [Machine.program, "restore", target, "-q"] + options,
        in: shell.path)
      // Edits begin after the mark. Earlier ones would only test the save.
      for _ in 0..<20_000 where !isPending() { usleep(500) }
      // Each file is edited once, because a second edit would itself remove the first one.
      for file in files.shuffled(using: &generator).prefix(Int.random(in: 1...25, using: &generator)) where isPending()
      {
        number += 1
        let text = "precious-\(number)."
        // The file is complete before it gets its name, and so before the restore can swap it.
        let edit = "\(shell.path)-edit"
        try FolderTools(edit.bytes).write([], (text + "\n").bytes)
        if rename(edit, "\(shell.path)/\(file)") == 0 { written.insert(text) }
      }
      if !isKilledInside { kill(-program.process, SIGKILL) }
      if try program.wait().status == 137 { kills += 1 }
      while isPending() {
        let direction = Bool.random(using: &generator) || !options.isEmpty ? "--continue" : "--abort"
        let run = try shell.memento("restore", direction, "-q")
        #expect(run.status == 0, "\(direction): \(run.errors)")
        if run.status != 0 { return }
      }
      // Saves what this round has left in the folder, before the next round.
      try shell.done("save", "-q")
    }
    let found = try found()
    #expect(written.subtracting(found) == [], "seed \(seed) \(options): \(written.count) written")
    #expect(kills > 2 && written.count > 12, "\(kills) kills, \(written.count) edits: too few to tell")
  }

  private func isPending() -> Bool {
    guard let refs = try? shell.directory.read(".memento/refs") else { return false }
    return String(decoding: refs, as: UTF8.self).contains("\npending ")
  }

  /// The restore is killed when it would move the first edit to `rescue/`.
  @Test(.needsStrace, arguments: ["--continue", "--abort"], ["", "--discard"])
  func killedBeforeTheRescue(_ direction: String, _ option: String) throws {
    if direction == "--abort", !option.isEmpty { return }
    for name in ["a", "b", "made"] { try shell.directory.write(name, "one \(name)\n".bytes) }
    try shell.done("save", "one", "-q")
    let run = try shell.run(
      """
      for name in a b; do echo "another $name" > $name; done
      rm made; echo extra > extra; [ -n '\(option)' ] || memento save two -q
      strace -f -qq -o /dev/null -e inject=renameat:delay_exit=100000 \\
        -e inject=?renameat2:signal=KILL:when=3 "$PROGRAM" restore one \(option) &
      until grep -q '^pending ' .memento/refs; do sleep 0.002; done
      for name in a b extra made; do echo "precious $name" > .edit; mv .edit $name; done
      wait $!; echo "=$?"; ls .memento/tmp/restore-* >&2
      status memento restore \(direction) -q
      status memento save next -q
      cat .memento/rescue/* | sort; cat a b made 2>/dev/null; ls .memento/tmp
      """)
    #expect(run.output.hasPrefix("=137\n=0\n=0\n"), "\(run.output)\(run.errors)")
    #expect(
      run.output.contains("precious a\n") || run.output.contains("precious extra\n"), "\(run.output)\(run.errors)")
    let found = try foundPrecious()
    #expect(found == ["precious a", "precious b", "precious extra", "precious made"], "\(run.output)\(run.errors)")
  }

  /// The edits found in the folder, in `rescue/`, or in a snapshot.
  private func foundPrecious() throws -> Set<String> {
    let run = try shell.run(
      """
      find .memento/rescue -type f -exec cat {} + 2>/dev/null; cat a b made extra 2>/dev/null
      for id in $(memento log --all --json | grep -o '"id":"[0-9a-f]*"' | cut -d'"' -f4 | sort -u); do
        for name in a b made extra; do memento cat "$id:$name" 2>/dev/null; done
      done
      """)
    return Set(run.output.split(separator: "\n").filter { $0.hasPrefix("precious ") }.map { String($0) })
  }

  /// The check of a swapped-out file fails. The restore must report it, or nothing may be missing.
  @Test(.needsStrace) func aLookThatFailsIsNotAnAnswer() throws {
    let folder = try CrashFolder([
      (CrashFolder.firstFiles, "one"), (CrashFolder.changes, "two"), ("echo precious > a; echo extra > d/extra", nil),
    ])
    let target = try #require(folder.states["two"])
    let trial = try folder.copy("trial")
    let calls = try Injection.calls("newfstatat", of: ["undo", "-q"], in: trial.path)
    try trial.remove()
    // The checks while the restore puts files in place come last.
    for call in Injection.sample(Array(calls.suffix(40)), atMost: 14, seed: 41) {
      let when = "undo with EIO of \(call)"
      let copy = try folder.copy("fault-\(call.name)-\(call.number)")
      let run = try Injection.run(["undo", "-q"], in: copy.path, inject: call.inject("error=EIO"))
      #expect([0, 1, 3].contains(run.status), "\(when): \(run.status) \(run.errors)")
      if run.status != 0 { #expect(run.errors.hasPrefix("memento: "), "\(when): \(run.errors)") }
      if try copy.memento("save", "-n").status == 14 {
        #expect(run.status == 1, "\(when): \(run.status) \(run.errors)")
        #expect(try copy.memento("restore", "--continue", "-q").status == 0, "\(when)")
        #expect(try copy.record().differences(from: target) == [], "\(when)")
      } else if run.status == 0 {
        #expect(try copy.record().differences(from: target) == [], "\(when)")
      } else if run.status == 1 {
        #expect(try copy.record() == folder.record, "\(when)")
      }
      #expect(try copy.memento("verify", "--read-data", "-q").status == 0, "\(when)")
      try copy.expectNextSave(when)
      try copy.remove()
    }
  }
}
