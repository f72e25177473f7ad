// Who founds a repository when two begin at once: `format/ID`.

package import MementoObjects
internal import MementoTime

/// Which marker of a repository counts, for every reader: the one that `format/founder` names where the storage can put
/// an object only if there is none; else the oldest by the clock of the storage, and of equally old ones that with the
/// smallest name.
package enum RepositoryFounding {
  package static let prefix = "format/"
  static let founder = "format/founder"

  /// How long a founder waits before its second look, in seconds, where the storage has no conditional put: the greatest
  /// lag of a listing that is supported, and the coarsest clock.
  package static let wait: Int64 = 12

  package enum Outcome: Equatable, Sendable {
    /// The repository is that of the caller.
    case founded
    /// Another one is there, or was quicker. The caller's marker was removed.
    case taken(ObjectName)
    /// The caller's marker is the one so far. After `wait` seconds, `secondLook` decides.
    case undecided
  }

  /// The marker that counts. Nil when there is no repository.
  package static func marker(_ storage: any ObjectStorage) throws(RemoteError) -> ObjectName? {
    let markers = try ObjectListing(storage, prefix).objects
    if let claim = markers.first(where: { $0.name.text == founder }), let name = try founderName(claim, storage) {
      if markers.contains(where: { $0.name == name }) { return name }
      // A founder that was killed, or whose marker is not listed yet.
      if try storage.has(name) { return name }
    }
    return markers.filter { $0.name.text != founder }.min { ($0.modified, $0.name) < ($1.modified, $1.name) }?.name
  }

  /// Puts a marker. Nothing else that is not a key may be put before the outcome is `founded`.
  ///
  /// - Parameters:
  ///   - marker: the content of the marker.
  ///   - id: the id of the repository: letters and digits.
  package static func found(
    _ storage: any ObjectStorage, marker: [UInt8], id: String
  ) throws(RemoteError) -> Outcome {
    guard let name = ObjectName(prefix + id), id != "founder", !id.contains("/") else {
      throw .damaged(nil, reason: "\"\(id)\" cannot be the id of a repository")
    }
    if let there = try self.marker(storage), there != name { return .taken(there) }
    try storage.putRecord(marker, as: name)
    guard let claim = ObjectName(founder) else { preconditionFailure("not a name") }
    let answer: ConditionalPut
    do throws(ObjectError) {
      answer = try storage.putIfAbsent(ObjectBytes(Array(name.text.utf8)), as: claim)
    } catch {
      throw .storage(error)
    }
    if answer == .unsupported {
      // A first look already: most races end here.
      let first = try self.marker(storage)
      return first == name || first == nil ? .undecided : try give(storage, name, to: first)
    }
    return try decide(storage, name)
  }

  /// Decides what `found` left undecided, after the wait.
  package static func secondLook(_ storage: any ObjectStorage, id: String) throws(RemoteError) -> Outcome {
    guard let name = ObjectName(prefix + id) else {
      throw .damaged(nil, reason: "\"\(id)\" cannot be the id of a repository")
    }
    return try decide(storage, name)
  }

  /// Says once more which marker counts: for who knows the repository, where that was damaged.
  package static func confirm(_ marker: ObjectName, in storage: any ObjectStorage) throws(RemoteError) {
    guard let claim = ObjectName(founder) else { preconditionFailure("not a name") }
    try storage.putRecord(Array(marker.text.utf8), as: claim)
  }

  private static func decide(_ storage: any ObjectStorage, _ name: ObjectName) throws(RemoteError) -> Outcome {
    let winner = try marker(storage)
    return winner == name ? .founded : try give(storage, name, to: winner)
  }

  private static func give(
    _ storage: any ObjectStorage, _ name: ObjectName, to winner: ObjectName?
  ) throws(RemoteError) -> Outcome {
    guard let winner else { throw .unsettled }
    try storage.removeRecord(name)
    return .taken(winner)
  }

  private static func founderName(
    _ listed: ListedObject, _ storage: any ObjectStorage
  ) throws(RemoteError) -> ObjectName? {
    let claim = listed.name
    guard let bytes = try storage.record(claim, listed: listed.size) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self), let name = ObjectName(text), text.hasPrefix(prefix),
      text != founder
    else { throw .damaged(claim, reason: "it does not name a marker") }
    return name
  }
}
