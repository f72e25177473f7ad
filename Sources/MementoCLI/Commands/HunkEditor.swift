// Lets the user change a hunk in an editor: VISUAL, EDITOR, or vi, as git does.

import MementoKit
import MementoSystem

struct HunkEditor {
  enum Outcome {
    case edited(TextDiff.HunkEdit)
    /// The hunk stays as it was, for this reason.
    case unchanged(String)
  }

  /// The largest edited hunk in bytes.
  private static let limit = 64 << 20
  private static let explanation = """
    # A line with a space stays, one with - goes, one with + comes.
    # To keep a line with -, put a space in the place of -. To leave out a line with +, delete it.
    # Lines with # do not count. Delete all lines to leave the hunk as it was.

    """

  private let session: Session

  init(_ session: Session) {
    self.session = session
  }

  /// Writes the hunk into a file of its own, which only this user can read, and removes the file when the editor has ended.
  func edit(_ hunk: TextDiff.Hunk, of diff: TextDiff) throws -> Outcome {
    let variable = session.context.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : BytePath($0) }
    let place = session.directory.resolving(variable ?? BytePath("/tmp"))
    let time = Clock.now()
    let name = Array("memento-hunk-\(Host.processID)-\(time.seconds)\(time.nanoseconds).diff".utf8)
    let text: [UInt8]
    do throws(Errno) {
      let folder = try Descriptor.open(place.bytes, .namedDirectory)
      let file = try folder.open(name, .create, permissions: 0o600)
      try file.write(Array(HunkEditor.explanation.utf8) + diff.editableText(of: hunk))
      try file.finish()
    } catch {
      throw ErrorReport.system("write", place.appending(name), error)
    }
    let failure: String?
    do {
      failure = try run(on: place.appending(name))
    } catch {
      try? Descriptor.open(place.bytes, .namedDirectory).removeFile(name)
      throw error
    }
    do throws(Errno) {
      let folder = try Descriptor.open(place.bytes, .namedDirectory)
      defer { try? folder.removeFile(name) }
      // Editors write a new file and rename it, so it is opened again.
      text = try folder.open(name, .read).contents(limit: HunkEditor.limit)
    } catch {
      return .unchanged("the edited hunk cannot be read: \(error); the hunk stays as it was")
    }
    if let failure { return .unchanged("\(failure); the hunk stays as it was") }
    do {
      guard let edit = try diff.edit(hunk, as: text) else { return .unchanged("the hunk stays as it was") }
      return .edited(edit)
    } catch {
      let line = error.line.map { "line \($0) of the edited hunk: " } ?? "the edited hunk: "
      return .unchanged("\(line)\(error.reason); the hunk stays as it was")
    }
  }

  /// Runs the editor. Returns why it failed.
  private func run(on file: BytePath) throws -> String? {
    let names = ["VISUAL", "EDITOR"]
    let chosen = names.lazy.compactMap { session.context.environment[$0] }.first { !$0.isEmpty }
    var words = CommandText.words(of: chosen ?? Array("vi".utf8))
    if words.count == 3, words[0] == BytePath("/bin/sh"), words[1] == BytePath("-c") {
      words[2] = BytePath(words[2].bytes + " \"$@\"".utf8)
      words.append(BytePath("editor"))
    }
    words.append(file)
    let end: ProcessEnd?
    do throws(Errno) {
      end = try ForegroundCommand.run(words, context: session.context)
    } catch {
      return "the editor \(TerminalText.escaped(words[0])) cannot be run: \(error); set EDITOR"
    }
    guard let end else { throw RepositoryError(.cancelled, "interrupted") }
    return end.failure.map { "the editor failed: \($0)" }
  }
}
