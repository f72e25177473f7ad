// The store as a source of what the model reads.

internal import MementoStore

extension StoreError: BlobFailure {}

/// Trees and lists wherever they are: in packs, in unfinished packs, or in memory.
typealias MetaSource = BlobSource<StoreError>

extension Store: BlobSource {
  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] { try read(id) }
}
