import Foundation
import MementoDefaults
import MementoPattern
import Testing

private struct User: Memento, Codable, Equatable {
  var name: String
  var age: Int
  var data: [String: Any] { ["name": name, "age": age] }

  init(name: String, age: Int) {
    self.name = name
    self.age = age
  }

  init?(data: [String: Any]) {
    guard let name = data["name"] as? String, let age = data["age"] as? Int else { return nil }
    self.init(name: name, age: age)
  }
}

private struct Parts: Memento {
  var data: [String: Any]
  init(_ data: [String: Any]) { self.data = data }
  init?(data: [String: Any]) { self.data = data }
}

/// Defaults of their own that leave nothing behind.
private final class Scratch {
  let name = "memento-test-\(UUID().uuidString)"
  let defaults: UserDefaults

  init() throws {
    defaults = try #require(UserDefaults(suiteName: name))
  }

  deinit {
    UserDefaults.standard.removePersistentDomain(forName: name)
  }
}

@Suite struct PropertyListCaretakerTests {
  @Test func keepsWithoutThrowing() throws {
    let scratch = try Scratch()
    var caretaker = PropertyListCaretaker(defaults: scratch.defaults)
    let user = User(name: "Ada", age: 36)
    caretaker.save(memento: user, for: "defaultUser")
    #expect(caretaker.restore(state: "defaultUser") == user)
    #expect(caretaker.defaultUser as User? == user)
    #expect(caretaker.states == ["defaultUser": "mementos.defaultUser"])
    let another = PropertyListCaretaker(defaults: scratch.defaults)
    #expect(another.defaultUser as User? == user)
    caretaker.delete(state: "defaultUser")
    caretaker.delete(state: "defaultUser")
    #expect(caretaker.states.isEmpty && another.defaultUser as User? == nil)
  }

  @Test func typesComeBackExactly() throws {
    let scratch = try Scratch()
    var caretaker = PropertyListCaretaker(defaults: scratch.defaults)
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000.123456)
    caretaker.save(
      memento: Parts([
        "i": Int64.min, "u": UInt64.max, "d": -0.0, "five": 5.0, "b": true, "data": Data([0, 255]), "date": date,
        "list": [1, "x", ["y": 2.5]] as [Any], "text": "👩‍👩‍👧‍👦",
      ]), for: "all")
    let back = try #require(caretaker.all as Parts?).data
    #expect(back["i"] as? Int64 == .min && back["u"] as? UInt64 == .max)
    #expect((back["d"] as? Double)?.sign == .minus && back["five"] as? Double == 5 && back["b"] as? Bool == true)
    #expect(back["data"] as? Data == Data([0, 255]) && back["date"] as? Date == date)
    #expect((back["list"] as? [Any])?.count == 3 && back["text"] as? String == "👩‍👩‍👧‍👦")
  }

  @Test func whatCannotBeKeptIsSaid() throws {
    let scratch = try Scratch()
    var caretaker = PropertyListCaretaker(defaults: scratch.defaults)
    caretaker.save(memento: Parts(["x": URL(filePath: "/")]), for: "bad")
    #expect(caretaker.lastError as? CaretakerError == .unsupportedType("URL", keyPath: "x"))
    #expect(caretaker.states.isEmpty)
    caretaker.save([1], for: "good")
    #expect(caretaker.lastError == nil)
    #expect(caretaker.restore([Int].self, state: "good") == [1])
    #expect(caretaker.restore([String].self, state: "good") == nil)
  }

  @Test func worksAsAnyCaretaker() throws {
    func fill(_ caretaker: inout some Caretaker) throws {
      try caretaker.save(memento: User(name: "Ada", age: 1), for: "a")
      try caretaker.delete(state: "a")
      try caretaker.save(memento: User(name: "Bob", age: 2), for: "b")
    }
    let scratch = try Scratch()
    var caretaker = PropertyListCaretaker(defaults: scratch.defaults, key: "elsewhere")
    try fill(&caretaker)
    #expect(caretaker.states == ["b": "elsewhere.b"])
  }
}
