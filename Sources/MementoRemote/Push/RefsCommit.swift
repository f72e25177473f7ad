// The commit of a push or of a deletion: one refs record.

internal import MementoModel
package import MementoObjects
package import MementoTime

/// Puts refs records of one writer.
package struct RefsCommit {
  private let storage: any ObjectStorage
  private let writer: WriterID
  private let host: String

  package init(_ storage: any ObjectStorage, writer: WriterID, host: String) {
    self.storage = storage
    self.writer = writer
    self.host = host
  }

  /// Makes a change of all that is known. A record of this writer that is there already, unknown here, is merged first:
  /// its answer was lost, or the store was copied with its writer.
  ///
  /// - Parameters:
  ///   - change: what changes. It names the values that it replaces.
  ///   - table: all that is known. Afterwards with the change.
  ///   - now: the time by the clock of the storage.
  package func commit(
    _ change: TableChange, upon table: inout NameTable, now: Timestamp
  ) throws(RemoteError) -> RefsRecord {
    // A store that was copied meets its other self again and again only when that one commits meanwhile.
    for _ in 0..<100 {
      let dot = Dot(writer: writer, number: table.version[writer] + 1)
      var next = table
      next.apply(change, as: dot, host: host, time: now)
      let record = RefsRecord(dot: dot, host: host, time: now, table: next)
      if let other = try put(record) {
        table.merge(other.table)
        continue
      }
      table = next
      return record
    }
    throw .unsettled
  }

  /// Puts a record. Returns the one that is there under its name when it is another one.
  private func put(_ record: RefsRecord) throws(RemoteError) -> RefsRecord? {
    let name = RefsRecord.name(record.dot)
    let bytes = try record.encoded()
    let answer: ConditionalPut
    do throws(ObjectError) {
      answer = try storage.putIfAbsent(ObjectBytes(bytes), as: name)
    } catch {
      return try other(than: bytes, as: name, error)
    }
    switch answer {
    case .put: return nil
    case .exists: return try other(than: bytes, as: name, nil)
    case .unsupported: return try putAfterLook(bytes, as: name)
    }
  }

  /// Looks first, where the storage does not do both in one step. Two of one writer are not at work at the same time.
  private func putAfterLook(_ bytes: [UInt8], as name: ObjectName) throws(RemoteError) -> RefsRecord? {
    if try storage.has(name) { return try other(than: bytes, as: name, nil) }
    do throws(ObjectError) {
      try storage.put(ObjectBytes(bytes), as: name)
      return nil
    } catch {
      return try other(than: bytes, as: name, error)
    }
  }

  /// Reads what is there. Nil when it is what was put. Throws `failure` when there is nothing, or another record.
  private func other(than bytes: [UInt8], as name: ObjectName, _ failure: ObjectError?) throws(RemoteError)
    -> RefsRecord?
  {
    guard let there = try storage.record(name) else { throw failure.map { .storage($0) } ?? .unsettled }
    return there == bytes ? nil : try RefsRecord(there, of: name)
  }
}
