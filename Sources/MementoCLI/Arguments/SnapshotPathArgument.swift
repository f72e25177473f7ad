// Parses SNAPSHOT[:PATH]. The shell completions parse it in the same way.

import ArgumentParser
import MementoKit

struct SnapshotPathArgument: ExpressibleByArgument, Equatable, Sendable {
  /// The part that names the snapshot.
  let revision: Revision
  /// The part after the colon; nil without a colon.
  private let path: BytePath?

  init?(argument: String) {
    let bytes = ArgumentBytes.decode(argument)
    let colon = SnapshotPathArgument.colon(in: bytes)
    guard let revision = String(validating: bytes[..<(colon ?? bytes.count)], as: UTF8.self), !revision.isEmpty
    else { return nil }
    self.revision = Revision(revision)
    path = colon.map { BytePath(bytes[($0 + 1)...]) }
  }

  /// The position of the first colon that is not part of a time, as in `@{2026-06-01 14:00}`. No state name contains a
  /// colon.
  private static func colon(in bytes: [UInt8]) -> Int? {
    var isInTime = false
    for (place, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "{"): isInTime = place > 0 && bytes[place - 1] == UInt8(ascii: "@")
      case UInt8(ascii: "}"): isInTime = false
      case UInt8(ascii: ":") where !isInTime: return place
      default: break
      }
    }
    return nil
  }

  /// PATH relative to the folder; empty for the folder itself, nil when no PATH was given. As in git, PATH starts at
  /// the folder, but a PATH that begins with `./` or `../` starts at `directory`, the current directory of the command.
  func path(in folder: BytePath, from directory: BytePath) throws -> BytePath? {
    guard let path else { return nil }
    let first = path.components.first ?? []
    let isHere = first == Array(".".utf8) || first == Array("..".utf8)
    return try FolderPaths(directory: isHere ? directory : folder, folder: folder).relative(path)
  }
}
