// Sets metadata of what cannot be opened for reading: a link, a fifo, a device, or a file without read permission. A
// descriptor of mode `.node` refers to the file itself, so that nobody can put another file under its name meanwhile.

internal import CMementoSystem

extension Descriptor {
  package func setOwnerOfNode(user: UInt32, group: UInt32) throws(Errno) {
    let raw = self.raw
    _ = try retrying { cs_set_owner_of_path(raw, user, group) }
  }

  package func setPermissionsOfNode(_ permissions: UInt32) throws(Errno) {
    let raw = self.raw
    _ = try retrying { cs_set_permissions_of_path(raw, mode_t(permissions & 0o7777)) }
  }

  package func setModifiedOfNode(_ time: Timestamp) throws(Errno) {
    guard time.isValid else { throw .invalid }
    let raw = self.raw
    _ = try retrying { cs_set_modified_of_path(raw, time.seconds, time.nanoseconds) }
  }

  package func setExtendedAttributeOfNode(_ attribute: ExtendedAttribute) throws(Errno) {
    let raw = self.raw
    try withCString(attribute.name) { (name) throws(Errno) in
      let done = attribute.value.withUnsafeBytes { cs_set_attribute_of_path(raw, name, $0.baseAddress, $0.count) }
      if done != 0 { throw .current }
    }
  }

  /// Opens a regular file to change its metadata. `isExpected` gets the status of the file before anything is done to
  /// it. Returns nil when `isExpected` says no. A file that its owner may not read is made readable first.
  package func openForMetadata(
    _ name: [UInt8], where isExpected: (FileStatus) -> Bool
  ) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      let file = try open(name, .read)
      guard isExpected(try file.status()) else { return nil }
      return file
    } catch {
      guard error == .permissionDenied else { throw error }
    }
    // The owner may not read the file, but may change its permissions.
    let node = try open(name, .node)
    let status = try node.status()
    guard isExpected(status) else { return nil }
    try node.setPermissionsOfNode(status.permissions | 0o600)
    let file = try open(name, .read)
    guard try file.status().identity == status.identity else { return nil }
    return file
  }

  /// Adds permission bits to a directory if `isExpected` accepts its status. Returns false if it does not.
  package func addPermissions(
    _ permissions: UInt32, to name: [UInt8], where isExpected: (FileStatus) -> Bool
  ) throws(Errno) -> Bool {
    let node = try open(name, .node)
    let status = try node.status()
    guard isExpected(status) else { return false }
    try node.setPermissionsOfNode(status.permissions | permissions)
    return true
  }
}
