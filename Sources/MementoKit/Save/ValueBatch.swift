// Saves values from memory, any number of them in one commit.

internal import MementoStore

struct ValueBatch {
  let repository: Repository

  func run(_ values: [NamedValue], deleting names: [String]) throws(RepositoryError) -> [Snapshot] {
    for value in values { try StateName.validate(value.name) }
    let lock = try repository.lockForNaming()
    let store = repository.store
    let packs = try translating { () throws(StoreError) in try store.packWriter() }
    do throws(RepositoryError) {
      let writer = ObjectWriter(.packs(packs), store: store)
      let chunker = Chunker(sizes: store.config.chunkSizes)
      let stored = try translating { () throws(StoreError) in
        var stored: [StoredValue] = []
        for value in values {
          let content = try writer.storeContent(value.bytes, chunker: chunker)
          stored.append(StoredValue(name: value.name, message: value.message, content: content))
        }
        return stored
      }
      let saved = try ValueCommit(repository: repository, writer: writer, packs: packs).run(
        stored, deleting: names, holding: lock)
      return saved.map { Snapshot($0) }
    } catch {
      packs.discard()
      throw error
    }
  }
}
