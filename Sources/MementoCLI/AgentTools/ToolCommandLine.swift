// Runs a command line for a tool, in this process, and keeps what it prints. So a tool does what the command does, and says
// it in the same words.

struct ToolCommandLine {
  /// What a command line printed.
  struct Printed {
    let output: [UInt8]
    /// The error for people, which may have a second line with advice; nil when there is none.
    let failure: String?
  }

  /// The most that a command may print, in bytes.
  static let largestOutput = 64 << 20

  let context: CommandContext
  /// Global options that come first.
  let options: [[UInt8]]

  /// Runs a command line with `--json`.
  func run(_ words: [String]) -> Printed { run(words, ["--json"]) }

  /// Runs a command line that prints for people.
  func text(_ words: [String]) -> Printed { run(words, ["--no-pager", "--color", "never"]) }

  private func run(_ words: [String], _ form: [String]) -> Printed {
    let output = DescriptorOutput(collectingUpTo: ToolCommandLine.largestOutput)
    let errors = DescriptorOutput(collectingUpTo: ToolCommandLine.largestOutput)
    let arguments = options + (form + words).map { Array($0.utf8) }
    let status = MementoCLI.run(arguments: arguments, context: context, output: output, errors: errors)
    if output.collected.count > ToolCommandLine.largestOutput {
      return Printed(
        output: [], failure: "memento: the result is too large; ask for less of it, for example with paths")
    }
    guard form == ["--json"] else {
      let text = String(decoding: errors.collected, as: UTF8.self)
      return Printed(output: output.collected, failure: output.collected.isEmpty && !text.isEmpty ? text : nil)
    }
    let failures = errors.collected.split(separator: UInt8(ascii: "\n")).compactMap(ToolCommandLine.failure)
    if failures.isEmpty, status != 0, output.collected.isEmpty {
      return Printed(output: [], failure: "memento: it failed with status \(status)")
    }
    return Printed(output: output.collected, failure: failures.isEmpty ? nil : failures.joined(separator: "\n"))
  }

  /// The one document that a command line prints.
  func document(_ words: [String]) throws(ToolFailure) -> JSONNode {
    let result = run(words)
    if let failure = result.failure { throw ToolFailure(text: failure) }
    return try ToolCommandLine.node(result.output[...])
  }

  static func node(_ line: ArraySlice<UInt8>) throws(ToolFailure) -> JSONNode {
    do throws(JSONProblem) {
      return try JSONReader.read(Array(line))
    } catch {
      throw ToolFailure(text: "memento: its own output cannot be read: \(error.what)")
    }
  }

  /// What the error object says, as the program says it to people.
  private static func failure(_ line: ArraySlice<UInt8>) -> String? {
    guard let node = try? node(line), let message = node["message"]?.text else { return nil }  // not an error object
    let problems = (node["problems"]?.list ?? []).prefix(20).compactMap { problem in
      problem["path"]?.text.map { "memento: \($0): \(problem["message"]?.text ?? "")" }
    }
    let advice = node["advice"]?.text.map { ["hint: \($0)"] } ?? []
    return (problems + ["memento: \(message)"] + advice).joined(separator: "\n")
  }
}

/// Why a tool has no result, in words for a model.
struct ToolFailure: Error, Equatable {
  let text: String
}
