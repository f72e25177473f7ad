// The folder that holds the objects of a remote: opened once, and reached by its descriptor from then on.

internal import MementoSystem
internal import Synchronization

/// A folder by its path. Everything below it is reached relative to the open folder, and no link below it is followed.
/// Its parent must be there; the folder itself is made by the first put.
final class ObjectFolder: Sendable {
  let path: [UInt8]
  private let opened = Mutex<SharedDescriptor?>(nil)
  /// Folders whose own name is known to be on the medium, by their path below this one; "" is this one.
  private let durable = Mutex<Set<String>>([])

  init(path: [UInt8]) {
    var path = path
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    self.path = path
  }

  /// The open folder; nil when it is not there yet. Throws `.noSuchPlace` when its parent is not there either.
  func open() throws(ObjectError) -> SharedDescriptor? {
    if let known = opened.withLock({ $0 }) { return known }
    do throws(Errno) {
      return keep(SharedDescriptor(try Descriptor.open(path, .namedDirectory)))
    } catch {
      guard error == .notFound else { throw placeError(error) }
      _ = try openParent()
      return nil
    }
  }

  /// The open folder, which is made when it is missing.
  func openOrMake() throws(ObjectError) -> SharedDescriptor {
    if let found = try open() { return found }
    let parent = try openParent()
    let name = Array(path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
    do throws(Errno) {
      do throws(Errno) {
        _ = try parent.makeOwnedDirectory(name)
      } catch {
        // Another process was quicker. It flushes the name; so does this one, in case that process ends before.
        if error != .exists { throw error }
      }
      try parent.flushNames()
      return keep(SharedDescriptor(try Descriptor.open(path, .namedDirectory)))
    } catch {
      throw placeError(error)
    }
  }

  private func keep(_ folder: SharedDescriptor) -> SharedDescriptor {
    opened.withLock { known in
      if let known { return known }
      known = folder
      return folder
    }
  }

  private func openParent() throws(ObjectError) -> Descriptor {
    let parent: [UInt8]
    switch path.lastIndex(of: UInt8(ascii: "/")) {
    case nil: parent = Array(".".utf8)
    case 0?: parent = Array("/".utf8)
    case let end?: parent = Array(path[..<end])
    }
    do throws(Errno) {
      return try Descriptor.open(parent, .namedDirectory)
    } catch {
      if error == .notFound {
        throw ObjectError(.noSuchPlace, "there is no folder \(String(decoding: parent, as: UTF8.self))")
      }
      throw placeError(error)
    }
  }

  private func placeError(_ error: Errno) -> ObjectError {
    let shown = String(decoding: path, as: UTF8.self)
    switch error {
    case .notDirectory, .loop, .notFound: return ObjectError(.noSuchPlace, "\(shown) is not a folder")
    default: return ObjectError(error, opening: shown)
    }
  }

  /// The open folder of an object, and the object's name in it. Nil when one of the folders on the way is not there.
  func find(_ name: ObjectName) throws(ObjectError) -> (folder: SharedDescriptor, name: [UInt8])? {
    guard var folder = try open() else { return nil }
    let parts = name.text.utf8.split(separator: UInt8(ascii: "/"))
    for part in parts.dropLast() {
      do throws(Errno) {
        folder = SharedDescriptor(try folder.descriptor.open(Array(part), .directory))
      } catch {
        if error == .notFound { return nil }
        throw ObjectError(error, name)
      }
    }
    return (folder, Array(parts[parts.count - 1]))
  }

  /// As `find`, and makes the folders that are missing. Their names are on the medium when this returns: a flush of what
  /// is put into them says nothing about them.
  func findOrMake(_ name: ObjectName) throws(ObjectError) -> (folder: SharedDescriptor, name: [UInt8]) {
    var folder = try openOrMake()
    let parts = name.text.utf8.split(separator: UInt8(ascii: "/"))
    var path = ""
    for part in parts.dropLast() {
      path += "/" + String(decoding: part, as: UTF8.self)
      do throws(Errno) {
        folder = try openOrMake(Array(part), in: folder, path)
      } catch {
        throw ObjectError(error, name)
      }
    }
    return (folder, Array(parts[parts.count - 1]))
  }

  private func openOrMake(
    _ name: [UInt8], in folder: SharedDescriptor, _ path: String
  ) throws(Errno) -> SharedDescriptor {
    let found: SharedDescriptor
    do throws(Errno) {
      found = SharedDescriptor(try folder.descriptor.open(name, .directory))
    } catch {
      guard error == .notFound else { throw error }
      do throws(Errno) {
        _ = try folder.descriptor.makeOwnedDirectory(name)
      } catch {
        if error != .exists { throw error }
      }
      found = SharedDescriptor(try folder.descriptor.open(name, .directory))
    }
    // Also when it was there: whoever made it may have been killed before the flush.
    if !durable.withLock({ $0.contains(path) }) {
      try folder.descriptor.flushNames()
      durable.withLock { _ = $0.insert(path) }
    }
    return found
  }
}

extension Descriptor {
  /// Returns when the names in this folder are on the medium. Some network file systems cannot be asked for that; there a
  /// name is as durable as the server makes it.
  func flushNames() throws(Errno) {
    do throws(Errno) {
      try flushDirectory()
    } catch {
      guard error == .invalid || error == .notSupported || error == .notImplemented else { throw error }
    }
  }
}
