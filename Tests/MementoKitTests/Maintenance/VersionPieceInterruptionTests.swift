// Saves put versions of a file side by side, and something else happens between two pieces. Nothing is lost, and the
// versions come side by side all the same.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

extension VersionPieceTests {
  enum Interruption: CaseIterable {
    case gcByHand
    case savedAgain
    case turnedOff
    case damagedNotes
    case earlierVersion
  }

  private static let versions = 0..<25
  /// Contents that have expired when the collection begins, each in a pack.
  private static let expired = 0..<6

  private func expired(_ number: Int) -> [UInt8] { Content.random(5000, seed: UInt64(500 + number)) }

  /// `piece`: after so many pieces of the part that writes and removes packs.
  @Test(arguments: Interruption.allCases, 1...3) func between(_ interruption: Interruption, piece: Int) throws {
    try configure("keep = 0s, 5\n")
    ticks.set(save: 1_000_000_000, step: 200_000_000)
    for number in VersionPieceTests.expired {
      try shop.folder.write("again\(number)".bytes, expired(number))
      try open().save()
      try shop.folder.remove("again\(number)".bytes)
    }
    try saveVersions(VersionPieceTests.versions)
    var pieces = 0
    var before: [UInt8] = []
    var number = 0
    while number < 900 {
      try saveOthers(number..<(number + 1))
      number += 1
      let notes = (try? shop.storeFolder.read("cache/mark".bytes)) ?? []
      let phase = SpreadCollection(notes)?.header.phase
      if phase == .sweeping, notes != before {
        pieces += 1
        if pieces == piece { try interrupt(interruption, notes) }
      }
      before = notes
      if pieces >= piece, phase == .idle, try sorted().blobs.count >= 15 { break }
    }
    #expect(pieces >= piece && number < 900)
    try expectVersions(VersionPieceTests.versions)
    if interruption == .savedAgain {
      for number in VersionPieceTests.expired {
        try shop.directory.write("written", [])
        let output = try shop.directory.descriptor.open("written".bytes, .readWrite)
        try shop.reopened().write(Revision("again"), path: BytePath("again\(number)"), to: output.raw)
        #expect(try shop.directory.read("written") == expired(number))
      }
    }
  }

  private func interrupt(_ interruption: Interruption, _ notes: [UInt8]) throws {
    switch interruption {
    case .gcByHand:
      _ = try shop.reopened().collectGarbage()
    case .savedAgain:
      // The packs that hold these are about to be removed, or are gone.
      for number in VersionPieceTests.expired { try shop.folder.write("again\(number)".bytes, expired(number)) }
      try shop.folder.write("file".bytes, version(3))
      try open().save(SaveOptions(name: "again"))
    case .turnedOff:
      let config = try shop.storeFolder.read("config".bytes)
      try configure("auto-gc = false\n")
      try saveOthers(2000..<2010)
      #expect(try shop.storeFolder.read("cache/mark".bytes) == notes)
      try shop.storeFolder.write("config".bytes, config)
    case .damagedNotes:
      var damaged = notes
      damaged[notes.count / 2] ^= 4
      try shop.storeFolder.write("cache/mark".bytes, damaged)
    case .earlierVersion:
      // It leaves notes of its own form.
      let body = "memento mark 1\n\0".bytes + notes.dropLast(32).dropFirst(SpreadCollection.magic.count)
      var writer = ByteWriter()
      writer.append(body)
      writer.id(ObjectID(hashing: body))
      #expect(SpreadCollection(writer.bytes) == nil)
      try shop.storeFolder.write("cache/mark".bytes, writer.bytes)
    }
    try expectVersions(VersionPieceTests.versions)
  }
}
