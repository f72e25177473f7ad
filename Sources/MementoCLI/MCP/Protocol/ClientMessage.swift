// A message of JSON-RPC 2.0 as a client writes it.

/// The id of a request: a text or a whole number.
struct RequestID: Hashable, Sendable {
  let node: JSONNode

  init?(_ node: JSONNode?) {
    switch node {
    case .text?: break
    case .number(let number)? where number.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) }: break
    default: return nil
    }
    self.node = node ?? .null
  }
}

enum ClientMessage: Equatable {
  case request(RequestID, method: String, params: JSONNode)
  case notification(method: String, params: JSONNode)
  /// An answer. This server asks nothing, so it expects none.
  case response
  case invalid(RequestID?, RPCError)

  init(_ node: JSONNode) {
    let id = RequestID(node["id"])
    guard case .object = node, node["jsonrpc"] == "2.0" else {
      self = .invalid(id, RPCError(.invalidRequest, "not a message of JSON-RPC 2.0"))
      return
    }
    guard let method = node["method"] else {
      self =
        node["result"] == nil && node["error"] == nil
        ? .invalid(id, RPCError(.invalidRequest, "a method is missing")) : .response
      return
    }
    guard let method = method.text else {
      self = .invalid(id, RPCError(.invalidRequest, "the method is no text"))
      return
    }
    let params = node["params"] ?? .object([])
    guard node["id"] != nil else {
      self = .notification(method: method, params: params)
      return
    }
    guard let id else {
      self = .invalid(nil, RPCError(.invalidRequest, "an id is a text or a whole number"))
      return
    }
    guard case .object = params else {
      self = .invalid(id, RPCError(.invalidParams, "params is no object"))
      return
    }
    self = .request(id, method: method, params: params)
  }
}

/// An error of the protocol, as opposed to one of a tool.
struct RPCError: Error, Equatable {
  enum Code: Int {
    case parse = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case `internal` = -32603
    case unsupportedVersion = -32022
  }

  let code: Code
  let message: String
  let data: JSONNode?

  init(_ code: Code, _ message: String, data: JSONNode? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// The answer. A request whose id could not be read gets the id null.
  func response(to id: RequestID?) -> JSONNode {
    var error: JSONNode = ["code": .number(String(code.rawValue)), "message": .text(message)]
    if let data { error = error.setting("data", data) }
    return ["jsonrpc": "2.0", "id": id?.node ?? .null, "error": error]
  }
}
