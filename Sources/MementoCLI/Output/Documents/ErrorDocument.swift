// The JSON of a failure, on standard error.

import MementoKit

struct ErrorDocument: Encodable {
  let type = "error"
  let code: Int32
  let id: String
  let message: String
  let advice: String?
  let path: String?
  let pathB64: String?
  /// The single problems that caused the failure; left out when there are none.
  let problems: [ProblemDocument]?

  init(_ report: ErrorReport) {
    code = report.status.code
    id = report.id
    message = report.message
    advice = report.advice
    path = report.path?.lossyText
    pathB64 = report.path?.base64
    problems = report.problems.isEmpty ? nil : report.problems.map(ProblemDocument.init)
  }
}
