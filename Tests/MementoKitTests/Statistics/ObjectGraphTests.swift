import MementoStore
import TestSupport
import Testing

@testable import MementoKit

struct ObjectGraphTests {
  @Test(arguments: [
    ("a.txt", "txt"), ("a.TXT", "txt"), ("a.tar.gz", "gz"), (".profile", ""), ("..x", ""), ("a.", ""), ("a", ""),
    (".a.b", "b"), ("x.averyveryverylongend", ""), ("é.É", "É"),
  ])
  func kindsAreTheEndsOfNames(_ name: String, _ kind: String) {
    #expect(ObjectGraph.kind(of: name.bytes) == kind.bytes)
  }

  /// Everything that gc would keep for a snapshot is below it in the graph, and nothing else.
  @Test func theGraphHasWhatTheWalkMeets() throws {
    let shop = try RepositoryFixture()
    try shop.folder.write("large.bin".bytes, Content.random(3_000_000, seed: 1))
    try shop.folder.makeFolder("many".bytes)
    for number in 0..<3000 { try shop.folder.write("many/file-\(number)".bytes, "\(number)".bytes) }
    let one = try shop.save("one").snapshot.id.object
    try shop.folder.write("many/file-7".bytes, "x".bytes)
    let two = try shop.save("two").snapshot.id.object
    let repository = try shop.reopened()
    for id in [one, two] {
      var needed = Reachability(repository)
      try needed.add(id)
      var walker = SnapshotWalker(repository.store, monitor: SilentMonitor(), visitor: ObjectGraph())
      _ = try walker.walk(one)
      _ = try walker.walk(two)
      let graph = walker.visitor
      var found: Set<ObjectID> = []
      var seen = Set<Int>()
      graph.spread(from: try #require(graph.number(of: id))) { object in
        found.insert(graph.objects.ids[object])
        return seen.insert(object).inserted
      }
      #expect(found == Set((0..<needed.needed.count).map { needed.needed.ids[$0] }))
      #expect(graph.faults == 0)
    }
  }

  @Test func cyclesEnd() {
    var graph = ObjectGraph()
    let ids = (0..<3).map { ObjectID(hashing: [$0]) }
    for number in 0..<3 { graph.visit(piece: ids[(number + 1) % 3], of: ids[number]) }
    var holders = ObjectHolders(count: graph.count)
    holders.add(.chosen, holder: 0, from: 0, in: graph)
    holders.add(.timeline, holder: nil, from: 1, in: graph)
    holders.add(.chosen, holder: 1, from: 2, in: graph)
    for object in 0..<3 {
      #expect(holders.onlyHolder(of: object) == nil && holders.marks(of: object) == [.chosen, .timeline])
    }
  }
}
