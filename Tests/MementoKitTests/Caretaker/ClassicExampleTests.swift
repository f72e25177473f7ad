import FoundationEssentials
import TestSupport
import Testing

@testable import MementoKit

/// Programs that often explain the pattern.
@Suite struct ClassicExampleTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open() throws -> RepositoryCaretaker {
    try RepositoryCaretaker(at: directory.path, options: RepositoryFixture.quick)
  }

  @Test func aUserAndAnAnimal() throws {
    var user = User(name: "Andrew", age: 57)
    var animal = Animal(species: "dog", legs: 4, tame: true)
    let caretaker = try open()
    try caretaker.save(memento: user, for: "defaultUser")
    try caretaker.save(memento: animal, for: "defaultAnimal")

    user.name = "Adam"
    user.age = 3
    animal.species = "cat"
    animal.tame = false
    try caretaker.save(memento: user, for: "defaultUser01")
    try caretaker.save(memento: animal, for: "defaultAnimal01")

    user.age = 99
    animal.legs = 3
    for caretaker in [caretaker, try open()] {
      user = try #require(try caretaker.defaultUser as User?)
      #expect(user == User(name: "Andrew", age: 57))
      user = try #require(try caretaker.defaultUser01 as User?)
      #expect(user == User(name: "Adam", age: 3))
      animal = try #require(try caretaker.restore(state: "defaultAnimal"))
      #expect(animal == Animal(species: "dog", legs: 4, tame: true))
      animal = try #require(try caretaker.restore(state: "defaultAnimal01"))
      #expect(animal == Animal(species: "cat", legs: 4, tame: false))
      #expect(
        caretaker.states.keys.sorted() == ["defaultAnimal", "defaultAnimal01", "defaultUser", "defaultUser01"])
    }
  }

  struct Outfit: Codable, Equatable {
    var hat = "none"
    var face = "plain"
    var cloth = "shirt"
    var shoes = "none"
  }

  @Test func aPickerOfHatFaceClothAndShoes() throws {
    let caretaker = try open()
    let picker = try History(restoring: "outfit", from: caretaker, orStartingWith: Outfit())
    func pick(_ change: (inout Outfit) -> Void) {
      var outfit = picker.current
      change(&outfit)
      picker.save(outfit)
    }
    pick { $0.hat = "bowler" }
    pick { $0.face = "moustache" }
    pick { $0.shoes = "boots" }
    picker.undo()
    picker.undo()
    #expect(picker.current == Outfit(hat: "bowler"))
    picker.redo()
    #expect(picker.current == Outfit(hat: "bowler", face: "moustache"))
    pick { $0.cloth = "coat" }
    #expect(!picker.canRedo)
    try picker.flush()
    let later = try History(restoring: "outfit", from: open(), orStartingWith: Outfit())
    #expect(later.current == Outfit(hat: "bowler", face: "moustache", cloth: "coat"))
    later.undo()
    later.undo()
    later.undo()
    #expect(later.current == Outfit() && !later.canUndo)
  }

  /// An originator whose state changes at random.
  struct Dice: Originator {
    struct Face: Memento, Equatable {
      let pips: [Int]
      var data: [String: Any] { ["pips": pips] }
      init(_ pips: [Int]) { self.pips = pips }
      init?(data: [String: Any]) {
        guard let pips = data["pips"] as? [Int] else { return nil }
        self.pips = pips
      }
    }

    private(set) var pips = [1, 1]
    private var random = SplitMix64(seed: 6)

    mutating func roll() {
      pips = pips.map { _ in Int.random(in: 1...1000, using: &random) }
    }

    func save() -> Face { Face(pips) }
    mutating func restore(_ memento: Face) { pips = memento.pips }
  }

  @Test func threeBackupsTwoRollbacks() throws {
    let timeline = Timeline(of: Dice(), in: try open())
    var seen: [[Int]] = []
    for _ in 0..<3 {
      seen.append(timeline.originator.pips)
      try timeline.backup()
      timeline.originator.roll()
    }
    let last = timeline.originator.pips
    // The timeline shows only names and dates.
    #expect(timeline.history.map(\.name) == ["backup 1", "backup 2", "backup 3"])
    #expect(timeline.history.allSatisfy { $0.id.count == 64 && $0.date <= Date() })

    #expect(try timeline.undo())
    #expect(timeline.originator.pips == seen[2])
    #expect(try timeline.undo())
    #expect(timeline.originator.pips == seen[1])
    #expect(try timeline.redo() && timeline.redo())
    #expect(timeline.originator.pips == last)
    #expect(try !timeline.redo())
  }

  static let bundled = [Album(title: "Start", artist: "Nobody", year: 2000)]

  @Test func albumsReadAtStartUp() throws {
    struct Position: Codable, Equatable {
      var row: Int
    }
    func start() throws -> (albums: [Album], row: Int) {
      let caretaker = try open()
      let albums = try caretaker.restore([Album].self, state: "albums") ?? Self.bundled
      let row = try caretaker.restore(Position.self, state: "position")?.row ?? 0
      return (albums, row)
    }
    #expect(try start().albums == Self.bundled && start().row == 0)
    var albums = try start().albums
    albums.append(Album(title: "Blue", artist: "Mitchell", year: 1971))
    let caretaker = try open()
    try caretaker.batch { batch in
      try batch.save(albums, for: "albums")
      try batch.save(Position(row: 1), for: "position")
    }
    #expect(try start().albums == albums && start().row == 1)
  }
}
