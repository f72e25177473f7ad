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

  /// Writes the hunk into a file of its own, which only this user can read, and removes the file at the end.
  func edit(_ hunk: TextDiff.Hunk, of diff: TextDiff) throws -> Outcome {
    let place = session.temporaryFolder
    let time = Clock.now()
    let name = Array("memento-hunk-\(Host.processID)-\(time.seconds)\(time.nanoseconds).diff".utf8)
    let path = place.appending(name)
    let folder: SharedDescriptor
    do throws(Errno) {
      folder = SharedDescriptor(try Descriptor.open(place.bytes, .namedDirectory))
    } catch {
      throw ErrorReport.system("make a file in", place, error)
    }
    // The hunk is still in the folder and in the store: a file that cannot be removed takes nothing but space.
    defer { try? folder.descriptor.removeFile(name) }
    do throws(Errno) {
      let file = try folder.descriptor.open(name, .create, permissions: 0o600)
      try file.write(Array(HunkEditor.explanation.utf8) + diff.editableText(of: hunk))
      try file.finish()
    } catch {
      throw ErrorReport.system("write", path, error)
    }
    if let failure = try run(on: path) { return .unchanged("\(failure); the hunk stays as it was") }
    let text: [UInt8]
    do throws(Errno) {
      // Editors write a new file and rename it, so it is opened again.
      text = try folder.descriptor.open(name, .read).contents(limit: HunkEditor.limit)
    } catch {
      return .unchanged("the edited hunk cannot be read: \(error); the hunk stays as it was")
    }
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
    let chosen = ["VISUAL", "EDITOR"].lazy.compactMap { session.context.environment[$0] }.first { !$0.isEmpty }
    let words = CommandText.words(of: chosen ?? Array("vi".utf8), file: file)
    var surroundings = ForegroundCommand.Surroundings()
    surroundings.hidesPasswords = true
    let end: ProcessEnd?
    do throws(Errno) {
      end = try ForegroundCommand.run(words, in: surroundings, context: session.context)
    } catch {
      return "the editor \(TerminalText.escaped(words[0])) cannot be run: \(error); set EDITOR"
    }
    guard let end else { throw RepositoryError(.cancelled, "interrupted") }
    return end.failure.map { "the editor failed: \($0)" }
  }
}
