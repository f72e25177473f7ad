// Reads the history, and what has changed in the folder since its position.

import MementoKit
import Synchronization

final class FolderLook: Sendable {
  /// So many entries are shown before the others have been read.
  private static let firstEntries = 200

  private let repository: Repository
  private let queue: EventQueue
  private let words: BrowserWords
  private let found = Mutex<Comparison?>(nil)

  init(_ repository: Repository, _ queue: EventQueue, _ words: BrowserWords) {
    self.repository = repository
    self.queue = queue
    self.words = words
  }

  /// What is not saved, as it was when somebody looked last.
  var unsaved: Comparison? { found.withLock { $0 } }

  func readHistory() {
    do throws(RepositoryError) {
      var options = LogOptions()
      options.limit = FolderLook.firstEntries
      let newest = try repository.log(options)
      queue.post(.history(newest, isAll: newest.count < FolderLook.firstEntries))
      if newest.count < FolderLook.firstEntries { return }
      options.limit = nil
      queue.post(.history(try repository.log(options), isAll: true))
    } catch {
      queue.post(.historyFailed(words.alarm(error)))
    }
  }

  func readUnsaved(_ monitor: LookMonitor) {
    do throws(RepositoryError) {
      let comparison = try repository.diff(DiffOptions(), monitor: monitor)
      found.withLock { $0 = comparison }
      var changes = UnsavedChanges(position: comparison.from?.id)
      for change in comparison.changes {
        switch change.kind {
        case .added: changes.added += 1
        case .removed: changes.removed += 1
        default: changes.modified += 1
        }
      }
      queue.post(.unsaved(changes, isPending: comparison.isRestorePending))
    } catch {
      if error.code == .cancelled { return }
      queue.post(.unsavedFailed(words.alarm(error)))
    }
  }
}
