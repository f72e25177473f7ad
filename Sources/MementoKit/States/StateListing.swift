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
      var listed = ListedState(
        name: state.name, isCurrent: state.snapshot == current,
        snapshot: Snapshot(unreadable: SnapshotID(state.snapshot)))
      switch places[state.snapshot].map({ snapshots[$0] }) {
      case .success(let snapshot)?: listed.snapshot = snapshot
      case .failure(let error)?:
        listed.problem = error.message
        listed.isNewer = error.isNewer
      case nil: break
      }
      return listed
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
    for (index, id) in ids.enumerated() {
      do throws(StoreError) {
        let bytes: [UInt8]
        if let all { bytes = all[index] } else { bytes = try repository.store.read(id) }
        result.append(.success(Snapshot(id, try SnapshotRecord.decode(bytes, id))))
      } catch {
        guard error.isDamage || error.isNewer else { throw error }
        result.append(.failure(error))
      }
    }
    return result
  }
}
