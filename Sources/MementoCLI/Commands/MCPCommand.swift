// memento mcp

import ArgumentParser
import MementoKit
import MementoSystem
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct MCPCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve the folder to agents, over the Model Context Protocol",
    usage: "memento mcp [-C DIR]",
    discussion: """
      A program that runs agents starts this, and talks with it on its standard streams. Agents get the tools save, list, \
      status, diff, restore, undo, log, cat and grep for the folder. restore returns a plan first. It ends when its input \
      ends.
      """)

  /// How many bytes a line of the client may have.
  private static let longestLine = 4 << 20

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { throw ErrorReport.system("open", "/dev/null", .current) }
    defer { close(null) }
    var context = session.context
    context.currentDirectory = session.directory
    // The streams belong to the protocol. What a tool starts must neither read from the client nor write to it.
    context.standardInput = null
    context.standardOutput = session.context.standardError
    if session.directory != session.context.currentDirectory {
      try session.context.enterDirectory(session.directory)
    }
    let output = Mutex(DescriptorOutput(session.context.standardOutput))
    let isBroken = Cancellation()
    let server = MCPServer(
      desk: ToolCatalogue.desk(context, options: options(session)), version: ProgramVersion.text
    ) { message in
      let line = JSONWriter.text(message) + "\n"
      output.withLock { output in
        do throws(OutputError) {
          try output.write(line)
          try output.flush()
        } catch {
          // Nobody reads any more, so nothing more is done.
          isBroken.cancel()
        }
      }
    }
    session.context.catchSignals()
    guard DetachedThread.start({ server.work() }) else {
      throw ErrorReport(.system, "cannot start a thread", advice: nil)
    }
    let received = session.context.receivedSignal
    let isEnding = { received() != 0 || isBroken.isCancelled }
    var input = LineInput(session.context.standardInput, limit: MCPCommand.longestLine, isEnding: isEnding)
    reading: while !isEnding() {
      switch input.next() {
      case .line(let line): server.receive(line)
      case .tooLong: server.receiveTooLong(MCPCommand.longestLine)
      case .end: break reading
      }
    }
    if isEnding() { server.abandon() }
    server.finish()
    return received() == 0 ? .done : .signal(received())
  }

  /// The global options that count for each tool.
  private func options(_ session: Session) -> [[UInt8]] {
    var options = ["--wait", String(global.wait.seconds)].map { Array($0.utf8) }
    if let store = global.store?.path {
      options += [Array("--store".utf8), session.directory.resolving(store).bytes]
    }
    return options
  }
}
