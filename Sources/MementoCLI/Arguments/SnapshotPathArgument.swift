// SNAPSHOT[:PATH]. The one place where it is taken apart, but for the completions, which do the same.

import ArgumentParser
import MementoKit

struct SnapshotPathArgument: ExpressibleByArgument, Equatable, Sendable {
  /// What names the snapshot.
  let revision: Revision
  /// What follows the colon; nil without one.
  private let path: BytePath?

  init?(argument: String) {
    let bytes = ArgumentBytes.decode(argument)
    let colon = SnapshotPathArgument.colon(in: bytes)
    guard let revision = String(validating: bytes[..<(colon ?? bytes.count)], as: UTF8.self), !revision.isEmpty
    else { return nil }
    self.revision = Revision(revision)
    path = colon.map { BytePath(bytes[($0 + 1)...]) }
  }

  /// The first colon that is not part of a time, as in `@{2026-06-01 14:00}`; no name of a state holds one.
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

  /// PATH relative to the folder, empty for the folder itself; nil when there is none. As in git, it is relative to the
  /// folder unless it begins with `./` or `../`: then to `directory`, where the command works.
  func path(in folder: BytePath, from directory: BytePath) throws -> BytePath? {
    guard let path else { return nil }
    let first = path.components.first ?? []
    let isHere = first == Array(".".utf8) || first == Array("..".utf8)
    return try FolderPaths(directory: isHere ? directory : folder, folder: folder).relative(path)
  }
}
