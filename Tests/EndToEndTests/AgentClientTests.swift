import TestSupport
import Testing

/// `memento mcp` with a client that others wrote: the SDK for Python.
@Suite(.needsProgram)
struct AgentClientTests {
  @Test func theClientOfThePythonSDK() throws {
    let directory = try TemporaryDirectory()
    let agents = "\(Machine.packageFolder)/Tests/Agents"
    let run = try Launch(
      ["\(agents)/python", "mcp", "--", "\(agents)/mcp-client.py", Machine.program, directory.path], in: directory.path,
      timeout: 400)
    if run.status == 77 {
      print("AgentClientTests: \(run.output)")
      return
    }
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("OK 2025-"), "\(run.output)")
  }

  /// A client that closes its end is followed by the end of the server, and so is a signal.
  @Test func theServerEnds() throws {
    let shell = try Shell()
    let ends = try shell.run(
      """
      printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' | status memento mcp
      status memento mcp </dev/null
      mkfifo in; memento mcp <in >out & pid=$!; exec 4>in; sleep 0.3; kill -TERM $pid; wait $pid; echo "=$?"
      """)
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
    #expect(ends.output == answer + "=0\n=0\n=143\n", "\(ends.output)\(ends.errors)")
  }
}
