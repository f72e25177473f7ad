// What the owner of a sealed remote can read in it and change in it.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct SealedRemoteTests {
  private let place: RemotePlace

  init() throws { place = try RemotePlace() }
  /// Nothing that people know stands in a sealed remote.
  @Test func aSealedRemoteTellsNothing() throws {
    let one = try RemoteTests.Machine("one")
    try one.add(place.url)
    try one.write("very-secret-name", "very secret content, which is long enough")
    let id = try one.save("state-of-mind")
    try one.push()
    let remote = FolderTools("\(place.path)/remote".bytes)
    for path in try RemoteTests.files(remote) {
      let bytes = try remote.read(path)
      for word in ["very-secret-name", "very secret content", "state-of-mind", "\(id)"] {
        #expect(bytes.firstRange(of: word.bytes) == nil, "\(String(decoding: path, as: UTF8.self))")
        #expect(path.firstRange(of: word.bytes) == nil)
      }
    }
  }

  /// What is changed anywhere is noticed, or does not matter.
  @Test func noByteOfASealedRemoteCanBeChanged() throws {
    let one = try RemoteTests.Machine("one")
    try one.add(place.url)
    try one.write("a", "content of a")
    try one.write("b", "content of b")
    try one.save("x")
    try one.push()
    let expected = try one.fixture.state
    let url = place.url
    let remote = FolderTools("\(place.path)/remote".bytes)
    for path in try RemoteTests.files(remote) {
      let bytes = try remote.read(path)
      for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 6)) {
        try remote.write(path, Content.flipping(bytes, bit: 8 * place + place % 8))
        let folder = try TemporaryDirectory()
        let clone = BytePath(folder.path.bytes + "/clone".bytes)
        do {
          _ = try Repository.clone(
            url, to: clone, options: RepositoryFixture.quick, access: RemoteTests.access("two", "correct horse".bytes))
          let made = try Manifest(FolderTools(clone.bytes))
          #expect(made.differences(from: expected).isEmpty, "\(String(decoding: path, as: UTF8.self)) \(place)")
        } catch let error as RepositoryError {
          #expect([.damaged, .denied, .newerFormat, .noStore].contains(error.code), "\(error)")
        }
      }
      try remote.write(path, bytes)
    }
  }
}
