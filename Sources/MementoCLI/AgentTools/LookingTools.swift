// The tools that change nothing.

enum LookingTools {
  static let all = [list, status, diff, log, cat, grep]

  private static let snapshot = "A name, an id of 4 or more digits, @, @~2, NAME~1 or NAME@{2h}"
  private static let paths = "Only these files and folders, relative to the folder"

  private static let list = AgentTool(
    name: "list", title: "List the states", about: "List the named states of the folder.", effect: .looks,
    arguments: [ToolArgument(name: "pattern", kind: .text, about: "Only names that match this glob")],
    members: [("schema", "integer"), ("states", "array")]
  ) { arguments, line in
    try line.document(["list"] + (try arguments.name("pattern").map { [$0] } ?? []))
  }

  private static let status = AgentTool(
    name: "status", title: "What changed since the last save",
    about: "Say at which snapshot the folder is, which paths changed since, and whether a restore was interrupted.",
    effect: .looks, arguments: [ToolArgument(name: "paths", kind: .texts, about: paths)],
    members: [
      ("schema", "integer"), ("at", ["object", "null"]), ("changes", "array"), ("added", "integer"),
      ("modified", "integer"), ("removed", "integer"), ("restore_pending", "boolean"), ("pending", ["object", "null"]),
      ("problems", "array"),
    ]
  ) { arguments, line in
    try line.document(["status"] + arguments.paths("paths"))
  }

  private static let diff = AgentTool(
    name: "diff", title: "Compare two snapshots, or one with the folder",
    about: """
      Compare a snapshot (default: where the folder is) with another one, or with the folder as it is now. With patch, the \
      lines that changed are there as a unified diff.
      """,
    effect: .looks,
    arguments: [
      ToolArgument(name: "from", kind: .text, about: "The older side. " + snapshot),
      ToolArgument(name: "to", kind: .text, about: "The newer side; the folder when it is left out"),
      ToolArgument(name: "paths", kind: .texts, about: paths),
      ToolArgument(name: "patch", kind: .flag, about: "Also return the lines that changed"),
    ],
    members: [
      ("schema", "integer"), ("at", ["object", "null"]), ("to", ["object", "null"]), ("changes", "array"),
      ("problems", "array"),
    ]
  ) { arguments, line in
    let to = try arguments.name("to")
    let sides = [try arguments.name("from") ?? (to == nil ? nil : "@"), to].compactMap(\.self)
    let words = sides + ["--"] + (try arguments.paths("paths"))
    let document = try line.document(["diff"] + words)
    guard arguments.flag("patch") else { return document }
    let patch = line.text(["diff", "--patch"] + words)
    if let failure = patch.failure { throw ToolFailure(text: failure) }
    let shown = String(decoding: patch.output.prefix(ResultLimit.text), as: UTF8.self)
    return document.setting("patch", .text(shown))
      .setting("patch_omitted_bytes", .number(String(max(0, patch.output.count - ResultLimit.text))))
  }

  private static let log = AgentTool(
    name: "log", title: "The history of the folder",
    about: "List the saves, restores and undos of the folder, newest first.", effect: .looks,
    arguments: [
      ToolArgument(name: "snapshot", kind: .text, about: "Start here. " + snapshot),
      ToolArgument(name: "paths", kind: .texts, about: "Only where one of these changed"),
      ToolArgument(name: "limit", kind: .count, about: "How many entries (default: 20)"),
      ToolArgument(name: "since", kind: .text, about: "Nothing older: a date, or an age such as 2h or 7d"),
      ToolArgument(name: "until", kind: .text, about: "Nothing newer: a date, or an age"),
      ToolArgument(name: "all", kind: .flag, about: "Also what undo left behind and what was deleted"),
      ToolArgument(name: "changes", kind: .flag, about: "Also which files changed in each entry"),
    ],
    members: [("schema", "integer"), ("entries", "array")]
  ) { arguments, line in
    var words = ["log", "--max-count", String(arguments.count("limit") ?? 20)]
    if let since = arguments.text("since") { words += ["--since", since] }
    if let until = arguments.text("until") { words += ["--until", until] }
    if arguments.flag("all") { words.append("--all") }
    if arguments.flag("changes") { words.append("--stat") }
    if let snapshot = try arguments.name("snapshot") { words.append(snapshot) }
    return try line.document(words + ["--"] + arguments.paths("paths"))
  }

  private static let cat = AgentTool(
    name: "cat", title: "A file of a snapshot",
    about: "Return a file as it was in a snapshot, or a value. Bytes that are no text come in Base64.", effect: .looks,
    arguments: [
      ToolArgument(name: "snapshot", kind: .text, about: snapshot, isRequired: true),
      ToolArgument(name: "path", kind: .text, about: "The file, relative to the folder; left out for a value"),
    ],
    members: [("schema", "integer"), ("snapshot", "object"), ("entry", ["object", "null"]), ("size", "integer")]
  ) { arguments, line in
    guard let snapshot = try arguments.name("snapshot") else { throw WrongArgument(message: "\"snapshot\" is missing") }
    let path = arguments.text("path")
    let document = try line.document(["cat", path.map { "\(snapshot):\($0)" } ?? snapshot])
    guard (document["size"]?.integer ?? 0) <= ResultLimit.text else {
      throw ToolFailure(
        text: "memento: \(document["size"]?.integer ?? 0) bytes are too much for a result\n"
          + "hint: restore the file, or search it with grep")
    }
    return document
  }

  private static let grep = AgentTool(
    name: "grep", title: "Search the content of all states",
    about: """
      Find the lines that match an extended regular expression in all states, or in some. A version of a file that several \
      states have is searched once.
      """,
    effect: .looks,
    arguments: [
      ToolArgument(name: "pattern", kind: .text, about: "The regular expression", isRequired: true),
      ToolArgument(name: "snapshots", kind: .texts, about: "Search these only. " + snapshot),
      ToolArgument(name: "paths", kind: .texts, about: paths),
      ToolArgument(name: "ignore_case", kind: .flag, about: "Take letters of both cases as the same"),
      ToolArgument(name: "fixed", kind: .flag, about: "Look for exactly this text"),
    ],
    members: [
      ("schema", "integer"), ("matches", "array"), ("matches_omitted", "integer"), ("problems", "array"),
      ("states", "integer"), ("contents", "integer"),
    ]
  ) { arguments, line in
    var words = ["grep", "--line-number", "--regexp", arguments.text("pattern") ?? ""]
    if arguments.flag("ignore_case") { words.append("--ignore-case") }
    if arguments.flag("fixed") { words.append("--fixed-strings") }
    for snapshot in arguments.texts("snapshots") {
      if snapshot.hasPrefix("-") { throw WrongArgument(message: "\"\(snapshot)\" is no name") }
      words.append(snapshot)
    }
    words += ["--"] + (try arguments.paths("paths"))
    let result = line.run(words)
    if let failure = result.failure { throw ToolFailure(text: failure) }
    var matches: [JSONNode] = []
    var omitted = 0
    var problems: [JSONNode] = []
    var summary: JSONNode = .object([])
    for row in result.output.split(separator: UInt8(ascii: "\n")) {
      let node = try ToolCommandLine.node(row)
      switch node["type"]?.text {
      case "match"?: if matches.count < ResultLimit.elements { matches.append(node) } else { omitted += 1 }
      case "problem"?: problems.append(node)
      default: summary = node
      }
    }
    return [
      "schema": 1, "matches": .list(matches), "matches_omitted": .number(String(omitted)), "problems": .list(problems),
      "states": summary["states"] ?? 0, "contents": summary["contents"] ?? 0,
    ]
  }
}
