// Parses the place of a remote: a URL, or the path of a folder as other tools take it.

import ArgumentParser
import MementoKit

struct RemotePlaceArgument: ExpressibleByArgument, Equatable, Sendable {
  private let bytes: [UInt8]

  // Any text is taken, because the parser would show all of a wrong one, and it may hold a password.
  init?(argument: String) {
    bytes = ArgumentBytes.decode(argument)
  }

  /// The URL. A path, which begins with `/` or `.`, is relative to `directory`.
  func url(from directory: BytePath) throws -> RemoteURL {
    let path = BytePath(bytes)
    if path.isAbsolute || bytes.first == UInt8(ascii: ".") {
      let names = FolderPaths.normalized(directory.resolving(path))
      return try RemoteURL(folder: BytePath(Array((names.flatMap { [UInt8(ascii: "/")] + $0 }))))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ErrorReport.usage("the URL is not UTF-8", advice: Advice.bytesOfURL)
    }
    return try RemoteURL(text)
  }
}

extension RemoteURL {
  /// What a clone calls its folder: the last name in the URL. Nil when there is none.
  var folderName: [UInt8]? { path.components.last ?? (engine == .s3 ? host.map { Array($0.utf8) } : nil) }
}
