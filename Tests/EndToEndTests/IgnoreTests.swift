import TestSupport
import Testing

/// Ignore rules in cases that need the real program, another user or another file system.
@Suite(.needsProgram) struct IgnoreTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  @Test func aDayWithRules() throws {
    let run = try shell.run(
      """
      mkdir src; echo c > src/main.c; echo o > src/main.o; printf '*.o\\n' > .mementoignore
      memento save one -q
      echo changed > src/main.c; echo new > src/main.o; echo x > extra
      memento restore one -q; cat src/main.c src/main.o; ls
      status memento check-ignore -v src/main.o; status memento check-ignore src/main.c
      memento save two -q --exclude-from <(echo src/)
      memento status
      """)
    #expect(run.errors.isEmpty)
    let lines = run.output.split(separator: "\n")
    #expect(lines.prefix(3) == ["c", "new", "src"])
    #expect(lines.dropFirst(3).prefix(3) == [".mementoignore:1:*.o\tsrc/main.o", "=0", "=1"])
    #expect(lines.last == "nothing changed")
  }

  @Test(.needsRoot) func anUnreadableRuleFileLeavesNothingOut() throws {
    let run = try shell.run(
      """
      chmod 755 .; mkdir work; chown 65534:65534 work; cd work
      nobody sh -c 'printf "*.o\\n" > .mementoignore; echo o > a.o; chmod 0 .mementoignore'
      status nobody "$PROGRAM" save one
      """)
    #expect(run.output.hasSuffix("=3\n"))
    #expect(run.errors.contains(".mementoignore: its rules cannot be read: Permission denied\n"), "\(run.errors)")
    #expect(run.output.contains("1 added"))
  }

  @Test(.needsRoot) func anIgnoredFolderNeedNotBeReadable() throws {
    let run = try shell.run(
      """
      chmod 755 .; mkdir work; chown 65534:65534 work; cd work
      nobody sh -c 'echo closed > .mementoignore; mkdir closed; echo x > closed/x; chmod 0 closed'
      status nobody "$PROGRAM" save one -q; status nobody "$PROGRAM" restore one -q
      """)
    #expect(run.output == "=0\n=0\n")
    #expect(run.errors.isEmpty)
  }

  @Test(.needsMounts) func otherFileSystemsAreEnteredWhenAskedFor() throws {
    let run = try shell.runMounting(
      """
      mkdir work work/disk; cd work; mount -t tmpfs tmpfs disk; echo d > disk/file; mkdir disk/folder; echo a > a
      memento save without 2>&1 >/dev/null
      memento save with -q --cross-mounts
      memento restore with --to ../copy -q; cat ../copy/disk/file
      # In place, what is equal on the other file system is no obstacle, and what differs is one that is named.
      echo changed > a; status memento restore with -q --cross-mounts; cat a
      rm disk/file; status memento restore with -q --cross-mounts 2>../messages; grep -o "disk: a file system is mounted" ../messages
      umount disk; status memento restore with -q; cat disk/file
      """)
    #expect(
      run.output.split(separator: "\n").filter { !$0.hasPrefix("memento: made") } == [
        "memento: note: disk: not recorded: another file system is mounted there", "d",
        "=0", "a", "=1", "disk: a file system is mounted", "=0", "d",
      ], "\(run.output)\(run.errors)")
  }

  /// A restore that removes the rule file is killed at each of its renames. It must still leave alone what the rules
  /// name.
  @Test(.needsStrace, arguments: [true, false]) func killedWhileTheRulesGo(_ goesOn: Bool) throws {
    for number in 1...12 {
      let run = try shell.run(
        """
        rm -rf work; mkdir work; cd work; echo a > a; memento save one -q
        printf '*.o\\n' > .mementoignore; echo o > x.o; echo b > b; memento save two -q
        strace -f -qq -o /dev/null -e trace=renameat2,renameat,rename -e inject=renameat2,renameat,rename:signal=KILL:when=\(number) \
          "$PROGRAM" restore one -q >/dev/null 2>&1
        if memento save -q --dry-run >/dev/null 2>&1; then echo clean; else
          memento restore \(goesOn ? "--continue" : "--abort") -q || echo failed; fi
        cat x.o; test -e a || echo lost; memento verify -q || echo damaged
        """)
      let lines = run.output.split(separator: "\n")
      #expect(lines == ["o"] || lines == ["clean", "o"], "killed at \(number): \(run.output)\(run.errors)")
    }
  }
}
