// The revisions of the Model Context Protocol that this server speaks. Those up to 2025-11-25 begin with a handshake. Since
// 2026-07-28 every request says its revision, and nothing depends on what was said before.

enum ProtocolRevision: String, CaseIterable {
  case stateless = "2026-07-28"
  case november2025 = "2025-11-25"
  case june2025 = "2025-06-18"
  case march2025 = "2025-03-26"
  case first = "2024-11-05"

  /// The revision with which a server answers a client whose own it does not know.
  static let latestWithHandshake = november2025

  /// Only one revision has batches; before it there were none, and the next one took them back.
  var hasBatches: Bool { self == .march2025 }

  /// The names of all, newest first.
  static var names: JSONNode { .list(allCases.map { .text($0.rawValue) }) }

  static let versionKey = "io.modelcontextprotocol/protocolVersion"
  static let capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
  static let serverKey = "io.modelcontextprotocol/serverInfo"
}
