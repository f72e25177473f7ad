// memento verify

import ArgumentParser
import MementoKit

struct VerifyCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the store for damage",
    usage: "memento verify [--read-data]",
    discussion: """
      Checks what refers to what and, with --read-data, every byte. Says in plain words which states and paths are \
      hurt; then the exit status is 13. Changes nothing.
      """)

  @Flag(help: "Read everything, and check it against its hash")
  var readData = false

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    let report = try session.monitored { try repository.verify(readData: readData, monitor: $0) }
    if session.options.json {
      try session.write(document: VerifyDocument(report))
    } else {
      for damage in report.damage { try session.write(line: StoreText.damage(damage)) }
      try session.say(StoreText.verified(report, readData: readData))
    }
    guard report.damage.isEmpty else {
      throw RepositoryError(.damaged, "the store is damaged: \(StoreText.damageCount(report))")
    }
    return .done
  }
}
