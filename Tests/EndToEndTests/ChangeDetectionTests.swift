import TestSupport
import Testing

/// Finds edits that keep size and time, and edits in the same tick of the clock as a save.
@Suite(.needsProgram) struct ChangeDetectionTests {
  /// A file system with times of whole seconds. There, an edit is usually in the same tick as the save before it.
  @Test(.needsMounts, .enabled(if: Machine.has("losetup", "mkfs.ext4"), "losetup or mkfs.ext4 is missing"))
  func editsInTheSameSecond() throws {
    let shell = try Shell()
    let run = try shell.runMounting(
      """
      truncate -s 16M image; mkfs.ext4 -q -I 128 -F image >/dev/null 2>&1; mkdir disk
      mount -o loop image disk || { echo no loop; exit 0; }
      cd disk; rmdir lost+found
      for i in 1 2 3 4 5 6 7 8; do
        echo "one$i" > f; memento save one -q; echo "two$i" > f; memento save two -q
        memento restore one f --stdout | grep -q "one$i" || echo "one$i is lost"
        memento restore two f --stdout | grep -q "two$i" || echo "two$i is lost"
        # The cache is written again by a save that changes nothing; the edit must still be seen.
        echo "abc$i" > f; memento save x -q; memento save y -q; echo "xyz$i" > f; memento save z -q
        memento restore z f --stdout | grep -q "xyz$i" || echo "xyz$i is lost"
        echo "new$i" > f; memento restore z -q >/dev/null; grep -q "xyz$i" f || echo "not restored"
      done; cd ..; umount disk
      """)
    if run.output == "no loop\n" { return }
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
  }

  @Test(arguments: [
    "cp -p f keep; echo two > f; touch -r keep f",
    "echo two > g; touch -r f g; mv g f",
    "printf 'two\\n' | dd of=f conv=notrunc 2>/dev/null; touch -d 2001-01-01 f",
    "touch -d '2100-01-01' f; memento save future -q; echo two > f; touch -d '2100-01-01' f",
  ])
  func timesThatWerePutBack(_ edit: String) throws {
    let shell = try Shell()
    let run = try shell.run(
      "echo one > f; touch -d 2001-01-01 f; memento save one -q; \(edit); memento save two -q; memento restore two f --stdout"
    )
    #expect(run.output == "two\n", "\(run.errors)")
  }

  @Test func changesOfKind() throws {
    let shell = try Shell()
    let run = try shell.run(
      """
      echo file > x; mkdir y; echo in > y/in; ln -s x z
      memento save one -q
      rm x; mkdir x; echo deep > x/deep; rm -r y; ln -s z y; rm z; mkfifo z
      memento save two -q
      memento restore one -q; cat x y/in; readlink z
      memento restore two -q; cat x/deep; readlink y; [ -p z ] && echo fifo
      """)
    #expect(run.output == "file\nin\nx\ndeep\nz\nfifo\n", "\(run.output)\(run.errors)")
  }

  @Test func restoringWhatIsThereWritesNothing() throws {
    let shell = try Shell()
    try shell.directory.write("a", "a".bytes)
    _ = try shell.run("mkdir d; echo b > d/b; ln -s a l; ln a h")
    try shell.done("save", "one", "-q")
    let before = try shell.run(
      "stat -c '%n %i %Y %Z' . a d d/b l h; find .memento ! -name tmp -printf '%p %T@ %i\\n' | sort"
    ).output
    for _ in 0..<2 { try shell.done("restore", "one", "-q") }
    #expect(
      try shell.run("stat -c '%n %i %Y %Z' . a d d/b l h; find .memento ! -name tmp -printf '%p %T@ %i\\n' | sort")
        .output == before)
  }
}
