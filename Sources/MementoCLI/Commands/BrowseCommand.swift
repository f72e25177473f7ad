// memento browse

import ArgumentParser
import MementoBrowse
import MementoKit
import MementoSystem
import Synchronization

struct BrowseCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Look through the history on a full screen",
    usage: "memento browse",
    discussion: """
      Shows the timeline at the left, with unsaved changes on top, and what belongs to the selected entry at the right: the \
      lines that it changed, the files that it changed, or the files that it has. Keys are as in tig and lazygit: j and k \
      move, Enter opens, d, s and t choose what is shown, / searches, Space restores an entry, a file or a folder, u undoes, \
      q leaves. ? shows all keys.

      Before anything changes there is a plan, and only y carries it out. What it overwrites is saved first.
      """)

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    if global.json { throw ValidationError("--json does not go with browse") }
  }

  func run(in session: Session) throws -> ExitStatus {
    let context = session.context
    guard context.isInputTerminal, context.isOutputTerminal else {
      throw ErrorReport.usage("browse needs a terminal for its input and its output", advice: Advice.withoutScreen)
    }
    guard context.variable("TERM") ?? "dumb" != "dumb" else {
      throw ErrorReport.usage("browse needs a terminal with a screen, and TERM is dumb", advice: Advice.withoutScreen)
    }
    let notices = NoticeRelay { session.note($0) }
    let repository = try session.openRepository { options in
      // What is written beside the screen would tear it.
      options.monitor = LookMonitor()
      options.notice = { notices.tell(NoticeText.line($0)) }
    }
    do throws(Errno) {
      let browser = try BrowserSession(repository, words(session), settings(repository, session))
      notices.receive(browser.notice)
      return ExitStatus(code: try browser.run())
    } catch {
      throw ErrorReport(.system, "cannot use the terminal: \(error)")
    }
  }

  private func settings(_ repository: Repository, _ session: Session) -> BrowserSettings {
    let context = session.context
    return BrowserSettings(
      input: context.standardInput, output: context.standardOutput,
      title: "memento  \(TerminalText.escaped(repository.folder))", isColored: session.form.style.isColored,
      isUnicode: context.isUnicode, now: context.now, zoneOffset: context.zoneOffset)
  }

  /// The words of the other commands, without their colours: the screen has its own.
  private func words(_ session: Session) -> BrowserWords {
    var form = session.form
    form.style = .plain
    let text = RestoreText(form: form)
    return BrowserWords(
      failure: { error in
        let report = ErrorReport(error)
        let lines = report.problems.prefix(2).map {
          "\(TerminalText.escaped($0.path)): \(TerminalText.escaped($0.text))"
        }
        return lines + [TerminalText.escaped(report.message)] + (report.advice.map { [TerminalText.escaped($0)] } ?? [])
      },
      restored: { summary, label, isOfPaths in
        let saved = text.guard(summary, ofPaths: isOfPaths).map { [$0] } ?? []
        return [text.summary(summary, revision: label)] + saved
      },
      moved: { summary, change in
        let verbs = change == .undo ? UndoCommand.verbs : RedoCommand.verbs
        let verb = summary.restore.isCommitted ? verbs.done : verbs.planned
        return summary.steps.map { "\(verb) \(text.step($0, of: summary))" }
          + [text.position(summary.restore, names: summary.names)]
      },
      waiting: { WaitNotice.text($0) },
      problem: { "\(TerminalText.escaped($0.path)): \(TerminalText.escaped($0.text))" })
  }
}

/// Gives notices of the library to whoever can show them now.
private final class NoticeRelay: Sendable {
  private let receiver: Mutex<@Sendable (String) -> Void>

  init(_ receiver: @escaping @Sendable (String) -> Void) {
    self.receiver = Mutex(receiver)
  }

  func receive(_ receiver: @escaping @Sendable (String) -> Void) {
    self.receiver.withLock { $0 = receiver }
  }

  func tell(_ text: String) {
    receiver.withLock { $0 }(text)
  }
}
