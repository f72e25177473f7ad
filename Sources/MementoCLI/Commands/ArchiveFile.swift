// The archive that a command reads: a file, or standard input.

import MementoKit
import MementoSystem

/// Open as long as the value is there.
struct ArchiveFile: ~Copyable {
  private let file: Descriptor?
  let descriptor: Int32

  /// `path`: `-` for standard input.
  init(_ path: BytePath, in session: Session) throws {
    if path == BytePath("-") {
      file = nil
      descriptor = session.context.standardInput
      return
    }
    let path = session.directory.resolving(path)
    do throws(Errno) {
      let opened = try Descriptor.open(path.bytes, .namedFile)
      descriptor = opened.raw
      file = consume opened
    } catch {
      throw ErrorReport.system("open", path, error)
    }
  }
}
