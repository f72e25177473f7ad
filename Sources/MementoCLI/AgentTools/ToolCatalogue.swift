// All tools, as the server wants them. They are those of the folder in which the server was started: a tool has no argument
// that leads elsewhere.

enum ToolCatalogue {
  static let tools = RecordingTools.all + LookingTools.all

  private static let instructions = """
    memento keeps save points of one folder. Before you change files, call save; to see what you changed, call status or \
    diff; to take it back, call undo, or restore with the name that you saved. restore returns a plan first and needs its \
    plan_id as confirm. Nothing is lost by a restore or an undo: what no snapshot has is saved before. Paths are relative \
    to the folder.
    """

  /// `options`: global options for each command line.
  static func desk(_ context: CommandContext, options: [[UInt8]]) -> ToolDesk {
    let context = withoutCredentials(context)
    return ToolDesk(
      list: .list(tools.map(\.description)), names: Set(tools.map(\.name)), instructions: instructions
    ) { call in
      var context = context
      let outer = context.receivedSignal
      // A call that is cancelled ends as after Ctrl-C.
      context.receivedSignal = { call.isCancelled() ? 2 : outer() }
      context.reportProgress = call.progress
      return run(call, ToolCommandLine(context: context, options: options))
    }
  }

  private static func run(_ call: ToolCall, _ line: ToolCommandLine) -> ToolOutcome {
    guard let tool = tools.first(where: { $0.name == call.name }) else { return ToolOutcome(text: "no such tool") }
    do {
      let document = ResultLimit.cut(try tool.run(ToolArguments(call.arguments, tool.arguments), line))
      return ToolOutcome(text: JSONWriter.text(document), document: document)
    } catch let failure as ToolFailure {
      return ToolOutcome(text: failure.text)
    } catch let wrong as WrongArgument {
      return ToolOutcome(text: "memento: \(wrong.message)")
    } catch {
      return ToolOutcome(text: "memento: \(error)")
    }
  }

  /// What commands know of the environment, without passphrases and the ways to them: a model reaches no sealed remote.
  static func withoutCredentials(_ context: CommandContext) -> CommandContext {
    let known: Set = ["MEMENTO_STORE", "HOME", "TMPDIR", "XDG_CONFIG_HOME", "PATH", "SUDO_UID"]
    var context = context
    context.environment = context.environment.filter { known.contains($0.key) }
    context.isInputTerminal = false
    context.isOutputTerminal = false
    context.isErrorTerminal = false
    context.terminalWidth = nil
    context.catchSignals = {}
    context.holdInterrupts = {}
    return context
  }
}
