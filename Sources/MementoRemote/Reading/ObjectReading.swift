// Whole listings and whole small objects of a storage.

package import MementoObjects
package import MementoTime

/// All objects whose names begin with a prefix.
package struct ObjectListing: Sendable {
  /// In the order of names.
  package let objects: [ListedObject]
  /// What time it was by the clock of the storage when the first page was made.
  package let now: Timestamp

  package init(_ storage: any ObjectStorage, _ prefix: String) throws(RemoteError) {
    do throws(ObjectError) {
      var page = try storage.list(prefix, page: nil)
      var objects = page.objects
      now = page.now
      // A hostile storage could say forever that there is more.
      while let next = page.next {
        page = try storage.list(prefix, page: next)
        guard let first = page.objects.first else {
          if page.next == nil { break }
          throw ObjectError(.garbled, nil, "a page of a listing is empty and not the last one")
        }
        guard objects.last.map({ $0.name < first.name }) != false else {
          throw ObjectError(.garbled, nil, "a listing is not in order")
        }
        objects += page.objects
      }
      self.objects = objects
    } catch {
      throw .storage(error)
    }
  }
}

extension ObjectStorage {
  /// The bytes of a whole record. Nil when there is no object of this name. Throws when it is larger than a record can be.
  func record(_ name: ObjectName, listed: UInt64? = nil) throws(RemoteError) -> [UInt8]? {
    do throws(ObjectError) {
      let size = if let listed { listed } else { try self.size(of: name) }
      guard size <= Envelope.largest else { throw ObjectError(.garbled, name, "a record is too large") }
      // One byte more than was listed shows that the object is larger.
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size) + 1, alignment: 16)
      defer { buffer.deallocate() }
      let count = try read(name, at: 0, into: buffer)
      return Array(buffer.prefix(count))
    } catch {
      if error.kind == .notFound { return nil }
      throw .storage(error)
    }
  }

  func putRecord(_ bytes: [UInt8], as name: ObjectName) throws(RemoteError) {
    do throws(ObjectError) {
      try put(ObjectBytes(bytes), as: name)
    } catch {
      throw .storage(error)
    }
  }

  func removeRecord(_ name: ObjectName) throws(RemoteError) {
    do throws(ObjectError) {
      try remove(name)
    } catch {
      throw .storage(error)
    }
  }
}

extension ObjectStorage {
  /// Whether there is an object of this name.
  func has(_ name: ObjectName) throws(RemoteError) -> Bool {
    do throws(ObjectError) {
      _ = try size(of: name)
      return true
    } catch {
      if error.kind == .notFound { return false }
      throw .storage(error)
    }
  }
}
