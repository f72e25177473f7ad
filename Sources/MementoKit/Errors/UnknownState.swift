// The error of a name that does not exist, with the name that was probably meant.

internal import MementoModel
internal import MementoStore

extension RepositoryError {
  /// `outcome`: what follows from it: "; nothing was deleted".
  static func unknownState(_ name: String, in refs: Refs, _ outcome: String = "") -> RepositoryError {
    var error = RepositoryError(.noSuchState, "there is no state \"\(name)\"\(outcome)", reason: .unknownState)
    error.similar = Spelling.nearest(to: name, among: refs.states.lazy.map(\.name))
    return error
  }
}
