import TestSupport
import Testing

/// The program runs as a user who may not read everything.
@Suite(.needsProgram, .needsRoot, .enabled(if: Machine.has("setpriv"), "setpriv is missing"))
struct PermissionTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    _ = try shell.run("chmod 755 . && mkdir work && chown 65534:65534 work")
  }

  @Test func whatCannotBeReadIsNamedAndNeverRemoved() throws {
    let run = try shell.run(
      """
      cd work
      nobody sh -c 'echo open > open; echo secret > secret; mkdir closed; echo x > closed/x; chmod 0 secret closed'
      status nobody "$PROGRAM" save one -q
      nobody "$PROGRAM" list --json
      nobody sh -c 'echo changed > open; echo extra > extra'
      status nobody "$PROGRAM" restore one -q --discard 2>../messages
      cat open secret closed/x; ls
      status nobody "$PROGRAM" verify --read-data -q
      """)
    #expect(run.status == 0)
    let problems = run.errors.split(separator: "\n")
    #expect(problems.count == 2, "\(run.errors)")
    #expect(problems.contains { $0.hasPrefix("memento: closed: ") && $0.hasSuffix("Permission denied") })
    #expect(problems.contains { $0.hasPrefix("memento: secret: ") && $0.hasSuffix("Permission denied") })
    #expect(run.output.hasPrefix("=3\n"))
    #expect(run.output.contains("\"complete\":false"))
    // What the restore cannot read it cannot compare either, so it reports that, too.
    #expect(run.output.hasSuffix("=3\nopen\nsecret\nx\nclosed\nopen\nsecret\n=0\n"), "\(run.output)")
  }

  @Test func problemsAreInTheDocument() throws {
    let run = try shell.run(
      """
      cd work
      nobody sh -c 'echo a > a; chmod 0 a'
      status nobody "$PROGRAM" save one --json
      """)
    #expect(run.errors.isEmpty)
    #expect(run.output.contains("\"note\":false,\"path\":\"a\"}]"))
    #expect(run.output.hasSuffix("=3\n"))
  }

  @Test func aStateThatHasTheFileIsRestoredAroundIt() throws {
    let run = try shell.run(
      """
      cd work
      nobody sh -c 'mkdir d; echo old > d/a; echo old > b'
      nobody "$PROGRAM" save one -q
      nobody sh -c 'echo new > d/a; echo new > b; chmod 0 d'
      status nobody "$PROGRAM" restore one -q >/dev/null
      chmod 700 d; cat d/a b
      """)
    // Everything that could not be done is named, and no file is half written.
    #expect(run.output.hasPrefix("=3\n") || run.output.hasPrefix("=1\n") || run.output.hasPrefix("=0\n"))
    let restored = run.output.hasPrefix("=0\n")
    #expect(restored || run.errors.contains("memento: d: "), "\(run.errors)")
    #expect(
      run.output.hasSuffix("\nold\nold\n") || run.output.hasSuffix("\nnew\nold\n")
        || run.output.hasSuffix("\nnew\nnew\n"))
  }

  @Test(arguments: ["0555", "0500"])
  func readOnlyFoldersAreRestored(_ mode: String) throws {
    let run = try shell.run(
      """
      cd work
      nobody sh -c 'mkdir -p d/e; echo 1 > d/a; echo 2 > d/e/b; chmod 0444 d/a; chmod \(mode) d/e d'
      status nobody "$PROGRAM" save one -q
      nobody sh -c 'chmod 755 d d/e; rm d/a; echo changed > d/e/b; echo extra > d/e/c; chmod \(mode) d/e; chmod \(mode) d'
      status nobody "$PROGRAM" restore one -q >/dev/null
      status nobody "$PROGRAM" restore one --to ../work/copy -q
      cat d/a d/e/b; ls d/e; stat -c '%a %n' d d/e d/a copy/d copy/d/e
      """)
    #expect(run.errors.isEmpty)
    let bits = mode.dropFirst()
    #expect(
      run.output == "=0\n=0\n=0\n1\n2\nb\n\(bits) d\n\(bits) d/e\n444 d/a\n\(bits) copy/d\n\(bits) copy/d/e\n",
      "\(run.output)")
  }

  /// Only a user with write permission can change attributes; that holds for the owner, too.
  @Test(.enabled(if: Machine.has("setfattr", "getfattr"), "setfattr is missing"), arguments: ["0444", "0500", "0644"])
  func attributesOfReadOnlyFilesAreRestored(_ mode: String) throws {
    let run = try shell.run(
      """
      cd work
      change() { chmod u+w f d; "$@" f; "$@" d; chmod \(mode) f d; }
      nobody sh -c 'echo 1 > f; mkdir d'
      change setfattr -n user.kept -v one; change setfattr -n user.changed -v one; change setfattr -n user.gone -v one
      status nobody "$PROGRAM" save one -q
      change setfattr -n user.changed -v two; change setfattr -x user.gone; change setfattr -n user.extra -v two
      status nobody "$PROGRAM" restore one -q >/dev/null
      status nobody "$PROGRAM" status --exit-code -q >/dev/null
      stat -c '%a %n' f d; getfattr -d f d | grep user
      """)
    #expect(run.errors.isEmpty)
    let bits = mode.dropFirst()
    let attributes = "user.changed=\"one\"\nuser.gone=\"one\"\nuser.kept=\"one\"\n"
    #expect(
      run.output == "=0\n=0\n=0\n\(bits) f\n\(bits) d\n\(attributes)\(attributes)",
      "\(run.output)")
  }

  @Test func aStoreOfAnotherUserIsNotUsedUnasked() throws {
    let run = try shell.run(
      """
      memento save one -q
      cd work
      status nobody "$PROGRAM" list
      status nobody "$PROGRAM" list --store ../.memento; chmod 755 ../.memento; status nobody "$PROGRAM" list -C ..
      """)
    // Above the folder, such a store is skipped: anybody can make one in /tmp.
    #expect(run.output == "=10\n=1\n=1\n", "\(run.output)")
    let store = "\(shell.path)/.memento"
    #expect(
      run.errors.contains("memento: \(store): passed over, since it belongs to another user (0)\n"), "\(run.errors)")
    #expect(
      run.errors.contains("memento: the store \(store) belongs to another user (0)\nhint: if you trust it, name it"))
  }

  @Test func aStoreThatCannotBeWrittenCanBeRead() throws {
    let run = try shell.run(
      """
      cd work
      nobody sh -c 'echo a > a; "$PROGRAM" save one -q; chmod -R a-w .memento'
      status nobody "$PROGRAM" list -z | tr '\\0\\t' '\\n ' | cut -c1-6
      status nobody "$PROGRAM" log -q | wc -l
      status nobody "$PROGRAM" verify --read-data -q
      status nobody "$PROGRAM" restore one a --stdout
      status nobody "$PROGRAM" save two
      status nobody "$PROGRAM" restore one --to ../work/new -q
      """)
    #expect(run.output == "=0\n* one \n=0\n1\n=0\na\n=0\n=1\n=0\n", "\(run.output)")
    #expect(run.errors.split(separator: "\n").first?.hasSuffix(": Permission denied") == true, "\(run.errors)")
  }

  @Test func ownersAreRestored() throws {
    _ = try shell.run("echo a > a; echo b > b; ln -s a l; mkdir d; chown 12:34 a d; chown -h 56:78 l; chmod 4755 a")
    let before = try shell.record()
    try shell.done("save", "one", "-q")
    _ = try shell.run("chown 0:0 a d; chown -h 0:0 l; chmod 700 a; rm b")
    try shell.done("restore", "one", "-q")
    #expect(try shell.record().differences(from: before) == [])
  }
}
