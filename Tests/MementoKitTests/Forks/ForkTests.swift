import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// Working folders that share a store.
struct ForkTests {
  private let shop: RepositoryFixture
  private let place: BytePath

  init() throws {
    shop = try RepositoryFixture()
    try shop.folder.write("text".bytes, "one".bytes)
    try shop.folder.makeFolder("d".bytes)
    try shop.folder.makeHardLink("d/link".bytes, to: "text".bytes)
    try shop.save("one")
    try shop.folder.write("text".bytes, "two".bytes)
    try shop.save("two")
    place = BytePath(shop.directory.path).appending("fork".bytes)
  }

  private var folder: FolderTools { FolderTools(place.bytes) }

  @discardableResult
  private func make(_ revision: Revision = "one", at place: BytePath? = nil) throws -> ForkSummary {
    try shop.repository.fork(revision, to: place ?? self.place, options: RepositoryFixture.quick)
  }

  private func open(_ place: BytePath? = nil) throws -> Repository {
    try Repository.find(from: place ?? self.place, options: RepositoryFixture.quick)
  }

  private func text(_ folder: FolderTools) throws -> String {
    String(decoding: try folder.read("text".bytes), as: UTF8.self)
  }

  private func positions() throws -> [SnapshotID?] {
    [try shop.reopened().readRefs().timeline.current.map { SnapshotID($0.snapshot) }]
      + (try shop.reopened().forks().map(\.position))
  }

  @Test func aForkIsTheSnapshot() throws {
    let summary = try make()
    let (copy, _) = try shop.extract("one", to: "copy")
    #expect(summary.folder == place && summary.restore.created == 2 && summary.restore.problems == [])
    #expect(try Manifest(folder).differences(from: Manifest(copy)) == [])
    #expect(try text(shop.folder) == "two")
  }

  /// A git repository in a new fork is a copy: nothing of it comes back.
  @Test func nothingIsSaidOfGit() throws {
    try shop.folder.makeFolder(".git".bytes)
    try shop.folder.write(".git/HEAD".bytes, "0123456789012345678901234567890123456789\n".bytes)
    try shop.save("git")
    #expect(try make("git").restore.problems == [])
    try folder.write(".git/HEAD".bytes, "9123456789012345678901234567890123456789\n".bytes)
    #expect(try open().restore("git").problems.map(\.isNote) == [true])
  }

  @Test func eachFolderGoesItsOwnWay() throws {
    try make()
    let fork = try open()
    #expect(fork.isAttached && fork.forkOf == shop.repository.folder && fork.storePath == shop.repository.storePath)
    try folder.write("text".bytes, "three".bytes)
    try fork.save(SaveOptions(name: "three"))
    try folder.write("text".bytes, "four".bytes)
    try fork.save(SaveOptions(name: "four"))
    _ = try shop.reopened().undo()
    #expect(try text(shop.folder) == "one" && text(folder) == "four")
    _ = try open().undo()
    #expect(try text(shop.folder) == "one" && text(folder) == "three")
    _ = try shop.reopened().redo()
    _ = try open().redo()
    #expect(try text(shop.folder) == "two" && text(folder) == "four")
    // Names belong to all.
    try shop.reopened().restore("three")
    #expect(try text(shop.folder) == "three")
    #expect(Set(try open().states().map(\.name)) == ["four", "one", "three", "two"])
    let forks = try open().forks()
    #expect(forks == (try shop.reopened().forks()) && forks.count == 1)
    #expect(forks[0].folder == place && forks[0].isThere && forks[0].names == ["four"] && forks[0].steps == 3)
    #expect(try shop.reopened().verify(VerifyOptions(readPercent: 100)).damage.isEmpty)
  }

  /// The time of day of a position is told by the moves of this folder alone.
  @Test func positionsInTimeAreThoseOfTheFolder() throws {
    try make("two")
    let fork = try open()
    try folder.write("text".bytes, "three".bytes)
    try fork.save(SaveOptions(name: "three"))
    _ = try open().undo()
    #expect(try shop.reopened().snapshot("@{0s}").id == shop.repository.snapshot("two").id)
    let (three, one) = (try shop.repository.snapshot("three").id, try shop.repository.snapshot("one").id)
    try shop.reopened().restore("one")
    #expect(try open().snapshot("@{0s}").id == shop.repository.snapshot("two").id)
    #expect(try open().snapshot("@").id == shop.repository.snapshot("two").id)
    #expect(try shop.reopened().snapshot("@").id == one && one != three)
  }

  @Test func logOfAllMarksWhatIsElsewhere() throws {
    try make()
    try folder.write("text".bytes, "three".bytes)
    try open().save(SaveOptions())
    var options = LogOptions()
    options.showsAll = true
    let left = try shop.reopened().log(options).filter { !$0.marks.isEmpty }
    #expect(left.map(\.marks) == [[.elsewhere]])
    #expect(try open().log(options).filter { $0.marks == [.elsewhere] }.map(\.names) == [["two"]])
  }

  @Test func aForkOfAFork() throws {
    try make()
    let second = BytePath(shop.directory.path).appending("second".bytes)
    try folder.write("text".bytes, "three".bytes)
    try open().save(SaveOptions())
    try open().fork("@", to: second, options: RepositoryFixture.quick)
    #expect(try text(FolderTools(second.bytes)) == "three")
    try FolderTools(second.bytes).write("text".bytes, "four".bytes)
    try open(second).save(SaveOptions(name: "four"))
    #expect(
      try positions() == [
        try shop.repository.snapshot("two").id, open().snapshot("@").id, open(second).snapshot("@").id,
      ])
    #expect(Set(try positions()).count == 3)
  }

  // MARK: Space

  @Test func whatOnlyAForkNeedsStays() throws {
    try make()
    let content = Content.random(100_000, seed: 3)
    try folder.write("text".bytes, content)
    try open().save(SaveOptions())
    let id = try open().snapshot("@").id
    try folder.write("text".bytes, "later".bytes)
    try open().save(SaveOptions())
    var now = GarbageOptions()
    now.emptiesTrash = true
    now.unnamedAge = 0
    _ = try shop.reopened().collectGarbage(GarbageOptions())
    _ = try open().undo()
    #expect(try folder.read("text".bytes) == content)
    // At its position a fork keeps a snapshot whatever the rules say.
    _ = try shop.reopened().collectGarbage(now)
    #expect(try shop.repository.snapshot(Revision("\(id)")).id == id)
    let forgotten = try shop.reopened().forgetFork(place, options: RepositoryFixture.quick)
    #expect(forgotten.stepsRemoved == 3 && forgotten.isCommitted)
    #expect(try shop.reopened().snapshot(Revision("\(id)")).id == id)
    let kept = { [shop] () throws -> [ObjectID] in
      let refs = try shop.reopened().store.refs
      return try refs.trash(refs.read()).map(\.snapshot)
    }
    #expect(try kept().contains(id.object))
    var later = RepositoryFixture.quick
    later.clock = {
      var reading = ClockReading.ofSystem()
      reading.wall.seconds += 86400
      reading.sinceBoot += 86400 * 1_000_000_000
      return reading
    }
    let collected = try Repository.find(from: shop.repository.folder, options: later).collectGarbage(now)
    #expect(try !kept().contains(id.object) && collected.bytesFreed > 90_000)
    #expect(try folder.read("text".bytes) == content)
  }

  @Test func aPurgeReachesTheStepsOfForks() throws {
    try make()
    try folder.write("secret".bytes, Content.random(5000, seed: 1))
    try open().save(SaveOptions())
    try folder.remove("secret".bytes)
    try open().save(SaveOptions())
    let before = try open().readRefs().timeline.steps.map(\.snapshot)
    _ = try shop.reopened().purge(PurgeOptions(["secret"]))
    let after = try open().readRefs().timeline.steps.map(\.snapshot)
    #expect(after.count == 3 && after[0] == before[0] && after[1] != before[1])
    #expect(try shop.storeFolder.folder("cache").names().contains("stat-\(open().store.refs.fork!)".bytes) == false)
    _ = try open().undo()
    #expect(try !folder.names().contains("secret".bytes))
  }

  // MARK: Places

  @Test func aForkMayMove() throws {
    try make()
    let moved = BytePath(shop.directory.path).appending("moved".bytes)
    try shop.directory.rename("fork", to: "moved")
    #expect(try !shop.reopened().forks()[0].isThere)
    try FolderTools(moved.bytes).write("text".bytes, "three".bytes)
    try open(moved).save(SaveOptions())
    let forks = try shop.reopened().forks()
    #expect(forks.map(\.folder) == [moved] && forks[0].isThere)
  }

  @Test func aCopyIsNoFork() throws {
    try make()
    let copy = BytePath(shop.directory.path).appending("copy".bytes)
    try FolderTools(copy.bytes.dropLast(5)).makeFolder("copy".bytes)
    try FolderTools(copy.bytes).makeFolder(".memento".bytes)
    for name in ["store", "fork"] {
      let name = ".memento/\(name)".bytes
      try FolderTools(copy.bytes).write(name, folder.read(name))
    }
    let opened = try open(copy)
    #expect(!opened.isAttached)
    #expect(reason { try opened.save(SaveOptions()) } == .copiedFork)
    #expect(reason { try shop.reopened().forgetFork(copy, options: RepositoryFixture.quick) } == nil)
    #expect(try shop.reopened().forks().count == 1 && open().isAttached)
    #expect(try FolderTools(copy.bytes).names() == [])
  }

  /// A user may name the pointer of a fork as the store.
  @Test func theStoreNamedByItsFork() throws {
    try make()
    var options = RepositoryFixture.quick
    options.store = place.appending(".memento".bytes)
    let inside = try Repository.find(from: place, options: options)
    #expect(inside.isAttached && inside.folder == place && inside.forkOf == shop.repository.folder)
    let outside = try Repository.find(from: shop.repository.folder, options: options)
    #expect(!outside.isAttached && outside.folder == place)
  }

  /// A user who names the store works in the fork in which he stands, as without the name.
  @Test func theStoreNamedInsideOfAFork() throws {
    try make()
    var options = RepositoryFixture.quick
    options.store = shop.repository.storePath
    for place in [place, place.appending("d".bytes)] {
      let inside = try Repository.find(from: place, options: options)
      #expect(inside.isAttached && inside.folder == self.place && inside.forkOf == shop.repository.folder)
    }
    let main = try Repository.find(from: shop.repository.folder, options: options)
    #expect(main.isAttached && main.folder == shop.repository.folder)
    try folder.write(".memento/fork".bytes, "\n".bytes)
    #expect(try !Repository.find(from: place, options: options).isAttached)
  }

  /// A fork that cannot be looked at keeps nobody from seeing the others.
  @Test func whatIsWrongIsListed() throws {
    try make()
    let second = BytePath(shop.directory.path).appending("second".bytes)
    try make(at: second)
    #expect(try shop.reopened().forks().map(\.presence) == [.there, .there])
    // The folder of another fork is in its place.
    let own = try folder.read(".memento/fork".bytes)
    try folder.write(".memento/fork".bytes, try FolderTools(second.bytes).read(".memento/fork".bytes))
    #expect(try shop.reopened().forks().map(\.presence) == [.missing, .there])
    try folder.write(".memento/fork".bytes, own)
    try folder.write(".memento/store".bytes, "/nowhere/.memento\n".bytes)
    #expect(try shop.reopened().forks().map(\.presence) == [.astray, .there])
    try folder.remove(".memento/store".bytes)
    try folder.makeLink(".memento/store".bytes, to: "/nowhere".bytes)
    let found = try shop.reopened().forks().map(\.presence)
    #expect(found[1] == .there)
    guard case .unreadable = found[0] else {
      Issue.record("\(found[0])")
      return
    }
    // Nobody knows whether the folder is half changed.
    let id = try shop.repository.snapshot("one").id.object
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      refs.forks[0].pending = PendingRestore(target: id, before: nil, staging: "restore-1-2", position: nil)
    }
    #expect(code { try shop.reopened().forgetFork(place, options: RepositoryFixture.quick) } == .system)
    #expect(try shop.reopened().forks().count == 2)
  }

  /// Only an absolute path leads to a store, and only if the owner of the folder has written it.
  @Test func pointersThatAreNotFollowed() throws {
    try make()
    let right = try folder.read(".memento/store".bytes)
    for wrong in ["", "\n", "../work/.memento\n", ".memento\n", "/a%00b\n", "%zz\n"] {
      try folder.write(".memento/store".bytes, wrong.bytes)
      #expect(reason { try open() } == .badPointer, "\(wrong)")
    }
    try folder.write(".memento/store".bytes, right)
    #expect(try open().forkOf == shop.repository.folder)
    guard isSuperuser else { return }
    for name in [".memento/store", ".memento/fork"] {
      try folder.setOwner(name.bytes, user: 12345, group: 0)
      #expect(code { try open() } == .system, "\(name)")
      try folder.setOwner(name.bytes, user: 0, group: 0)
    }
    #expect(try open().forkOf == shop.repository.folder)
  }

  /// The pointer goes with the fork that it names, and with nothing else in it.
  @Test func whatIsNotOfTheForkStays() throws {
    try make()
    try folder.write(".memento/notes".bytes, "mine".bytes)
    _ = try shop.reopened().forgetFork(place, options: RepositoryFixture.quick)
    #expect(try folder.folder(".memento").names().map { String(decoding: $0, as: UTF8.self) } == ["notes"])
  }

  @Test func aLockThatIsNoFileIsMended() throws {
    try make()
    let id = try #require(try shop.reopened().forks().first).id
    try shop.storeFolder.remove("folder.lock-\(id)".bytes)
    try shop.storeFolder.makeFolder("folder.lock-\(id)".bytes)
    #expect(reason { try open().save(SaveOptions()) } == .damagedPart)
    var options = RepositoryFixture.quick
    options.mendsStore = true
    _ = try Repository.find(from: shop.repository.folder, options: options)
    try folder.write("text".bytes, "x".bytes)
    try open().save(SaveOptions())
  }

  @Test func noMoreThanTheStoreCanHave() throws {
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      for number in 0..<Refs.mostForks {
        let id = try! #require(ForkID(String(String(number + 0x1000_0000, radix: 16))))
        refs.forks.append(ForkedFolder(id, at: "/nowhere/\(number)".bytes))
      }
    }
    #expect(reason { try make() } == .tooManyForks)
    #expect(try shop.reopened().forks().count == Refs.mostForks && !shop.directory.exists("fork"))
  }

  @Test func aForkIsNotInsideOfAnother() throws {
    try make()
    for taken in [shop.repository.folder, shop.repository.storePath, place] {
      #expect(reason { try make(at: taken.appending("in".bytes)) } == .forkInside)
    }
    #expect(try shop.reopened().forks().count == 1)
  }

  @Test func theFolderMustBeEmpty() throws {
    try shop.outside.write("file".bytes, "x".bytes)
    #expect(reason { try make(at: BytePath(shop.outside.path)) } == .occupiedDestination)
    #expect(reason { try make(at: place.appending("a".bytes)) } == nil)
    #expect(reason { try make("nothing") } == .unknownRevision)
    try shop.reopened().saveValues([NamedValue(name: "value", bytes: "x".bytes)])
    #expect(reason { try make("value") } == .valueNeedsNoFolder)
    #expect(try shop.reopened().forks() == [] && !shop.directory.exists("fork"))
    try make()
    #expect(reason { try make() } == .occupiedDestination)
  }

  @Test func aDryRunChangesNothing() throws {
    let refs = try shop.storeFolder.read("refs".bytes)
    let plan = try shop.repository.fork("one", to: place, options: RepositoryFixture.quick, isDryRun: true)
    #expect(plan.id == nil && !plan.restore.isCommitted && plan.restore.created == 2)
    #expect(try shop.storeFolder.read("refs".bytes) == refs && !shop.directory.exists("fork"))
    try make()
    let forked = try shop.storeFolder.read("refs".bytes)
    let plan2 = try shop.reopened().forgetFork(place, options: RepositoryFixture.quick, isDryRun: true)
    #expect(!plan2.isCommitted && plan2.stepsRemoved == 1)
    #expect(try shop.storeFolder.read("refs".bytes) == forked && open().isAttached)
  }

  // MARK: Forgetting

  @Test func whatIsForgottenLeavesOnlyTheFiles() throws {
    try make()
    try folder.write("text".bytes, "three".bytes)
    var ignoring = SaveOptions()
    ignoring.ignoring.patterns = ["*.log".bytes]
    try open().save(ignoring)
    let id = try #require(try shop.reopened().forks().first).id
    #expect(try shop.storeFolder.names().contains("rules-\(id)".bytes))
    try shop.reopened().forgetFork(BytePath(id), options: RepositoryFixture.quick)
    #expect(try Set(folder.names()) == ["text".bytes, "d".bytes])
    let left = try shop.storeFolder.names() + shop.storeFolder.folder("cache").names()
    #expect(!left.contains { String(decoding: $0, as: UTF8.self).contains(id) })
    #expect(code { try open() } == .noStore)
    #expect(code { try shop.reopened().forgetFork(place, options: RepositoryFixture.quick) } == .noSuchState)
    #expect(try shop.storeFolder.read("refs".bytes).starts(with: "memento refs 4".bytes))
  }

  @Test func aFolderThatIsGoneCanBeForgotten() throws {
    try make()
    try shop.directory.descriptor.removeTree("fork".bytes)
    let forgotten = try shop.reopened().forgetFork(place, options: RepositoryFixture.quick)
    #expect(!forgotten.fork.isThere && forgotten.fork.folder == place)
    #expect(try shop.reopened().forks() == [])
  }

  /// `refs` from before the fork say nothing of it: its folder says so, and loses nothing.
  @Test func aStoreThatDoesNotKnowTheFork() throws {
    let refs = try shop.storeFolder.read("refs".bytes)
    try make()
    try shop.storeFolder.write("refs".bytes, refs)
    #expect(reason { try open() } == .unknownFork)
    try shop.reopened().forgetFork(place, options: RepositoryFixture.quick)
    #expect(try Set(folder.names()) == ["text".bytes, "d".bytes])
  }

  /// Saves go on in the other folders; what removes packs does not.
  @Test func aRestoreThatIsHalfDone() throws {
    try make()
    let id = try shop.repository.snapshot("one").id.object
    let fork = try open()
    _ = try fork.store.refs.update(waiting: 10) { refs in
      refs.pending = PendingRestore(target: id, before: nil, staging: "restore-1-2", position: nil)
    }
    try shop.storeFolder.makeFolder("tmp/restore-1-2".bytes)
    try shop.folder.write("text".bytes, "three".bytes)
    try shop.save("three")
    #expect(try shop.storeFolder.folder("tmp").names() == ["restore-1-2".bytes])
    #expect(code { try fork.save(SaveOptions()) } == .restorePending)
    #expect(try shop.reopened().forks()[0].isRestorePending)
    for body: () throws -> Any in [
      { try shop.reopened().collectGarbage() }, { try shop.reopened().purge(["two"]) },
      { try shop.reopened().purge(PurgeOptions(["text"])) },
    ] {
      #expect(reason(body) == .pendingElsewhere)
    }
    #expect(reason { try shop.reopened().forgetFork(place, options: RepositoryFixture.quick) } == .forkIsInUse)
    // The same, seen from the fork.
    _ = try fork.store.refs.update(waiting: 10) { $0.pending = nil }
    _ = try shop.repository.store.refs.update(waiting: 10) { refs in
      refs.pending = PendingRestore(target: id, before: nil, staging: "restore-1-2", position: nil)
    }
    let other = try open()
    do throws(RepositoryError) {
      _ = try other.collectGarbage()
      Issue.record("it did")
    } catch {
      #expect(error.reason == .pendingElsewhere && error.path == shop.repository.folder)
    }
    _ = try shop.repository.store.refs.update(waiting: 10) { $0.pending = nil }
    _ = try open().collectGarbage()
  }

  /// What is pending keeps nobody from forgetting a folder that is gone.
  @Test func aHalfDoneFolderThatIsGone() throws {
    try make()
    let id = try shop.repository.snapshot("one").id.object
    _ = try open().store.refs.update(waiting: 10) { refs in
      refs.pending = PendingRestore(target: id, before: nil, staging: "restore-1-2", position: nil)
    }
    try shop.directory.descriptor.removeTree("fork".bytes)
    try shop.reopened().forgetFork(place, options: RepositoryFixture.quick)
    _ = try shop.reopened().collectGarbage()
    #expect(try shop.reopened().readRefs().allPending == [])
  }

  @Test func twoFoldersAtOnce() async throws {
    try make()
    let places = [shop.repository.folder, place]
    await withTaskGroup(of: Void.self) { group in
      for (number, folder) in places.enumerated() {
        group.addTask {
          for round in 0..<20 {
            let tools = FolderTools(folder.bytes)
            #expect(throws: Never.self) {
              try tools.write("text".bytes, "\(number) \(round)".bytes)
              let repository = try open(folder)
              try repository.save(SaveOptions())
              if round % 3 == 2 { _ = try repository.undo() }
            }
          }
        }
      }
    }
    for (number, folder) in places.enumerated() {
      let repository = try open(folder)
      #expect(try repository.status(StatusOptions()).changes == [])
      for step in try repository.readRefs().timeline.steps.dropFirst(2) {
        let (copy, _) = try shop.extract(Revision("\(step.snapshot)"), to: "copy-\(step.snapshot)", paths: ["text"])
        #expect(try text(copy).hasPrefix("\(number) "))
      }
    }
  }
}

/// The reason of a failure; nil when there is none.
private func reason(_ body: () throws -> some Any) -> RepositoryError.Reason? {
  do {
    _ = try body()
    return nil
  } catch let error as RepositoryError {
    return error.reason ?? (error.code == .system ? nil : .unknownState)
  } catch {
    Issue.record("\(error)")
    return nil
  }
}
