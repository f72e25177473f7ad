// Stores mementos in UserDefaults, for programs that keep their settings there.

public import Foundation
public import MementoPattern

/// Stores mementos in `UserDefaults`, as one dictionary under one key. It maps each state name to canonical JSON text,
/// because a property list alone does not restore every type exactly. No method throws: `lastError` has the error of
/// the last save.
@dynamicMemberLookup
public struct PropertyListCaretaker: CodableCaretaker {
  private let defaults: UserDefaults
  private let key: String

  /// The error of the last `save`; nil when that save succeeded.
  public private(set) var lastError: (any Error)?

  /// `key` is the key in `defaults` of the dictionary with the states.
  public init(defaults: UserDefaults = .standard, key: String = "mementos") {
    self.defaults = defaults
    self.key = key
  }

  private var texts: [String: String] {
    defaults.dictionary(forKey: key)?.compactMapValues { $0 as? String } ?? [:]
  }

  /// The names of all states, each with its place in the defaults: `mementos.NAME`.
  public var states: [String: String] {
    Dictionary(uniqueKeysWithValues: texts.keys.map { ($0, "\(key).\($0)") })
  }

  /// Stores a memento under a name. When its data cannot be stored, `lastError` is set and the stored states stay
  /// unchanged.
  public mutating func save<T: Memento>(memento: T, for stateName: String) {
    keep(stateName) { try ValueForms.bytes(memento) }
  }

  /// Stores a value under a name. When it cannot be encoded, `lastError` is set and the stored states stay unchanged.
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

  /// The memento of a state. nil when there is no such state, or when `T` does not accept its data.
  public func restore<T: Memento>(state: String) -> T? {
    texts[state].flatMap { ValueForms.memento(Array($0.utf8)) }
  }

  /// The value of a state. nil when there is no such state, or when the value does not decode as `T`.
  public func restore<T: Decodable>(_ type: T.Type, state: String) -> T? {
    // The signature has no way to report an error. A value of another shape is the only one possible.
    texts[state].flatMap { try? ValueForms.value(type, Array($0.utf8), state: state) }
  }

  /// Removes a state if it exists.
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
