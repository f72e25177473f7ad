import MementoKit
import Synchronization
import TestSupport
import Testing

@testable import MementoCLI

@Suite struct SecretSourcesTests {
  private let folder: CommandFolder

  init() throws {
    folder = try CommandFolder()
  }

  /// Answers questions in their order, and keeps them.
  private final class Asked: Sendable {
    private let state: Mutex<(answers: [String], questions: [String])>

    init(_ answers: [String]) {
      state = Mutex((answers, []))
    }

    var questions: [String] { state.withLock { $0.questions } }

    func answer(_ question: String) -> [UInt8] {
      state.withLock { state in
        state.questions.append(question)
        return state.answers.removeFirst().bytes
      }
    }
  }

  private func secret(
    _ environment: [String: String], isNew: Bool = false, isFurther: Bool = false, keyFile: String? = nil,
    asking asked: Asked? = nil
  ) throws -> String {
    var context = CommandContext()
    context.environment = environment.mapValues(\.bytes)
    context.currentDirectory = BytePath(folder.path)
    var sources = SecretSources(context: context)
    sources.newKeyFile = keyFile.map { BytePath("\(folder.path)/\($0)") }
    if let asked { sources.ask = { (question) throws(RepositoryError) in asked.answer(question) } }
    let url = try RemoteURL("file:///a")
    switch try sources.secret(for: RemoteUnlocking(remote: "nas", url: url, isNew: isNew, isFurtherKey: isFurther)) {
    case .passphrase(let bytes): return "passphrase " + String(decoding: bytes, as: UTF8.self)
    case .keyFile(let bytes): return "key file " + String(decoding: bytes, as: UTF8.self)
    case .recoveryKey(let text): return "recovery key " + text
    }
  }

  /// What is read ahead of a push must not wait for anybody.
  @Test func whatIsAtHand() throws {
    func atHand(_ environment: [String: String]) throws -> String? {
      var context = CommandContext()
      context.environment = environment.mapValues(\.bytes)
      context.currentDirectory = BytePath(folder.path)
      let unlocking = RemoteUnlocking(remote: "nas", url: try RemoteURL("file:///a"), isNew: false)
      guard case .passphrase(let bytes)? = SecretSources(context: context).secretAtHand(for: unlocking) else {
        return nil
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    try folder.write("word", "secret\n")
    try FolderTools(folder.path.bytes).makeFifo("pipe".bytes)
    try FolderTools(folder.path.bytes).makeLink("link".bytes, to: "word".bytes)
    #expect(try atHand(["MEMENTO_PASSWORD": "x"]) == "x")
    #expect(try atHand(["MEMENTO_PASSWORD_FILE": "word"]) == "secret")
    #expect(try atHand(["MEMENTO_PASSWORD_FILE": "link"]) == "secret")
    for file in ["pipe", "missing", "."] {
      #expect(try atHand(["MEMENTO_PASSWORD_FILE": file, "MEMENTO_PASSWORD": "x"]) == nil)
    }
    for other in ["MEMENTO_KEY_FILE", "MEMENTO_RECOVERY_KEY_FILE", "MEMENTO_PASSWORD_COMMAND"] {
      #expect(try atHand([other: "word", "MEMENTO_PASSWORD": "x"]) == nil)
    }
    #expect(try atHand([:]) == nil)
  }

  private func refusal(_ environment: [String: String], isNew: Bool = false, asking asked: Asked? = nil)
    -> RepositoryError?
  {
    do {
      _ = try secret(environment, isNew: isNew, asking: asked)
      return nil
    } catch {
      return error as? RepositoryError
    }
  }

  @Test func eachSource() throws {
    try folder.write("file", "two words\n")
    #expect(try secret(["MEMENTO_PASSWORD": "a b\n"]) == "passphrase a b\n")
    #expect(try secret(["MEMENTO_PASSWORD_FILE": "file"]) == "passphrase two words")
    #expect(try secret(["MEMENTO_PASSWORD_FILE": "\(folder.path)/file"]) == "passphrase two words")
    #expect(try secret(["MEMENTO_PASSWORD_COMMAND": "echo x y"]) == "passphrase x y")
    #expect(try secret(["MEMENTO_PASSWORD_COMMAND": "printf 'a\\r\\n' | cat"]) == "passphrase a")
    #expect(
      try secret(["MEMENTO_PASSWORD_COMMAND": "echo $MEMENTO_REMOTE $MEMENTO_REMOTE_URL"]) == "passphrase nas file:///a"
    )
    #expect(try secret(["MEMENTO_KEY_FILE": "file"]) == "key file two words\n")
    #expect(try secret(["MEMENTO_RECOVERY_KEY_FILE": "file"]) == "recovery key two words")
  }

  /// What opens a remote now is not taken for a further key of it.
  @Test func aFurtherKeyHasSourcesOfItsOwn() throws {
    try folder.write("file", "two words\n")
    let old = ["MEMENTO_PASSWORD": "old", "MEMENTO_KEY_FILE": "file", "MEMENTO_RECOVERY_KEY_FILE": "file"]
    func secret(_ more: [String: String], keyFile: String? = nil) throws -> String {
      try self.secret(old.merging(more) { $1 }, isFurther: true, keyFile: keyFile)
    }
    #expect(try secret(["MEMENTO_NEW_PASSWORD": "new"]) == "passphrase new")
    #expect(try secret(["MEMENTO_NEW_PASSWORD_FILE": "file"]) == "passphrase two words")
    #expect(try secret(["MEMENTO_NEW_PASSWORD_COMMAND": "echo x"]) == "passphrase x")
    #expect(try secret(["MEMENTO_NEW_PASSWORD": "new"], keyFile: "file") == "key file two words\n")
    #expect(throws: RepositoryError.self) { try secret([:]) }
    let asked = Asked(["one", "one"])
    #expect(try self.secret(old, isFurther: true, asking: asked) == "passphrase one")
    #expect(asked.questions == ["New passphrase of nas: ", "The same again: "])
  }

  @Test func theFirstThatIsSetCounts() throws {
    try folder.write("file", "f\n")
    var all = [
      "MEMENTO_PASSWORD": "p", "MEMENTO_PASSWORD_FILE": "file", "MEMENTO_PASSWORD_COMMAND": "echo c",
      "MEMENTO_KEY_FILE": "file", "MEMENTO_RECOVERY_KEY_FILE": "file",
    ]
    #expect(try secret(all) == "recovery key f")
    // A new remote has no recovery key yet.
    #expect(try secret(all, isNew: true) == "key file f\n")
    all["MEMENTO_KEY_FILE"] = ""
    #expect(try secret(all, isNew: true) == "passphrase c")
    all["MEMENTO_PASSWORD_COMMAND"] = nil
    #expect(try secret(all, isNew: true) == "passphrase f")
    all["MEMENTO_PASSWORD_FILE"] = nil
    #expect(try secret(all, isNew: true) == "passphrase p")
  }

  @Test func onlyOneLineEndIsCut() {
    #expect(SecretSources.withoutLineEnd("a\n\n".bytes) == "a\n".bytes)
    #expect(SecretSources.withoutLineEnd("a \r\n".bytes) == "a ".bytes)
    #expect(SecretSources.withoutLineEnd("a\r".bytes) == "a\r".bytes)
    #expect(SecretSources.withoutLineEnd([]).isEmpty)
    #expect(SecretSources.withoutLineEnd("\n".bytes).isEmpty)
  }

  @Test func whatCannotBeUsed() throws {
    try folder.write("empty", "")
    try folder.write("line", "\n")
    #expect(refusal([:])?.reason == .missingSecret)
    #expect(refusal([:])?.code == .denied)
    #expect(refusal(["MEMENTO_PASSWORD": ""])?.reason == .missingSecret)
    #expect(refusal(["MEMENTO_PASSWORD_FILE": "line"])?.message == "the passphrase is empty")
    #expect(refusal(["MEMENTO_PASSWORD_COMMAND": "true"])?.message == "the passphrase is empty")
    #expect(refusal(["MEMENTO_KEY_FILE": "empty"])?.reason == .missingSecret)
    #expect(refusal(["MEMENTO_PASSWORD_FILE": "none"])?.code == .system)
    #expect(refusal(["MEMENTO_PASSWORD_COMMAND": "no-such-command"])?.code == .system)
    #expect(
      refusal(["MEMENTO_PASSWORD_COMMAND": "echo hush; exit 3"])?.message
        == "the command in MEMENTO_PASSWORD_COMMAND failed: it exited with status 3")
    try folder.write("large", String(repeating: "x", count: 1 << 17))
    #expect(refusal(["MEMENTO_PASSWORD_FILE": "large"])?.code == .system)
    #expect(refusal(["MEMENTO_PASSWORD_COMMAND": "cat \(folder.path)/large"])?.code == .system)
  }

  @Test func somebodyIsAsked() throws {
    let once = Asked(["x y"])
    #expect(try secret([:], asking: once) == "passphrase x y")
    #expect(once.questions == ["Passphrase of nas: "])
    let twice = Asked(["x", "x"])
    #expect(try secret([:], isNew: true, asking: twice) == "passphrase x")
    #expect(twice.questions == ["New passphrase of nas: ", "The same again: "])
    #expect(refusal([:], isNew: true, asking: Asked(["x", "y"]))?.code == .invalidArgument)
    #expect(refusal([:], isNew: true, asking: Asked([""]))?.message == "the passphrase is empty")
    let nobody = Asked([])
    #expect(try secret(["MEMENTO_PASSWORD": "p"], asking: nobody) == "passphrase p")
  }
}
