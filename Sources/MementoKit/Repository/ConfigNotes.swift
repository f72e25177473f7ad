// Notes on a config that can be used: an unknown key is often a misspelt one.

internal import MementoStore

extension Repository {
  /// How many unknown keys get a note of their own.
  private static let keysNamed = 10

  /// One note for each unknown key of the config, with the known key that is most like it.
  public var configNotes: [Problem] {
    let keys = folderConfig.unknownKeys
    var notes = keys.prefix(Repository.keysNamed).map { key in
      if ConfigKey.named(key.key) != nil { return note("line \(key.line): \(key.key) counts in a user's config only") }
      return note(
        "line \(key.line): there is no key \"\(key.key)\"" + (key.nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
    if keys.count > notes.count { notes.append(note("\(keys.count - notes.count) more keys are not known")) }
    return notes
  }

  private func note(_ message: String) -> Problem {
    Problem(path: configSource, message: message, isNote: true)
  }
}
