import MementoKit
import TestSupport
import Testing

@testable import MementoCLI

/// What the commands about remotes refuse and say before a remote is reached.
@Suite struct RemoteCommandTests {
  private let folder: CommandFolder

  init() throws {
    folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
  }

  @Test func withoutRemotes() throws {
    for words in [["remote"], ["remote", "list"], ["-C", folder.path, "remote", "-q", "list"]] {
      let run = try CommandRun(bytes: words.map(\.bytes), in: folder.path)
      #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
    }
    #expect(try folder.done("remote", "--json").output == "{\"remotes\":[],\"schema\":1}\n")
    #expect(try folder.memento("--json", "remote", "remove", "x").status == 12)
    let missing = try folder.memento("remote", "remove", "x")
    #expect(missing.errors.hasPrefix("memento: there is no remote \"x\"\nhint: "), "\(missing.errors)")
    let listed = try folder.memento("list", "x/")
    #expect(listed.status == 12 && listed.errors.hasPrefix("memento: there is no remote \"x\"\n"), "\(listed.errors)")
    #expect(try folder.done("list", "--cached", "-z").outputBytes == folder.done("list", "-z").outputBytes)
    #expect(try folder.done("list", "--cached", "-z", "o*").outputBytes == folder.done("list", "-z", "o*").outputBytes)
  }

  @Test(arguments: [
    (["remote", "add", "x"], "missing expected argument '<URL>'"),
    (["remote", "add", "x", "file:///a", "--plain", "--recovery-key", "k"], "a plain remote has no recovery key"),
    (["remote", "list", "-z", "--json"], "-z and --json exclude each other"),
    (["push", "one", "--all", "--limit-rate", "0"], "the value '0' is invalid for '--limit-rate <RATE>'"),
    (["clone"], "missing expected argument '<URL>'"),
  ])
  func aWrongCommandLine(_ words: [String], _ message: String) throws {
    let run = try CommandRun(bytes: words.map(\.bytes), in: folder.path)
    let text = run.errors.replacing("{\"advice\"", with: "")
    #expect(run.status == 2 && text.contains(message), "\(run.errors)")
  }

  @Test(arguments: ["box:/a", "2x://box/a", "ssh://-x/a", "s3://B?x=y", "backup"])
  func aWrongURL(_ url: String) throws {
    let run = try folder.memento("remote", "add", "x", url)
    #expect(run.status == 2)
    #expect(run.errors.contains("hint: write file:///PATH, ssh://[USER@]HOST[:PORT]/PATH or s3://BUCKET[/PREFIX]"))
    #expect(try folder.memento("clone", url).status == 2)
  }

  @Test func aPasswordIsNotShown() throws {
    let run = try folder.memento("remote", "add", "x", "ssh://ada:hush@box/a")
    #expect(run.status == 2 && !run.errors.contains("hush"), "\(run.errors)")
  }

  @Test func pathsAreURLs() throws {
    func url(_ text: String) throws -> RemoteURL {
      try #require(RemotePlaceArgument(argument: text)).url(from: "/work/x")
    }
    #expect(try url("/mnt/a b").description == "file:///mnt/a%20b")
    #expect(try url("../disk/./a").description == "file:///work/disk/a")
    #expect(try url("file:///a").description == "file:///a")
    #expect(try url("s3://bucket/a/b").folderName == "b".bytes)
    #expect(try url("s3://bucket").folderName == "bucket".bytes)
    #expect(try url("ssh://box/srv/a%20b/").folderName == "a b".bytes)
  }

  @Test func theFirstWordIsARemoteOrAName() {
    func words(_ words: String...) -> RemoteWords {
      RemoteWords(words, remotes: ["nas"]) { ["one", "nas", "two"] }
    }
    #expect(words().remote == nil && words().names == [])
    #expect(words("nas", "one").remote == "nas" && words("nas", "one").names == ["one"])
    #expect(words("one", "two").remote == nil && words("one", "two").names == ["one", "two"])
    #expect(words("t*").names == ["t*"])
    // It is said to be missing as a remote.
    #expect(words("typo", "one").remote == "typo")
  }

  @Test func aMissingHelper() throws {
    let run = try folder.memento("show", "one")
    #expect(run.status == 0)
    let connector = RemoteConnector(context: CommandContext(), program: "/nonexistent/bin/memento")
    #expect(throws: RepositoryError.self) { try connector.connect(RemoteURL("s3://bucket")) }
    do throws(RepositoryError) {
      _ = try connector.connect(RemoteURL("s3://bucket"))
    } catch {
      #expect(error.message == "cannot reach s3://bucket: there is no program memento-remote-s3")
      #expect(error.advice == "install it beside memento, in ../libexec/memento from there, or in a folder of PATH")
      #expect(ErrorReport(error).status.code == 15)
    }
  }

  @Test func theKeysOfTheConfig() throws {
    try folder.done("config", "remote", "nas")
    try folder.done("config", "auto-push", "nas")
    #expect(try folder.done("config", "auto-push").output == "nas\n")
    #expect(try folder.memento("config", "remote", "a/b").status == 2)
    #expect(try folder.memento("config", "--user", "auto-push", "nas", environment: ["HOME": folder.path]).status == 2)
  }

  @Test func aSaveThatIsNotPushed() throws {
    try folder.write("a", "changed")
    let run = try folder.memento("save", "two", "--push")
    #expect(run.status == 15)
    #expect(run.output.hasPrefix("saved two "))
    #expect(run.errors.hasPrefix("memento: saved here, and not pushed: "), "\(run.errors)")
    let json = try folder.memento("save", "three", "--push", "--json")
    #expect(json.status == 15)
    #expect(try JSONValue(json.outputBytes)["snapshot"]["name"].text == "three")
    #expect(try JSONValue(json.errorBytes)["code"].number == 15)
    #expect(try folder.memento("save", "four", "--push", "-n").status == 0)
    try folder.done("config", "auto-push", "nas")
    #expect(try folder.memento("save", "five").status == 15)
    #expect(try folder.memento("save", "five", "--no-push").status == 0)
  }

  /// What is wrong with a remote is found out before the save, and said after it.
  @Test func aDamagedRemoteDoesNotPreventASave() throws {
    try folder.done("config", "auto-push", "nas")
    try folder.write(".memento/remotes/other/remote", "rubbish")
    let run = try folder.memento("save", "two")
    #expect(run.status == 15)
    #expect(run.output.hasPrefix("saved two "))
    #expect(run.errors.hasPrefix("memento: saved here, and not pushed: "), "\(run.errors)")
  }

  @Test func namesWithASlashAreNames() throws {
    try folder.done("save", "exp/one")
    #expect(try folder.done("list", "exp/*").output.contains("exp/one"))
    #expect(try folder.done("cat", "exp/one:a").output == "changed" || folder.read("a") == "a")
    #expect(try folder.done("delete", "exp/one").status == 0)
  }
}
