// The names as people see them: a name with several values becomes NAME, NAME@host, NAME@host-2.

package import MementoModel

/// A name as it is shown, with the values behind it: several when several writers have moved it to the same snapshot.
package struct ShownName: Equatable, Sendable {
  /// The text that is shown: `name`, or `name@host`.
  package let text: String
  /// The name in the table.
  package let name: RefName
  /// In the order in which they are shown. Never empty, all of one snapshot.
  package let values: [NameValue]
  /// Whether the name has other values, too.
  package let isConflict: Bool

  package var value: NameValue { values[0] }
  package var snapshot: ObjectID { values[0].snapshot }
  package var dots: [Dot] { values.map(\.dot) }
}

/// All names of a table as they are shown. Every reader of the same table shows the same.
package struct ShownNames: Equatable, Sendable, RandomAccessCollection {
  /// In the order of the bytes of `text`.
  private let list: [ShownName]
  private let places: [[UInt8]: Int]

  package init(_ table: NameTable) {
    let names = table.names.keys
    var taken = Set(names.map(\.bytes))
    var list: [ShownName] = []
    for name in names {
      let groups = ShownNames.groups(table[name])
      for (index, values) in groups.enumerated() {
        let text = index == 0 ? name.text : ShownNames.text(name, host: values[0].host, besides: &taken)
        list.append(ShownName(text: text, name: name, values: values, isConflict: groups.count > 1))
      }
    }
    self.list = list.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    places = Dictionary(uniqueKeysWithValues: self.list.enumerated().map { (Array($1.text.utf8), $0) })
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { list.count }
  package subscript(index: Int) -> ShownName { list[index] }

  /// The name that is shown as `text`. Nil when there is none.
  package subscript(text: String) -> ShownName? { places[Array(text.utf8)].map { list[$0] } }

  /// All that a name is shown as. The first one has the name itself.
  package func all(of name: RefName) -> [ShownName] {
    list.filter { $0.name == name }.sorted { NameValue.isShownBefore($0.value, $1.value) }
  }

  /// The values of one snapshot each, in the order in which they are shown.
  private static func groups(_ values: [NameValue]) -> [[NameValue]] {
    var places: [ObjectID: Int] = [:]
    var groups: [[NameValue]] = []
    for value in values {
      if let place = places[value.snapshot] {
        groups[place].append(value)
      } else {
        places[value.snapshot] = groups.count
        groups.append([value])
      }
    }
    return groups
  }

  private static func text(_ name: RefName, host: String, besides taken: inout Set<[UInt8]>) -> String {
    let text = "\(name.text)@\(word(host))"
    var number = 1
    while true {
      let candidate = number == 1 ? text : "\(text)-\(number)"
      if taken.insert(Array(candidate.utf8)).inserted { return candidate }
      number += 1
    }
  }

  /// A host as a part of a name: letters, digits, dots and hyphens.
  static func word(_ host: String) -> String {
    let bytes = host.utf8.prefix(64).map { byte -> UInt8 in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
        || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      return isPlain ? byte : UInt8(ascii: "-")
    }
    return bytes.isEmpty ? "unknown" : String(decoding: bytes, as: UTF8.self)
  }
}
