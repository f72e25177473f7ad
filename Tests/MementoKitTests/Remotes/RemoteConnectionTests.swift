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
}
