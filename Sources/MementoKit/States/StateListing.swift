// Lists the states by name.

internal import MementoStore
internal import MementoSystem

struct StateListing {
  let repository: Repository

  /// Lists the states by name. A state that cannot be read is listed with its problem.
  func run() throws(RepositoryError) -> [ListedState] {
    let refs = try repository.readRefs()
    let current = refs.timeline.current?.snapshot
    let ids = Array(Set(refs.states.map(\.snapshot)))
    let snapshots = try translating { () throws(StoreError) in try read(ids) }
    return refs.states.map { state in
      var listed = ListedState(
        name: state.name, isCurrent: state.snapshot == current,
        snapshot: Snapshot(unreadable: SnapshotID(state.snapshot)))
      switch snapshots[state.snapshot] {
      case .success(let snapshot)?: listed.snapshot = snapshot
      case .failure(let error)?:
        listed.problem = error.message
        listed.isNewer = error.isNewer
      case nil: break
      }
      return listed
    }
  }

  /// Reads all records at once, which is fast. Reads them one by one when one of them is damaged.
  private func read(_ ids: [ObjectID]) throws(StoreError) -> [ObjectID: Result<Snapshot, StoreError>] {
    var result: [ObjectID: Result<Snapshot, StoreError>] = [:]
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
        result[id] = .success(Snapshot(id, try SnapshotRecord.decode(bytes, id)))
      } catch {
        guard error.isDamage || error.isNewer else { throw error }
        result[id] = .failure(error)
      }
    }
    return result
  }
}
