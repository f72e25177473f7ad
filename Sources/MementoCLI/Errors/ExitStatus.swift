// The meaning of each exit status. Scripts rely on it.

import MementoKit

/// How a command ended.
struct ExitStatus: Equatable, Sendable {
  let code: Int32

  static let done = ExitStatus(code: 0)
  static let failed = ExitStatus(code: 1)
  static let usage = ExitStatus(code: 2)
  /// Done, but some files could not be read or written. Each of them is reported.
  static let partial = ExitStatus(code: 3)
  static let noStore = ExitStatus(code: 10)
  static let locked = ExitStatus(code: 11)
  static let noSuchState = ExitStatus(code: 12)
  static let damaged = ExitStatus(code: 13)
  static let restorePending = ExitStatus(code: 14)
  /// A remote cannot be reached.
  static let unreachable = ExitStatus(code: 15)

  /// `run` itself failed, not the command that it runs. timeout(1) uses the same status.
  static let runFailed = ExitStatus(code: 125)
  /// The command exists, but it cannot be run.
  static let commandNotRun = ExitStatus(code: 126)
  static let commandNotFound = ExitStatus(code: 127)

  /// The program was ended by a signal: 128 + `number`, as in shells.
  static func signal(_ number: Int32) -> ExitStatus {
    ExitStatus(code: 128 + number)
  }
}

extension ExitStatus {
  /// For a cancellation whose signal is not known: the status of SIGINT.
  private static let interrupted = signal(2)

  init(_ code: RepositoryError.Code) {
    switch code {
    case .invalidName, .invalidArgument, .badConfig: self = .usage
    case .noStore, .storeUnreachable: self = .noStore
    case .locked: self = .locked
    case .noSuchState, .ambiguous, .noSuchPath, .noSuchRemote: self = .noSuchState
    case .damaged: self = .damaged
    case .restorePending: self = .restorePending
    case .unreachable, .untrusted, .denied, .noSuchPlace, .wrongClock, .remoteFull, .remoteFailed: self = .unreachable
    case .cancelled: self = .interrupted
    default: self = .failed
    }
  }
}
