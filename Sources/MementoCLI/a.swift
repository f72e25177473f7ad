public import ArgumentParser
struct S: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "save")
  @Option var x: Int = 1; @Argument var n: [String] = []; func run() throws { print("hi") }
}
struct S2: ParsableCommand { @Option var x: Int = 1; func run() throws { print("hi") } }
struct S3: ParsableCommand { @Option var x: Int = 1; func run() throws { print("hi") } }
struct S4: ParsableCommand { @Option var x: Int = 1; func run() throws { print("hi") } }
public struct MementoCommand: ParsableCommand {
  public static let configuration = CommandConfiguration(
    commandName: "memento", version: "0.1", subcommands: [S.self, S2.self, S3.self, S4.self])
  public init() {}
}
public func runCommandLine() { MementoCommand.main() }
