import TestSupport
import Testing

/// The library in programs that end, that are killed, and that run at the same time; also together with the command
/// line.
@Suite(.needsProgram) struct CaretakerProcessTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  private func program(_ words: String...) throws -> Launch {
    try Launch([Machine.caretakerProgram, shell.path] + words, in: shell.path)
  }

  private func output(_ words: String...) throws -> String {
    let launch = try Launch([Machine.caretakerProgram, shell.path] + words, in: shell.path)
    #expect(launch.status == 0, "\(launch.errors)")
    return launch.output
  }

  @Test func statesSurviveTheProcess() throws {
    #expect(try output("save", "defaultUser", "Andrew", "1") == "")
    #expect(try output("save", "defaultUser01", "Adam", "2") == "")
    #expect(try output("show", "defaultUser") == "Andrew 1\n")
    #expect(try output("show", "defaultUser01") == "Adam 2\n")
    #expect(try output("show", "nobody") == "nothing\n")
  }

  @Test func theCommandLineSeesThem() throws {
    _ = try output("save", "greeting", "hello", "1")
    #expect(try shell.done("list").output.contains("greeting"))
    #expect(try shell.done("restore", "greeting", "--stdout").output == #"{"number":1,"text":"hello"}"#)
    #expect(try shell.done("show", "greeting").output.hasSuffix("\n\n{\"number\":1,\"text\":\"hello\"}\n"))
    #expect(
      try shell.run("printf 'a\\0b' | memento save bytes --stdin -q; memento show bytes").output.hasSuffix(
        "\n(3 B; `memento cat bytes` writes them)\n"))
    let saved = try shell.run(#"printf '{"text": "from a pipe", "number": 5}' | memento save piped --stdin"#)
    #expect(saved.status == 0)
    #expect(try output("show", "piped") == "from a pipe 5\n")
    try shell.done("delete", "greeting")
    #expect(try output("show", "greeting") == "nothing\n")
    try shell.directory.write("file", [1])
    try shell.done("save", "folder")
    #expect(try output("show", "folder") == "nothing\n")
  }

  @Test func historiesSurviveTheProcess() throws {
    #expect(try output("step", "save", "one") == "1 start one\n")
    #expect(try output("step", "save", "two") == "2 start one two\n")
    #expect(try output("step", "undo") == "1 start one two\n")
    #expect(try output("step", "redo") == "2 start one two\n")
    #expect(try output("step", "undo") == "1 start one two\n")
    #expect(try output("step", "save", "other") == "2 start one other\n")
  }

  @Test func severalSaveAtOnceAndLoseNothing() throws {
    let programs = try (1...4).map {
      try RunningProgram([Machine.caretakerProgram, shell.path, "spread", "p\($0)", "25"], in: shell.path)
    }
    for program in programs {
      let launch = try program.wait()
      #expect(launch.status == 0, "\(launch.errors)")
    }
    let names = try shell.done("list", "-z").outputBytes.split(separator: 0).map {
      String(decoding: $0.split(separator: 9)[1], as: UTF8.self)
    }
    #expect(Set(names) == Set((1...4).flatMap { p in (1...25).map { "p\(p)-\($0)" } }))
    try shell.done("verify", "--read-data")
  }

  @Test func aReaderSeesWholeValues() throws {
    let long = String(repeating: "x", count: 50_000)
    _ = try output("save", "value", long, "1")
    let writer = try RunningProgram(
      [Machine.caretakerProgram, shell.path, "save", "value", long, "60"], in: shell.path)
    let reader = try RunningProgram([Machine.caretakerProgram, shell.path, "watch", "value", "400"], in: shell.path)
    let collecting = try shell.run("for i in 1 2 3 4 5; do memento gc -q --wait 60 || echo failed; done")
    #expect(collecting.output == "", "\(collecting.errors)")
    for program in [writer, reader] {
      let launch = try program.wait()
      #expect(launch.status == 0, "\(launch.errors)")
    }
  }

  /// What the program has reported as saved is there, whenever it is killed.
  @Test func aKilledProgramKeepsWhatItSaid() throws {
    var random = SplitMix64(seed: 23)
    for round in 1...6 {
      let script = """
        "$CARETAKER" . spread r\(round) 100000 > said & pid=$!
        sleep 0.\(Int.random(in: 1...5, using: &random))\(Int.random(in: 0...9, using: &random))
        kill -9 $pid; wait $pid 2>/dev/null
        grep -c . said >> counts
        while read -r name; do echo "$name"; done < said > whole
        memento list -z | tr '\\0' '\\n' | cut -f2 > there
        grep -vxFf there whole | grep -x 'r[0-9]*-[0-9]*' || true
        memento verify -q || echo damaged
        """
      let run = try shell.run(script, environment: ["CARETAKER": Machine.caretakerProgram])
      #expect(run.output == "", "\(run.output) \(run.errors)")
    }
    let counts = String(decoding: try shell.directory.read("counts"), as: UTF8.self).split(separator: "\n")
    #expect(counts.count == 6 && counts.contains { $0 != "0" })
  }
}
