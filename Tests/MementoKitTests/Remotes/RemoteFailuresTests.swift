// An error is that of the remote only where it came from there.

import MementoObjects
import MementoStore
import MementoSystem
import Testing

@testable import MementoKit

struct RemoteFailuresTests {
  private func note(_ kind: ObjectError.Kind, in failures: RemoteFailures) -> StoreError? {
    do throws(Errno) {
      try failures.attempt { () throws(ObjectError) in throw ObjectError(kind, nil, "of the remote") }
      return nil
    } catch {
      return .system(operation: "read", path: "packs/x.pack", error)
    }
  }

  @Test func anErrorOfTheRemoteIsTheReason() throws {
    let failures = RemoteFailures()
    let damage = try #require(note(.damaged, in: failures))
    #expect(failures.reason(of: damage)?.kind == .damaged)
    // The way to the remote failed later: what comes of that is no damage.
    let lost = try #require(note(.unreachable, in: failures))
    #expect(failures.reason(of: lost)?.kind == .unreachable)
    #expect(failures.reason(of: damage)?.kind == .damaged)
  }

  /// A disk that is full here is not a remote that is damaged, whatever the remote did before.
  @Test func anErrorFromHereIsNotThatOfTheRemote() {
    let failures = RemoteFailures()
    _ = note(.damaged, in: failures)
    for errno in [Errno.noSpace, .permissionDenied, .input] {
      #expect(failures.reason(of: .system(operation: "write", path: "packs", errno)) == nil)
    }
    #expect(failures.reason(of: .cancelled) == nil)
    #expect(failures.reason(of: .locked(by: nil)) == nil)
  }

  @Test func anObjectThatIsNotThereIsNoFailure() throws {
    let failures = RemoteFailures()
    let missing = try #require(note(.notFound, in: failures))
    #expect(failures.reason(of: missing) == nil)
  }
}
