// Mementos in the property list of UserDefaults, for programs that keep their settings there.

public import Foundation
public import MementoPattern

/// Keeps mementos in `UserDefaults`: one dictionary under one key, state name to canonical JSON text, so that every type comes
/// back exactly, which a property list alone cannot promise. Nothing throws; what could not be kept is in `lastError`.
@dynamicMemberLookup
public struct PropertyListCaretaker: CodableCaretaker {
  private let defaults: UserDefaults
  private let key: String

  /// Why the last `save` kept nothing; nil when it did.
  public private(set) var lastError: (any Error)?

  /// `key`: where in the defaults the states are.
  public init(defaults: UserDefaults = .standard, key: String = "mementos") {
    self.defaults = defaults
    self.key = key
  }

  private var texts: [String: String] {
    defaults.dictionary(forKey: key)?.compactMapValues { $0 as? String } ?? [:]
  }

  /// State name and the place in the defaults: `mementos.NAME`.
  public var states: [String: String] {
    Dictionary(uniqueKeysWithValues: texts.keys.map { ($0, "\(key).\($0)") })
  }

  /// Keeps a memento under a name; data that cannot be kept is in `lastError`.
  public mutating func save<T: Memento>(memento: T, for stateName: String) {
    keep(stateName) { try ValueForms.bytes(memento) }
  }

  /// Keeps a value under a name; one that cannot be encoded is in `lastError`.
  public mutating func save<T: Encodable>(_ value: T, for stateName: String) {
    keep(stateName) { try ValueForms.bytes(value) }
  }

  private mutating func keep(_ name: String, _ bytes: () throws -> [UInt8]) {
    do {
      var texts = texts
      texts[name] = String(decoding: try bytes(), as: UTF8.self)
      defaults.set(texts, forKey: key)
      lastError = nil
    } catch {
      lastError = error
    }
  }

  /// The memento of a state; nil when there is none, or when its data is not what `T` accepts.
  public func restore<T: Memento>(state: String) -> T? {
    texts[state].flatMap { ValueForms.memento(Array($0.utf8)) }
  }

  /// Nil also for a value of another shape.
  public func restore<T: Decodable>(_ type: T.Type, state: String) -> T? {
    // As the signature has it; there is nothing here that could fail to be read.
    texts[state].flatMap { try? ValueForms.value(type, Array($0.utf8), state: state) }
  }

  /// Forgets a state, if there is one.
  public func delete(state: String) {
    var texts = texts
    texts[state] = nil
    defaults.set(texts, forKey: key)
  }

  /// The memento of a state by its name: `let user = caretaker.defaultUser as User?`
  public subscript<T: Memento>(dynamicMember state: String) -> T? {
    restore(state: state)
  }
}
