// A repair of a remote that is lost for a moment, at each of its reads.

import MementoObjects
import MementoSystem
import Synchronization
import TestSupport
import Testing

@testable import MementoKit

struct RemoteRepairFailureTests {
  /// Fails once, at one of its reads.
  private final class FailingObjects: ObjectStorage {
    private let base: DirectoryObjects
    private let number: Int
    let reads = Mutex(0)

    /// `number`: which read fails, counted from 1.
    init(_ base: DirectoryObjects, at number: Int) {
      self.base = base
      self.number = number
    }

    func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage { try base.list(prefix, page: page) }

    func size(of name: ObjectName) throws(ObjectError) -> UInt64 { try base.size(of: name) }

    func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ObjectError)
      -> Int
    {
      let read = reads.withLock { reads in
        reads += 1
        return reads
      }
      if read == number { throw ObjectError(.unreachable, nil, "it is lost for a moment") }
      return try base.read(name, at: offset, into: buffer)
    }

    func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) { try base.put(source, as: name) }

    func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
      try base.putIfAbsent(source, as: name)
    }

    func remove(_ name: ObjectName) throws(ObjectError) { try base.remove(name) }
  }

  private func failure(_ body: () throws(RepositoryError) -> Void) -> RepositoryError? {
    do throws(RepositoryError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  /// What could not be looked at is not taken for something that no name needs: nobody could rely on it any more.
  @Test func whatCouldNotBeReadIsNotMarked() throws {
    let place = try RemotePlace()
    let one = try RemoteTests.Machine("one")
    try one.pushTwoStates(to: place.url, plain: true)
    // Another machine, which has nothing of it and so asks for all.
    let two = try RepositoryFixture()
    func copyRemote() throws -> DirectoryObjects {
      let script = "rm -rf \"$1/copy\" && mkdir \"$1/copy\" && cp -a \"$1/remote\" \"$1/copy/remote\""
      #expect(try Launch(["sh", "-c", script, "sh", place.path]).status == 0)
      return DirectoryObjects(path: "\(place.path)/copy/remote".bytes)
    }
    let first = ServedObjects.access(to: try copyRemote(), host: "two")
    var plain = RemoteAddOptions()
    plain.isPlain = true
    _ = try two.repository.addRemote("origin", try RemoteURL("ssh://elsewhere/remote"), plain, access: first)
    _ = try one.repository.deleteRemoteStates(["origin/v1"], access: one.access)
    try place.passDays(2)
    #expect(try one.repository.collectRemoteGarbage(on: "origin", access: one.access).marked.packs == 1)
    let mark = try #require(try place.files("marks").first)
    var bytes = try place.objects("marks").read(mark.bytes)
    bytes[bytes.count - 1] ^= 1
    try place.objects("marks").write(mark.bytes, bytes)

    var failed = 0
    for number in 1...500 {
      let copy = try copyRemote()
      let objects = FailingObjects(copy, at: number)
      let error = failure { () throws(RepositoryError) in
        _ = try two.repository.verifyRemote(
          "origin", VerifyOptions(readPercent: 0), repairs: true, access: ServedObjects.access(to: objects, host: "two")
        )
      }
      if objects.reads.withLock({ $0 }) < number {
        #expect(error == nil)
        break
      }
      failed += error == nil ? 0 : 1
      var summary: RemoteCollectionSummary?
      let left = failure { () throws(RepositoryError) in
        summary = try two.repository.collectRemoteGarbage(
          on: "origin", isDryRun: true, access: ServedObjects.access(to: copy, host: "two"))
      }
      // The mark that is damaged has been replaced, or nobody goes by it.
      #expect(left == nil ? summary?.kept.packs == 0 : left?.code == .damaged, "read \(number): \(error) \(left)")
    }
    #expect(failed > 3)
  }
}
