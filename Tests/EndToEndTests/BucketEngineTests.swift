// A bucket of a real object store, started for this test: see Tests/Engines/s3.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.needsProgram, .needsHelper) struct BucketEngineTests {
  /// An engine, as the script of its name in Tests/Engines starts it.
  struct Engine: Sendable, CustomTestStringConvertible {
    let name: String
    let id: String
    let secret: String
    let hasConditions: Bool
    let checksSecrets: Bool

    var testDescription: String { name }
    var script: String { "\(Machine.packageFolder)/Tests/Engines/\(name)" }

    static let all = [
      Engine(name: "s3", id: "test:tester", secret: "testing", hasConditions: false, checksSecrets: true),
      Engine(name: "moto", id: "anyone", secret: "anything", hasConditions: true, checksSecrets: false),
    ]

    var environment: [String: String?] {
      ["AWS_ACCESS_KEY_ID": id, "AWS_SECRET_ACCESS_KEY": secret, "MEMENTO_PASSWORD": "correct horse"]
    }
  }

  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// Prints why, where the engine cannot be started.
  @Test(arguments: Engine.all) func theEngine(_ engine: Engine) throws {
    let folder = "\(shell.path)/engine"
    let path = Machine.path
    let start = try Launch(["sh", engine.script, "start", folder], environment: ["PATH": path], timeout: 240)
    let said = start.output.split(separator: "\n").first.map(String.init) ?? ""
    if start.status == 77 {
      print("BucketEngineTests: \(engine.name): \(said)")
      return
    }
    defer { _ = try? Launch(["sh", engine.script, "stop", folder]) }  // the machine has its processes then
    try #require(start.status == 0, "\(start.output)\(start.errors)")
    let bucket = "memento-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    let made = try Launch(["sh", engine.script, "bucket", bucket, said])
    try #require(made.status == 0, "\(made.errors)")
    try objects(engine, in: "s3://\(bucket)/objects?endpoint=\(said)")
    try states(engine, in: "s3://\(bucket)/states?endpoint=\(said)", none: "s3://\(bucket)-none/x?endpoint=\(said)")
  }

  /// Everything that the protocol of helpers can ask for.
  private func objects(_ engine: Engine, in url: String) throws {
    signal(SIGPIPE, SIG_IGN)
    for name in ["in", "out"] {
      try shell.directory.descriptor.makeNode(name.bytes, kind: .fifo, permissions: 0o600, major: 0, minor: 0)
    }
    let program = try RunningProgram(
      ["/bin/sh", "-c", "exec \"$1\" \"$2\" <in >out", "sh", Machine.bucketHelper, url], in: shell.path,
      environment: engine.environment)
    let output = open("\(shell.path)/in", O_WRONLY | O_CLOEXEC)
    let input = open("\(shell.path)/out", O_RDONLY | O_CLOEXEC)
    try talk(HelperObjects(input: Descriptor(adopting: input), output: Descriptor(adopting: output)), engine)
    let run = try program.wait(timeout: 60)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
  }

  private func talk(_ client: HelperObjects, _ engine: Engine) throws {
    func name(_ text: String) throws -> ObjectName { try #require(ObjectName(text)) }
    // In one piece, in parts, and of nothing.
    let contents = try [
      (name("packs/0a/large"), Content.random(20 << 20, seed: 1)),
      (name("packs/0a/small"), Content.random(99, seed: 2)),
      (name("refs/none"), []),
    ]
    for (name, content) in contents {
      try client.put(ObjectBytes(content), as: name)
      #expect(try client.size(of: name) == UInt64(content.count))
      var found = [UInt8](repeating: 0, count: content.count + 10)
      let count = try found.withUnsafeMutableBytes { try client.read(name, at: 0, into: $0) }
      #expect(count == content.count && Array(found[..<count]) == content)
    }
    var part = [UInt8](repeating: 0, count: 1000)
    let count = try part.withUnsafeMutableBytes { try client.read(contents[0].0, at: 9_000_000, into: $0) }
    #expect(count == 1000 && part == Array(contents[0].1[9_000_000..<9_001_000]))
    #expect(try client.list("packs/", page: nil).objects.map(\.size) == [20 << 20, 99])
    #expect(try client.list("", page: "packs/0a/large").objects.map(\.name.text) == ["packs/0a/small", "refs/none"])
    let page = try client.list("", page: nil)
    #expect(page.objects.allSatisfy { abs($0.modified.seconds - page.now.seconds) < 120 })
    let claim = try client.putIfAbsent(ObjectBytes([1]), as: name("format/x"))
    #expect(claim == (engine.hasConditions ? .put : .unsupported))
    if claim == .put {
      #expect(try client.putIfAbsent(ObjectBytes([2]), as: name("format/x")) == .exists)
      try client.remove(name("format/x"))
    }
    try client.remove(contents[0].0)
    try client.remove(contents[0].0)
    #expect(throws: ObjectError.notFound(contents[0].0)) { try client.size(of: contents[0].0) }
    #expect(try client.list("", page: nil).objects.map(\.name) == [contents[1].0, contents[2].0])
  }

  private func states(_ engine: Engine, in url: String, none: String) throws {
    var environment = engine.environment
    environment["URL"] = url
    environment["NONE"] = none
    environment["CHECKS"] = engine.checksSecrets ? "yes" : ""
    let run = try shell.run(
      """
      mkdir -p one/src home; export HOME="$FOLDER/home"; seq 30000 >one/src/a; head -c 20000000 /dev/urandom >one/b
      memento -C one save first -q; memento -C one remote add origin "$URL" --recovery-key "$FOLDER/k" -q; echo "=$?"
      memento -C one push -q; echo "=$?"
      memento clone "$URL" two -q; diff -r -x .memento one two && echo same
      echo x >two/src/a; memento -C two save second -q; memento -C two push -q; memento -C one pull -q
      memento -C one restore second -q; cat one/src/a
      rm -rf one; memento clone "$URL" one -q; diff -r -x .memento one two && echo back
      memento -C one verify --read-data -q; echo "=$?"
      memento -C one remote add none "$NONE" --recovery-key "$FOLDER/n" 2>err; echo "=$?"; grep -c 'there is no bucket' err
      [ -n "$CHECKS" ] || exit 0
      AWS_SECRET_ACCESS_KEY=x memento -C one list origin/ 2>err; echo "=$?"; grep -c 'denies access' err
      """, environment: environment)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "=0", "=0", "same", "x", "back", "=0", "=15", "1",
      ] + (engine.checksSecrets ? ["=15", "1"] : []), "\(run.output)\(run.errors)")
  }
}
