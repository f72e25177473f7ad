import MementoSystem
import TestSupport
import Testing

struct ExtendedAttributesTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func named(_ name: String) throws -> [ExtendedAttribute] {
    try folder.descriptor.extendedAttributes(of: name.bytes)
  }

  private func opened(_ name: String) throws -> [ExtendedAttribute] {
    try folder.descriptor.open(name.bytes, .read).extendedAttributes()
  }

  static let values: [[UInt8]] = [
    [], [0], "text".bytes, Content.random(255, seed: 1), Content.random(256, seed: 2),
    Content.random(257, seed: 3), Content.random(2048, seed: 4), Content.random(3500, seed: 5),
  ]

  @Test(arguments: values)
  func keepsValuesOfFiles(_ value: [UInt8]) throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    let attribute = ExtendedAttribute(name: "user.test".bytes, value: value)
    try file.setExtendedAttribute(attribute)
    #expect(try opened("file") == [attribute])
    #expect(try named("file") == [attribute])
    try file.removeExtendedAttribute("user.test".bytes)
    #expect(try opened("file").isEmpty)
  }

  @Test func keepsValuesOfFolders() throws {
    try folder.descriptor.makeDirectory("inner".bytes)
    let inner = try folder.descriptor.open("inner".bytes, .directory)
    let attributes = [
      ExtendedAttribute(name: "user.a".bytes, value: "1".bytes),
      ExtendedAttribute(name: "user.b".bytes, value: "2".bytes),
    ]
    for attribute in attributes.reversed() { try inner.setExtendedAttribute(attribute) }
    #expect(try opened("inner") == attributes)
  }

  @Test func sortsManyByName() throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    // The names alone are longer than the first buffer.
    let attributes = (0..<30).map { index in
      ExtendedAttribute(name: "user.a-rather-long-name-\(index)".bytes, value: "\(index)".bytes)
    }
    for attribute in attributes { try file.setExtendedAttribute(attribute) }
    let expected = attributes.sorted { $0.name.lexicographicallyPrecedes($1.name) }
    #expect(try opened("file") == expected)
  }

  @Test func setByNameAndReplaced() throws {
    try folder.write("file", [])
    let name = "user.test".bytes
    for value in ["long value".bytes, "short".bytes] {
      try folder.descriptor.setExtendedAttribute(
        ExtendedAttribute(name: name, value: value), of: "file".bytes)
    }
    let expected = [ExtendedAttribute(name: name, value: "short".bytes)]
    #expect(try named("file") == expected)
    try folder.descriptor.removeExtendedAttribute(name, of: "file".bytes)
    #expect(try named("file").isEmpty)
  }

  @Test func thoseOfALinkAreNotThoseOfItsTarget() throws {
    try folder.write("file", [])
    try folder.descriptor.setExtendedAttribute(
      ExtendedAttribute(name: "user.test".bytes, value: "x".bytes), of: "file".bytes)
    try folder.descriptor.makeSymbolicLink("link".bytes, target: "file".bytes)
    #expect(try named("link").isEmpty)
  }

  @Test func refusesWhatTheKernelRefuses() throws {
    try folder.write("file", [])
    let file = try folder.descriptor.open("file".bytes, .read)
    #expect(throws: Errno.self) { try file.removeExtendedAttribute("user.none".bytes) }
    #expect(throws: Errno.notSupported) {
      try file.setExtendedAttribute(ExtendedAttribute(name: "noprefix".bytes, value: []))
    }
    #expect(throws: Errno.invalid) {
      try file.setExtendedAttribute(ExtendedAttribute(name: "user.a\0b".bytes, value: []))
    }
    #expect(try opened("file").isEmpty)
  }
}
