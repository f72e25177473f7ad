// Lets the model read trees and lists from the store.

internal import MementoStore

extension StoreError: BlobFailure {}

/// A source of trees and lists: packs, unfinished packs, or memory.
typealias MetaSource = BlobSource<StoreError>

extension Store: BlobSource {
  func readMeta(_ id: ObjectID) throws(StoreError) -> [UInt8] { try read(id) }
}
