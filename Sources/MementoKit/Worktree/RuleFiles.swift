// Reads rule files of the working tree, as git reads its own: a regular file, not through a link, not too large. What
// cannot be read leaves nothing out, and is said.

internal import MementoSystem

enum RuleFiles {
  /// Calls with the name of a file whose rules do not count, why, and whether that is only worth a note.
  typealias Report = (_ name: [UInt8], _ message: String, _ isNote: Bool) -> Void

  /// The rule files of a directory; its listing, where there is one, spares asking for each.
  static func read(
    _ directory: borrowing Descriptor, _ listing: DirectoryListing? = nil, git: Bool, _ report: Report
  ) -> FolderRuleFiles {
    var files = FolderRuleFiles()
    if listing?.contains(FolderRuleFiles.name) != false {
      files.own = contents(of: FolderRuleFiles.name, in: directory, report)
    }
    if git, listing?.contains(FolderRuleFiles.gitName) != false {
      files.git = contents(of: FolderRuleFiles.gitName, in: directory, report)
    }
    return files
  }

  /// The bytes of a rule file; nil when there is none, or none that counts.
  private static func contents(of name: [UInt8], in directory: borrowing Descriptor, _ report: Report) -> [UInt8]? {
    do throws(Errno) {
      switch try directory.status(of: name).kind {
      case .symbolicLink:
        report(name, "its rules do not count: it is a symbolic link", true)
        return nil
      case .regular:
        return try directory.contents(of: name, limit: IgnoreList.largestFile)
      default:
        return nil
      }
    } catch {
      switch error {
      case .notFound: break
      case .rangeError: report(name, "its rules do not count: it has more than 100 MiB", true)
      default: report(name, "its rules cannot be read: \(error)", false)
      }
      return nil
    }
  }

  /// Whether a directory is tagged as a cache.
  static func isCache(_ directory: borrowing Descriptor, _ listing: DirectoryListing? = nil) -> Bool {
    guard listing?.contains(CacheTag.name) != false, let tag = try? directory.open(CacheTag.name, .read),
      (try? tag.status())?.isRegular == true
    else { return false }
    return (try? tag.bytes(at: 0, count: CacheTag.signature.count)) == CacheTag.signature
  }
}

extension IgnoreOptions {
  /// Adds a file of patterns that the user named; `name` is how messages call it. It may be a pipe.
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
