// The words `[REMOTE] [NAME...]` of push and pull.

import MementoKit

struct RemoteWords {
  /// Nil for the only remote, or that of the config.
  var remote: String?
  var names: [String]

  /// The first word is a remote if there is one of this name. Else it is a name of `known`, and so are all. When it is
  /// neither, it was meant as a remote: the library says that there is none.
  init(_ words: [String], remotes: [String], known: () throws -> [String]) rethrows {
    guard let first = words.first else {
      (remote, names) = (nil, [])
      return
    }
    if !remotes.contains(first), try known().contains(where: NamePattern(first).matches) {
      (remote, names) = (nil, words)
    } else {
      (remote, names) = (first, Array(words.dropFirst()))
    }
  }
}
