// Two folders as two machines, and a third place that both can reach.

import MementoObjects
import MementoRemote
import MementoSeal
import MementoStore
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct RemoteTests {
  /// A passphrase of a test is not worth the time.
  static let quickScrypt = ScryptParameters(cost: 16, blockSize: 1, parallelism: 1)!

  /// One machine.
  struct Machine {
    let fixture: RepositoryFixture
    let host: String
    var passphrase = "correct horse".bytes

    init(_ host: String) throws {
      fixture = try RepositoryFixture()
      self.host = host
    }

    var repository: Repository { fixture.repository }

    var access: RemoteAccess {
      RemoteTests.access(host, passphrase)
    }

    @discardableResult
    func add(_ url: RemoteURL, plain: Bool = false, as name: String = "origin") throws -> RemoteAddSummary {
      var options = RemoteAddOptions()
      options.isPlain = plain
      return try repository.addRemote(name, url, options, access: access)
    }

    @discardableResult
    func push(_ names: String..., timeline: Bool = false) throws -> PushSummary {
      var options = PushOptions()
      options.names = names
      options.includesTimeline = timeline
      return try repository.push(options, access: access)
    }

    @discardableResult
    func pull(_ names: String...) throws -> FetchSummary {
      var options = FetchOptions()
      options.names = names
      return try repository.pull(options, access: access)
    }

    func write(_ name: String, _ text: String) throws { try fixture.folder.write(name.bytes, text.bytes) }
    @discardableResult func save(_ name: String) throws -> SnapshotID { try fixture.save(name).snapshot.id }
    var names: [String: SnapshotID] { get throws { try fixture.reopened().stateNames() } }
  }

  static func access(_ host: String, _ passphrase: [UInt8]) -> RemoteAccess {
    var access = RemoteAccess(
      host: host,
      connect: { (_) throws(RepositoryError) in throw RepositoryError(.unreachable, "no helper in this test") },
      unlock: { (_) throws(RepositoryError) in .passphrase(passphrase) })
    access.scrypt = RemoteTests.quickScrypt
    return access
  }

  let place: TemporaryDirectory
  let url: RemoteURL

  init() throws {
    place = try TemporaryDirectory()
    url = try RemoteURL("file://\(place.path)/remote")
  }

  /// The paths of all files in a folder.
  static func files(_ folder: FolderTools) throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    var pending: [[UInt8]] = [[]]
    while let path = pending.popLast() {
      let opened = try Descriptor.open(folder.absolute(path), .namedDirectory)
      let listing = try DirectoryListing(reading: opened)
      for index in 0..<listing.count {
        let name = listing.name(at: index)
        let below = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
        if try opened.status(of: name).isRegular { result.append(below) } else { pending.append(below) }
      }
    }
    return result.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func error(_ body: () throws -> Void) -> RepositoryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? RepositoryError)?.code
    }
  }

  @Test(arguments: [true, false])
  func aCloneIsTheFolder(_ isPlain: Bool) throws {
    let first = try Machine("one")
    try first.fixture.folder.write("big".bytes, Content.random(3_000_000, seed: 4))
    try first.write("a", "alpha")
    try first.save("big1")
    try first.write("a", "beta")
    try first.save("big2")
    #expect(try first.add(url, plain: isPlain).isNew)
    let pushed = try first.push()
    #expect(pushed.moves.map(\.kind) == [.created, .created])
    #expect(pushed.packs == 1)
    let again = try first.push()
    #expect(again.moves.isEmpty && again.blobs == 0 && again.unchanged == 2)
    let folder = BytePath(place.path.bytes + "/clone".bytes)
    let clone = try Repository.clone(
      url, to: folder, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
    #expect(clone.restore != nil)
    let made = try Manifest(FolderTools(folder.bytes))
    #expect(made.differences(from: try first.fixture.state).isEmpty)
    let cloned = try Repository.find(from: folder, options: RepositoryFixture.quick)
    #expect(try cloned.stateNames() == first.names)
    // Everything is there without the remote.
    try place.descriptor.removeTree("remote".bytes)
    var options = RestoreOptions()
    options.followsTimeline = true
    _ = try cloned.restore("big1", options)
    #expect(try FolderTools(folder.bytes).read("a".bytes) == "alpha".bytes)
    #expect(try cloned.verify(readData: true).damage.isEmpty)
  }

  @Test func twoMachinesMeet() throws {
    let (one, two) = (try Machine("one"), try Machine("two"))
    try one.add(url)
    try one.write("a", "1")
    let base = try one.save("work")
    try one.push()
    try two.add(url)
    #expect(try two.pull().moves.map(\.kind) == [.created])
    #expect(try two.names["work"] == base)
    // Both move the name.
    try one.write("a", "2")
    let mine = try one.save("work")
    try two.write("a", "3")
    let other = try two.save("work")
    #expect(try one.push().moves.map(\.kind) == [.moved])
    let conflict = try two.push().moves
    #expect(conflict.map(\.kind) == [.conflict])
    let shown = try two.repository.states(ofRemote: "origin").map(\.name)
    #expect(Set(shown) == ["origin/work", "origin/work@two"])
    let pulled = try one.pull()
    #expect(try one.names["work"] == mine)
    // It is told of, though nothing moves here: what is saved from now on replaces both.
    #expect(pulled.moves.map(\.kind) == [.conflict])
    #expect(pulled.moves.map(\.otherName) == ["work@two"])
    // The second machine settles it: it has seen both.
    try two.pull()
    try two.write("a", "4")
    let settled = try two.save("work")
    #expect(settled != other)
    try two.push()
    #expect(try two.repository.states(ofRemote: "origin").map(\.name) == ["origin/work"])
    #expect(try one.pull().moves.map(\.kind) == [.moved])
    #expect(try one.names["work"] == settled)
  }

  @Test func aDeletedNameIsNotBroughtBack() throws {
    let (one, two) = (try Machine("one"), try Machine("two"))
    try one.add(url)
    try one.write("a", "1")
    try one.save("old")
    try one.push()
    try two.add(url)
    try two.pull()
    _ = try one.repository.deleteRemoteStates(["origin/old"], access: one.access)
    #expect(try two.push().moves.map(\.kind) == [.deletedThere])
    #expect(try two.repository.states(ofRemote: "origin").isEmpty)
    #expect(try two.names["old"] != nil)
  }

  @Test func onlyWhatIsMissingIsSent() throws {
    let one = try Machine("one")
    try one.add(url)
    try one.fixture.folder.write("big".bytes, Content.random(5_000_000, seed: 1))
    try one.save("a")
    #expect(try one.push().sentBytes > 4_900_000)
    try one.write("small", "x")
    try one.save("b")
    let second = try one.push()
    #expect(second.sentBytes < 100_000)
    // A machine with a history of its own sends what is new alone, too.
    let two = try Machine("two")
    try two.fixture.folder.write("big".bytes, Content.random(5_000_000, seed: 1))
    try two.write("other", "y")
    try two.save("c")
    try two.add(url)
    #expect(try two.push().sentBytes < 100_000)
  }

  @Test func aPartIsBroughtWhenItIsNeeded() throws {
    let one = try Machine("one")
    try one.add(url)
    try one.fixture.folder.write("big".bytes, Content.random(4_000_000, seed: 1))
    try one.fixture.folder.makeFolder("src".bytes)
    try one.write("src/main", "text")
    try one.save("a")
    try one.push()
    let two = try Machine("two")
    try two.add(url)
    var fetch = FetchOptions()
    fetch.remote = "origin"
    #expect(try two.repository.fetch(fetch, access: two.access).moves.map(\.name) == ["a"])
    try two.repository.bring("origin/a", .contents, at: [BytePath("src")], access: two.access)
    var options = RestoreOptions()
    options.paths = [BytePath("src")]
    _ = try two.repository.restore("origin/a", options)
    #expect(try two.fixture.folder.read("src/main".bytes) == "text".bytes)
    let packs = two.fixture.folder.folder(".memento/packs")
    let stored = try RemoteTests.files(packs).reduce(0) { $0 + (try packs.read($1).count) }
    #expect(stored < 1_000_000)
  }

  /// Nothing was listed or fetched before, or the name is newer than that.
  @Test func aNameThatWasNeverSeenIsAskedFor() throws {
    let one = try Machine("one")
    try one.add(url)
    try one.write("file", "text")
    try one.save("a")
    try one.push()
    let two = try Machine("two")
    try two.add(url)
    try two.repository.bring("origin/a", .contents, access: two.access)
    _ = try two.repository.restore("origin/a")
    #expect(try two.fixture.folder.read("file".bytes) == "text".bytes)
    try one.write("file", "changed")
    try one.save("b")
    try one.push()
    try two.repository.bring("origin/b", .contents, access: two.access)
    _ = try two.repository.restore("origin/b")
    #expect(try two.fixture.folder.read("file".bytes) == "changed".bytes)
    // There is none of this name: who resolves it says so. A name that is known asks nobody.
    try two.repository.bring("origin/none", .contents, access: two.access)
    #expect(error { _ = try two.repository.snapshot("origin/none") } == .noSuchState)
    try place.descriptor.removeTree("remote".bytes)
    try two.repository.bring("origin/b", .contents, access: two.access)
    #expect(error { try two.repository.bring("origin/none", .contents, access: two.access) } == .damaged)
    try two.repository.bring("nobody/none", .contents, access: two.access)
  }

  /// What is here of a snapshot in part is brought when it is named by its id, or said to be not here.
  @Test func aSnapshotNamedByIDIsBrought() throws {
    let one = try Machine("one")
    try one.add(url)
    try one.fixture.folder.write("big".bytes, Content.random(400_000, seed: 1))
    try one.fixture.folder.makeFolder("src".bytes)
    try one.write("src/main", "text")
    let id = try one.save("a")
    try one.push()
    for whole in [true, false] {
      let two = try Machine("two")
      try two.add(url)
      _ = try two.repository.fetch(access: two.access)
      let name = Revision(String("\(id)".prefix(whole ? 64 : 12)))
      try two.repository.bring(name, .contents, at: [BytePath("src")], access: two.access)
      try two.repository.bring(name, .contents, access: two.access)
      _ = try two.repository.restore(name)
      #expect(try two.fixture.folder.read("big".bytes).count == 400_000)
    }
    let three = try Machine("three")
    try three.add(url)
    _ = try three.repository.fetch(access: three.access)
    try three.repository.bring("origin/a", .contents, at: [BytePath("src")], access: three.access)
    _ = try one.repository.deleteRemoteStates(["origin/a"], access: one.access)
    _ = try three.repository.fetch(access: three.access)
    let name = Revision("\(id)")
    try three.repository.bring(name, .contents, at: [BytePath("src")], access: three.access)
    #expect(error { try three.repository.bring(name, .contents, access: three.access) } == .noSuchState)
    // What is here as a whole asks nobody.
    try place.descriptor.removeTree("remote".bytes)
    try one.repository.bring(name, .contents, access: one.access)
  }

  /// Nobody is asked for what is at hand. Whoever has made the remote knows the slot that opens it.
  @Test func aSecretAtHandOpensEarly() throws {
    let one = try Machine("one")
    try one.add(url)
    var access = one.access
    access.unlock = { (_) throws(RepositoryError) in throw RepositoryError(.cancelled, "asked") }
    #expect(error { _ = try one.repository.fetch(access: access) } == .cancelled)
    access.secretAtHand = { _ in .passphrase("wrong".bytes) }
    #expect(error { _ = try one.repository.fetch(access: access) } == .denied)
    access.secretAtHand = { _ in .passphrase("correct horse".bytes) }
    _ = try one.repository.fetch(access: access)
  }

  @Test func aSecretThatIsWrongOpensNothing() throws {
    let one = try Machine("one")
    try one.add(url)
    var two = try Machine("two")
    two.passphrase = "wrong".bytes
    #expect(error { try two.add(url) } == .denied)
    #expect(try two.repository.remotes().isEmpty)
  }

  @Test func anotherRepositoryIsNotTheOne() throws {
    let one = try Machine("one")
    try one.add(url)
    try one.write("a", "1")
    try one.save("x")
    try one.push()
    try place.descriptor.removeTree("remote".bytes)
    #expect(error { try one.push() } == .damaged)
    let two = try Machine("two")
    try two.add(url)
    #expect(error { try one.push() } == .damaged)
  }

  /// A push that is cancelled anywhere has moved no name, and another one goes on.
  @Test func anInterruptedPushGoesOn() throws {
    let one = try Machine("one")
    try one.add(url)
    for number in 0..<4 {
      try one.fixture.folder.write("f\(number)".bytes, Content.random(1_000_000, seed: UInt64(number)))
    }
    try one.save("x")
    let monitor = PatientMonitor(after: 3)
    #expect(error { _ = try one.repository.push(access: one.access, monitor: monitor) } == .cancelled)
    let two = try Machine("two")
    try two.add(url)
    try two.pull()
    #expect(try two.names.isEmpty)
    try one.push()
    try two.pull()
    #expect(try two.names == one.names)
  }

  /// Marks all packs of a plain remote, as a collection does. Returns their paths.
  private func markAllPacks() throws -> [[UInt8]] {
    let remote = FolderTools(place.path.bytes + "/remote".bytes)
    let paths = try RemoteTests.files(remote).filter { $0.starts(with: PackObject.prefix.bytes) }
    let packs = paths.compactMap { ObjectName(String(decoding: $0, as: UTF8.self)).flatMap(PackObject.pack) }
    #expect(packs.count == paths.count && !packs.isEmpty)
    var generator = SystemRandomNumberGenerator()
    let name = MarkRecord.name(using: &generator)
    try remote.makeFolder("marks".bytes)
    try remote.write(name.text.bytes, MarkRecord(packs: packs).encoded())
    return paths
  }

  /// A collection is going to remove them, so what only they have is sent anew.
  @Test func aPushReliesOnNoMarkedPack() throws {
    let one = try Machine("one")
    try one.add(url, plain: true)
    try one.fixture.folder.write("big".bytes, Content.random(1_000_000, seed: 4))
    try one.save("a")
    try one.push()
    let marked = try markAllPacks()
    try one.write("b", "small")
    try one.save("b")
    #expect(try one.push("b").sentBytes > 1_000_000)
    // Nothing is sent twice.
    try one.write("b", "smaller")
    try one.save("b")
    #expect(try one.push("b").sentBytes < 100_000)
    let remote = FolderTools(place.path.bytes + "/remote".bytes)
    for path in marked { try remote.remove(path) }
    let two = try Machine("two")
    try two.add(url)
    try two.pull("b")
    #expect(try two.names == ["b": one.names["b"]])
    #expect(try two.repository.verify(readData: true).damage.isEmpty)
  }

  @Test func patternsChooseNames() throws {
    let one = try Machine("one")
    try one.add(url)
    for name in ["big1", "big2", "small"] { try one.save(name) }
    #expect(try one.push("big*").moves.map(\.name).sorted() == ["big1", "big2"])
    #expect(error { try one.push("huge*") } == .noSuchState)
    let two = try Machine("two")
    try two.add(url)
    #expect(try two.pull("*2").moves.map(\.name) == ["big2"])
    #expect(try two.names.keys.sorted() == ["big2"])
    #expect(error { try two.pull("small") } == .noSuchState)
  }

  @Test func anUnknownRemoteLeavesNothing() throws {
    let one = try Machine("one")
    for name in ["nowhere", "no/where", ".."] {
      var options = PushOptions()
      options.remote = name
      #expect(error { _ = try one.repository.push(options, access: one.access) } == .noSuchRemote)
      #expect(error { _ = try one.repository.removeRemote(name) } == .noSuchRemote)
    }
    #expect(try one.repository.remotes().isEmpty)
    #expect(try !RemoteTests.files(one.fixture.folder).contains { $0.starts(with: ".memento/remotes".bytes) })
  }

  /// A push of the state where the folder is says where the folder is, too.
  @Test func aPushedStateBringsThePosition() throws {
    let one = try Machine("one")
    try one.add(url)
    try one.write("a", "1")
    try one.save("old")
    try one.write("a", "2")
    try one.save("new")
    try one.push("old")
    let folder = BytePath(place.path.bytes + "/clone".bytes)
    let access = RemoteTests.access("two", "correct horse".bytes)
    #expect(try Repository.clone(url, to: folder, options: RepositoryFixture.quick, access: access).restore == nil)
    try one.push("new")
    #expect(try Repository.clone(url, to: folder, options: RepositoryFixture.quick, access: access).restore != nil)
    #expect(try FolderTools(folder.bytes).read("a".bytes) == "2".bytes)
  }

  /// What is damaged there is not said to be damaged here.
  @Test func damageOfTheRemoteIsNamedAsSuch() throws {
    let one = try Machine("one")
    try one.add(url, plain: true)
    try one.fixture.folder.write("big".bytes, Content.random(1_000_000, seed: 4))
    try one.save("a")
    try one.push()
    let remote = FolderTools(place.path.bytes + "/remote".bytes)
    for path in try RemoteTests.files(remote) where path.starts(with: PackObject.prefix.bytes) {
      try remote.write(path, Content.flipping(try remote.read(path), bit: 8 * 500_000))
    }
    let two = try Machine("two")
    try two.add(url)
    do {
      try two.pull()
      Issue.record("damage was brought")
    } catch let error as RepositoryError {
      #expect(error.code == .damaged && error.reason == .damageAtRemote, "\(error)")
    }
    #expect(try two.names.isEmpty)
  }

  @Test func aCopiedStoreUsesNoRemoteUnasked() throws {
    let one = try Machine("one")
    try one.add(url)
    // The store of a copy has another inode.
    let entry = ".memento/remotes/origin/remote".bytes
    let text = String(decoding: try one.fixture.folder.read(entry), as: UTF8.self)
    let lines = text.split(separator: "\n").map { $0.hasPrefix("home ") ? "home 1 1" : String($0) }
    try one.fixture.folder.write(entry, (lines.joined(separator: "\n") + "\n").bytes)
    let copied = try one.fixture.reopened()
    #expect(try copied.remotes().map(\.isConfirmed) == [false])
    #expect(error { _ = try copied.push(access: one.access) } == .invalidArgument)
    _ = try copied.addRemote("origin", url, access: one.access)
    #expect(try copied.remotes().map(\.isConfirmed) == [true])
    _ = try copied.push(access: one.access)
  }

  @Test func namesOfRemotesAndStatesDoNotMeet() throws {
    let one = try Machine("one")
    try one.write("a", "1")
    try one.save("origin/x")
    #expect(error { try one.add(url) } == .nameInUse)
    try one.add(url, as: "other")
    #expect(error { try one.save("other/x") } == .invalidName)
    for name in ["", "a/b", "-x", ".x", "a b", "ä"] {
      #expect(error { try one.add(url, as: name) } == .invalidName)
    }
    #expect(error { try one.add(try RemoteURL("file:///elsewhere/x"), as: "other") } == .nameInUse)
  }
}

/// Cancels after it was asked some times.
final class PatientMonitor: Monitor {
  private let rest: Mutex<Int>

  init(after count: Int) { rest = Mutex(count) }

  func begin(_ phase: Phase) {}
  func advance(files: Int, bytes: UInt64) {}
  func report(_ problem: Problem) {}

  var isCancelled: Bool {
    rest.withLock { rest in
      rest -= 1
      return rest < 0
    }
  }
}
