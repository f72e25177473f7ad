// A program that uses a store for a long time must not collect open descriptors.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

@Suite(.serialized) struct DescriptorTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
    try shop.write("a/b/c/file", "a/other", "top")
    try shop.save("one")
    try shop.write("a/b/more")
    try shop.save("two")
  }

  /// How many open descriptors lead into the folders of this fixture.
  private var open: Int {
    get throws {
      let place = shop.directory.path
      let links = try Launch(["sh", "-c", "ls -l /proc/$PPID/fd"]).output
      return links.split(separator: "\n").filter { $0.contains(place) }.count
    }
  }

  @Test(arguments: [
    "find", "save", "restore", "part", "to", "undo", "status", "diff", "log", "list", "show", "gc", "verify", "value",
    "discard",
  ])
  func operationsGiveBackWhatTheyOpen(_ operation: String) throws {
    let place = BytePath(shop.folder.path)
    func once(_ number: Int) throws {
      let repository = try Repository.find(from: place, options: RepositoryFixture.quick)
      switch operation {
      case "save":
        try shop.folder.write("changing".bytes, "\(number)".bytes)
        _ = try repository.save(SaveOptions())
      case "restore": _ = try repository.restore(number % 2 == 0 ? "one" : "two", RestoreOptions())
      case "discard":
        var options = RestoreOptions()
        options.discard = true
        try shop.folder.write("changing".bytes, "\(number)".bytes)
        _ = try repository.restore(number % 2 == 0 ? "one" : "two", options)
      case "part":
        var options = RestoreOptions()
        options.paths = [BytePath("a/b")]
        try? shop.folder.remove("a/b/more".bytes)
        _ = try repository.restore("two", options)
      case "to": _ = try repository.restore("two", to: BytePath("\(shop.directory.path)/to-\(number)"))
      case "undo": _ = number % 2 == 0 ? try repository.undo() : try repository.redo()
      case "status": _ = try repository.status()
      case "diff":
        let (one, two) = (try repository.snapshot("one").id, try repository.snapshot("two").id)
        _ = try repository.countChanges(from: one, to: two)
      case "log": _ = try repository.log()
      case "list": _ = try repository.states()
      case "show": _ = try repository.details(of: "one")
      case "gc": _ = try repository.collectGarbage()
      case "verify": _ = try repository.verify(readData: true)
      case "value":
        try repository.saveValues([NamedValue(name: "v", bytes: "\(number)".bytes)])
        _ = try repository.content(ofState: "v")
      default: break
      }
    }
    for number in 0..<4 { try once(number) }
    let before = try open
    for number in 4..<12 { try once(number) }
    let after = try open
    #expect(after <= before, "\(operation): \(after - before) of 8 calls stay open")
  }
}
