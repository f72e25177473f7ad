import TestSupport
import Testing

/// Hard links stay hard links. A file with a name outside of the folder is never changed through its name inside.
@Suite(.needsProgram) struct HardLinkTests {
  @Test(arguments: [
    "echo other > a", "chmod 600 a", "touch -d 2001-01-01 a", "rm a", "rm a b", "rm a; echo new > a", "rm b; ln c/d b",
    "ln a e", "rm c/d; cp -p a c/d", "echo x > x; ln -f x b", "mv a z", "rm a; mkdir a",
    "setfattr -n user.x -v y a || true",
  ])
  func groupsComeBack(_ change: String) throws {
    let shell = try Shell()
    _ = try shell.run("mkdir c; echo one > a; ln a b; ln a c/d; echo x > f; ln f g")
    let before = try shell.record()
    try shell.done("save", "one", "-q")
    _ = try shell.run(change)
    let between = try shell.record()
    let restored = try shell.memento("restore", "one", "-q")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try shell.record().differences(from: before) == [])
    // If the change made a difference, there is a guard, and the timeline has one step more.
    try shell.done("save", "two", "-q")
    #expect(try shell.memento("restore", "@~1", "-q").status == 0)
    if between != before {
      #expect(try shell.memento("restore", "@~2", "-q").status == 0)
    }
    try shell.done("restore", "one", "-q")
    #expect(try shell.record().differences(from: before) == [])
    #expect(try shell.memento("verify", "--read-data", "-q").status == 0)
  }

  @Test(arguments: [
    "echo other > a", "chmod 600 a", "touch -d 2001-01-01 a", "chown 5:5 a", "setfattr -n user.x -v y a || true",
  ])
  func whatIsOutsideStaysAsItIs(_ change: String) throws {
    let shell = try Shell()
    let run = try shell.run(
      """
      mkdir in out; cd in; echo one > a; ../nothing 2>/dev/null; memento save one -q; ln a ../out/a
      \(change)
      stat -c '%i %a %u %Y' ../out/a > ../before; cat ../out/a >> ../before
      status memento restore one -q >/dev/null
      stat -c '%i %a %u %Y' ../out/a > ../after; cat ../out/a >> ../after
      cmp ../before ../after && cat a && stat -c '%h %a' a
      """)
    #expect(run.output == "=0\none\n1 644\n", "\(run.output)\(run.errors)")
  }

  @Test func intoAnotherFolder() throws {
    let shell = try Shell()
    let run = try shell.run(
      "mkdir c; echo one > a; ln a b; ln a c/d; memento save one -q; memento restore one --to new -q; stat -c %h new/a new/c/d"
    )
    #expect(run.output == "3\n3\n")
  }
}
