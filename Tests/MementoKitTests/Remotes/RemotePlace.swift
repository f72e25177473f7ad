// A remote in a folder, for tests of its upkeep.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemotePlace {
  /// The folder that the remote lies in. Other things of a test may lie there, too.
  let folder: TemporaryDirectory
  let url: RemoteURL

  init() throws {
    folder = try TemporaryDirectory()
    url = try RemoteURL("file://\(folder.path)/remote")
  }

  var path: String { folder.path }

  /// A folder of the remote, such as `packs`.
  func objects(_ folder: String) -> FolderTools { FolderTools("\(path)/remote/\(folder)".bytes) }

  /// The paths of the objects in a folder of the remote.
  func files(_ folder: String) throws -> [String] {
    guard try FolderTools("\(path)/remote".bytes).names().contains(folder.bytes) else { return [] }
    return try RemoteTests.files(objects(folder)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Lets days pass, by making all objects older.
  func passDays(_ count: Int) throws {
    let script = """
      find "$1" -type f | while IFS= read -r f; do touch -d "@$(($(stat -c %Y "$f") - $2 * 86400))" "$f"; done
      """
    #expect(try Launch(["sh", "-c", script, "sh", "\(path)/remote", "\(count)"]).status == 0)
  }
}

extension RemoteTests.Machine {
  /// Adds a remote, and pushes two states one after the other that share nothing. The first one has left the folder.
  func pushTwoStates(to url: RemoteURL, plain: Bool) throws {
    try add(url, plain: plain)
    try fixture.folder.write("a".bytes, Content.random(300_000, seed: 1))
    try save("v1")
    try push()
    try fixture.folder.remove("a".bytes)
    try fixture.folder.write("b".bytes, Content.random(200_000, seed: 2))
    try save("v2")
    try push()
  }
}
