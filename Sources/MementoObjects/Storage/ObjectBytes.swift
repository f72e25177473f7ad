// An object that is in memory.

/// Bytes as a source, for small objects.
package struct ObjectBytes: ObjectSource {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var size: UInt64 { UInt64(bytes.count) }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError) {
    guard let start = Int(exactly: offset), start <= bytes.count, buffer.count <= bytes.count - start else {
      throw ObjectError(.local, nil, "an object is read beyond its end")
    }
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + buffer.count]))
    }
  }
}
