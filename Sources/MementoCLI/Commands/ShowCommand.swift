// memento show

import ArgumentParser
import MementoKit

struct ShowCommand: SessionCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a snapshot, or what is in it",
    usage: "memento show SNAPSHOT[:PATH] [--patch | --stat | --name-status]",
    discussion: """
      Without a PATH, shows when, by whom and with which message the snapshot was saved, and what changed since the one \
      before. A single value is shown, too, if it is text. With a PATH, shows what is in the file, or the names in the \
      folder. PATH is relative to the folder that is saved. A PATH that begins with ./ or ../ is relative to the current \
      folder.
      """)

  @Argument(help: ArgumentHelp("What to show", valueName: "SNAPSHOT[:PATH]"))
  var place: SnapshotPathArgument

  @OptionGroup var form: DiffFormOptions

  @OptionGroup(title: "Global options")
  var global: GlobalOptions

  func validate() throws {
    try form.validate(with: global)
  }

  func run(in session: Session) throws -> ExitStatus {
    let repository = try session.openRepository()
    if let path = try session.path(of: place, in: repository) {
      if form.form != nil || form.context != nil {
        throw ErrorReport.usage("a PATH does not go with the form of a comparison")
      }
      return try show(path, repository, session)
    }
    try session.bring(place.revision, .trees, repository)
    let details = try repository.details(of: place.revision)
    // The lines of files are counted only when that is asked for, because their content would have to be brought here.
    let isRemote = try session.remoteParts(of: place.revision.text, in: repository) != nil
    let shownForm = form.form ?? (form.context != nil ? .patch : isRemote ? .nameStatus : .stat)
    if details.snapshot.kind == .value {
      try session.bring(place.revision, .contents, repository)
    } else if isRemote, shownForm != .nameStatus, let comparison = details.comparison {
      try session.bringContents(of: comparison, from: nil, to: place.revision, repository)
    }
    let output = details.comparison.map { ComparisonOutput($0, form) }
    if session.options.json {
      let stats = form.form == .stat ? try output?.stats(in: session).stats : nil
      try session.write(document: SnapshotDetailsDocument(details, stats))
      return .done
    }
    try session.paged { session in
      for line in SnapshotText(form: session.form).lines(details) { try session.write(line: line) }
      if let output, details.comparison?.changes.isEmpty == false {
        try session.write(line: "")
        _ = try output.write(shownForm, in: session)
      }
      if details.snapshot.kind == .value {
        try session.write(line: "")
        try ContentPrinter(repository, place.revision, nil).showValue(in: session)
      }
    }
    return .done
  }

  private func show(_ path: BytePath, _ repository: Repository, _ session: Session) throws -> ExitStatus {
    try session.bring(place.revision, .trees, at: path.bytes.isEmpty ? [] : [path], repository)
    let entry = try repository.entry(place.revision, path: path)
    if entry.type == .file { try session.bring(place.revision, .contents, at: [path], repository) }
    let content = ContentPrinter(repository, place.revision, path)
    if session.options.json {
      if entry.type == .file {
        try content.writeDocument(in: session)
      } else {
        try EntryPrinter(repository, place.revision, path).writeDocument(isRecursive: false, in: session)
      }
      return .done
    }
    try session.paged { session in
      if entry.type == .file {
        try content.show(in: session)
      } else {
        try EntryPrinter(repository, place.revision, path)
          .write(isLong: entry.type != .directory, isRecursive: false, in: session)
      }
    }
    return .done
  }
}
