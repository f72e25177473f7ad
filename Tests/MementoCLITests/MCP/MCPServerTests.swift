import Synchronization
import Testing

@testable import MementoCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The protocol, without any tool of memento.
@Suite struct MCPServerTests {
  private final class Sent: Sendable {
    let messages = Mutex<[JSONNode]>([])
    func take(_ message: JSONNode) { messages.withLock { $0.append(message) } }
  }

  /// The answers to these lines, in the order in which they came. `echo` is the only tool.
  private func answers(
    _ lines: String..., after handshake: String? = "2025-11-25",
    tool: @escaping @Sendable (ToolCall) -> ToolOutcome = { ToolOutcome(text: "ok", document: $0.arguments) }
  ) -> [JSONNode] {
    let sent = Sent()
    let desk = ToolDesk(list: [["name": "echo"]], names: ["echo"], instructions: "be careful", run: tool)
    let server = MCPServer(desk: desk, version: "1", send: { sent.take($0) })
    _ = DetachedThread.start { server.work() }
    var skipped = 0
    if let handshake {
      server.receive(Array(initialize(handshake).utf8))
      skipped = 1
    }
    for line in lines { server.receive(Array(line.utf8)) }
    server.finish()
    return Array(sent.messages.withLock { $0 }.dropFirst(skipped))
  }

  private func initialize(_ version: String) -> String {
    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)","capabilities":{},"#
      + #""clientInfo":{"name":"t","version":"1"}}}"#
  }

  private func request(_ id: String, _ method: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
  }

  private func stateless(_ more: String = "", version: String = "2026-07-28") -> String {
    #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)","#
      + #""io.modelcontextprotocol/clientCapabilities":{}}\#(more)}"#
  }

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
  ])
  func theRevisionIsAgreed(_ asked: String, _ got: String) throws {
    let answer = try #require(answers(initialize(asked), after: nil).first)
    #expect(answer["result"]?["protocolVersion"]?.text == got)
    #expect(answer["result"]?["capabilities"]?["tools"] != nil && answer["id"] == 0)
    #expect(answer["result"]?["serverInfo"]?["name"] == "memento")
  }

  @Test func whatAClientAsks() {
    #expect(answers(request("\"a\"", "ping")).first == ["jsonrpc": "2.0", "id": "a", "result": .object([])])
    #expect(answers(request("7", "tools/list")).first?["result"]?["tools"] == [["name": "echo"]])
    let called = answers(request("7", "tools/call", #"{"name":"echo","arguments":{"a":"b"}}"#))
    #expect(called.first?["result"]?["structuredContent"] == ["a": "b"])
    #expect(called.first?["result"]?["content"] == [["type": "text", "text": "ok"]])
    #expect(called.first?["result"]?["isError"] == false)
    #expect(called.first?["result"]?["resultType"] == nil)
  }

  @Test(arguments: [
    ("{", -32700), ("", nil), ("  \r", nil), ("nonsense", -32700), ("\u{0}", -32700), ("[]", -32600), ("3", -32600),
    ("null", -32600), (#"{"id":1,"method":"ping"}"#, -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":2}"#, -32600),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600), (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#, -32602),
    (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600), (#"{"jsonrpc":"2.0","method":"no/such"}"#, nil),
    (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, nil),
    (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#, nil),
  ])
  func whatIsWrongIsAnsweredAndTheNextLineToo(_ line: String, _ code: Int?) {
    let all = answers(line, request("\"next\"", "ping"))
    #expect(all.last?["id"] == "next")
    #expect(all.count == (code == nil ? 1 : 2), "\(all)")
    if let code { #expect(all.first?["error"]?["code"]?.integer == code) }
    if code == -32700 { #expect(all.first?["id"] == .null) }
  }

  @Test func deepAndLongLinesAreRefused() {
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(answers(deep).first?["error"]?["code"] == -32700)
    let wide = "[" + String(repeating: "1,", count: 100_000) + "1]"
    #expect(answers(wide).first?["error"]?["code"] == -32600)
  }

  @Test func nothingComesBeforeTheHandshake() {
    #expect(answers(request("1", "tools/list"), after: nil).first?["error"]?["code"] == -32602)
    #expect(answers(request("1", "ping"), after: nil).first?["result"] == .object([]))
  }

  /// Revision 2026-07-28 has no handshake, and no ping.
  @Test func requestsThatSayTheirRevision() throws {
    let found = try #require(answers(request("1", "server/discover", stateless()), after: nil).first?["result"])
    #expect(found["supportedVersions"] == ["2026-07-28"] && found["resultType"] == "complete")
    #expect(found["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "memento")
    #expect(found["ttlMs"] != nil && found["cacheScope"] == "public")
    let listed = try #require(answers(request("1", "tools/list", stateless()), after: nil).first?["result"])
    #expect(listed["tools"]?.list?.count == 1 && listed["ttlMs"] != nil)
    let called = answers(request("1", "tools/call", stateless(#","name":"echo","arguments":{}"#)), after: nil)
    #expect(called.first?["result"]?["resultType"] == "complete")
    #expect(answers(request("1", "ping", stateless()), after: nil).first?["error"]?["code"] == -32601)
    let other = try #require(
      answers(request("1", "tools/list", stateless(version: "2099-01-01")), after: nil).first?["error"])
    #expect(other["code"] == -32022 && other["data"]?["requested"] == "2099-01-01")
    let bare = #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#
    #expect(answers(request("1", "tools/list", bare), after: nil).first?["error"]?["code"] == -32602)
  }

  @Test func batchesAreThoseOfOneRevision() {
    let ping = request("1", "ping")
    let call = request("2", "tools/call", #"{"name":"echo","arguments":{}}"#)
    let note = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    let batch = answers("[\(ping),\(call),\(note),3]", "[\(note)]", "[\(ping)]", after: "2025-03-26")
    #expect(batch.count == 2, "\(batch)")
    #expect(batch.contains { $0.list?.map { $0["id"] } == [1, 2, .null] })
    #expect(batch.contains { $0.list?.count == 1 })
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
      #expect(answers("[\(ping)]", after: version).first?["error"]?["code"] == -32600)
    }
    #expect(
      answers("[\(initialize("2025-03-26"))]", after: "2025-03-26").first?.list?.first?["error"]?["code"] == -32600)
  }

  /// A call that is running is told to end, one that waits does not begin, and neither is answered.
  @Test func callsAreCancelled() {
    let begun = Atomic<Int>(0)
    let calls = (1...3).map { request("\($0)", "tools/call", #"{"name":"echo","arguments":{}}"#) }
    func cancel(_ id: Int) -> String {
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#
    }
    let all = answers(calls[0], calls[1], calls[2], cancel(2), cancel(1), cancel(99)) { call in
      begun.add(1, ordering: .relaxed)
      for _ in 0..<5000 where !call.isCancelled() && begun.load(ordering: .relaxed) == 1 { usleep(1000) }
      return ToolOutcome(text: "done", document: .object([]))
    }
    #expect(all.map { $0["id"] } == [3])
    // The first may have been cancelled before it began.
    #expect((1...2).contains(begun.load(ordering: .relaxed)))
  }

  @Test func anIdIsUsedOnceAtATime() {
    let call = request("1", "tools/call", #"{"name":"echo","arguments":{}}"#)
    let all = answers(call, call) { _ in
      usleep(50_000)
      return ToolOutcome(text: "done", document: .object([]))
    }
    #expect(all.count == 2 && all.contains { $0["error"]?["code"] == -32600 })
  }

  @Test func progressIsToldToWhoAsked() throws {
    let params = #"{"name":"echo","arguments":{},"_meta":{"progressToken":"p"}}"#
    let tool: @Sendable (ToolCall) -> ToolOutcome = { call in
      for step in 1...4 {
        call.progress?(step < 3 ? "scanning" : "saving", step, 100)
        usleep(150_000)
      }
      return ToolOutcome(text: "done", document: .object([]))
    }
    let all = answers(request("1", "tools/call", params), tool: tool)
    let notes = all.filter { $0["method"] == "notifications/progress" }
    let values = try notes.map { try #require($0["params"]?["progress"]?.integer) }
    #expect(!notes.isEmpty && values == values.sorted() && Set(values).count == values.count)
    #expect(notes.allSatisfy { $0["params"]?["progressToken"] == "p" })
    #expect(all.last?["id"] == 1)
    #expect(answers(request("1", "tools/call", #"{"name":"echo","arguments":{}}"#), tool: tool).count == 1)
  }
}
