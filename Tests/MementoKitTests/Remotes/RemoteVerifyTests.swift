// What a check of a remote finds although nobody needs it yet: it is missed when the rest is lost.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteVerifyTests {
  private let place: RemotePlace
  private let one: RemoteTests.Machine

  init() throws {
    place = try RemotePlace()
    one = try RemoteTests.Machine("one")
  }

  private func verify(repairs: Bool = false, percent: Double = 0) throws -> [String] {
    let report = try one.repository.verifyRemote(
      "origin", VerifyOptions(readPercent: percent), repairs: repairs, access: one.access)
    return report.report.damage.map(\.message)
  }

  private func clone() throws {
    _ = try Repository.clone(
      place.url, to: BytePath("\(place.path)/clone".bytes), options: RepositoryFixture.quick,
      access: RemoteTests.access("two", "correct horse".bytes))
    try place.folder.descriptor.removeTree("clone".bytes)
  }

  /// Whoever has been here before asks for no founder, and a clone for nothing else.
  @Test(arguments: ["", "rubbish", "format/0123456789abcdef0123456789abcdef"])
  func whatLeadsToTheRepository(_ text: String) throws {
    try one.pushTwoStates(to: place.url, plain: false)
    #expect(try verify().isEmpty)
    let founder = try #require(try place.files("format").first { $0 == "founder" })
    try place.objects("format").write(founder.bytes, text.bytes)
    if text.hasPrefix("format/") {
      try place.objects("").write(text.bytes, try place.objects("format").read(place.files("format")[0].bytes))
    }
    let found = try verify()
    #expect(found.count == 1 && found[0].contains("format/founder"), "\(found)")
    #expect(throws: RepositoryError.self) { try clone() }
    #expect(try verify(repairs: true).isEmpty)
    try clone()
  }

  /// The recovery key is needed on the day when the passphrase is lost.
  @Test func aKeyThatNobodyUses() throws {
    try one.pushTwoStates(to: place.url, plain: false)
    let slots = try place.files("keys")
    #expect(slots.count == 2)
    var found: [[String]] = []
    for slot in slots {
      let whole = try place.objects("keys").read(slot.bytes)
      try place.objects("keys").write(slot.bytes, Array(whole.dropLast(9)))
      do {
        found.append(try verify())
      } catch let error as RepositoryError {
        // The one of the passphrase.
        #expect(error.code == .damaged && error.message.contains("keys/"), "\(error)")
      }
      try place.objects("keys").write(slot.bytes, whole)
    }
    #expect(found.count == 1 && found[0].count == 1 && found[0][0].contains("keys/"), "\(found)")
    #expect(try verify().isEmpty)
  }

  /// An index says what the header of a pack does, until it is lost.
  @Test(arguments: [2, 30])
  func theHeaderOfAPack(_ byte: Int) throws {
    try one.pushTwoStates(to: place.url, plain: false)
    for pack in try place.files("packs") {
      var bytes = try place.objects("packs").read(pack.bytes)
      bytes[byte] ^= 4
      try place.objects("packs").write(pack.bytes, bytes)
    }
    #expect(try verify().isEmpty)
    let found = try verify(percent: 100)
    #expect(found.count == 2 && found.allSatisfy { $0.hasPrefix("packs/") }, "\(found)")
    #expect(try verify(repairs: true, percent: 100).isEmpty)
    #expect(try verify(percent: 100).isEmpty)
    // With the indexes lost, the packs say what they hold.
    for index in try place.files("index") {
      let bytes = try place.objects("index").read(index.bytes)
      try place.objects("index").write(index.bytes, Array(bytes.dropLast()))
    }
    #expect(try verify(repairs: true).isEmpty)
    try clone()
  }

  /// A plain index says nothing of its name: whoever has read the right one sees that it is another one now.
  @Test func anIndexInThePlaceOfAnother() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    let indexes = try place.files("index")
    #expect(indexes.count == 2)
    let second = try place.objects("index").read(indexes[1].bytes)
    try place.objects("index").write(indexes[0].bytes, second)
    let found = try verify()
    #expect(found.contains { $0.contains("index/") }, "\(found)")
    #expect(try verify(repairs: true).isEmpty)
    try clone()
  }

  /// Nothing here is damaged, and the next command is not sent to look here.
  @Test func whatIsWrongThereIsSaidOfTheRemote() throws {
    try one.pushTwoStates(to: place.url, plain: true)
    let two = try RemoteTests.Machine("two")
    try two.add(place.url)
    _ = try two.repository.restore("origin/v1", to: BytePath("\(place.path)/first"), access: two.access)
    for pack in try place.files("packs") { try place.objects("packs").remove(pack.bytes) }
    for name in ["first", "second"] {
      do {
        _ = try two.repository.restore("origin/v1", to: BytePath("\(place.path)/\(name)2"), access: two.access)
        Issue.record("restored without packs")
      } catch {
        #expect(error.code == .damaged && error.reason == .damageAtRemote, "\(error)")
      }
    }
  }
}
