// Names of states, as a push and a pull choose them.

internal import MementoModel
internal import MementoRemote
internal import MementoStore

extension RefName {
  /// The states here as names of a remote. Throws `.invalidName` for a name that cannot be one.
  static func states(of refs: Refs) throws(RepositoryError) -> [RefName: ObjectID] {
    var result: [RefName: ObjectID] = [:]
    for state in refs.states {
      guard let name = RefName(state.name) else {
        throw RepositoryError(.invalidName, "the name \"\(state.name)\" cannot be used in a remote")
      }
      result[name] = state.snapshot
    }
    return result
  }

  /// Those of `names` that are called as one of `patterns` says, or match it. A pattern that fits none throws
  /// `.noSuchState`; `place` begins its message, as in "the remote has".
  static func chosen(
    _ patterns: [String], of names: some Sequence<RefName>, place: String
  ) throws(RepositoryError) -> Set<RefName> {
    let known = Set(names)
    var result: Set<RefName> = []
    for text in patterns {
      if let name = RefName(text), known.contains(name) {
        result.insert(name)
        continue
      }
      let pattern = NamePattern(text)
      let matching = known.filter { pattern.matches($0.text) }
      if matching.isEmpty {
        throw RepositoryError(
          .noSuchState, "\(place) no state \"\(text)\"", reason: .unknownState, revision: Revision(text))
      }
      result.formUnion(matching)
    }
    return result
  }
}
