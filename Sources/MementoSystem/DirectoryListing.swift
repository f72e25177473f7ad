// The names in a directory, sorted by their bytes. All names share one array, so that an entry costs no allocation.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Compares two names by their bytes. Below zero: `left` comes first; zero: they are equal; above zero: `right` comes
/// first.
package func nameOrder(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
  let shared = min(left.count, right.count)
  let order = shared == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, shared)
  return order == 0 ? left.count - right.count : Int(order)
}

/// The entries of one directory, without `.` and `..`, in the order of their name bytes.
package struct DirectoryListing: Sendable {
  @usableFromInline
  struct Entry: Sendable {
    @usableFromInline var offset: Int
    @usableFromInline var length: Int
    @usableFromInline var inode: UInt64
  }

  /// All names, one after the other, each ended by a NUL.
  @usableFromInline var arena = ContiguousArray<UInt8>()
  @usableFromInline var entries = ContiguousArray<Entry>()

  package var count: Int { entries.count }

  /// Reads all entries of `directory`, from its beginning.
  package init(reading directory: borrowing Descriptor) throws(Errno) {
    try directory.rewind()
    #if os(Linux)
      try readRecords(of: directory.raw)
    #else
      try readStream(of: directory)
    #endif
    // In place: a directory may have a million names.
    var sorted = ContiguousArray<Entry>()
    swap(&sorted, &entries)
    arena.withUnsafeBufferPointer { arena in
      sorted.sort { left, right in
        nameOrder(
          UnsafeBufferPointer(rebasing: arena[left.offset..<left.offset + left.length]),
          UnsafeBufferPointer(rebasing: arena[right.offset..<right.offset + right.length])) < 0
      }
    }
    entries = sorted
  }

  package func name(at index: Int) -> [UInt8] {
    let entry = entries[index]
    return Array(arena[entry.offset..<entry.offset + entry.length])
  }

  /// The inode number that the directory records for an entry.
  package func inode(at index: Int) -> UInt64 { entries[index].inode }

  /// Whether the listing has this name. A binary search.
  package func contains(_ name: [UInt8]) -> Bool {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let entry = entries[middle]
      let bytes = arena[entry.offset..<entry.offset + entry.length]
      if bytes.elementsEqual(name) { return true }
      if bytes.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
    }
    return false
  }

  /// Calls `body` with the names in place, without copies.
  package func withNames<Result, Failure: Error>(
    _ body: (Names) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try arena.withUnsafeBufferPointer { (arena) throws(Failure) in
      try entries.withUnsafeBufferPointer { (entries) throws(Failure) in
        try body(Names(arena: arena, entries: entries))
      }
    }
  }

  /// The names by index; valid only inside `withNames`.
  package struct Names {
    let arena: UnsafeBufferPointer<UInt8>
    let entries: UnsafeBufferPointer<Entry>

    package var count: Int { entries.count }

    package subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
      let entry = entries[index]
      return UnsafeBufferPointer(rebasing: arena[entry.offset..<entry.offset + entry.length])
    }

    package func cString(_ index: Int) -> UnsafePointer<CChar> {
      UnsafeRawPointer(arena.baseAddress! + entries[index].offset)
        .assumingMemoryBound(to: CChar.self)
    }
  }

  private mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ inode: UInt64) {
    if name.count == 1, name[0] == UInt8(ascii: ".") { return }
    if name.count == 2, name[0] == UInt8(ascii: "."), name[1] == UInt8(ascii: ".") { return }
    entries.append(Entry(offset: arena.count, length: name.count, inode: inode))
    arena.append(contentsOf: name)
    arena.append(0)
  }

  #if os(Linux)
    /// Reads the records of getdents64(2). Each has an inode (8 bytes), an offset (8), the record length (2), a type
    /// (1), and the name with its NUL.
    private mutating func readRecords(of descriptor: Int32) throws(Errno) {
      let header = 19
      let capacity = 32768
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)
      defer { buffer.deallocate() }
      while true {
        let filled = try retrying { cs_getdents(descriptor, buffer.baseAddress, buffer.count) }
        if filled == 0 { return }
        var position = 0
        while position + header < filled {
          let length = Int(buffer.loadUnaligned(fromByteOffset: position + 16, as: UInt16.self))
          guard length > header, position + length <= filled else { throw .input }
          let start = (buffer.baseAddress! + position + header).assumingMemoryBound(to: UInt8.self)
          let inode = buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self)
          append(UnsafeBufferPointer(start: start, count: strnlen(start, length - header)), inode)
          position += length
        }
      }
    }

    private func strnlen(_ start: UnsafePointer<UInt8>, _ limit: Int) -> Int {
      var count = 0
      while count < limit, start[count] != 0 { count += 1 }
      return count
    }
  #else
    private mutating func readStream(of directory: borrowing Descriptor) throws(Errno) {
      let copy = dup(directory.raw)
      guard copy >= 0 else { throw .current }
      guard let stream = fdopendir(copy) else { throw .current }
      defer { closedir(stream) }
      errno = 0
      while let record = readdir(stream) {
        let length = Int(record.pointee.d_namlen)
        let inode = UInt64(record.pointee.d_ino)
        withUnsafeBytes(of: &record.pointee.d_name) { name in
          append(UnsafeBufferPointer(rebasing: name.bindMemory(to: UInt8.self)[..<length]), inode)
        }
      }
      if errno != 0 { throw .current }
    }
  #endif
}
