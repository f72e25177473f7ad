// Extended attributes. They include POSIX ACLs, which Linux keeps as system.posix_acl_access and
// system.posix_acl_default.

internal import CMementoSystem

extension Descriptor {
  /// All extended attributes of the open file, sorted by name. Empty where the file system does not support them.
  package func extendedAttributes() throws(Errno) -> [ExtendedAttribute] {
    try attributes(
      list: { cs_list_attributes(raw, $0, $1) }, get: { cs_get_attribute(raw, $0, $1, $2) })
  }

  package func setExtendedAttribute(_ attribute: ExtendedAttribute) throws(Errno) {
    try withCString(attribute.name) { (name) throws(Errno) in
      let done = attribute.value.withUnsafeBytes {
        cs_set_attribute(raw, name, $0.baseAddress, $0.count)
      }
      if done != 0 { throw .current }
    }
  }

  package func removeExtendedAttribute(_ name: [UInt8]) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      if cs_remove_attribute(raw, name) != 0 { throw .current }
    }
  }

  /// All extended attributes of a name in this directory, sorted by name. For what cannot be opened: a link, fifo or
  /// device.
  package func extendedAttributes(of name: [UInt8]) throws(Errno) -> [ExtendedAttribute] {
    try withCString(name) { (name) throws(Errno) in
      try attributes(
        list: { cs_list_attributes_at(raw, name, $0, $1) },
        get: { cs_get_attribute_at(raw, name, $0, $1, $2) })
    }
  }

  package func setExtendedAttribute(
    _ attribute: ExtendedAttribute, of name: [UInt8]
  ) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      try withCString(attribute.name) { (attributeName) throws(Errno) in
        let done = attribute.value.withUnsafeBytes {
          cs_set_attribute_at(raw, name, attributeName, $0.baseAddress, $0.count)
        }
        if done != 0 { throw .current }
      }
    }
  }

  package func removeExtendedAttribute(_ attribute: [UInt8], of name: [UInt8]) throws(Errno) {
    try withCString(name) { (name) throws(Errno) in
      try withCString(attribute) { (attribute) throws(Errno) in
        if cs_remove_attribute_at(raw, name, attribute) != 0 { throw .current }
      }
    }
  }
}

private func attributes(
  list: (UnsafeMutablePointer<CChar>?, Int) -> Int,
  get: (UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int
) throws(Errno) -> [ExtendedAttribute] {
  let names = try growing(from: 512) { list($0?.assumingMemoryBound(to: CChar.self), $1) }
  if names.isEmpty { return [] }
  var result: [ExtendedAttribute] = []
  for name in names.split(separator: 0) {
    do throws(Errno) {
      let value = try withCString(Array(name)) { (name) throws(Errno) in
        try growing(from: 256) { get(name, $0, $1) }
      }
      result.append(ExtendedAttribute(name: Array(name), value: value))
    } catch {
      if error.code != cs_no_attribute { throw error }  // the attribute was removed after it was listed
    }
  }
  result.sort { $0.name.lexicographicallyPrecedes($1.name) }
  return result
}

/// Calls `read` with growing buffers until one is large enough. "Not supported" returns an empty result. Throws
/// `.rangeError` above 16 MiB.
private func growing(
  from start: Int, _ read: (UnsafeMutableRawPointer?, Int) -> Int
) throws(Errno) -> [UInt8] {
  var capacity = start
  while true {
    var failure: Errno?
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let length = read(buffer.baseAddress, buffer.count)
      if length < 0 { failure = Errno.current } else { count = length }
    }
    switch failure {
    case nil: return bytes
    case .rangeError: capacity *= 8
    case .notSupported, .notImplemented: return []
    case .some(let error): throw error
    }
    if capacity > 1 << 24 { throw .rangeError }
  }
}
