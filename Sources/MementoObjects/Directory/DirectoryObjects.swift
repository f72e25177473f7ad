// Objects as files in a folder: another disk, a network drive, or what a machine serves by SSH.

internal import MementoSystem
internal import MementoTime
internal import Synchronization

/// Keeps each object in a file of its name. A file gets its name only when it is complete and on the medium. Files that are
/// no objects are passed over, and nothing below the folder is reached through a link.
///
/// The time of an object is when its content was last written: the modification time of the file. So it may be earlier
/// than the moment when the object could be seen, by the duration of the flush.
package final class DirectoryObjects: ObjectStorage {
  private let folder: ObjectFolder
  private let temporary: ObjectTemporaries
  private let pageSize: Int
  /// What is written at once.
  private static let pieceSize = 4 << 20

  /// `path` is a path that the user gave. Links on it are followed. Nothing is opened or made yet.
  package init(path: [UInt8], pageSize: Int = 5_000) {
    folder = ObjectFolder(path: path)
    temporary = ObjectTemporaries()
    self.pageSize = max(1, pageSize)
  }

  package func list(_ prefix: String, page: String?) throws(ObjectError) -> ObjectPage {
    guard let root = try folder.open() else { return ObjectPage(objects: [], next: nil, now: Clock.now()) }
    let now = temporary.fileSystemTime(in: root)
    var listing = ObjectFolderListing(root, prefix: prefix, after: page)
    var objects: [ListedObject] = []
    while let object = try listing.next() {
      if objects.count == pageSize {
        return ObjectPage(objects: objects, next: objects[pageSize - 1].name.text, now: now)
      }
      objects.append(object)
    }
    return ObjectPage(objects: objects, next: nil, now: now)
  }

  package func size(of name: ObjectName) throws(ObjectError) -> UInt64 {
    guard let place = try folder.find(name) else { throw ObjectError.notFound(name) }
    do throws(Errno) {
      let status = try place.folder.descriptor.status(of: place.name)
      // The same error as if it had been opened.
      guard status.isRegular else { throw .loop }
      return status.size
    } catch {
      throw ObjectError(error, name)
    }
  }

  package func read(
    _ name: ObjectName, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ObjectError) -> Int {
    guard let place = try folder.find(name) else { throw ObjectError.notFound(name) }
    do throws(Errno) {
      let file = try place.folder.descriptor.open(place.name, .read)
      guard try file.status().isRegular else { throw .loop }
      return try file.readFully(into: buffer, at: offset)
    } catch {
      throw ObjectError(error, name)
    }
  }

  package func put(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) {
    try write(source, as: name) { (file, place, last) throws(Errno) in
      guard let old = try place.statusIfPresent(of: last) else { return try file.place(as: last, in: place) }
      // The two would be swapped.
      if old.isDirectory { throw .isDirectory }
      try file.replace(last, in: place)
    }
  }

  package func putIfAbsent(_ source: any ObjectSource, as name: ObjectName) throws(ObjectError) -> ConditionalPut {
    // Before all of the content is written. Whether it is still so is asked when the file gets its name.
    if let place = try folder.find(name) {
      do throws(Errno) {
        if try place.folder.descriptor.statusIfPresent(of: place.name) != nil {
          try place.folder.descriptor.flushNames()
          return .exists
        }
      } catch {
        throw ObjectError(error, name)
      }
    }
    var result = ConditionalPut.put
    try write(source, as: name) { (file, place, last) throws(Errno) in
      do throws(Errno) {
        try file.place(as: last, in: place, .noReplace)
      } catch {
        switch error {
        case .exists: result = .exists
        // Neither a rename that does not replace nor a hard link: FAT, some network drives.
        case .invalid, .notImplemented, .notSupported, .notPermitted: result = .unsupported
        default: throw error
        }
      }
    }
    return result
  }

  /// The name is gone at once, and on the medium when the file system gets to it: an object that comes back after a power
  /// cut is one that may be removed again.
  package func remove(_ name: ObjectName) throws(ObjectError) {
    guard let place = try folder.find(name) else { return }
    do throws(Errno) {
      try place.folder.descriptor.removeFile(place.name)
    } catch {
      if error != .notFound { throw ObjectError(error, name) }
    }
  }

  /// Writes the content aside, flushes it, and lets `finish` give it its name. The name is on the medium when this
  /// returns.
  private func write(
    _ source: any ObjectSource, as name: ObjectName,
    _ finish: (consuming TemporaryFile, borrowing Descriptor, [UInt8]) throws(Errno) -> Void
  ) throws(ObjectError) {
    let root = try folder.openOrMake()
    temporary.sweepOnce(root)
    var isSecond = false
    while true {
      let place = try folder.findOrMake(name)
      let file: TemporaryFile
      do throws(Errno) {
        file = try temporary.make(in: root)
      } catch {
        throw ObjectError(error, name)
      }
      try copy(source, to: file.file, name)
      do throws(Errno) {
        try file.flush()
        try finish(file, place.folder.descriptor, place.name)
        return try place.folder.descriptor.flushNames()
      } catch {
        // A sweep may take a file between its making and its lock, and a file that is exchanged may go. Not twice.
        guard error == .notFound, !isSecond else {
          throw error == .notFound ? ObjectError(.failed, name, "\(name): \(error.message)") : ObjectError(error, name)
        }
        isSecond = true
      }
    }
  }

  private func copy(
    _ source: any ObjectSource, to file: SharedDescriptor, _ name: ObjectName
  ) throws(ObjectError) {
    let size = source.size
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(min(size, UInt64(DirectoryObjects.pieceSize))), alignment: 16)
    defer { buffer.deallocate() }
    var done: UInt64 = 0
    while done < size {
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(size - done, UInt64(buffer.count)))])
      try source.read(into: part, at: done)
      do throws(Errno) {
        try file.descriptor.write(UnsafeRawBufferPointer(part))
      } catch {
        throw ObjectError(error, name)
      }
      done += UInt64(part.count)
    }
  }
}
