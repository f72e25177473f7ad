// Asks on the terminal before a save records far more than the one before did. Where nobody can be asked, it says what it is.

import MementoKit
import Synchronization

/// Asks at most once.
final class GrowthQuestion: Sendable {
  private let session: Session
  /// Why the save is not wanted.
  private let failure = Mutex<(any Error)?>(nil)

  init(_ session: Session) {
    self.session = session
  }

  /// Runs a save.
  func saving(_ save: (any Monitor) throws -> SaveSummary) throws -> SaveSummary {
    let confirmation: @Sendable (FolderGrowth) -> Bool = { growth in self.isWanted(growth) }
    do {
      return try session.monitored(confirmation: confirmation, save)
    } catch let error as RepositoryError where error.code == .tooLarge {
      throw failure.withLock { $0 } ?? error
    }
  }

  private func isWanted(_ growth: FolderGrowth) -> Bool {
    let refusal: any Error
    let text = GrowthText(form: session.form)
    if session.canAsk {
      do {
        try session.ask(text.question(growth))
        if try session.confirms("Record all of it?") { return true }
        refusal = ErrorReport(
          status: .failed, id: "\(RepositoryError.Code.cancelled)", "nothing was saved", advice: Advice.leaveOut)
      } catch {
        refusal = error
      }
    } else {
      refusal = text.refusal(growth)
    }
    failure.withLock { $0 = refusal }
    return false
  }
}
