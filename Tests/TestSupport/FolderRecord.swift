// Records a folder without memento, so that a restore can be judged. It uses plain calls by path, so that it cannot
// share a mistake with the code under test.

internal import CMementoSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A folder with everything in it, except names at its top that begin with `.memento`.
package struct FolderRecord: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package var mode: UInt32
    package var user: UInt32
    package var group: UInt32
    package var seconds: Int
    package var nanoseconds: Int
    /// The content of a file, the target of a link, or the device number.
    package var content: [UInt8]
    /// The first path with the same inode, if the file has several names.
    package var link: String?
    package var attributes: [String: [UInt8]]
  }

  /// The entries by path. The folder itself is the empty path; its time is 0 here, because making `.memento` changes
  /// it.
  package var entries: [String: Entry] = [:]

  package init(of folder: String) throws {
    var seen: [UInt64: String] = [:]
    var waiting = [""]
    while let path = waiting.popLast() {
      let whole = path.isEmpty ? folder : "\(folder)/\(path)"
      var status = stat()
      guard lstat(whole, &status) == 0 else { throw FolderRecordError(path: whole, number: errno) }
      let kind = status.st_mode & S_IFMT
      var content: [UInt8] = []
      var link: String?
      switch kind {
      case S_IFDIR:
        for name in try FolderRecord.names(whole) where !(path.isEmpty && name.hasPrefix(".memento")) {
          waiting.append(path.isEmpty ? name : "\(path)/\(name)")
        }
      case S_IFREG: content = try FolderRecord.contents(whole, Int(status.st_size))
      case S_IFLNK: content = FolderRecord.target(whole)
      default: content = Array("\(status.st_rdev)".utf8)
      }
      if kind != S_IFDIR, status.st_nlink > 1 {
        link = seen[UInt64(status.st_ino)] ?? path
        seen[UInt64(status.st_ino)] = link
      }
      #if canImport(Glibc)
        let time = status.st_mtim
      #else
        let time = status.st_mtimespec
      #endif
      entries[path] = Entry(
        mode: UInt32(status.st_mode), user: status.st_uid, group: status.st_gid,
        seconds: path.isEmpty ? 0 : time.tv_sec, nanoseconds: path.isEmpty ? 0 : time.tv_nsec, content: content,
        link: link, attributes: FolderRecord.attributes(whole))
    }
  }

  /// The differences as text, one line for each path.
  package func differences(from other: FolderRecord) -> [String] {
    Set(entries.keys).union(other.entries.keys).sorted().compactMap { path in
      switch (other.entries[path], entries[path]) {
      case (nil, _): "\(path): is new"
      case (_, nil): "\(path): is gone"
      case (let old?, let new?) where old != new:
        old.content == new.content
          ? "\(path): other metadata: \(old.withoutContent) -> \(new.withoutContent)" : "\(path): other content"
      default: nil
      }
    }
  }

  // Sorted, because the order decides which of several hard links is the first. It must not depend on the file system.
  private static func names(_ path: String) throws -> [String] {
    guard let directory = opendir(path) else { throw FolderRecordError(path: path, number: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func contents(_ path: String, _ size: Int) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw FolderRecordError(path: path, number: errno) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: size)
    guard read(file, &bytes, size) == size else { throw FolderRecordError(path: path, number: errno) }
    return bytes
  }

  private static func target(_ path: String) -> [UInt8] {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    return buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
  }

  private static func attributes(_ path: String) -> [String: [UInt8]] {
    var names = [CChar](repeating: 0, count: 4096)
    let size = cs_list_link_attributes(path, &names, names.count)
    guard size > 0 else { return [:] }
    var result: [String: [UInt8]] = [:]
    for name in names.prefix(size).split(separator: 0) {
      let name = String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      var value = [UInt8](repeating: 0, count: 1 << 16)
      let count = cs_get_link_attribute(path, name, &value, value.count)
      result[name] = Array(value.prefix(max(0, count)))
    }
    return result
  }
}

extension FolderRecord.Entry {
  fileprivate var withoutContent: String {
    let mode = String(self.mode, radix: 8)
    return "\(mode) \(user):\(group) \(seconds).\(nanoseconds) \(link ?? "") \(attributes.keys.sorted())"
  }
}

/// A path that could not be read.
package struct FolderRecordError: Error {
  package let path: String
  package let number: Int32
}
