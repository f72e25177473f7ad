// Saves values from memory, any number of them in one commit.

internal import MementoStore

struct ValueBatch {
  let repository: Repository
  let monitor: any Monitor

  func run(_ values: [NamedValue], deleting names: [String]) throws(RepositoryError) -> [Snapshot] {
    for value in values { try StateName.validate(value.name) }
    let lock = try repository.lockForNaming()
    let store = repository.store
    let packs = try translating { () throws(StoreError) in try store.packWriter() }
    do throws(RepositoryError) {
      let contents = ValueContent(.packs(packs), store: store, monitor: monitor)
      var stored: [StoredValue] = []
      for value in values {
        if monitor.isCancelled { throw .cancelled }
        stored.append(
          StoredValue(name: value.name, message: value.message, content: try contents.save(value.bytes)))
      }
      let saved = try ValueCommit(repository: repository, writer: contents.writer, packs: packs).run(
        stored, deleting: names, holding: lock)
      return saved.map { Snapshot($0) }
    } catch {
      packs.discard()
      throw error
    }
  }
}
