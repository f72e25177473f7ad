// A server of the Model Context Protocol: it takes lines and sends messages. It offers tools and nothing else.

import Synchronization

final class MCPServer: Sendable {
  private let desk: ToolDesk
  private let version: String
  private let send: @Sendable (JSONNode) -> Void
  private let queue: CallQueue
  /// The revision of the handshake; nil before it.
  private let agreed = Mutex<ProtocolRevision?>(nil)

  /// `version`: that of this program. `send` writes a message, and may be called by several threads.
  init(desk: ToolDesk, version: String, send: @escaping @Sendable (JSONNode) -> Void) {
    self.desk = desk
    self.version = version
    self.send = send
    queue = CallQueue(run: desk.run, send: send)
  }

  /// Carries out the calls of tools until `finish`. Another thread than that of `receive` must call it.
  func work() { queue.work() }

  /// Waits until everything is answered.
  func finish() { queue.finish() }

  /// Ends without answering what has not begun.
  func abandon() { queue.abandon() }

  /// Takes a line that was longer than a line may be.
  func receiveTooLong(_ limit: Int) {
    send(RPCError(.parse, "a line has more than \(limit) bytes").response(to: nil))
  }

  func receive(_ line: [UInt8]) {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return }
    let node: JSONNode
    do throws(JSONProblem) {
      node = try JSONReader.read(line)
    } catch {
      send(RPCError(.parse, "no JSON: \(error.what), at byte \(error.offset)").response(to: nil))
      return
    }
    guard case .list(let messages) = node else {
      if let answer = take(node, inBatch: false) { deliver(PendingAnswers(isBatch: false, answers: [answer])) }
      return
    }
    guard agreed.withLock({ $0?.hasBatches }) == true, !messages.isEmpty else {
      let reason = messages.isEmpty ? "an empty batch" : "this revision of the protocol has no batches"
      send(RPCError(.invalidRequest, reason).response(to: nil))
      return
    }
    let answers = messages.compactMap { take($0, inBatch: true) }
    if !answers.isEmpty { deliver(PendingAnswers(isBatch: true, answers: answers)) }
  }

  /// Answers at once where no tool has to be called.
  private func deliver(_ pending: PendingAnswers) {
    var ready: [JSONNode] = []
    for answer in pending.answers {
      guard case .ready(let response) = answer else { return queue.push(pending) }
      ready.append(response)
    }
    if pending.isBatch { send(.list(ready)) } else { ready.forEach(send) }
  }

  private func take(_ node: JSONNode, inBatch: Bool) -> PendingAnswers.Answer? {
    switch ClientMessage(node) {
    case .response: return nil
    case .invalid(let id, let error): return .ready(error.response(to: id))
    case .notification(let method, let params):
      if method == "notifications/cancelled", let id = RequestID(params["requestId"]) { queue.cancel(id) }
      return nil
    case .request(let id, let method, let params):
      do throws(RPCError) {
        return try answer(id, method, params, inBatch: inBatch)
      } catch {
        return .ready(error.response(to: id))
      }
    }
  }

  private func answer(
    _ id: RequestID, _ method: String, _ params: JSONNode, inBatch: Bool
  ) throws(RPCError) -> PendingAnswers.Answer {
    if method == "initialize" {
      if inBatch { throw RPCError(.invalidRequest, "initialize is no part of a batch") }
      return .ready(result(id, try initialize(params), isStateless: false))
    }
    let isStateless = try checkRevision(params, method)
    switch method {
    case "ping" where !isStateless: return .ready(result(id, .object([]), isStateless: false))
    case "server/discover" where isStateless: return .ready(result(id, discovery, isStateless: true))
    case "tools/list":
      var list: JSONNode = ["tools": desk.list]
      if isStateless { list = cacheable(list) }
      return .ready(result(id, list, isStateless: isStateless))
    case "tools/call": return try call(id, params, isStateless: isStateless)
    default: throw RPCError(.methodNotFound, "there is no method \(method)")
    }
  }

  // MARK: Which revision

  /// Whether a request is one of the revisions without a handshake, which say their revision themselves.
  private func checkRevision(_ params: JSONNode, _ method: String) throws(RPCError) -> Bool {
    let meta = params["_meta"]
    let isAgreed = agreed.withLock { $0 != nil }
    guard let named = meta?[ProtocolRevision.versionKey] else {
      if isAgreed || method == "ping" { return false }
      throw RPCError(
        .invalidParams, "initialize comes first, or _meta says \(ProtocolRevision.versionKey)",
        data: ["supported": ProtocolRevision.names])
    }
    guard let text = named.text else { throw RPCError(.invalidParams, "\(ProtocolRevision.versionKey) is no text") }
    guard let revision = ProtocolRevision(rawValue: text), revision == .stateless || isAgreed else {
      throw RPCError(
        .unsupportedVersion, "Unsupported protocol version",
        data: ["supported": .list([.text(ProtocolRevision.stateless.rawValue)]), "requested": .text(text)])
    }
    guard revision == .stateless else { return false }
    guard case .object? = meta?[ProtocolRevision.capabilitiesKey] else {
      throw RPCError(.invalidParams, "_meta needs \(ProtocolRevision.capabilitiesKey)")
    }
    return true
  }

  private func initialize(_ params: JSONNode) throws(RPCError) -> JSONNode {
    guard let asked = params["protocolVersion"]?.text else {
      throw RPCError(
        .invalidParams, "protocolVersion is missing", data: ["supported": ProtocolRevision.names])
    }
    var revision = ProtocolRevision(rawValue: asked) ?? .latestWithHandshake
    if revision == .stateless { revision = .latestWithHandshake }
    agreed.withLock { $0 = revision }
    return [
      "protocolVersion": .text(revision.rawValue), "capabilities": capabilities, "serverInfo": server,
      "instructions": .text(desk.instructions),
    ]
  }

  private var discovery: JSONNode {
    cacheable([
      "supportedVersions": [.text(ProtocolRevision.stateless.rawValue)], "capabilities": capabilities,
      "instructions": .text(desk.instructions),
    ])
  }

  private var capabilities: JSONNode { ["tools": .object([])] }
  private var server: JSONNode {
    ["name": "memento", "title": "memento: save points for a folder", "version": .text(version)]
  }

  /// The tools are those of this program, and the same for everybody.
  private func cacheable(_ result: JSONNode) -> JSONNode {
    result.setting("ttlMs", 3_600_000).setting("cacheScope", "public")
  }

  private func result(_ id: RequestID, _ result: JSONNode, isStateless: Bool) -> JSONNode {
    var result = result
    if isStateless {
      result = result.setting("resultType", "complete")
        .setting("_meta", .object([JSONNode.Member(name: ProtocolRevision.serverKey, value: server)]))
    }
    return ["jsonrpc": "2.0", "id": id.node, "result": result]
  }

  // MARK: Tools

  private func call(
    _ id: RequestID, _ params: JSONNode, isStateless: Bool
  ) throws(RPCError) -> PendingAnswers.Answer {
    guard let name = params["name"]?.text else { throw RPCError(.invalidParams, "the name of a tool is missing") }
    guard desk.names.contains(name) else { throw RPCError(.invalidParams, "Unknown tool: \(name)") }
    let arguments = params["arguments"] ?? .object([])
    guard case .object = arguments else { throw RPCError(.invalidParams, "arguments is no object") }
    guard let cancellation = queue.begin(id) else {
      throw RPCError(.invalidRequest, "a request with this id is not answered yet")
    }
    var progress: (@Sendable (String, Int, UInt64) -> Void)?
    if let token = progressToken(params) {
      let notes = ProgressNotes(token: token, send: send)
      progress = { phase, files, bytes in notes.note(phase, files, bytes) }
    }
    let call = ToolCall(
      name: name, arguments: arguments, isCancelled: { cancellation.isCancelled }, progress: progress)
    let respond: @Sendable (ToolOutcome) -> JSONNode = { outcome in
      let text = JSONNode.text(outcome.text)
      let item: JSONNode = ["type": "text", "text": text]
      var answer: JSONNode = ["content": .list([item])]
      if let document = outcome.document { answer = answer.setting("structuredContent", document) }
      answer = answer.setting("isError", .bool(outcome.isError))
      return self.result(id, answer, isStateless: isStateless)
    }
    return .call(id, call, answer: respond)
  }

  /// A token is a text or a whole number, as an id is.
  private func progressToken(_ params: JSONNode) -> JSONNode? {
    RequestID(params["_meta"]?["progressToken"])?.node
  }
}
