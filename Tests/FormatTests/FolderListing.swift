// Lists a folder as lines of text with everything that a restore must give back. Tests compare two listings, or one
// with a recorded listing.

import MementoStore
import MementoSystem

enum FolderListing {
  /// One line for each path, in the order of a walk: the path, type and mode in octal, the modification time, then the
  /// size and SHA-256, or the target of a link. `=PATH` follows if PATH is another name of the same file. The store is
  /// left out.
  static func lines(of path: String) throws -> [String] {
    let root = try Descriptor.open(Array(path.utf8), .namedDirectory)
    var seen: [FileIdentity: [UInt8]] = [:]
    var result = [try line([], root.status(), in: root, name: [UInt8(ascii: ".")], &seen)]
    try add(root, [], &result, &seen)
    return result
  }

  private static func add(
    _ folder: borrowing Descriptor, _ prefix: [UInt8], _ result: inout [String], _ seen: inout [FileIdentity: [UInt8]]
  ) throws {
    let listing = try DirectoryListing(reading: folder.open([UInt8(ascii: ".")], .directory))
    for index in 0..<listing.count {
      let name = listing.name(at: index)
      if name == Array(".memento".utf8) { continue }
      let path = prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
      let status = try folder.status(of: name)
      result.append(try line(path, status, in: folder, name: name, &seen))
      if status.isDirectory { try add(folder.open(name, .directory), path, &result, &seen) }
    }
  }

  private static func line(
    _ path: [UInt8], _ status: FileStatus, in folder: borrowing Descriptor, name: [UInt8],
    _ seen: inout [FileIdentity: [UInt8]]
  ) throws -> String {
    let fraction = String(1_000_000_000 + status.modified.nanoseconds).dropFirst()
    var words = [
      path.isEmpty ? "." : PercentText.encode(path), String(status.mode, radix: 8),
      "\(status.modified.seconds).\(fraction)",
    ]
    if status.isRegular {
      let content = try folder.open(name, .read).contents()
      words += ["\(status.size)", "\(ObjectID(hashing: content))"]
    }
    if status.kind == .symbolicLink { words.append(PercentText.encode(try folder.readSymbolicLink(name))) }
    if !status.isDirectory, status.linkCount > 1 {
      if let first = seen[status.identity] { words.append("=" + PercentText.encode(first)) }
      seen[status.identity] = seen[status.identity] ?? path
    }
    return words.joined(separator: " ")
  }
}
