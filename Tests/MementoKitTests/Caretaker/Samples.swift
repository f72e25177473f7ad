// Types as programs have them.

import FoundationEssentials
import MementoKit

struct User: Memento, Equatable, Codable {
  var name: String
  var age: Int

  init(name: String, age: Int) {
    self.name = name
    self.age = age
  }

  var data: [String: Any] { ["name": name, "age": age] }

  init?(data: [String: Any]) {
    guard let name = data["name"] as? String, let age = data["age"] as? Int else { return nil }
    self.init(name: name, age: age)
  }
}

struct Animal: Memento, Equatable {
  var species: String
  var legs: Int
  var tame: Bool

  init(species: String, legs: Int, tame: Bool) {
    self.species = species
    self.legs = legs
    self.tame = tame
  }

  var data: [String: Any] { ["species": species, "legs": legs, "tame": tame] }

  init?(data: [String: Any]) {
    guard let species = data["species"] as? String, let legs = data["legs"] as? Int, let tame = data["tame"] as? Bool
    else { return nil }
    self.init(species: species, legs: legs, tame: tame)
  }
}

/// A memento with any data.
struct Parts: Memento {
  var data: [String: Any]

  init(_ data: [String: Any]) {
    self.data = data
  }

  init?(data: [String: Any]) {
    self.data = data
  }
}

struct Album: Codable, Equatable {
  var title: String
  var artist: String
  var year: Int
}
