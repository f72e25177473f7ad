// A JSON value of any form. Members keep their order, and numbers the way in which they were written.

indirect enum JSONNode: Hashable, Sendable {
  struct Member: Hashable, Sendable {
    let name: String
    var value: JSONNode
  }

  case null
  case bool(Bool)
  case number(String)
  case text(String)
  case list([JSONNode])
  case object([Member])
}

extension JSONNode {
  /// The value of a member; nil when this is no object or has no such member. Of several with one name the last counts.
  subscript(_ name: String) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }

  var bool: Bool? {
    if case .bool(let bool) = self { return bool }
    return nil
  }

  /// Nil for a number with a fraction, and for one that is too large.
  var integer: Int? {
    if case .number(let literal) = self { return Int(literal) }
    return nil
  }

  var list: [JSONNode]? {
    if case .list(let list) = self { return list }
    return nil
  }

  var members: [Member]? {
    if case .object(let members) = self { return members }
    return nil
  }

  /// This object with a member set: in the place that it had, or at the end.
  func setting(_ name: String, _ value: JSONNode) -> JSONNode {
    guard case .object(var members) = self else { return self }
    if let index = members.lastIndex(where: { $0.name == name }) {
      members[index].value = value
    } else {
      members.append(Member(name: name, value: value))
    }
    return .object(members)
  }
}

extension JSONNode: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(String(value)) }
  init(arrayLiteral elements: JSONNode...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, JSONNode)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }
}
