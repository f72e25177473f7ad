// Why a remote failed. The store below knows the errors of a system alone, so the first error of the remote is kept here
// until the operation ends with it.

internal import MementoObjects
internal import MementoStore
internal import MementoSystem
internal import Synchronization

final class RemoteFailures: Sendable {
  private let first = Mutex<ObjectError?>(nil)
  private let lost = Mutex<ObjectError?>(nil)
  private let gone = Mutex<ObjectError?>(nil)

  /// The error of the remote that an error of the store came from; nil when it came from here, such as from a full disk.
  func reason(of error: StoreError) -> ObjectError? {
    let first = first.withLock { $0 }
    switch error {
    case .system(_, _, .timedOut): return connection ?? first
    case .system(_, _, .notFound), .system(_, _, .invalid), .damaged, .missing: return first
    default: return nil
    }
  }

  /// The first object that was listed and could not be read, because it is not there.
  var absence: ObjectError? { gone.withLock { $0 } }

  /// The first error that says nothing of an object: the way to the remote failed, or the remote as a whole.
  var connection: ObjectError? { lost.withLock { $0 } }

  /// Runs `body` and gives its error to the store as one of the system.
  func attempt<Result>(_ body: () throws(ObjectError) -> Result) throws(Errno) -> Result {
    do throws(ObjectError) {
      return try body()
    } catch {
      note(error)
      switch error.kind {
      case .notFound: throw .notFound
      case .damaged, .garbled: throw .invalid
      default: throw .timedOut
      }
    }
  }

  func attempt<Result>(
    _ operation: String, _ pack: ObjectID, _ body: () throws(ObjectError) -> Result
  ) throws(StoreError) -> Result {
    do throws(Errno) {
      return try attempt(body)
    } catch {
      throw .system(operation: operation, path: "packs/\(pack.short)….pack", error)
    }
  }

  /// Keeps an error, if it is the first one, and more than an object that is not there.
  private func note(_ error: ObjectError) {
    if ![.notFound, .damaged, .garbled, .newer].contains(error.kind) { lost.withLock { $0 = $0 ?? error } }
    if error.kind == .notFound { return gone.withLock { $0 = $0 ?? error } }
    first.withLock { $0 = $0 ?? error }
  }
}
