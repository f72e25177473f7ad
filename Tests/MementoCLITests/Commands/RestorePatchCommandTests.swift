import TestSupport
import Testing

@testable import MementoCLI

@Suite struct RestorePatchCommandTests {
  private func lines(_ changes: [Int: String] = [:]) -> String {
    (1...40).map { (changes[$0] ?? "\($0)") + "\n" }.joined()
  }

  private func changedFolder() throws -> CommandFolder {
    let folder = try CommandFolder(files: "gone", "sub/other")
    try folder.write("text", lines())
    try folder.done("save", "one")
    try folder.write("text", lines([3: "x", 5: "y", 30: "z"]))
    try folder.write("new", "new\n")
    folder.remove("gone")
    return folder
  }

  @Test func answersAreReadLineByLine() throws {
    let folder = try changedFolder()
    let run = try folder.done("restore", "--patch", "one", input: "y\nn\nn\ny\n")
    #expect(
      run.errors == "Create this file [y,n,q,a,d,?]? Remove this file [y,n,q,a,d,?]? "
        + "(1/2) Apply this hunk to the folder [y,n,q,a,d,j,J,g,/,s,e,p,?]? "
        + "(2/2) Apply this hunk to the folder [y,n,q,a,d,K,g,/,e,p,?]? ")
    let heading = "diff --git a/text b/text\n--- a/text\n+++ b/text\n"
    #expect(run.output.contains(heading + "@@ -1,8 +1,8 @@\n 1\n 2\n-x\n+3\n 4\n-y\n+5\n"))
    #expect(run.output.contains("restored what was chosen of one "))
    #expect(run.output.contains(": 1 created, 1 replaced; "))
    #expect(run.output.hasSuffix("to go back: memento undo\n"))
    #expect(try folder.read("text") == lines([3: "x", 5: "y"]) && folder.read("gone") == "gone")
    #expect(try folder.read("new") == "new\n")
    #expect(try folder.done("log", "--oneline").output.split(separator: "\n").count == 3)
    try folder.done("undo")
    #expect(try folder.read("text") == lines([3: "x", 5: "y", 30: "z"]))
    #expect(try folder.memento("cat", "@:gone").status == 12)
  }

  @Test func aHunkIsSplit() throws {
    let folder = try changedFolder()
    let run = try folder.done("restore", "-p", "one", "text", input: "s\nn\ny\nq\n")
    #expect(run.errors.contains("Split into 2 hunks.\n(1/3) Apply this hunk"))
    #expect(run.output.contains("@@ -1,4 +1,4 @@\n 1\n 2\n-x\n+3\n 4\n@@ -4,5 +4,5 @@\n 4\n-y\n+5\n 6\n"))
    #expect(try folder.read("text") == lines([3: "x", 30: "z"]))
  }

  @Test func aHunkIsEdited() throws {
    let folder = try changedFolder()
    let run = try folder.memento(
      "restore", "-p", "one", "text", input: "e\nn\n",
      environment: ["EDITOR": "sed -i s/^+3$/+33/", "TMPDIR": folder.path])
    #expect(run.status == 0)
    #expect(try folder.read("text") == lines([3: "33", 30: "z"]))
    #expect(try folder.directory.names(".").allSatisfy { !$0.hasPrefix("memento-hunk") })
    try folder.done("undo")
    #expect(try folder.read("text") == lines([3: "x", 5: "y", 30: "z"]))
  }

  /// Nothing is chosen by an edit that does not fit, and the question is asked again.
  @Test(arguments: [
    ("sed -i s/^.2$/_2/", "line 5 of the edited hunk: it begins with none of: a space, -, +, #"),
    ("sed -i s/^.2$/-22/", "line 5 of the edited hunk: it is not the line of the file at this place"),
    ("sh -c 'echo > \"$1\"' sh", "the hunk stays as it was"), ("false", "the editor failed: it exited with status 1"),
    ("no-such-editor", "the editor no-such-editor cannot be run: "), ("rm", "the edited hunk cannot be read: "),
  ])
  func anEditThatDoesNotFit(_ editor: String, _ reason: String) throws {
    let folder = try changedFolder()
    let run = try folder.memento(
      "restore", "-p", "one", "text", input: "e\nn\nn\n", environment: ["EDITOR": "false", "VISUAL": editor])
    #expect(run.status == 0)
    #expect(run.errors.contains(reason) && run.errors.contains("the hunk stays as it was\n(1/2) Apply this hunk"))
    #expect(run.output.hasSuffix("nothing was chosen, nothing is changed\n"))
    #expect(try folder.read("text") == lines([3: "x", 5: "y", 30: "z"]))
  }

  /// As in git: what was chosen before the end of the input is done, and `q` leaves what was chosen, too.
  @Test(arguments: ["y\n", "y\nq\n", "y\nd\nq\n", "\n \nyes\r\nquit\n"])
  func theRestIsNo(_ answers: String) throws {
    let folder = try changedFolder()
    try folder.done("restore", "-p", "one", "text", "new", input: "n\n" + answers)
    #expect(try folder.read("text") == lines([30: "z"]) && folder.read("new") == "new\n")
  }

  @Test func goingBackAndForth() throws {
    let folder = try changedFolder()
    // Leave the first open, refuse the second, come back, look again, and take the first.
    let run = try folder.done("restore", "-p", "one", "text", input: "k\nJ\nn\nK\n?\ng\n1\nfoo\nx\np\ny\n")
    #expect(run.errors.contains("there is no hunk before this one that is open\n"))
    #expect(run.errors.contains("g - go to a hunk by its number\n"))
    #expect(run.errors.contains(" 1: @@ -1,8 +1,8 @@ -x\n-2: @@ -27,7 +27,7 @@ -z\ngo to which hunk? "))
    #expect(run.errors.contains("'foo' is no answer here; ? shows the keys\n"))
    #expect(run.errors.contains("'x' is no answer here; ? shows the keys\n"))
    #expect(try folder.read("text") == lines([30: "z"]))
  }

  @Test func hunksAreSearched() throws {
    let folder = try changedFolder()
    let answers = "/^3[0-1]$\n/\n^y$\n/nothing\n/(\n/z\ny\nq\n"
    let run = try folder.done("restore", "-p", "one", "text", input: answers)
    #expect(run.errors.contains("search for which regular expression? (1/2) "))
    #expect(run.errors.contains("no hunk of this file matches\n(1/2) "))
    #expect(run.errors.contains("this is no regular expression: "))
    #expect(try folder.read("text") == lines([3: "x", 5: "y"]))
  }

  @Test func aAndDAreForTheFile() throws {
    let folder = try changedFolder()
    try folder.done("restore", "-p", "one", input: "d\na\na\n")
    #expect(try folder.read("text") == lines())
    #expect(try folder.memento("restore", "-p", "one", input: "n\n").output.contains("nothing was chosen"))
    let other = try changedFolder()
    try other.done("restore", "-p", "one", input: "n\nn\nn\na\n")
    #expect(try other.read("text") == lines([3: "x", 5: "y"]))
  }

  @Test func nothingChosenIsNoStep() throws {
    let folder = try changedFolder()
    let before = try folder.storeRecord()
    for answers in ["", "q\n", "n\nn\nn\nn\n", "d\nd\nd\n"] {
      let run = try folder.done("restore", "--patch", input: answers)
      #expect(run.output.hasSuffix("nothing was chosen, nothing is changed\n"))
    }
    let differences = try folder.storeRecord().differences(from: before)
    #expect(differences.filter { $0.contains("refs") || $0.contains("packs") } == [])
    try folder.done("restore", "one")
    #expect(try folder.done("restore", "--patch").output == "nothing differs\n")
  }

  @Test func aPlanChangesNothing() throws {
    let folder = try changedFolder()
    let run = try folder.done("restore", "-p", "-n", "one", input: "y\nn\na\n")
    #expect(run.output.contains("create gone\nreplace text\nwould restore what was chosen of one "))
    #expect(try folder.read("text") == lines([3: "x", 5: "y", 30: "z"]))
  }

  @Test func modesAndOtherKinds() throws {
    let folder = try CommandFolder(files: "script", "kind")
    try folder.write("binary", "a\0b")
    try folder.done("save", "one")
    try folder.write("script", "other")
    folder.makeExecutable("script")
    try folder.write("binary", "a\0c")
    folder.remove("kind")
    try folder.write("kind/inner", "inner")
    let run = try folder.done("restore", "-p", input: "y\ny\ny\nn\n")
    #expect(run.output.contains("Binary files a/binary and b/binary differ (3 and 3 bytes)\n"))
    #expect(
      run.errors == "Replace this file [y,n,q,a,d,?]? "
        + "Replace this folder, with all that is in it, by a file [y,n,q,a,d,?]? "
        + "(1/2) Apply this change of mode, owner or attributes [y,n,q,a,d,j,J,g,/,?]? "
        + "(2/2) Apply this hunk to the folder [y,n,q,a,d,K,g,/,e,p,?]? ")
    #expect(try folder.read("binary") == "a\0b" && folder.read("kind") == "kind" && folder.read("script") == "other")
  }

  @Test func wrongCommandLines() throws {
    let folder = try changedFolder()
    for other in ["--json", "--stdout", "--discard", "--keep-extra", "--gitignore", "--continue"] {
      let words = other == "--continue" ? ["restore", "-p", other] : ["restore", "-p", "one", other]
      let run = try CommandRun(bytes: words.map(\.bytes), in: folder.path)
      #expect(run.status == 2, "\(other): \(run.errors)")
    }
    #expect(try folder.memento("restore", "-p", "one", "--to", "x").status == 2)
    #expect(try folder.memento("restore", "-p", "one", "nowhere").status == 12)
    let path = try folder.memento("restore", "-p", "text")
    #expect(path.status == 12 && path.errors.contains("hint: `memento restore --patch @ text`"))
    #expect(try folder.memento("restore", "-p", "other").status == 12)
  }

  @Test func pathsAreThoseOfTheCurrentFolder() throws {
    let folder = try changedFolder()
    try folder.write("sub/other", "changed")
    let run = try folder.memento("restore", "-p", "one", "other", below: "sub", input: "y\n")
    #expect(run.status == 0 && run.output.contains("diff --git a/sub/other b/sub/other\n"))
    #expect(try folder.read("sub/other") == "sub/other" && folder.read("text") != lines())
  }
}
