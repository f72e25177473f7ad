// Reads a folder without the code under test. Tests compare saves and restores with it.

internal import CMementoSystem
internal import Crypto

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Everything about one name that a restore must restore.
package struct ManifestEntry: Equatable, Sendable {
  package var type: UInt32
  package var mode: UInt32
  package var user: UInt32
  package var group: UInt32
  package var seconds: Int
  package var nanoseconds: Int
  package var size = 0
  /// The SHA-256 of the content, the target of a link, or the device number.
  package var content: [UInt8] = []
  package var attributes: [[UInt8]: [UInt8]] = [:]
  /// The first path of this inode, if it has several in the folder.
  package var firstLink: [UInt8]?
  /// The offsets at which the data of a file with holes begin and end.
  package var extents: [Int] = []

  package var isFolder: Bool { type == S_IFDIR }
  package var isFile: Bool { type == S_IFREG }
}

/// Values that change whenever a file is touched.
package struct Trace: Equatable, Sendable {
  package var inode: UInt
  package var changedSeconds: Int
  package var changedNanoseconds: Int
  package var blocks: Int
  package var links: UInt
}

package struct Manifest: Sendable {
  package private(set) var entries: [[UInt8]: ManifestEntry] = [:]
  package private(set) var traces: [[UInt8]: Trace] = [:]

  /// Reads a folder. The folder itself has the empty path. `.memento` at its top is left out.
  package init(_ folder: FolderTools) throws {
    var pending: [(path: [UInt8], parent: OpenFolder?, name: [UInt8])] = [([], nil, folder.path)]
    while let (path, parent, name) = pending.popLast() {
      let parentDescriptor = parent?.descriptor ?? AT_FDCWD
      let opened = try OpenFolder(parentDescriptor, name)
      add(path, try Self.status(parentDescriptor, name), try Self.attributes(opened.descriptor, [UInt8(ascii: ".")]))
      let here = try check("openat", openat(opened.descriptor, ".", O_RDONLY | O_DIRECTORY))
      for child in try listing(here) {
        if path.isEmpty, child == ".memento".bytes { continue }
        let childPath = path.isEmpty ? child : path + [UInt8(ascii: "/")] + child
        let status = try Self.status(opened.descriptor, child)
        if status.st_mode & S_IFMT == S_IFDIR {
          pending.append((childPath, opened, child))
          continue
        }
        add(childPath, status, try Self.attributes(opened.descriptor, child))
        try addContent(childPath, status, opened.descriptor, child)
      }
    }
    // The walk does not visit the paths in order. The first path of a group is the smallest.
    var groups: [UInt: [[UInt8]]] = [:]
    for (path, trace) in traces where trace.links > 1 && entries[path]?.type != S_IFDIR {
      groups[trace.inode, default: []].append(path)
    }
    for paths in groups.values where paths.count > 1 {
      let first = paths.min { $0.lexicographicallyPrecedes($1) }
      for path in paths { entries[path]?.firstLink = first }
    }
  }

  private static func status(_ folder: Int32, _ name: [UInt8]) throws -> stat {
    var result = stat()
    try check("fstatat", fstatat(folder, FolderTools.cString(name), &result, AT_SYMLINK_NOFOLLOW))
    return result
  }

  private mutating func add(
    _ path: [UInt8], _ status: stat, _ attributes: [[UInt8]: [UInt8]]
  ) {
    var entry = ManifestEntry(
      type: status.st_mode & S_IFMT, mode: status.st_mode & 0o7777, user: status.st_uid, group: status.st_gid,
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    entry.attributes = attributes
    entries[path] = entry
    traces[path] = Trace(
      inode: status.st_ino, changedSeconds: status.st_ctim.tv_sec, changedNanoseconds: status.st_ctim.tv_nsec,
      blocks: Int(status.st_blocks), links: UInt(status.st_nlink))
  }

  private mutating func addContent(_ path: [UInt8], _ status: stat, _ folder: Int32, _ name: [UInt8]) throws {
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      let file = try check("openat", openat(folder, FolderTools.cString(name), O_RDONLY | O_NOFOLLOW))
      defer { close(file) }
      let size = Int(status.st_size)
      let extents = Int(status.st_blocks) * 512 < size ? Self.extents(file, size) : []
      entries[path]?.size = size
      entries[path]?.extents = extents
      entries[path]?.content = try Self.digest(file, extents)
    case S_IFLNK:
      var buffer = [CChar](repeating: 0, count: 8192)
      let count = try check("readlinkat", readlinkat(folder, FolderTools.cString(name), &buffer, buffer.count))
      entries[path]?.content = buffer[..<count].map { UInt8(bitPattern: $0) }
    case S_IFCHR, S_IFBLK:
      entries[path]?.content = Array("\(status.st_rdev)".utf8)
    default: break
    }
  }

  private static func extents(_ file: Int32, _ size: Int) -> [Int] {
    var result: [Int] = []
    var position: off_t = 0
    while position < size {
      let start = cs_seek_data(file, position)
      if start < 0 { break }
      position = cs_seek_hole(file, start)
      if position < 0 { break }
      result += [Int(start), Int(position)]
    }
    // While a file is being written back, ext4 says for a moment that it has no blocks.
    if result == [0, size] { return [] }
    return result.isEmpty ? [-1] : result
  }

  /// The hash of the data. Holes are not read: `extents` has their places.
  private static func digest(_ file: Int32, _ extents: [Int]) throws -> [UInt8] {
    if extents == [-1] { return [] }
    var hasher = SHA256()
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    let stretches = extents.isEmpty ? [0, Int.max] : extents
    for index in stride(from: 0, to: stretches.count, by: 2) {
      var position = stretches[index]
      while position < stretches[index + 1] {
        let wanted = min(buffer.count, stretches[index + 1] - position)
        let count = try check("pread", pread(file, &buffer, wanted, off_t(position)))
        if count == 0 { break }
        buffer.withUnsafeBytes { hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        position += count
      }
    }
    return Array(hasher.finalize())
  }

  private static func attributes(_ folder: Int32, _ name: [UInt8]) throws -> [[UInt8]: [UInt8]] {
    let path = FolderTools.cString(Array("/proc/self/fd/\(folder)/".utf8) + name)
    var names = [CChar](repeating: 0, count: 1 << 16)
    let count = cs_list_link_attributes(path, &names, names.count)
    if count <= 0 { return [:] }
    var result: [[UInt8]: [UInt8]] = [:]
    for name in names[..<count].split(separator: 0) {
      var value = [UInt8](repeating: 0, count: 1 << 16)
      let length = try check("lgetxattr", cs_get_link_attribute(path, Array(name) + [0], &value, value.count))
      result[name.map { UInt8(bitPattern: $0) }] = Array(value[..<length])
    }
    return result
  }
}

/// An open folder. It is closed when the value is released.
private final class OpenFolder {
  let descriptor: Int32

  init(_ parent: Int32, _ name: [UInt8]) throws {
    descriptor = try check("openat", openat(parent, FolderTools.cString(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
  }

  deinit {
    close(descriptor)
  }
}

extension Manifest {
  /// The differences from another folder as text; empty when there are none.
  package func differences(from other: Manifest) -> [String] {
    Manifest.differences(entries, other.entries)
  }

  static func differences(
    _ entries: [[UInt8]: ManifestEntry], _ others: [[UInt8]: ManifestEntry]
  ) -> [String] {
    var result: [String] = []
    for path in Set(entries.keys).union(others.keys) {
      guard let mine = entries[path] else {
        result.append("\(Self.text(path)) is missing here")
        continue
      }
      guard let theirs = others[path] else {
        result.append("\(Self.text(path)) is missing there")
        continue
      }
      if mine != theirs { result.append("\(Self.text(path)): \(Self.words(mine, theirs))") }
    }
    result.sort()
    return result.count > 20 ? Array(result[..<20]) + ["and \(result.count - 20) more"] : result
  }

  /// The paths that were written, replaced or changed since `other`, an earlier manifest of the same folder.
  package func touched(since other: Manifest) -> [String] {
    traces.keys.filter { traces[$0] != other.traces[$0] }.map(Self.text).sorted()
  }

  private static func text(_ path: [UInt8]) -> String {
    path.isEmpty ? "the folder" : String(String(decoding: path, as: UTF8.self).prefix(80))
  }

  private static func words(_ mine: ManifestEntry, _ theirs: ManifestEntry) -> String {
    var words: [String] = []
    func compare<Value: Equatable>(_ name: String, _ path: KeyPath<ManifestEntry, Value>) {
      if mine[keyPath: path] != theirs[keyPath: path] {
        words.append("\(name) \("\(mine[keyPath: path])".prefix(120)), not \("\(theirs[keyPath: path])".prefix(120))")
      }
    }
    compare("type", \.type)
    compare("mode", \.mode)
    compare("user", \.user)
    compare("group", \.group)
    compare("seconds", \.seconds)
    compare("nanoseconds", \.nanoseconds)
    compare("size", \.size)
    compare("content", \.content)
    compare("attributes", \.attributes)
    compare("firstLink", \.firstLink)
    compare("extents", \.extents)
    return words.joined(separator: "; ")
  }
}
