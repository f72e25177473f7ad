import TestSupport
import Testing

@testable import MementoCLI

/// The tools, over the protocol, in a folder.
@Suite struct MCPCommandTests {
  private static let hello =
    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#
    + #""clientInfo":{"name":"t","version":"1"}}}"# + "\n"

  private func serve(
    _ folder: CommandFolder, _ lines: String, environment: [String: String] = [:]
  ) throws -> [JSONNode] {
    let run = try folder.memento("mcp", input: MCPCommandTests.hello + lines, environment: environment)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    return try run.outputBytes.split(separator: 0x0A).map { try JSONReader.read(Array($0)) }
  }

  private func call(
    _ folder: CommandFolder, _ tool: String, _ arguments: String = "{}", environment: [String: String] = [:]
  ) throws -> JSONNode {
    let line =
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    let answer = try #require(try serve(folder, line, environment: environment).last)
    return try #require(answer["result"], "\(answer)")
  }

  /// The document of a call that must succeed.
  private func done(_ folder: CommandFolder, _ tool: String, _ arguments: String = "{}") throws -> JSONNode {
    let result = try call(folder, tool, arguments)
    let document = try #require(result["structuredContent"], "\(result)")
    #expect(result["isError"] == false)
    #expect(result["content"]?.list?.first?["text"]?.text == JSONWriter.text(document))
    let definition = try #require(ToolCatalogue.tools.first { $0.name == tool })
    for (name, type) in definition.members {
      let kinds = type.list?.compactMap(\.text) ?? [type.text ?? ""]
      #expect(document[name].map { kinds.contains(MCPCommandTests.kind($0)) } == true, "\(tool): \(name)")
    }
    return document
  }

  private static func kind(_ node: JSONNode) -> String {
    switch node {
    case .null: "null"
    case .bool: "boolean"
    case .number: "integer"
    case .text: "string"
    case .list: "array"
    case .object: "object"
    }
  }

  private func failure(_ folder: CommandFolder, _ tool: String, _ arguments: String = "{}") throws -> String {
    let result = try call(folder, tool, arguments)
    #expect(result["isError"] == true && result["structuredContent"] == nil)
    return result["content"]?.list?.first?["text"]?.text ?? ""
  }

  @Test func whatToolsThereAre() throws {
    let folder = try CommandFolder(files: "a")
    let list = try serve(folder, #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).last?["result"]?["tools"]?.list
    let tools = try #require(list)
    #expect(
      Set(tools.compactMap { $0["name"]?.text })
        == ["save", "list", "status", "diff", "restore", "undo", "log", "cat", "grep"])
    for tool in tools {
      #expect(tool["inputSchema"]?["type"] == "object" && tool["outputSchema"]?["type"] == "object")
      let name = tool["name"]?.text ?? ""
      let changes = ["save", "restore", "undo"].contains(name)
      #expect(tool["annotations"]?["readOnlyHint"] == .bool(!changes))
      #expect(tool["annotations"]?["destructiveHint"] == .bool(changes && name != "save"))
    }
    #expect(try folder.directory.names() == ["a"])
  }

  @Test func aWalkThroughTheTools() throws {
    let folder = try CommandFolder(files: "a", "d/b")
    let saved = try done(folder, "save", #"{"name":"one","message":"first"}"#)
    #expect(saved["changes"]?.list?.count == 2)
    try folder.write("a", "changed\n")
    #expect(try done(folder, "status")["changes"] == [["change": "modified", "path": "a"]])
    let diff = try done(folder, "diff", #"{"patch":true,"paths":["a"]}"#)
    #expect(diff["patch"]?.text?.contains("+changed") == true)
    #expect(try done(folder, "list")["states"]?.list?.first?["name"] == "one")
    #expect(try done(folder, "cat", #"{"snapshot":"one","path":"d/b"}"#)["content"] == "d/b")
    #expect(try done(folder, "grep", #"{"pattern":"^d/.$"}"#)["matches"]?.list?.count == 1)
    #expect(try done(folder, "grep", #"{"pattern":"nowhere"}"#)["matches"] == [])
    #expect(try done(folder, "log")["entries"]?.list?.first?["snapshot"]?["message"] == "first")
    _ = try done(folder, "undo", #"{"dry_run":true}"#)
    #expect(try folder.read("a") == "changed\n")
    _ = try done(folder, "undo")
    #expect(try folder.read("a") == "a")
  }

  @Test func aRestoreIsPlannedFirst() throws {
    let folder = try CommandFolder(files: "a")
    _ = try done(folder, "save", #"{"name":"one"}"#)
    try folder.write("a", "two")
    let plan = try done(folder, "restore", #"{"snapshot":"one"}"#)
    #expect(plan["dry_run"] == true && plan["plan"]?.list?.count == 1)
    #expect(try folder.read("a") == "two")
    let id = try #require(plan["plan_id"]?.text)
    // The folder changes meanwhile: the plan is another one.
    try folder.write("b", "new")
    let again = try done(folder, "restore", #"{"snapshot":"one","confirm":"\#(id)"}"#)
    #expect(again["dry_run"] == true && again["plan_id"]?.text != id && folder.directory.exists("b"))
    // The same id for other arguments does nothing.
    let other = try #require(again["plan_id"]?.text)
    let refused = try done(folder, "restore", #"{"snapshot":"one","keep_extra":true,"confirm":"\#(other)"}"#)
    #expect(refused["dry_run"] == true)
    let did = try done(folder, "restore", #"{"snapshot":"one","confirm":"\#(other)"}"#)
    #expect(did["dry_run"] == false && did["guard"] != .null)
    #expect(try folder.read("a") == "a" && !folder.directory.exists("b"))
    _ = try done(folder, "undo")
    #expect(try folder.read("a") == "two" && folder.read("b") == "new")
  }

  @Test(arguments: [
    ("restore", #"{"snapshot":"none"}"#, "memento: "), ("restore", "{}", "memento: \"snapshot\" is missing"),
    ("restore", #"{"snapshot":"--abort"}"#, "memento: \"--abort\" is no name"),
    ("save", #"{"name":"-x"}"#, "memento: \"-x\" is no name"),
    ("save", #"{"name":3}"#, "memento: \"name\" is not a text"),
    ("save", #"{"nam":"x"}"#, "memento: there is no argument \"nam\""), ("save", #"{"name":"a\u0000b"}"#, "memento: "),
    ("cat", #"{"snapshot":"one","path":"../x"}"#, "memento: "), ("status", #"{"paths":["/etc"]}"#, "memento: "),
    ("status", #"{"paths":[""]}"#, "memento: "), ("grep", #"{"pattern":"("}"#, "memento: "),
    ("grep", #"{"pattern":"x","snapshots":["-e"]}"#, "memento: \"-e\" is no name"),
    ("undo", #"{"steps":-1}"#, "memento: "),
    ("diff", #"{"from":"one","to":"none"}"#, "memento: "), ("log", #"{"since":"never"}"#, "memento: "),
  ])
  func failuresAreInTheWordsOfTheProgram(_ tool: String, _ arguments: String, _ beginning: String) throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    #expect(try failure(folder, tool, arguments).hasPrefix(beginning))
  }

  @Test func pathsThatLookLikeOptions() throws {
    let folder = try CommandFolder(files: "a", "-n", "--json")
    try folder.done("save", "one")
    try folder.write("-n", "x")
    #expect(try done(folder, "status", #"{"paths":["-n"]}"#)["changes"] == [["change": "modified", "path": "-n"]])
    let plan = try done(folder, "restore", #"{"snapshot":"one","paths":["-n"]}"#)
    #expect(plan["plan"]?.list?.count == 1)
  }

  @Test func aFolderWithoutAStore() throws {
    let folder = try CommandFolder(files: "a")
    #expect(try failure(folder, "status").contains("memento: "))
    #expect(try folder.directory.names() == ["a"])
    _ = try done(folder, "save")
    #expect(folder.directory.exists(".memento"))
  }

  /// Whoever asks a lot and leaves gets all answers, and the last line needs no end.
  @Test func everythingIsAnswered() throws {
    let folder = try CommandFolder(files: "a")
    try folder.done("save", "one")
    let calls = (1...300).map {
      #"{"jsonrpc":"2.0","id":\#($0),"method":"tools/call","params":{"name":"list","arguments":{}}}"#
    }
    let answers = try serve(folder, calls.joined(separator: "\n"))
    #expect(answers.count == 301)
    #expect(answers.dropFirst().allSatisfy { $0["result"]?["isError"] == false })
  }

  @Test func longLinesAndLongListsAreCut() throws {
    let folder = try CommandFolder(files: "a")
    let long = String(repeating: "x", count: 5 << 20)
    let answers = try serve(folder, long + "\n" + #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
    #expect(answers.contains { $0["error"]?["code"] == -32700 && $0["id"] == .null })
    #expect(answers.last?["id"] == 1)
    let list: JSONNode = ["a": .list(Array(repeating: 1, count: 1005))]
    #expect(ResultLimit.cut(list)["a_omitted"] == 5 && ResultLimit.cut(list)["a"]?.list?.count == 1000)
  }

  @Test func noCredentialIsPassedOn() throws {
    let secret = "s3cr3t-of-the-environment"
    var context = CommandContext()
    for name in ["MEMENTO_PASSWORD", "MEMENTO_PASSWORD_COMMAND", "AWS_SECRET_ACCESS_KEY", "MEMENTO_KEY_FILE"] {
      context.environment[name] = Array(secret.utf8)
    }
    context.environment["HOME"] = Array("/h".utf8)
    #expect(Set(ToolCatalogue.withoutCredentials(context).environment.keys) == ["HOME"])
  }
}
