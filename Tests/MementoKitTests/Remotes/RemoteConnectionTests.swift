// A remote behind a helper that runs on a thread of this process.

import MementoObjects
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct RemoteConnectionTests {
  /// Serves one folder to whoever connects, and counts the connections.
  private final class Helper: Sendable {
    private let folder: [UInt8]
    let connections = Mutex(0)

    init(_ folder: [UInt8]) { self.folder = folder }

    func connect() -> RemoteConnection {
      connections.withLock { $0 += 1 }
      return ServedObjects.connect(DirectoryObjects(path: folder))
    }
  }

  private func access(_ helper: Helper, _ host: String) -> RemoteAccess {
    var access = RemoteAccess(
      host: host, connect: { (_) throws(RepositoryError) in helper.connect() },
      unlock: { (_) throws(RepositoryError) in .passphrase("secret".bytes) })
    access.scrypt = RemoteTests.quickScrypt
    return access
  }

  /// Each connection to another machine takes a second.
  @Test func aCloneConnectsOnce() throws {
    let place = try TemporaryDirectory()
    let helper = Helper(place.path.bytes + "/remote".bytes)
    let url = try RemoteURL("ssh://elsewhere/remote")
    let fixture = try RepositoryFixture()
    try fixture.folder.write("a".bytes, "1".bytes)
    let one = access(helper, "one")
    _ = try fixture.repository.addRemote("origin", url, access: one)
    #expect(helper.connections.withLock { $0 } == 1)
    try fixture.save("first")
    try fixture.folder.write("a".bytes, "2".bytes)
    try fixture.save()
    var options = PushOptions()
    options.includesTimeline = true
    // The connection of the operation before has ended with it.
    _ = try fixture.repository.push(options, access: one)
    #expect(helper.connections.withLock { $0 } == 2)
    let folder = BytePath(place.path.bytes + "/clone".bytes)
    _ = try Repository.clone(url, to: folder, options: RepositoryFixture.quick, access: access(helper, "two"))
    #expect(helper.connections.withLock { $0 } == 3)
    #expect(try FolderTools(folder.bytes).read("a".bytes) == "2".bytes)
  }

  /// A remote with one state, and what counts how it is reached and opened from then on.
  private struct Ahead {
    let place: TemporaryDirectory
    let fixture: RepositoryFixture
    let helper: Helper
    let early: Helper
    let secrets = Counter()
    var access: RemoteAccess

    init(_ access: (Helper, String) -> RemoteAccess) throws {
      place = try TemporaryDirectory()
      fixture = try RepositoryFixture()
      helper = Helper(place.path.bytes + "/remote".bytes)
      early = Helper(place.path.bytes + "/remote".bytes)
      try fixture.folder.write("a".bytes, "1".bytes)
      _ = try fixture.repository.addRemote(
        "origin", RemoteURL("ssh://elsewhere/remote"), access: access(helper, "one"))
      helper.connections.withLock { $0 = 0 }
      self.access = access(helper, "one")
      self.access.secretAtHand = { [secrets] _ in
        _ = secrets.next()
        return .passphrase("secret".bytes)
      }
      self.access.connectAhead = { [early] _ in early.connect() }
    }

    func push(_ name: String) throws {
      let ahead = fixture.repository.reachAhead(access: access)
      #expect(ahead != nil)
      try fixture.save(name)
      var options = PushOptions()
      options.names = [name]
      try withExtendedLifetime(ahead) {
        let summary = try fixture.repository.push(options, access: access)
        #expect(summary.moves.map(\.name) == [name])
      }
    }

    var connections: [Int] { [early, helper].map { $0.connections.withLock { $0 } } }
  }

  @Test func whatIsReachedAheadIsUsed() throws {
    let ahead = try Ahead(access)
    try ahead.push("one")
    #expect(ahead.connections == [1, 0])
    #expect(ahead.secrets.next() == 2)
    // It has ended with the push.
    try ahead.push("two")
    #expect(ahead.connections == [2, 0])
  }

  /// A helper that has ended meanwhile is not asked, nor is one that cannot be started ahead missed.
  @Test(arguments: [true, false]) func anotherHelperIsAskedInPlaceOfOneThatHasEnded(_ isStarted: Bool) throws {
    var ahead = try Ahead(access)
    ahead.access.connectAhead = { _ in isStarted ? ServedObjects.connectToNobody() : nil }
    try ahead.push("one")
    #expect(ahead.connections == [0, 1])
    #expect(ahead.secrets.next() == 2)
  }

  /// A helper that nothing was asked of need not be waited for.
  @Test func anUnneededHelperIsAbandoned() throws {
    var ahead = try Ahead(access)
    let abandoned = Counter()
    ahead.access.connectAhead = { [early = ahead.early] _ in
      var connection = early.connect()
      connection.abandon = { _ = abandoned.next() }
      return connection
    }
    var reached = ahead.fixture.repository.reachAhead(access: ahead.access)
    #expect(reached != nil)
    reached = nil
    #expect(abandoned.next() == 2)
    try ahead.push("one")
    #expect(abandoned.next() == 3)
  }

  /// What is needed is found out before the remote answers. What is saved meanwhile is pushed as well.
  @Test func whatMovesWhileTheRemoteIsReachedIsPushed() throws {
    let place = try TemporaryDirectory()
    let url = try RemoteURL("file://\(place.path)/remote")
    let one = try RemoteTests.Machine("one")
    try one.add(url)
    try one.write("a", "1")
    try one.save("a")
    let repository = one.repository
    let fixture = one.fixture
    let moved = Mutex<SnapshotID?>(nil)
    var access = one.access
    access.unlock = { (_) throws(RepositoryError) in
      moved.withLock { moved in
        #expect(throws: Never.self) {
          try fixture.folder.write("a".bytes, "2".bytes)
          moved = try fixture.save("a").snapshot.id
        }
      }
      return .passphrase("correct horse".bytes)
    }
    let summary = try repository.push(access: access)
    let id = try #require(moved.withLock { $0 })
    #expect(summary.moves.map(\.snapshot) == [id])
    let two = try RemoteTests.Machine("two")
    try two.add(url)
    try two.pull()
    #expect(try two.names == ["a": id])
  }

  @Test func nothingIsReachedAheadThatMayNotBe() throws {
    let ahead = try Ahead(access)
    #expect(ahead.fixture.repository.reachAhead("other", access: ahead.access) == nil)
    var silent = ahead.access
    silent.connectAhead = { _ in nil }
    silent.secretAtHand = { _ in nil }
    #expect(ahead.fixture.repository.reachAhead(access: silent) == nil)
    #expect(ahead.connections == [0, 0])
  }
}
