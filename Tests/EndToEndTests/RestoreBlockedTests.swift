import TestSupport
import Testing

/// A restore finds paths that it cannot change before it changes anything. It names each path, and the folder stays
/// unchanged.
@Suite(.needsProgram, .needsRoot) struct RestoreBlockedTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    let run = try shell.run(
      """
      chmod 755 .; mkdir -p d/e work; chown 65534:65534 work
      echo 1 > d/a; echo 2 > d/b; echo 3 > d/e/c; memento save one -q
      echo changed > d/a; echo changed > d/b; rm -r d/e; echo new > new
      """)
    try #require(run.status == 0, "\(run.errors)")
  }

  /// Whether this file system supports file flags such as `chattr +i`.
  private static let hasChattr: Bool =
    Machine.isRoot && Machine.has("chattr")
    && (try? Launch(
      ["sh", "-c", "f=$(mktemp) && chattr +i $f && ! rm -f $f 2>/dev/null && chattr -i $f && rm $f"]))?.status == 0

  private static let refusal =
    "memento: nothing was restored: 1 path cannot be changed\n"
    + "hint: remove what keeps them from being changed, or restore only other paths: memento restore SNAPSHOT PATH\n"

  @Test(
    .enabled(if: hasChattr, "chattr does not work here"),
    arguments: [
      ("+i", "d/a", "it is immutable (chattr -i makes it changeable)"),
      ("+i", "new", "it is immutable (chattr -i makes it changeable)"),
      ("+i", "d", "it is immutable (chattr -i makes it changeable)"),
      ("+a", "d/b", "it can only be appended to (chattr -a makes it changeable)"),
      ("+a", "d", "it can only be appended to (chattr -a makes it changeable)"),
    ])
  func attributes(_ attribute: String, _ path: String, _ words: String) throws {
    let run = try shell.run(
      """
      chattr \(attribute) \(path)
      status memento restore one; status memento restore one -n; status memento undo
      chattr \(attribute.replacing("+", with: "-")) \(path)
      cat d/a d/b; [ -e d/e ] || cat new; memento restore one -q; echo "=$?"; cat d/a d/b d/e/c; ls
      """)
    #expect(run.output == "=1\n=1\n=1\nchanged\nchanged\nnew\n=0\n1\n2\n3\nd\nwork\n", "\(run.output)")
    let once = "memento: \(path): \(words)\n\(RestoreBlockedTests.refusal)"
    #expect(run.errors == once + once + once, "\(run.errors)")
  }

  @Test(.enabled(if: hasChattr, "chattr does not work here"))
  func otherPathsCanBeRestored() throws {
    let run = try shell.run(
      """
      chattr +i d/a; chattr +a new; status memento restore one --json; status memento restore one d/b -q
      chattr -i d/a; chattr -a new; cat d/a d/b
      """)
    #expect(run.output == "=1\n=0\nchanged\n2\n", "\(run.output)")
    #expect(run.errors.contains("\"id\":\"blocked\""), "\(run.errors)")
    #expect(run.errors.contains("\"path\":\"d/a\"") && run.errors.contains("\"path\":\"new\""), "\(run.errors)")
  }

  /// The folder is half changed already, so a recovery restores as much as it can.
  @Test(.needsStrace, .enabled(if: hasChattr, "chattr does not work here"))
  func aRecoveryGoesOnAroundIt() throws {
    try shell.done("save", "two", "-q")
    try shell.interruptRestore(of: "one")
    let run = try shell.run(
      """
      chattr +i d/a d/b; status memento restore --continue -q; chattr -i d/a d/b; cat d/e/c; ls; status memento save -q
      """)
    #expect(run.output == "=3\n3\nd\nwork\n=0\n", "\(run.output)\(run.errors)")
    #expect(run.errors.contains("memento: d/a: cannot be put in place: Operation not permitted"), "\(run.errors)")
  }

  @Test(.needsMounts) func mountedFolders() throws {
    let run = try shell.runMounting(
      """
      mkdir d/e; mount -t tmpfs none d/e; status memento restore one; umount d/e; rmdir d/e
      mount --bind d d; status memento restore one; umount d
      touch other; mount --bind other d/a; status memento restore one d; umount d/a; rm other
      status memento restore one -q; cat d/a d/b d/e/c
      """)
    #expect(run.output == "=1\n=1\n=1\n=0\n1\n2\n3\n", "\(run.output)")
    #expect(
      run.errors
        == ["d/e: a file system is", "d: a file system is", "d/a: it is"].map {
          "memento: \($0) mounted there\n" + RestoreBlockedTests.refusal
        }.joined(), "\(run.errors)")
  }

  /// A file system is mounted over an empty folder. There is nothing to restore, and the mounted files are not touched.
  @Test(.needsMounts) func aMountPointIsLeftAlone() throws {
    let run = try shell.runMounting(
      """
      mkdir -m 700 point; memento save with -q; mount -t tmpfs -o mode=755 none point; echo x > point/x
      before=$(stat -c '%a %y' point)
      status memento restore with -q; echo more > d/a; status memento restore with -q; cat d/a point/x
      [ "$before" = "$(stat -c '%a %y' point)" ] && echo untouched
      """)
    #expect(run.output == "=0\n=0\nchanged\nx\nuntouched\n", "\(run.output)\(run.errors)")
  }

  @Test(.needsMounts) func aReadOnlyFolder() throws {
    let run = try shell.runMounting(
      """
      chown 0:0 work; mkdir ../store-$$; memento --store ../store-$$/s -C work init -q; cd work; echo a > a
      memento --store ../../store-$$/s save one -q; echo b > a; cd ..
      mount --bind work work; mount -o remount,ro,bind work; cd work
      status memento --store ../../store-$$/s restore one; cat a; status memento --store ../../store-$$/s list -q
      cd ..; umount work; rm -rf ../store-$$
      """)
    #expect(run.output.hasPrefix("=1\nb\n"), "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix("=0\n"), "\(run.output)\(run.errors)")
    #expect(run.errors.contains("Read-only file system"), "\(run.errors)")
  }

  @Test(.enabled(if: Machine.has("setpriv"), "setpriv is missing"))
  func foldersOfOthers() throws {
    let run = try shell.run(
      """
      cd work; nobody sh -c 'mkdir shared; echo 1 > shared/a; echo 2 > own; "$PROGRAM" init -q; "$PROGRAM" save one -q; echo x > own'
      chown 0:0 shared; chmod 755 shared; echo changed > shared/a
      status nobody "$PROGRAM" restore one; cat shared/a own
      chown 0:0 shared/a; chmod 1777 shared; status nobody "$PROGRAM" restore one; cat shared/a own
      chmod 777 shared; status nobody "$PROGRAM" restore one >/dev/null; cat shared/a own
      """)
    #expect(run.output.hasPrefix("=1\nchanged\nx\n=1\nchanged\nx\n"), "\(run.output)\(run.errors)")
    // The restore replaces what it can. It cannot set the time of a folder that belongs to another user.
    #expect(run.output.hasSuffix("=3\n1\n2\n"), "\(run.output)\(run.errors)")
    #expect(run.errors.hasPrefix("memento: shared: it cannot be changed: Permission denied\n"), "\(run.errors)")
    #expect(
      run.errors.contains("memento: shared/a: it belongs to another user, and only its owner may remove it"),
      "\(run.errors)")
  }
}
