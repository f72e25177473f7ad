// Each rescued file gets a name of its own, whatever its path is, and replaces nothing.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RescueFolderTests {
  let shop: RepositoryFixture
  let staging: StagingFolder
  let rescue: RescueFolder

  init() throws {
    shop = try RepositoryFixture()
    staging = try StagingFolder(making: shop.repository)
    rescue = try RescueFolder(shop.repository, staging)
  }

  private func keep(_ path: String, _ content: String) throws -> BytePath {
    let file = try staging.directory.descriptor.open("0".bytes, .create)
    try file.write(content.bytes)
    return try rescue.keep("0".bytes, as: BytePath(path))
  }

  private static let long = String(repeating: "n", count: 250)

  @Test(arguments: [
    ["a/b", "a+b", "a%2fb", "a%2Fb", "a%252fb", "a_b"],
    ["x/\(long)", "y/\(long)", "x%\(long)", "\(long)/\(long)/x", "\(long)/\(long)y/x"],
    ["same", "same", "same", "same.2"],
    ["%", "%%", "%25", "\u{e9}/\u{301}", "e\u{301}/", " ", "-", "\n"],
  ])
  func everyPathKeepsItsContent(_ paths: [String]) throws {
    var places: [BytePath] = []
    for (number, path) in paths.enumerated() { places.append(try keep(path, "content \(number)")) }
    #expect(Set(places).count == paths.count)
    for (number, place) in places.enumerated() {
      #expect(try FolderTools(place.bytes).read([]) == "content \(number)".bytes)
      #expect(place.components.last?.count ?? 256 <= 255)
    }
    #expect(try shop.storeFolder.folder("rescue").names().count == paths.count)
  }

  @Test func aWholeStagingFolderIsKept() throws {
    try staging.directory.descriptor.open("7".bytes, .create).write("content".bytes)
    try shop.storeFolder.makeFolder("rescue".bytes)
    try shop.storeFolder.makeFolder("rescue/\(staging.name)".bytes)
    try shop.storeFolder.write("rescue/\(staging.name)/other".bytes, "other".bytes)
    let place = try rescue.keepAll()
    #expect(try FolderTools(place.bytes).read("7".bytes) == "content".bytes)
    #expect(try shop.storeFolder.read("rescue/\(staging.name)/other".bytes) == "other".bytes)
  }
}
