// A pack on this machine as the bytes of an object.

internal import MementoModel
internal import MementoObjects
internal import MementoStore
internal import MementoSystem

struct FileObject: ObjectSource {
  let size: UInt64
  private let file: SharedDescriptor
  private let borrowed: BorrowedBytes

  /// `borrowed`: what of the pack is not in its file.
  init(_ file: SharedDescriptor, _ borrowed: BorrowedBytes) throws(StoreError) {
    self.file = file
    self.borrowed = borrowed
    do throws(Errno) {
      size = try file.descriptor.status().size
    } catch {
      throw .system(operation: "read", path: "tmp/", error)
    }
  }

  func contentHash() throws(ObjectError) -> [UInt8]? {
    var hasher = ContentHasher()
    try forEachPiece(of: 1 << 20) { hasher.update($0) }
    return hasher.finish().bytes
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    do throws(Errno) {
      try borrowed.read(into: buffer, at: offset, around: file.descriptor)
    } catch {
      switch error {
      case .stale: throw ObjectError(.local, nil, "a pack has changed while it was being sent")
      case .invalid: throw ObjectError(.local, nil, "a pack was cut while it was being sent")
      default: throw ObjectError(.local, nil, "a pack that is being sent cannot be read: \(error)")
      }
    }
  }
}
