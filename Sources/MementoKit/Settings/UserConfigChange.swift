// Reads and changes the config of a user, which the caller has found.

internal import MementoSystem

extension ConfigFile {
  /// The largest size of the file in bytes.
  private static let largest = 1 << 20

  /// What holds by this file alone, and what it could say, for the keys that count in the config of a user.
  public func settings() throws(RepositoryError) -> [ConfigSetting] {
    try ConfigReport(store: nil, user: self).settings()
  }

  /// Changes the config of a user in one step, durably. `path`: absolute and without a link at its end; the file and its
  /// folder are made where they are missing. Throws as a change of the config of a store does, and `.system`. Of two
  /// changes at the same moment, one may be lost.
  @discardableResult
  public static func changeOfUser(
    at path: BytePath, _ change: ConfigChange, isDryRun: Bool = false
  ) throws(RepositoryError) -> ConfigChangeSummary {
    let old = try onUserConfig(path) { () throws(Errno) in
      do throws(Errno) {
        let folder = try Descriptor.open(path.parent.bytes, .namedDirectory)
        return try folder.contents(of: path.components.last ?? [], limit: largest) ?? []
      } catch {
        if error == .notFound { return [] }
        throw error
      }
    }
    let done = try change.applied(to: old, in: .user, at: path)
    if !isDryRun {
      try onUserConfig(path) { () throws(Errno) in try write(done.bytes, at: path) }
    }
    guard let key = ConfigKey.named(change.key) else { throw RepositoryError(unknownKey: change.key) }
    return ConfigChangeSummary(key: key, file: path, before: done.before, after: done.after, isCommitted: !isDryRun)
  }

  private static func write(_ bytes: [UInt8], at path: BytePath) throws(Errno) {
    let name = path.components.last ?? []
    let folder = SharedDescriptor(try openOrMake(path.parent))
    let permissions = try folder.descriptor.statusIfPresent(of: name)?.permissions ?? 0o600
    let aside = name + Array(".\(Host.processID).new".utf8)
    let file = try TemporaryFile(making: aside, in: folder, ownedLike: folder.descriptor)
    try file.file.descriptor.setPermissions(permissions)
    try file.write(bytes)
    try file.place(as: name, in: folder.descriptor, durable: true)
  }

  /// Opens a folder. Makes it, and those above it, where they are missing.
  private static func openOrMake(_ path: BytePath) throws(Errno) -> Descriptor {
    var missing: [BytePath] = []
    while true {
      let place = missing.last?.parent ?? path
      do throws(Errno) {
        _ = try Descriptor.open(place.bytes, .namedDirectory)
        break
      } catch {
        guard error == .notFound, !place.components.isEmpty else { throw error }
        missing.append(place)
      }
    }
    for place in missing.reversed() {
      let above = try Descriptor.open(place.parent.bytes, .namedDirectory)
      do throws(Errno) {
        _ = try above.makeOwnedDirectory(place.components.last ?? [])
      } catch {
        // Another process has made it in this moment.
        if error != .exists { throw error }
      }
      try above.flushDirectory()
    }
    return try Descriptor.open(path.bytes, .namedDirectory)
  }

  private static func onUserConfig<Result: ~Copyable>(
    _ path: BytePath, _ body: () throws(Errno) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(.system, "cannot change \(path): \(error)", path: path, systemError: error.code)
    }
  }
}
