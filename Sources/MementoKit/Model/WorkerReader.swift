// What one of several threads reads blobs with.

internal import MementoStore
internal import Synchronization

/// A reader that is handed from task to task of one worker. It keeps the block that it unpacked last.
final class WorkerReader: Sendable {
  let blobs: Mutex<BlobReader>

  init(_ blobs: consuming sending BlobReader) {
    self.blobs = Mutex(blobs)
  }
}
