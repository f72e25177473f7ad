import TestSupport
import Testing

/// Single calls that fail once. Each of them was once mistaken for an answer.
@Suite(.needsProgram, .needsStrace) struct FailedCallTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// A call that names a file.
  private struct Call {
    let name: String
    let number: Int
    let line: String
  }

  /// The calls of a command line that have `text` in their arguments, numbered among all calls of the same name. The
  /// calls of the loader, which come first, are left out.
  private func calls(
    _ set: String, of arguments: [String], in folder: String, naming text: String = ""
  ) throws -> [Call] {
    var begin: [String: Int] = [:]
    for call in try trace(set, ["--version"], folder) { begin[call.name] = call.number }
    return try trace(set, arguments, folder).filter {
      $0.number > begin[$0.name, default: 0] && $0.line.contains(text)
    }
  }

  private func trace(_ set: String, _ arguments: [String], _ folder: String) throws -> [Call] {
    let log = try TemporaryDirectory()
    _ = try Launch(
      ["taskset", "-c", "0", "strace", "-qq", "-o", "\(log.path)/log", "-e", "trace=\(set)", Machine.program]
        + arguments, in: folder)
    var numbers: [String: Int] = [:]
    return String(decoding: try log.read("log"), as: UTF8.self).split(separator: "\n").compactMap { line in
      guard let name = line.split(separator: "(").first.map(String.init) else { return nil }
      numbers[name, default: 0] += 1
      return Call(name: name, number: numbers[name, default: 1], line: String(line))
    }
  }

  private func run(_ arguments: [String], in folder: String, failing call: Call, _ error: String) throws -> Launch {
    try Injection.run(
      arguments, in: folder, inject: "\(call.name):error=\(error):when=\(call.number)", following: false)
  }

  /// A new copy of the folder that a script makes.
  private func copy(_ script: String) throws -> String {
    let run = try shell.run("[ -e base ] || { mkdir base; cd base; \(script); cd ..; }; rm -rf copy; cp -a base copy")
    try #require(run.status == 0, "\(run.errors)")
    return "\(shell.path)/copy"
  }

  /// A name that could not be read is not recorded as a hard link: a restore must not make it.
  @Test(arguments: [10, 5_000_000])
  func aNameThatCannotBeReadIsNoLink(_ size: Int) throws {
    let script = "head -c \(size) /dev/zero > first; ln first second"
    let found = try calls("openat", of: ["save", "one"], in: copy(script), naming: "\"second\"")
    try #require(!found.isEmpty)
    for call in found {
      let folder = try copy(script)
      let run = try run(["save", "one"], in: folder, failing: call, "EIO")
      #expect(run.status == 3, "\(run.errors)")
      _ = try Launch([Machine.program, "restore", "one", "--to", "out", "-q"], in: folder)
      #expect(try shell.run("ls copy/out").output == "first\n")
    }
  }

  /// A call reports an existing name as missing. The name must be recorded, also when its file is recorded under
  /// another name.
  @Test func aNameThatIsSaidToHaveGone() throws {
    let script = "seq 900 > first; ln first second"
    let found = try calls("openat,?newfstatat,?statx", of: ["save", "one"], in: copy(script), naming: "\"second\"")
    try #require(!found.isEmpty)
    for call in found {
      let folder = try copy(script)
      let run = try run(["save", "one"], in: folder, failing: call, "ENOENT")
      #expect(run.status == 0, "\(call.line): \(run.errors)")
      _ = try Launch([Machine.program, "restore", "one", "--to", "out", "-q"], in: folder)
      #expect(try shell.run("ls copy/out; stat -c %h copy/out/*").output == "first\nsecond\n2\n2\n", "\(call.line)")
    }
  }

  /// A call reports a restored name as missing. The name is then a file of its own, and the restore reports it.
  @Test func aRestoredNameThatIsSaidToHaveGone() throws {
    let script = "seq 900 > first; ln first second; memento save one -q"
    let arguments = ["restore", "one", "--to", "out"]
    let found = try calls("?newfstatat,?statx,linkat", of: arguments, in: copy(script), naming: "\"second\"")
    try #require(!found.isEmpty)
    for call in found {
      let run = try run(arguments, in: copy(script), failing: call, "ENOENT")
      let links = try shell.run("stat -c %h copy/out/*").output
      #expect(links == "2\n2\n" ? run.status == 0 : run.status == 3, "\(call.line): \(run.status) \(links)")
    }
  }

  /// A restore that removes a folder exits with 0 only when the folder is gone.
  @Test(arguments: [("openat,?newfstatat,?renameat2", "ENOENT"), ("unlinkat", "EBUSY")])
  func aFolderThatIsNotRemoved(_ set: String, _ error: String) throws {
    let script = "echo a > a; memento save one -q; mkdir -p new/dir; echo n > new/dir/n; memento save two -q"
    var tried = 0
    for name in ["\"new\"", "\"dir\"", "\"n\""] {
      for call in try calls(set, of: ["restore", "one"], in: copy(script), naming: name) {
        tried += 1
        let run = try run(["restore", "one"], in: copy(script), failing: call, error)
        let left = try shell.run("ls copy").output
        #expect(run.status == 0 ? left == "a\n" : [1, 3].contains(run.status), "\(call.line): \(run.status) \(left)")
      }
    }
    #expect(tried > 0)
  }

  /// The system says once that there is no journal. `log --all` must not leave out what only the journal knows.
  @Test func aJournalThatIsSaidToBeMissing() throws {
    let script =
      "echo a > a; memento save one -q; echo b > a; memento save two -q; memento undo -q; memento delete two -q"
    let arguments = ["log", "--all", "--oneline"]
    let right = try Launch([Machine.program] + arguments, in: copy(script)).output
    let found = try calls("openat", of: arguments, in: copy(script), naming: "\"journal\"")
    try #require(!found.isEmpty)
    for call in found {
      let run = try run(arguments, in: copy(script), failing: call, "ENOENT")
      #expect(run.status == 0 && run.output == right, "\(call.line): \(run.output)")
    }
  }

  /// A call keeps reporting that the old lock is missing. The command must not try forever.
  @Test func anOldLockThatIsSaidToBeMissing() throws {
    let script = "seq 900 > first; memento save one -q"
    for call in try calls("?newfstatat,?statx", of: ["save", "two"], in: copy(script), naming: "\"lock\"") {
      let run = try Injection.run(
        ["save", "two"], in: copy(script), inject: "\(call.name):error=ENOENT:when=\(call.number)+", following: false)
      #expect([0, 1, 3, 13].contains(run.status), "\(call.line): \(run.status) \(run.errors)")
    }
  }

  /// From some read on, the disk returns only errors during a repair. The repair must not move packs aside, because it
  /// has copied nothing of them.
  @Test func aMediumThatFailsDuringARepair() throws {
    let script = "seq 900 > first; memento save one -q; head -c 90000 /dev/urandom > noise; memento save two -q"
    let spoilt = script + "; rm .memento/index/*"
    let found = try calls("pread64", of: ["verify", "--repair"], in: copy(spoilt))
    try #require(found.count > 10)
    for call in found {
      let folder = try copy(spoilt)
      let run = try Injection.run(
        ["verify", "--repair"], in: folder, inject: "pread64:error=EIO:when=\(call.number)+", following: false)
      #expect(run.status != 0, "\(call.line): \(run.output)")
      let verified = try Launch([Machine.program, "verify", "--read-data"], in: folder)
      #expect(verified.status == 0, "\(call.number): \(run.errors)\(verified.output)\(verified.errors)")
    }
  }

  /// Rules that cannot be read ignore nothing, and this is reported.
  @Test(arguments: ["ENOENT", "EIO", "EACCES"])
  func rulesThatCannotBeRead(_ error: String) throws {
    let script = "mkdir d; echo x > d/x.o; echo x > d/y; echo '*.o' > d/.mementoignore; memento save first -q"
    let set = "openat,?newfstatat,?statx"
    let saving = try calls(set, of: ["save", "one"], in: copy(script), naming: "\".mementoignore\"")
    try #require(!saving.isEmpty)
    for call in saving {
      let folder = try copy(script)
      let run = try run(["save", "one"], in: folder, failing: call, error)
      #expect(run.status == 0 || run.status == 3, "\(call.line): \(run.errors)")
      let names = try Launch([Machine.program, "ls", "-R", "one"], in: folder).output
      #expect(names.contains("d/y"), "\(call.line): \(names)")
      #expect(!names.contains("x.o") || run.status == 3, "\(call.line): \(names)")
    }
    if error == "ENOENT" { return }
    let asking = try calls(set, of: ["check-ignore", "d/x.o"], in: copy(script), naming: "\".mementoignore\"")
    try #require(!asking.isEmpty)
    for call in asking {
      let run = try run(["check-ignore", "d/x.o"], in: shell.path + "/copy", failing: call, error)
      #expect(run.status == 3 && run.errors.hasPrefix("memento: "), "\(call.line): \(run.output)\(run.errors)")
    }
  }

  /// A lock was taken, and then its file could not be looked at. That is an error; it does not mean that another
  /// process holds it.
  @Test func aLockThatCannotBeLookedAtIsNotHeldByAnother() throws {
    let script = "echo a > a; memento save first -q"
    let arguments = ["save", "one", "--wait", "0"]
    for call in try calls("?newfstatat,?statx", of: arguments, in: copy(script), naming: "\"lock\"") {
      let run = try run(arguments, in: copy(script), failing: call, "EIO")
      #expect(run.status == 1 && run.errors.contains("Input/output error"), "\(call.line): \(run.errors)")
    }
  }

  /// A store that could not be looked at does not count as missing.
  @Test(arguments: [["-C", "work/sub", "list"], ["-C", "work/sub", "--store", "../../store", "status"]])
  func aStoreThatCannotBeLookedAt(_ arguments: [String]) throws {
    let folder = shell.path
    _ = try shell.run("mkdir -p work/sub; cd work; echo a > a; memento save first -q --store ../store")
    let clean = try Launch([Machine.program] + arguments, in: folder)
    try #require(clean.status == 0, "\(clean.errors)")
    for call in try calls("openat,?newfstatat", of: arguments, in: folder) {
      let run = try run(arguments, in: folder, failing: call, "EIO")
      #expect([0, 1, 3, 13].contains(run.status), "\(call.line): \(run.status) \(run.errors)")
      if run.status == 0 { #expect(run.output == clean.output, "\(call.line)") }
    }
  }

  /// What root has kept because it could not be checked belongs to the owner of the store.
  @Test(.needsRoot, .enabled(if: Machine.has("setpriv"), "setpriv is missing"))
  func whatRootKeepsBelongsToTheOwner() throws {
    let script = """
      chown 65534:65534 .; chmod 755 ..; echo one > a; chown 65534 a
      nobody "$PROGRAM" save one -q; echo two > a; nobody "$PROGRAM" save two -q
      """
    let arguments = ["env", "SUDO_UID=65534", Machine.program, "restore", "one"]
    _ = try shell.run("chmod 755 .; mkdir base; cd base; \(script); cd ..; cp -a base copy")
    let folder = "\(shell.path)/copy"
    let log = try TemporaryDirectory()
    let trace = ["taskset", "-c", "0", "strace", "-qq", "-o"]
    _ = try Launch(trace + ["\(log.path)/log", "-e", "trace=?newfstatat,?statx"] + arguments, in: folder)
    let lines = String(decoding: try log.read("log"), as: UTF8.self).split(separator: "\n")
    let looks = lines.indices.filter { lines[$0].contains(", \"0\",") }
    let last = try #require(looks.last)
    let name = try #require(lines[last].split(separator: "(").first)
    let number = lines[...last].count { $0.hasPrefix("\(name)(") }
    _ = try shell.run("rm -r copy; cp -a base copy")
    let run = try Launch(
      trace + ["/dev/null", "-e", "trace=\(name)", "-e", "inject=\(name):error=EIO:when=\(number)"] + arguments,
      in: folder)
    #expect(run.status == 3, "\(run.output)\(run.errors)")
    let kept = try shell.run("ls copy/.memento/rescue | wc -l; find copy/.memento ! -user 65534").output
    #expect(kept == "1\n", "\(kept)")
  }

  /// A user who has used up a quota can still delete states, as on a full disk: the index and the cache make room.
  @Test(arguments: ["ENOSPC", "EDQUOT"]) func aQuotaIsAFullDisk(_ error: String) throws {
    let script = "seq 900 > first; memento save one -q; memento save two -q"
    let arguments = ["delete", "one", "-q"]
    let found = try calls("write,pwrite64", of: arguments, in: copy(script))
    let call = try #require(found.first)
    let run = try run(arguments, in: copy(script), failing: call, error)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try shell.run("cd copy; memento list | wc -l").output == "1\n")
  }

  /// A later command cannot flush what --no-sync has left, and it cannot write either. The data must stay marked as not
  /// flushed, because the kernel reports a failed flush only once.
  @Test func aFlushThatFailedIsRemembered() throws {
    _ = try shell.run("echo a > a; memento save first -q; echo b > b; memento save second --no-sync -q; echo c > c")
    let log = try TemporaryDirectory()
    _ = try shell.run("cp -a . \(log.path)/copy")
    _ = try Launch(
      [
        "taskset", "-c", "0", "strace", "-qq", "-o", "\(log.path)/log", "-e", "trace=syncfs,openat", "-e",
        "inject=syncfs:error=EIO", Machine.program, "save", "third", "-q",
      ], in: "\(log.path)/copy")
    let lines = String(decoding: try log.read("log"), as: UTF8.self).split(separator: "\n")
    let flush = try #require(lines.firstIndex { $0.hasPrefix("syncfs") })
    let opened = lines[..<flush].count { $0.hasPrefix("openat") }
    let run = try Launch(
      [
        "taskset", "-c", "0", "strace", "-qq", "-o", "/dev/null", "-e", "trace=syncfs,openat", "-e",
        "inject=syncfs:error=EIO", "-e", "inject=openat:error=ENOSPC:when=\(opened + 1)+", Machine.program, "save",
        "third", "-q",
      ], in: shell.path)
    #expect(run.status == 1, "\(run.errors)")
    // The mark must say neither that the data was flushed nor that it only needs a flush.
    let mark = try shell.run("head -c 60 .memento/unsynced").output
    #expect(!mark.hasPrefix("memento unsynced 1\nboot ") || mark.hasPrefix("memento unsynced 1\nboot -\n"), "\(mark)")
    try shell.done("save", "third", "-q")
    #expect(try shell.run("ls .memento").output.contains("unsynced") == false)
    try shell.done("verify", "--read-data", "-q")
  }
}
