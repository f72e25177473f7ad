// What to say about a config that can be used: keys that are not known are often misspelt.

internal import MementoStore

extension Repository {
  /// How many keys are named one by one.
  private static let keysNamed = 10

  /// The keys of the config that this version does not know, a note each, with the known key that is most like it.
  public var configNotes: [Problem] {
    let keys = folderConfig.unknownKeys
    var notes = keys.prefix(Repository.keysNamed).map { key in
      note("line \(key.line): there is no key \"\(key.key)\"" + (key.nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    if keys.count > notes.count { notes.append(note("\(keys.count - notes.count) more keys are not known")) }
    return notes
  }

  private func note(_ message: String) -> Problem {
    Problem(path: configSource, message: message, isNote: true)
  }
}
