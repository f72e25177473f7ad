// The tools that save, and that change the folder.

enum RecordingTools {
  static let all = [save, restore, undo]

  private static let save = AgentTool(
    name: "save", title: "Save the folder",
    about: """
      Record the whole folder exactly as it is, before something risky or after something good. With a name it can be \
      restored by that name. Changes no file.
      """,
    effect: .records,
    arguments: [
      ToolArgument(name: "name", kind: .text, about: "The state to save as; a name in use moves. Without it: a step"),
      ToolArgument(name: "message", kind: .text, about: "Why it is saved"),
      ToolArgument(name: "no_clobber", kind: .flag, about: "Refuse a name that is in use"),
    ],
    members: [
      ("schema", "integer"), ("snapshot", "object"), ("added", "integer"), ("modified", "integer"),
      ("removed", "integer"), ("changes", "array"), ("changes_omitted", "integer"), ("undo", ["string", "null"]),
      ("duration_ms", "integer"), ("problems", "array"), ("unchanged", "boolean"),
    ]
  ) { arguments, line in
    var words = ["save", "--no-push"]
    if let message = arguments.text("message") { words += ["--message", message] }
    if arguments.flag("no_clobber") { words.append("--no-clobber") }
    if let name = try arguments.name("name") { words.append(name) }
    return try line.document(words)
  }

  private static let restore = AgentTool(
    name: "restore", title: "Restore the folder, or some paths",
    about: """
      Make the folder exactly what it was in a snapshot. Without confirm it returns the plan and changes nothing; call it \
      again with the same arguments and confirm set to the plan_id of that plan. If the folder has changed meanwhile, a new \
      plan is returned. What no snapshot has is saved before, so undo takes the restore back.
      """,
    effect: .changesFiles,
    arguments: [
      ToolArgument(
        name: "snapshot", kind: .text, about: "A name, an id of 4 or more digits, @, @~2, NAME~1 or NAME@{2h}",
        isRequired: true),
      ToolArgument(name: "paths", kind: .texts, about: "Only these files and folders, relative to the folder"),
      ToolArgument(name: "keep", kind: .texts, about: "Leave alone what these patterns match, as in .gitignore"),
      ToolArgument(name: "keep_extra", kind: .flag, about: "Leave files that the snapshot does not have"),
      ToolArgument(name: "confirm", kind: .text, about: "The plan_id of the plan to carry out"),
    ],
    members: [
      ("schema", "integer"), ("snapshot", "object"), ("guard", ["string", "null"]), ("created", "integer"),
      ("replaced", "integer"), ("removed", "integer"), ("metadata", "integer"), ("bytes_written", "integer"),
      ("dry_run", "boolean"), ("problems", "array"), ("plan_id", "string"), ("note", "string"),
    ]
  ) { arguments, line in
    guard let snapshot = try arguments.name("snapshot") else { throw WrongArgument(message: "\"snapshot\" is missing") }
    var words = ["restore", snapshot]
    for pattern in arguments.texts("keep") { words += ["--keep", pattern] }
    if arguments.flag("keep_extra") { words.append("--keep-extra") }
    words += try arguments.paths("paths")
    let plan = try line.document(words + ["--dry-run"])
    let id = PlanID.of(plan, words)
    let confirmed = arguments.text("confirm")
    guard confirmed == id else {
      let note =
        confirmed == nil
        ? "Nothing was changed. Call restore again with confirm set to plan_id to do this."
        : "Nothing was changed: confirm is not the id of this plan. The folder or the snapshot has changed since."
      return plan.setting("plan_id", .text(id)).setting("note", .text(note))
    }
    return try line.document(words).setting("plan_id", .text(id))
      .setting("note", "Done. The tool undo takes it back.")
  }

  private static let undo = AgentTool(
    name: "undo", title: "Go one step back",
    about: """
      Take the folder to the state before the last save or restore. Changes that are not saved are saved first and count as \
      a step, so the first undo takes back only these. With dry_run it returns the plan and changes nothing.
      """,
    effect: .changesFiles,
    arguments: [
      ToolArgument(name: "steps", kind: .count, about: "How many steps (default: 1)"),
      ToolArgument(name: "dry_run", kind: .flag, about: "Return what would be done, and change nothing"),
    ],
    members: [
      ("schema", "integer"), ("snapshot", "object"), ("guard", ["string", "null"]), ("created", "integer"),
      ("replaced", "integer"), ("removed", "integer"), ("dry_run", "boolean"), ("steps", "array"),
      ("problems", "array"),
    ]
  ) { arguments, line in
    try line.document(
      ["undo"] + (arguments.flag("dry_run") ? ["--dry-run"] : []) + [String(arguments.count("steps") ?? 1)])
  }
}

/// The id of a plan: the same for the same arguments and the same steps. It guards against mistakes and not against
/// attacks, since whoever may ask for a plan may carry it out.
enum PlanID {
  static func of(_ plan: JSONNode, _ words: [String]) -> String {
    let snapshot = plan["snapshot"]?["id"]?.text ?? ""
    let steps = JSONWriter.text(plan["plan"] ?? .null)
    // FNV-1a of 64 bits.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in words + [snapshot, steps] {
      for byte in Array(text.utf8) + [0] { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
    let digits = String(hash, radix: 16)
    return "plan-" + String(repeating: "0", count: 16 - digits.count) + digits
  }
}
