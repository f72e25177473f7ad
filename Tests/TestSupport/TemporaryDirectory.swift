// A folder for one test.

package import MementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A new folder in the system's folder for temporary files. It is removed with everything in it when the value is
/// released.
package final class TemporaryDirectory: Sendable {
  package let path: String
  package let descriptor: Descriptor

  package init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/memento-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno.current }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    descriptor = try Descriptor.open(Array(path.utf8), .directory)
  }

  deinit {
    let name = path.utf8.suffix(19)
    let parent = path.utf8.dropLast(20)
    if let parent = try? Descriptor.open(Array(parent), .namedDirectory) {
      try? parent.removeTree(Array(name))
    }
  }

  /// Makes a file with this content. An existing file is replaced.
  package func write(_ name: String, _ bytes: [UInt8]) throws {
    try? descriptor.removeFile(Array(name.utf8))
    let file = try descriptor.open(Array(name.utf8), .create)
    try file.write(bytes)
  }

  package func read(_ name: String) throws -> [UInt8] {
    guard let bytes = try descriptor.contents(of: Array(name.utf8)) else { throw Errno.notFound }
    return bytes
  }

  package func rename(_ name: String, to newName: String, _ rule: RenameRule = .replace) throws {
    try descriptor.rename(Array(name.utf8), to: Array(newName.utf8), in: descriptor, rule)
  }

  package func status(_ name: String) throws -> FileStatus {
    try descriptor.status(of: Array(name.utf8))
  }

  /// The names in this folder or in a folder below it, sorted.
  package func names(_ folder: String = ".") throws -> [String] {
    let listing = try DirectoryListing(reading: descriptor.open(Array(folder.utf8), .directory))
    return (0..<listing.count).map { String(decoding: listing.name(at: $0), as: UTF8.self) }
  }

  package func exists(_ name: String) -> Bool {
    descriptor.exists(Array(name.utf8))
  }
}

extension Descriptor {
  /// Whether the name exists. A failed look counts as no; the test then fails elsewhere.
  package func exists(_ name: [UInt8]) -> Bool {
    (try? status(of: name)) != nil
  }
}
