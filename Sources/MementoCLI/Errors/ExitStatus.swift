// What the exit status means: the contract that scripts rely on.

import MementoKit

/// How a command ended.
struct ExitStatus: Equatable, Sendable {
  let code: Int32

  static let done = ExitStatus(code: 0)
  static let failed = ExitStatus(code: 1)
  static let usage = ExitStatus(code: 2)
  /// Done, but some files could not be read or written; each is named.
  static let partial = ExitStatus(code: 3)
  static let noStore = ExitStatus(code: 10)
  static let locked = ExitStatus(code: 11)
  static let noSuchState = ExitStatus(code: 12)
  static let damaged = ExitStatus(code: 13)
  static let restorePending = ExitStatus(code: 14)

  /// `run` itself failed, and not the command it runs; as timeout(1) has it.
  static let runFailed = ExitStatus(code: 125)
  /// A command that is there and cannot be run.
  static let commandNotRun = ExitStatus(code: 126)
  static let commandNotFound = ExitStatus(code: 127)

  /// Ended by a signal, said the way shells say it.
  static func signal(_ number: Int32) -> ExitStatus {
    ExitStatus(code: 128 + number)
  }
}

extension ExitStatus {
  /// SIGINT stands for a cancellation whose signal is not known.
  private static let interrupted = signal(2)

  init(_ code: RepositoryError.Code) {
    switch code {
    case .invalidName, .invalidArgument, .badConfig: self = .usage
    case .noStore, .storeUnreachable: self = .noStore
    case .locked: self = .locked
    case .noSuchState, .ambiguous, .noSuchPath: self = .noSuchState
    case .damaged: self = .damaged
    case .restorePending: self = .restorePending
    case .cancelled: self = .interrupted
    default: self = .failed
    }
  }
}
