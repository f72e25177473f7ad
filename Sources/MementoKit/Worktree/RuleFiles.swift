// Reads the rule files of the working tree under the conditions of git: each must be a regular file, not a link, and
// not too large. A file that cannot be read ignores nothing and is reported.

internal import MementoSystem

enum RuleFiles {
  /// Called with the name of a file whose rules do not count, and the reason. `failure`: the error when it could not be
  /// read; nil when it is skipped on purpose, which is only a note.
  typealias Report = (_ name: [UInt8], _ message: String, _ failure: Errno?) -> Void

  /// Reads the rule files of a directory. With a listing, it need not ask the system for files that do not exist.
  static func read(
    _ directory: borrowing Descriptor, _ listing: DirectoryListing? = nil, git: Bool, _ report: Report
  ) -> FolderRuleFiles {
    var files = FolderRuleFiles()
    if listing?.contains(FolderRuleFiles.name) != false {
      files.own = contents(of: FolderRuleFiles.name, in: directory, isListed: listing != nil, report)
    }
    if git, listing?.contains(FolderRuleFiles.gitName) != false {
      files.git = contents(of: FolderRuleFiles.gitName, in: directory, isListed: listing != nil, report)
    }
    return files
  }

  private enum Found {
    case bytes([UInt8])
    case link
    case other
  }

  /// Runs `look` a second time when a listed name is not found: a file that is being replaced may be missing for a
  /// moment. Nil when the name does not exist.
  private static func asking<Result>(
    again isListed: Bool, _ look: () throws(Errno) -> Result?
  ) throws(Errno) -> Result? {
    do throws(Errno) {
      if let found = try look() { return found }
      if !isListed { return nil }
    } catch {
      guard error == .notFound else { throw error }
    }
    return try look()
  }

  /// The bytes of a rule file. Nil when there is none, or when its rules do not count.
  private static func contents(
    of name: [UInt8], in directory: borrowing Descriptor, isListed: Bool, _ report: Report
  ) -> [UInt8]? {
    do throws(Errno) {
      switch try asking(again: isListed, { () throws(Errno) in try look(at: name, in: directory) }) {
      case .bytes(let bytes)?: return bytes
      case .link?: report(name, "its rules do not count: it is a symbolic link", nil)
      case .other?, nil: break
      }
    } catch {
      if error == .rangeError {
        report(name, "its rules do not count: it has more than 100 MiB", nil)
      } else {
        report(name, "its rules cannot be read: \(error)", error)
      }
    }
    return nil
  }

  private static func look(at name: [UInt8], in directory: borrowing Descriptor) throws(Errno) -> Found? {
    guard let status = try directory.statusIfPresent(of: name) else { return nil }
    switch status.kind {
    case .symbolicLink: return .link
    case .regular:
      guard let bytes = try directory.contents(of: name, limit: IgnoreList.largestFile) else { throw .notFound }
      return .bytes(bytes)
    default: return .other
    }
  }

  /// Whether a directory is tagged as a cache. False when that cannot be read, which is reported.
  static func isCache(
    _ directory: borrowing Descriptor, _ listing: DirectoryListing? = nil, _ report: Report
  ) -> Bool {
    guard listing?.contains(CacheTag.name) != false else { return false }
    do throws(Errno) {
      let isTagged = try asking(again: listing != nil) { () throws(Errno) -> Bool? in
        guard let status = try directory.statusIfPresent(of: CacheTag.name) else { return nil }
        guard status.isRegular else { return false }
        let tag = try directory.open(CacheTag.name, .read)
        return try tag.bytes(at: 0, count: CacheTag.signature.count) == CacheTag.signature
      }
      return isTagged == true
    } catch {
      report(CacheTag.name, "whether it tags a cache cannot be read: \(error)", error)
      return false
    }
  }
}

extension IgnoreOptions {
  /// Reads patterns from a file that the user has named. It may be a pipe. `name`: its name in messages.
  public mutating func addPatterns(of path: BytePath, name: BytePath) throws(RepositoryError) {
    do throws(Errno) {
      let file = try Descriptor.open(path.bytes, .namedFile)
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        var failure: Errno?
        let count = buffer.withUnsafeMutableBytes { buffer in
          do throws(Errno) {
            return try file.read(into: buffer)
          } catch {
            failure = error
            return 0
          }
        }
        if let failure { throw failure }
        if count == 0 { break }
        bytes += buffer[..<count]
        if bytes.count > IgnoreList.largestFile { throw .tooLarge }
      }
      files.append(PatternFile(name: name, bytes: bytes))
    } catch {
      throw RepositoryError(.system, "cannot read \(name): \(error)", path: name, systemError: error.code)
    }
  }
}
