// The items of a plan, in memory and in a file.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct PlanItemsTests {
  let shop: RepositoryFixture

  init() throws {
    shop = try RepositoryFixture()
  }

  /// Where the items are kept.
  enum Place: CaseIterable, Sendable {
    case memory
    case file
    /// The file cannot be made.
    case refused
  }

  private func items(_ place: Place) -> PlanItems {
    let worktree = shop.repository.worktree
    switch place {
    case .memory: return PlanItems()
    case .file: return PlanItems(heldInMemory: 0) { () throws(Errno) in try worktree.makeUnnamed("plan") }
    case .refused: return PlanItems(heldInMemory: 0) { () throws(Errno) in throw .noSpace }
    }
  }

  private static let actions: [RestoreAction.Kind] = [.create, .replace, .remove, .metadata]

  private func item(_ number: Int) -> PlanItem {
    let entry = TreeEntry.file("file \(number)", "content \(number)".bytes)
    let other = TreeEntry.file("file \(number)", number % 3 == 0 ? [] : "other \(number)".bytes)
    switch PlanItemsTests.actions[number % 4] {
    case .create: return PlanItem(directory: number / 100, action: .create, new: entry)
    case .remove: return PlanItem(directory: number / 100, action: .remove, old: entry)
    case let action: return PlanItem(directory: number / 100, action: action, old: entry, new: other)
    }
  }

  private func read(_ items: PlanItems, _ actions: PlanItems.Actions = .all) throws -> [PlanItem] {
    var result: [PlanItem] = []
    try items.forEach(actions) { (item) throws(RepositoryError) in result.append(item) }
    return result
  }

  @Test(arguments: Place.allCases, [0, 1, 20_000])
  func areReadAsTheyWereAdded(_ place: Place, _ count: Int) throws {
    var items = items(place)
    for number in 0..<count {
      let given = items.append(item(number))
      if given != number { Issue.record("\(given) in place of \(number)") }
    }
    #expect(items.count == count)
    #expect(items.isEmpty == (count == 0))
    // Reads the items twice, the second time from a copy.
    _ = try read(items)
    let copy = items
    let found = try read(copy)
    #expect(found.count == count)
    for (number, item) in found.enumerated() {
      let expected = self.item(number)
      guard item.number == number, item.directory == expected.directory, item.action == expected.action,
        item.old == expected.old, item.new == expected.new, item.linkOf == nil
      else {
        Issue.record("item \(number) differs")
        return
      }
    }
    // The file disappears with the plan, and has no name before.
    #expect(try shop.storeFolder.folder("tmp").names() == [])
  }

  @Test(arguments: Place.allCases)
  func areChosenByAction(_ place: Place) throws {
    var items = items(place)
    for number in 0..<8000 { items.append(item(number)) }
    #expect(try read(items, .remove).map(\.number) == Array(stride(from: 2, to: 8000, by: 4)))
    #expect(try read(items, .made).allSatisfy { $0.isMade })
    #expect(try read(items, .content).count == 6000)
    #expect(try read(items, []).isEmpty)
  }

  @Test(arguments: Place.allCases)
  func areChangedAfterwards(_ place: Place) throws {
    var items = items(place)
    for number in 0..<8000 { items.append(item(number)) }
    #expect(!items.hasLinks)
    items.setAction(.replace, of: 3)
    items.setAction(.replace, of: 7)
    items.link(7, to: 3, action: .replace)
    items.link(4, to: 0, action: .create)
    items.remove(try #require(try read(items).last))
    #expect(items.hasLinks)
    #expect(items.count == 7999)
    let found = try read(items)
    #expect(found.count == 7999)
    #expect(found.last?.number == 7998)
    #expect(found[3].action == .replace)
    #expect(found[3].isMade)
    #expect(found[7].action == .replace)
    #expect(found[7].linkOf == 3)
    #expect(!found[7].isMade)
    #expect(found[4].linkOf == 0)
    #expect(found[4].action == .create)
    #expect(try read(items, .metadata).first?.number == 11)
    let last = items.append(item(8000))
    #expect(last == 8000)
    #expect(try read(items).last?.number == 8000)
  }

  /// When the file cannot be read completely, the plan must fail instead of being shorter.
  @Test func aFileThatIsCutIsNoPlan() throws {
    let made = try shop.repository.worktree.makeUnnamed("plan")
    var items = PlanItems(heldInMemory: 0) { () throws(Errno) in made }
    for number in 0..<20_000 { items.append(item(number)) }
    #expect(try read(items).count == 20_000)
    try made.descriptor.truncate(to: 100)
    #expect(throws: RepositoryError.self) { try read(items) }
  }
}
