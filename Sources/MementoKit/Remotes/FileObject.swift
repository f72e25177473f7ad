// A file of this machine as the bytes of an object.

internal import MementoObjects
internal import MementoStore
internal import MementoSystem

struct FileObject: ObjectSource {
  let size: UInt64
  private let file: SharedDescriptor

  init(_ file: SharedDescriptor) throws(StoreError) {
    self.file = file
    do throws(Errno) {
      size = try file.descriptor.status().size
    } catch {
      throw .system(operation: "read", path: "tmp/", error)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    let count: Int
    do throws(Errno) {
      count = try file.descriptor.readFully(into: buffer, at: offset)
    } catch {
      throw ObjectError(.local, nil, "a temporary file cannot be read: \(error)")
    }
    guard count == buffer.count else { throw ObjectError(.local, nil, "a temporary file was cut") }
  }
}
