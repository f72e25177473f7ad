// What the server needs of the tools that it offers. It knows nothing else of them.

import Synchronization

/// One call of a tool.
struct ToolCall: Sendable {
  let name: String
  let arguments: JSONNode
  /// Whether nobody waits for the result any more.
  let isCancelled: @Sendable () -> Bool
  /// Takes what is being done, and how much of it is done; nil when nobody asked.
  let progress: (@Sendable (_ phase: String, _ files: Int, _ bytes: UInt64) -> Void)?
}

/// What a tool answers.
struct ToolOutcome: Equatable, Sendable {
  var text: String
  /// The same for programs; nil when the tool failed.
  var document: JSONNode?
  var isError: Bool { document == nil }
}

struct ToolDesk: Sendable {
  /// The list of tools as `tools/list` has it.
  let list: JSONNode
  let names: Set<String>
  /// What a model should know of them all.
  let instructions: String
  let run: @Sendable (ToolCall) -> ToolOutcome
}

/// Whether a request was cancelled.
final class Cancellation: Sendable {
  private let flag = Atomic<Bool>(false)
  var isCancelled: Bool { flag.load(ordering: .relaxed) }
  func cancel() { flag.store(true, ordering: .relaxed) }
}
