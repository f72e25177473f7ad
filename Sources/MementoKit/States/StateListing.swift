// Lists the states by name.

internal import MementoStore
internal import MementoSystem

struct StateListing {
  let repository: Repository
  /// Only names that match are listed.
  var pattern: NamePattern?

  /// Lists the states by name. A state that cannot be read is listed with its problem.
  func run() throws(RepositoryError) -> [ListedState] {
    let refs = try repository.readRefs()
    let current = refs.timeline.current?.snapshot
    let states = refs.states.filter { pattern?.matches($0.name) ?? true }
    // Several names may mean one snapshot, which is read once.
    var ids: [ObjectID] = []
    var places = [ObjectID: Int](minimumCapacity: states.count)
    for state in states where places[state.snapshot] == nil {
      places[state.snapshot] = ids.count
      ids.append(state.snapshot)
    }
    let snapshots = try translating { () throws(StoreError) in try read(ids) }
    return states.map { state in
      let isCurrent = state.snapshot == current
      switch places[state.snapshot].map({ snapshots[$0] }) {
      case .success(let snapshot)?:
        return ListedState(name: state.name, isCurrent: isCurrent, snapshot: snapshot)
      case .failure(let error)?:
        return ListedState(
          name: state.name, isCurrent: isCurrent, snapshot: Snapshot(unreadable: SnapshotID(state.snapshot)),
          problem: error.message, isNewer: error.isNewer)
      case nil:
        return ListedState(
          name: state.name, isCurrent: isCurrent, snapshot: Snapshot(unreadable: SnapshotID(state.snapshot)))
      }
    }
  }

  /// Reads all records at once, which is fast, in the order of `ids`. Reads them one by one when one of them is damaged.
  private func read(_ ids: [ObjectID]) throws(StoreError) -> [Result<Snapshot, StoreError>] {
    var result: [Result<Snapshot, StoreError>] = []
    result.reserveCapacity(ids.count)
    let all: [[UInt8]]?
    do throws(StoreError) {
      all = try repository.store.read(ids)
    } catch {
      guard error.isDamage else { throw error }
      all = nil
    }
    guard let all else { return try ids.map { (id) throws(StoreError) in try readAlone(id) } }
    return try decode(all, ids)
  }

  /// Reads one record. An error of the record itself is the result; others are thrown.
  private func readAlone(_ id: ObjectID) throws(StoreError) -> Result<Snapshot, StoreError> {
    do throws(StoreError) {
      return .success(Snapshot(id, try SnapshotRecord.decode(try repository.store.read(id), id)))
    } catch {
      guard error.isDamage || error.isNewer else { throw error }
      return .failure(error)
    }
  }

  /// Decodes records, of many on all cores: that takes longer than reading them. `records` are those of `ids`.
  private func decode(
    _ records: [[UInt8]], _ ids: [ObjectID]
  ) throws(StoreError) -> [Result<Snapshot, StoreError>] {
    let results = ParallelRows.map(ids.count, rowsOf: StateListing.row) { row in
      row.map { index in
        Result { () throws(StoreError) in Snapshot(ids[index], try SnapshotRecord.decode(records[index], ids[index])) }
      }
    }
    for case .failure(let error) in results where !error.isDamage && !error.isNewer { throw error }
    return results
  }

  /// The records that one core decodes at a time. Fewer are not worth a thread.
  private static let row = 1000
}
