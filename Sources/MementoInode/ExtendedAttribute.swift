// An extended attribute, the same type on every system.

/// An extended attribute. Its name and its value are bytes.
package struct ExtendedAttribute: Hashable, Sendable {
  package let name: [UInt8]
  package let value: [UInt8]

  package init(name: [UInt8], value: [UInt8]) {
    self.name = name
    self.value = value
  }
}
