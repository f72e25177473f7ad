// A path in the place of a snapshot, which git would take: the hint of the error says where it goes.

import MementoKit

extension Session {
  /// The error with a hint, if it says that there is no such snapshot and `word` is something in the folder; else the error
  /// as it is. `advice`: the command that the user meant.
  func error(
    _ error: RepositoryError, forPathInPlaceOf word: TextArgument?, advice: (BytePath) -> String
  ) -> any Error {
    guard error.code == .noSuchState, let path = word.map({ BytePath($0.text) }),
      Paths.exists(directory.resolving(path))
    else { return error }
    var report = ErrorReport(error)
    report.advice = advice(path)
    return report
  }
}
