// A thread swaps names in a folder with decoys while root restores or saves the folder. No decoy may get another mode
// or owner, no decoy may be lost, and nothing may be put into one.

import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite(.serialized) struct SwapTests {
  private static let names = ["file", "fifo", "link", "folder", "made"]

  /// Swaps names while it is active, in a thread of its own.
  private final class Swapper: Monitor, @unchecked Sendable {
    private let state = Mutex((isActive: false, isEnded: false))
    let swaps = Atomic<Int>(0)
    /// Whether it waits until the restore has made its plan. It disturbs a save from the beginning.
    var waitsForRestore = true
    private let swap: @Sendable () -> Void
    private var thread = pthread_t()

    init(_ swap: @escaping @Sendable () -> Void) {
      self.swap = swap
      pthread_create(
        &thread, nil,
        { context in
          Unmanaged<Swapper>.fromOpaque(context!).takeUnretainedValue().run()
          return nil
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func run() {
      while true {
        let (isActive, isEnded) = state.withLock { state in
          if state.isActive { swap() }
          return state
        }
        if isEnded { return }
        if isActive { swaps.add(1, ordering: .relaxed) }
        sched_yield()
      }
    }

    func activate(_ isActive: Bool) { state.withLock { $0.isActive = isActive } }

    func end() {
      state.withLock { $0.isEnded = true }
      pthread_join(thread, nil)
    }

    func begin(_ phase: Phase) {
      if !waitsForRestore || phase == .restoring { activate(true) }
    }

    func advance(files: Int, bytes: UInt64) {}
    func report(_ problem: Problem) {}
    var isCancelled: Bool { false }
  }

  @Test(.enabled(if: isSuperuser, "a folder of another user and decoys of root's need root"))
  func restores() throws {
    let rounds = 40
    var swaps = 0
    for round in 0..<rounds {
      let shop = try RepositoryFixture()
      let folder = shop.folder
      try folder.setOwner([], user: 65534, group: 65534)
      for (name, mode) in [("one", 0o600), ("two", 0o640)] as [(String, UInt32)] {
        try? folder.empty()
        try folder.write("file".bytes, "file".bytes)
        try folder.makeFifo("fifo".bytes)
        try folder.makeLink("link".bytes, to: name.bytes)
        try folder.makeFolder("folder".bytes)
        for inner in 0..<5 { try folder.write("folder/\(name) \(inner)".bytes, name.bytes) }
        if name == "one" {
          try folder.makeFolder("made".bytes)
          try folder.write("made/inner".bytes, "inner".bytes)
        }
        for entry in ["file", "fifo", "folder"] {
          try folder.setMode(entry.bytes, mode | (entry == "folder" ? 0o111 : 0))
          try folder.setOwner(entry.bytes, user: 65534, group: 65534)
        }
        try folder.setTime("file".bytes, 1_000_000_000)
        try shop.save(name)
      }
      // Makes a file and a folder for each name, and keeps them open.
      var decoys: [SharedDescriptor] = []
      for name in SwapTests.names {
        try shop.outside.write("file \(name)".bytes, "secret".bytes, mode: 0o600)
        try shop.outside.makeFolder("folder \(name)".bytes, mode: 0o700)
        try shop.outside.write("folder \(name)/inner secret".bytes, "secret".bytes, mode: 0o600)
        for kind in ["file", "folder"] {
          decoys.append(
            SharedDescriptor(
              try shop.directory.descriptor.open("outside/\(kind) \(name)".bytes, kind == "file" ? .read : .directory)))
        }
      }
      let step = Counter()
      let top = SharedDescriptor(try shop.directory.descriptor.open("work".bytes, .directory))
      let aside = SharedDescriptor(try shop.directory.descriptor.open("outside".bytes, .directory))
      let swapper = Swapper {
        let number = step.next()
        let name = SwapTests.names[number % 5]
        let kind = (number / 5 + round) % 2 == 0 ? "file" : "folder"
        try? aside.descriptor.rename("\(kind) \(name)".bytes, to: name.bytes, in: top.descriptor, .exchange)
      }
      var options = RestoreOptions()
      options.asRecorded = round % 2 == 0
      _ = try? shop.repository.restore("one", options, monitor: swapper)
      swapper.activate(false)
      swapper.end()
      swaps += swapper.swaps.load(ordering: .relaxed)
      for index in decoys.indices {
        let status = try decoys[index].descriptor.status()
        let what = "round \(round), decoy \(SwapTests.names[index / 2]) \(index % 2)"
        #expect(status.user == Host.effectiveUser, "\(what)")
        #expect(status.permissions == (index % 2 == 0 ? 0o600 : 0o700), "\(what)")
        #expect(status.linkCount > 0, "\(what) is lost")
        if index % 2 == 0 {
          let content = try decoys[index].descriptor.contents()
          #expect(content == "secret".bytes, "\(what)")
        } else {
          let listing = try DirectoryListing(reading: decoys[index].descriptor)
          #expect((0..<listing.count).map { listing.name(at: $0) } == ["inner secret".bytes], "\(what)")
        }
      }
    }
    #expect(swaps > rounds * 5, "the swapper was hardly ever at work")
  }

  /// A folder and a file are swapped with links to the outside and back. Nothing of the outside may be stored.
  @Test func saves() throws {
    let shop = try RepositoryFixture()
    try shop.outside.makeFolder("secrets".bytes)
    for number in 0..<20 { try shop.outside.write("secrets/inner \(number)".bytes, "SECRET".bytes) }
    try shop.outside.write("secret".bytes, "SECRET".bytes)
    for folder in ["one", "two", "three"] {
      try shop.folder.makeFolder(folder.bytes)
      for number in 0..<20 { try shop.folder.write("\(folder)/inner \(number)".bytes, "open".bytes) }
    }
    for name in ["one", "two", "three"] {
      try shop.outside.makeLink(name.bytes, to: shop.outside.path + "/secrets".bytes)
      try shop.outside.makeLink("link \(name)".bytes, to: shop.outside.path + "/secret".bytes)
    }
    let step = Counter()
    func open(_ path: String) throws -> SharedDescriptor {
      SharedDescriptor(try shop.directory.descriptor.open(path.bytes, .directory))
    }
    let (top, aside) = (try open("work"), try open("outside"))
    // The test uses descriptors, so that it does not follow links itself.
    let folders = [try open("work/one"), try open("work/two"), try open("work/three")]
    let swapper = Swapper {
      let number = step.next()
      let name = ["one", "two", "three"][number % 3]
      if number % 2 == 0 {
        try? aside.descriptor.rename(name.bytes, to: name.bytes, in: top.descriptor, .exchange)
      } else {
        try? aside.descriptor.rename(
          "link \(name)".bytes, to: "inner \(number % 20)".bytes, in: folders[number % 3].descriptor, .exchange)
      }
    }
    swapper.waitsForRestore = false
    for round in 0..<20 {
      var options = SaveOptions(name: "save \(round)")
      options.rehash = true
      _ = try? shop.repository.save(options, monitor: swapper)
    }
    swapper.activate(false)
    swapper.end()
    for state in try shop.repository.states().suffix(6) {
      let (copy, _) = try shop.extract(Revision(state.name), to: "copy \(state.name)")
      let found = try Launch(["grep", "-rIl", "SECRET", String(decoding: copy.path, as: UTF8.self)])
      #expect(found.status == 1, "\(state.name): \(found.output)")
    }
  }
}
