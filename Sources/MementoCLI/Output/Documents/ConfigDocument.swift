// The JSON of `memento config`.

import MementoKit

struct ConfigDocument: Encodable {
  struct Value: Encodable {
    let value: String
    let valueB64: String?
    let source: String
    let file: String?
    let fileB64: String?
    let line: Int?
    /// Why the value is not understood; left out when it is.
    let problem: String?
  }

  struct Setting: Encodable {
    let key: String
    let values: [Value]
    let `default`: OrNull<String>
    let repeatable: Bool
    let meaning: String
  }

  let schema = 1
  let settings: [Setting]

  init(_ settings: [ConfigSetting]) {
    self.settings = settings.map { setting in
      Setting(
        key: setting.key.name,
        values: setting.values.map {
          Value(
            value: BytePath($0.bytes).lossyText, valueB64: BytePath($0.bytes).base64, source: $0.source.description,
            file: $0.file?.lossyText, fileB64: $0.file?.base64, line: $0.line, problem: $0.problem)
        },
        default: OrNull(setting.key.standard), repeatable: setting.key.isRepeatable, meaning: setting.key.meaning)
    }
  }
}

struct ConfigChangeDocument: Encodable {
  struct Value: Encodable {
    let value: String
    let valueB64: String?

    init(_ bytes: [UInt8]) {
      value = BytePath(bytes).lossyText
      valueB64 = BytePath(bytes).base64
    }
  }

  let schema = 1
  let key: String
  let file: String
  let fileB64: String?
  let before: [Value]
  let after: [Value]
  let dryRun: Bool

  init(_ summary: ConfigChangeSummary) {
    key = summary.key.name
    file = summary.file.lossyText
    fileB64 = summary.file.base64
    before = summary.before.map { Value($0) }
    after = summary.after.map { Value($0) }
    dryRun = !summary.isCommitted
  }
}
