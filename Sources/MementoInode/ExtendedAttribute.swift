// What extended attributes are, on every system.

/// One extended attribute: name and value, both bytes.
package struct ExtendedAttribute: Hashable, Sendable {
  package let name: [UInt8]
  package let value: [UInt8]

  package init(name: [UInt8], value: [UInt8]) {
    self.name = name
    self.value = value
  }
}
