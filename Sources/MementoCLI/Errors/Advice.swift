// What to do about a failure: the line that is printed after `hint:`. The library reports facts, and the sentences that name
// commands and options are made of them here.

import MementoKit
import MementoSystem

extension RepositoryError {
  /// What the user can do about it, one line; nil when there is nothing to say.
  var advice: String? {
    // A name of one letter is near to every other.
    if let similar, similar.utf8.count > 1 { return "did you mean \"\(TerminalText.escaped(similar))\"?" }
    if let reason { return Advice.text(for: reason, self) }
    return Advice.text(for: code, self)
  }
}

/// The sentences. Those without an error beside them are for failures that this program finds out by itself.
enum Advice {
  static let listCommands = "`memento --help` lists the commands"
  static let listStates = "`memento list` shows the states"
  static let newerMemento = "use the version of memento that saved it, or a later one"
  static let hurtStates = "`memento verify` names what is hurt"
  static let readAllData = "run `memento verify --read-data` to see what is damaged"
  static let repair = "`memento verify --repair` repairs what the folder, another copy or a remote still has"
  static let healed = "`memento verify --repair` writes it anew"
  static let missingParity = "`memento gc` and `memento verify --repair` make it"
  static let otherPaths = "restore other paths of these states: memento restore STATE PATH"
  static let savesAll = "`memento save NAME` records the whole folder; `memento -C DIR save NAME` another one"
  static let savedAll = "a name is not a path: this has saved the whole folder, and not only what is called so in it"
  static let initialize = "run `memento init` if you want to save all of it"
  static let otherFolder = "go to a folder that exists, or name one with -C"
  static let bytesOfText = "names, messages and patterns are UTF-8; only paths may be any bytes"
  static let writeBytes = "write the bytes with `memento cat` and without --json"
  static let archiveFile = "name a FILE, or pass it on: memento export SNAPSHOT | tar -t"
  static let trustLines = "write `trust = /PATH`, `trust = ~/PATH`, `trust = /PATH/*` or `trust = *`"
  static let dates = DateReader.forms
  static let ages = "write an age: 90s 30min 2h 7d 3w 6mo 1y"
  static let purgeWithoutTerminal = "say --yes where there is no terminal; --dry-run shows what it would do"
  static let purgedByHand = "look at it, and remove it if it is not needed"
  static let finishPurge = "`memento purge` without a path removes what is left, once there is room"
  static let beyondPurge =
    "not reached: other copies of this store, remotes, what the disk keeps of removed files, and programs that have them open"
  static let revertRange = "write `memento revert A..B`: what changed from A to B is taken back"
  static let bisectGood =
    "name a state for which the command succeeds; a script outside of the folder needs its whole path"
  static let bisectBad = "name a later state for which the command fails"
  static let bisectStatus = "a command says bad with a status from 1 to 124, and that it cannot tell with 125"
  static let pathspecs =
    "magic words are top, exclude, icase, literal and glob; `:(literal)PATH` or ./PATH means a path as it is"
  static let withoutScreen =
    "without one, `memento log` and `memento diff` show the same, and `memento restore -n` shows a plan"
  static let leaveOut = "to leave folders out: memento config --add ignore /FOLDER"
  static let largeFolder =
    "--yes records all of it, `memento config --add ignore /FOLDER` leaves a folder out, max-new-files and max-new-size set the limit"
  static let listKeys = "`memento config -v` shows the keys and what they mean"

  /// `path` was given where a snapshot belongs.
  static func historyOf(_ path: BytePath) -> String {
    "`memento log -- \(ShellWord.quoted(TerminalText.escaped(path)))`"
  }

  /// The same for `restore --patch`.
  static func patchOf(_ path: BytePath) -> String {
    "`memento restore --patch @ \(ShellWord.quoted(TerminalText.escaped(path)))`"
  }

  /// `path` is still in the folder, and its next save would record it.
  static func keepOut(_ path: BytePath) -> String {
    var pattern = "/"
    for character in TerminalText.escaped(path) {
      if "*?[\\".contains(character) { pattern.append("\\") }
      pattern.append(character)
    }
    return "the next save records it again, unless: memento config --add ignore \(ShellWord.quoted(pattern))"
  }

  /// `size`: of what no name of the remote needs any more.
  static func collect(_ remote: String, frees size: String) -> String {
    "`memento gc --remote \(remote)` frees \(size): it marks what no name needs, and one a day later removes it"
  }

  static func help(for command: String?) -> String {
    "see `memento \(command.map { $0 + " " } ?? "")--help`"
  }

  static func similar(_ command: String) -> String {
    "did you mean `memento \(command)`?"
  }

  /// `command`: what memento calls it.
  static func called(_ command: String) -> String {
    "memento calls it `memento \(command)`"
  }

  static func moreMemory(mebibytes: Int) -> String {
    "raise the limit on memory (ulimit -v, ulimit -d) by \(mebibytes) MiB"
  }

  static func largerStack(kibibytes: UInt64) -> String {
    "raise the limit on the stack (ulimit -s) to \(kibibytes) KiB"
  }
}

extension Problem {
  /// The phrase for people: what happened, and in brackets what the user can do about it.
  var text: String { reason.flatMap(Advice.text).map { "\(message) (\($0))" } ?? message }
}

extension Advice {
  fileprivate static func text(for reason: Problem.Reason) -> String? {
    switch reason {
    case .withheldRight: "--as-recorded restores it"
    default: nil
    }
  }
}

extension Advice {
  /// For errors of which the code says all.
  fileprivate static func text(for code: RepositoryError.Code, _ error: RepositoryError) -> String? {
    switch code {
    case .ambiguous: "give more digits"
    case .invalidName: "use letters, digits, spaces inside the name, and . _ - / + ,"
    case .storeExists: "use it: `memento save NAME`"
    case .newerFormat: "use the version of memento that made it, or a later one"
    case .badConfig: "correct it with `memento config`, which shows all keys, or in the file"
    case .locked:
      (error.holder.map { "it is process \($0.process); " } ?? "") + "try again, or wait longer with --wait SECONDS"
    case .restorePending:
      "finish it with `memento restore --continue`, or take it back with `memento restore --abort`"
    case .blocked:
      "remove what keeps them from being changed, or restore only other paths: memento restore SNAPSHOT PATH"
    case .system: text(for: Errno(error.systemError))
    case .tooLarge: Advice.largeFolder
    case .untrusted, .denied, .noSuchPlace, .wrongClock, .remoteFull, .noSuchRemote: ofRemote(code)
    default: nil
    }
  }

  private static func text(for error: Errno) -> String? {
    switch error {
    case .noSpace, .quotaExceeded: "free some space; `memento gc` frees what no state needs"
    case .readOnly: "the file system is read-only"
    case .tooManyOpenFiles: "raise the limit on open files (ulimit -n)"
    default: nil
    }
  }

  /// For errors that say why.
  fileprivate static func text(for reason: RepositoryError.Reason, _ error: RepositoryError) -> String? {
    aboutNames(reason) ?? aboutContent(reason, error) ?? aboutRestores(reason) ?? aboutStores(reason, error)
      ?? aboutDamage(reason) ?? aboutConfig(reason) ?? aboutArchives(reason) ?? aboutRemotes(reason, error)
  }

  private static func aboutArchives(_ reason: RepositoryError.Reason) -> String? {
    switch reason {
    case .foreignCompression: "unpack it on the way: xz -dc FILE | memento import - NAME"
    case .cutOffArchive: "nothing was saved; get the whole archive"
    default: nil
    }
  }

  private static func aboutConfig(_ reason: RepositoryError.Reason) -> String? {
    switch reason {
    case .unknownKey, .foreignKey, .unsetKey, .unusableValue: listKeys
    case .keyOfUser: "change it with --user"
    case .severalValues: "add one with --add, remove one with --unset KEY VALUE, or all with --unset-all KEY"
    default: nil
    }
  }

  private static func aboutNames(_ reason: RepositoryError.Reason) -> String? {
    switch reason {
    case .unknownState: listStates
    case .unknownRevision: "`memento list` shows the states, `memento log` the history"
    case .unknownSnapshot: "`memento log --all` shows all snapshots"
    case .collectedSnapshot:
      "gc drops what no state and no step of the timeline needs; `memento log --all` shows what is left"
    case .beforeHistory: "`memento log` shows the history"
    case .unreadableDate: dates
    case .wholeFolder: "delete the states instead: `memento delete --purge NAME`"
    case .unknownPath: "`memento ls -R SNAPSHOT` lists what a snapshot has"
    case .emptyPolicy: "if you mean that, say so with --allow-empty"
    case .nameIsTaken: "choose another name, or replace it with --force"
    case .nameIsKept: "choose another name, or leave out --no-clobber"
    case .nameLooksAlike: "use the existing spelling, or a name that differs by more than case"
    default: nil
    }
  }

  private static func aboutContent(_ reason: RepositoryError.Reason, _ error: RepositoryError) -> String? {
    let snapshot = ShellWord.quoted(error.revision?.text ?? "SNAPSHOT")
    return switch reason {
    case .valueNeedsNoFolder: "write it with `memento restore \(snapshot) --stdout`"
    case .valueIsTooLarge: "write it to a file: `memento restore \(snapshot) --stdout`"
    case .valueHasNoFiles: "`memento cat \(snapshot)` writes its bytes"
    case .valueAgainstFolder: "name the value to compare it with"
    case .valueAgainstTree: "name two values, or two folders"
    case .folderHasNoContent:
      "name one file of it: memento cat \(snapshot):FILE; `memento ls \(snapshot)` lists them"
    case .notRegularFile:
      "`memento show \(snapshot):\(ShellWord.quoted(error.path.map { "\($0)" } ?? "PATH"))` says what it is"
    case .absentPath: "`memento ls -R \(snapshot)` lists what it has"
    default: nil
    }
  }

  private static func aboutRestores(_ reason: RepositoryError.Reason) -> String? {
    switch reason {
    case .fewerSteps: "`memento log` shows the steps"
    case .changedFolder: "`memento log` shows the steps; `memento restore ID` goes to any of them"
    case .discardedBefore: "it was begun with --discard; finish it with `memento restore --continue`"
    case .unfinishedRestore: "`memento restore --continue` tries again"
    case .inaccessibleStaging: "finish the restore as the user who began it, such as root"
    case .occupiedDestination: "name a new or empty folder"
    case .storedContentKept: "what it has stored so far is kept: the next save does not store it again"
    case .noSpaceForRestore: "free some space, or restore it to another disk, with --to DIR"
    case .tooSmallDestination: "restore it to a larger disk, with --to DIR"
    case .equalEnds, .reversedEnds: "GOOD comes first, and BAD is newer: `memento log --all` shows the order"
    case .scratchInside: "make the scratch folder elsewhere, with --in DIR"
    case .forkInside: "name a folder beside it"
    default: nil
    }
  }

  private static func aboutStores(_ reason: RepositoryError.Reason, _ error: RepositoryError) -> String? {
    let path = error.path.map { "\($0)" } ?? "PATH"
    let store = error.store.map { "\($0)" } ?? "STORE"
    let folder = error.folder.map { "\($0)" } ?? "FOLDER"
    return switch reason {
    case .noStoreHere: "`memento save` makes one for this folder; `memento init` makes an empty one"
    case .occupiedStorePlace: "name a folder that is new or empty"
    case .unknownCompression: "use none, zlib, zlib:1 to zlib:9, zstd, or zstd:1 to zstd:19"
    case .unknownFork where error.code == .noSuchState: "`memento fork --list` shows the forks"
    case .unknownFork:
      "the files are as they were: `memento fork --forget \(folder)` in the folder of the store makes it a plain folder"
    case .tooManyForks: "`memento fork --forget DIR` ends one that is not needed"
    case .copiedFork: "make a fork of its own: memento -C \(path) fork @ DIR"
    case .forkIsInUse, .pendingElsewhere:
      "finish it with `memento -C \(path) restore --continue`, or take it back with --abort"
    case .lostStore: "if it was moved, write its new path into \(folder)/.memento/store"
    case .badPointer: "write the absolute path of the store into it, or name the store with --store"
    case .badForkName:
      "write the id of the fork into it: `memento fork --list --json` in the folder of the store has it"
    case .otherFolder: "to work on that folder: memento -C \(folder) --store \(store) COMMAND"
    case .disagreeingFolder:
      "if the folder was moved, write its new path into the line `folder` of \(store)/config; "
        + "else use memento -C \(folder)"
    case .unnamedFolder:
      "write a line `folder = PATH` into \(store)/config, or make .memento in that folder a link to the store"
    case .absentFolder: "if it was moved, write its new path into the line `folder` of \(store)/config"
    case .foreignStore: "if you trust it, name it with --store, or add `trust = \(path)` to ~/.config/memento/config"
    case .foreignFolder: "if you trust what is in it, add `trust = \(path)` to ~/.config/memento/config"
    default: nil
    }
  }

  private static func aboutDamage(_ reason: RepositoryError.Reason) -> String? {
    switch reason {
    case .damagedNames: "run `memento verify --repair` to get the names back, or what they were before the last command"
    case .damagedPart: "run `memento verify --repair` to put it back"
    case .damagedRules:
      "run `memento verify --repair` to put it aside; what it left out of comparisons shows up again then"
    case .damagedContent: readAllData
    case .unwritableSnapshot:
      "`memento verify --repair` repairs what it can; what it cannot, `memento delete` and `memento gc --now` remove"
    case .missingBlob: "run `memento verify` to see what is damaged"
    default: nil
    }
  }
}
