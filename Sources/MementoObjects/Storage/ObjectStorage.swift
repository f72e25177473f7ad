// The interface to the place where the objects of a remote are: a folder, a machine that is reached by SSH, a bucket.
// Everything a remote holds is an object that never changes. What the objects mean is not known here.

package import MementoTime

/// The name of an object: parts of lowercase letters, digits, `-` and `.`, with `/` between them, such as
/// `packs/0a/0a3f…`. No part is empty or begins with a dot, and the whole has at most 200 bytes, so a name can be a path
/// in a folder and a key in a bucket.
package struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let text: String

  /// Nil when `text` is not such a name.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= 200 else { return nil }
    var previous = UInt8(ascii: "/")
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "."), UInt8(ascii: "/"): guard previous != UInt8(ascii: "/") else { return nil }
      default: return nil
      }
      previous = byte
    }
    guard previous != UInt8(ascii: "/") else { return nil }
    self.text = text
  }

  package static func < (left: ObjectName, right: ObjectName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package var description: String { text }
}

/// An object in a listing.
package struct ListedObject: Equatable, Sendable {
  package let name: ObjectName
  /// In bytes.
  package let size: UInt64
  /// When it was put, by the clock of the storage.
  package let modified: Timestamp

  package init(name: ObjectName, size: UInt64, modified: Timestamp) {
    self.name = name
    self.size = size
    self.modified = modified
  }
}

/// A part of a listing, in the order of names.
package struct ObjectPage: Sendable {
  package let objects: [ListedObject]
  /// Where the next page begins: an opaque text of the storage. Nil when this was the last page.
  package let next: String?
  /// What time it is by the clock of the storage, which also gives the objects their times.
  package let now: Timestamp

  package init(objects: [ListedObject], next: String?, now: Timestamp) {
    self.objects = objects
    self.next = next
    self.now = now
  }
}

/// The bytes of an object that is put. They can be read again from anywhere, since a transfer may be repeated.
package protocol ObjectSource: Sendable {
  /// In bytes.
  var size: UInt64 { get }

  /// Fills the whole buffer from `offset` on. Several threads may call it at the same time.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(ObjectError)

  /// SHA-256 of all bytes, which are read for it. Nil when this source does not tell.
  func contentHash() throws(ObjectError) -> [UInt8]?
}

extension ObjectSource {
  package func contentHash() throws(ObjectError) -> [UInt8]? { nil }

  /// Calls `body` with all bytes from `start` on, in pieces of `count` bytes; the last one may have less.
  package func forEachPiece(
    of count: Int, from start: UInt64 = 0, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(ObjectError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    var offset = start
    while offset < size {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(UInt64(count), size - offset))])
      try read(into: piece, at: offset)
      body(UnsafeRawBufferPointer(piece))
      offset += UInt64(piece.count)
    }
  }
}

/// What became of an object that should be put only where there is none.
package enum ConditionalPut: Sendable {
  case put
  /// There is an object of that name already. Nothing was changed.
  case exists
  /// This storage cannot do that in one step. Nothing was changed.
  case unsupported
}

/// Keeps objects. Each is put as a whole, and readers see all of it or nothing. It is durable when `put` returns. Several
/// threads may call all methods at the same time. Listings may lag behind: what was just put or removed may be missing in
/// them or still be there.
package protocol ObjectStorage: Sendable {
  /// A page of the objects whose names begin with `prefix`, such as `packs/`; all objects with an empty one. `page`: what
  /// the page before said of the next one; nil for the first. Empty when the folder or the prefix is not there yet.
  func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage

  /// The size of an object in bytes. Throws `.notFound`.
  func size(of name: ObjectName) throws(ObjectError) -> UInt64

  /// Reads from `offset` on until the buffer is full or the object ends. Returns how much was read. Throws `.notFound`.
  func read(_ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ObjectError)
    -> Int

  /// Puts an object, in the place of one that has this name. Makes the folder or the prefix of this remote if need be,
  /// but neither the folder above it nor a bucket.
  func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError)

  /// Puts an object if none has this name.
  func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut

  /// Removes an object. One that is not there is no error.
  func remove(_ name: ObjectName) throws(ObjectError)
}
