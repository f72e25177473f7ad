// What to do about failures with remotes.

import MementoKit

extension Advice {
  static let offlineStates = "`memento list --cached REMOTE/` shows what was last seen of it"

  static let bytesOfURL = "write other bytes as %XX"
  static let keepRecoveryKey = "use a terminal, or name a file for it with --recovery-key FILE"
  static let otherMachines =
    "repair it from another machine that has what is missing (see `memento help verify`); other states can be restored"

  static func repairRemote(_ remote: String) -> String {
    "`memento verify --remote \(ShellWord.quoted(remote)) --repair` sends it what this store has"
  }

  static let nameFolder = "name the folder: memento clone URL DIR"

  static func confirm(_ remote: String) -> String {
    "`memento remote add \(ShellWord.quoted(remote)) URL` confirms it"
  }

  /// How two values of a name become one again. `other`: what the other value is shown as in the remote.
  static func settle(_ name: String, _ other: String, of remote: String) -> String {
    // To delete NAME would delete all its values.
    let keeping =
      other == name
      ? "memento pull \(ShellWord.quoted(remote)), then memento push \(ShellWord.quoted(remote)) \(ShellWord.quoted(name))"
      : "memento delete \(ShellWord.quoted("\(remote)/\(other)"))"
    return "to keep this one: \(keeping); to take the other: memento save \(ShellWord.quoted(name)) "
      + "--from \(ShellWord.quoted("\(remote)/\(other)")), then memento push"
  }

  /// For errors of which the code says all.
  static func ofRemote(_ code: RepositoryError.Code) -> String? {
    switch code {
    case .noSuchRemote: "`memento remote` lists the remotes; `memento remote add NAME URL` adds one"
    case .untrusted:
      "go on only when you know why: compare its host key (ssh), or its certificate (https; AWS_CA_BUNDLE names others)"
    case .denied: "look at what lets you in there: the key or password of ssh, or the credentials and rights of AWS"
    case .noSuchPlace: "make it first; only the last folder of a path and the prefix in a bucket are made"
    case .wrongClock: "set the clock of this machine"
    case .remoteFull: "free some space there"
    default: nil
    }
  }

  /// For errors that say why.
  static func aboutRemotes(_ reason: RepositoryError.Reason, _ error: RepositoryError) -> String? {
    switch reason {
    case .unusableURL: "write file:///PATH, ssh://[USER@]HOST[:PORT]/PATH or s3://BUCKET[/PREFIX]"
    case .unusableRemoteName: "use letters, digits, and . _ -, and begin with a letter or a digit"
    case .unknownRemote, .noRemote: ofRemote(.noSuchRemote)
    case .severalRemotes: "name one of them, or say which with `memento config remote NAME`"
    case .remoteNameIsTaken: "choose another name, or remove the other first: `memento remote remove NAME`"
    case .nameOfRemote: "choose another name; `memento push` is what changes states of a remote"
    case .unconfirmedRemote:
      "if it is yours, confirm it: `memento remote add NAME URL`, with the URL that `memento remote` shows"
    case .damagedRemote: "remove it and add it again: `memento remote remove NAME`"
    case .damageAtRemote:
      "try again; if it stays, `memento verify --remote NAME --repair` heals it, here or on another machine that has what is "
        + "lost"
    case .senselessAnswer:
      "try again; if it stays, look at what answers there, such as a proxy, or a login script over ssh that prints something"
    case .rolledBackRemote:
      "`memento verify --remote NAME --repair` gives back the names that are known here; if it was set back on purpose, "
        + "remove the remote here and add it again"
    case .lostFounding: "add it again to use that one; its passphrase is the one that was given there"
    case .lostRepository:
      "look whether its disk is mounted, and whether it was moved; if it is gone for good, remove the remote here and add it again"
    case .otherRepository:
      "look at what happened there; if it was made anew on purpose, remove the remote here and add it again"
    case .missingSecret:
      "set MEMENTO_PASSWORD_COMMAND, MEMENTO_PASSWORD_FILE, MEMENTO_PASSWORD or MEMENTO_KEY_FILE, or use a terminal"
    case .wrongSecret:
      "try again; when the passphrase is lost, MEMENTO_RECOVERY_KEY_FILE can name a file with the recovery key"
    case .missingProgram: missingProgram(error)
    case .unkeptRecoveryKey:
      "name a file for it with --recovery-key FILE, or make the remote without encryption: --plain"
    case .missingNewSecret:
      "set MEMENTO_NEW_PASSWORD_COMMAND, MEMENTO_NEW_PASSWORD_FILE or MEMENTO_NEW_PASSWORD, name a file with --key-file, "
        + "or use a terminal"
    case .onlyKey: "add another one first: `memento remote key add`"
    case .openingKey: "open it with another key: give its passphrase, or set MEMENTO_KEY_FILE"
    case .unknownKeyOfRemote: "`memento remote key list` lists the keys; give 4 or more digits of one"
    case .plainRemote: "a remote is encrypted when it is made, without --plain"
    case .keyNotRemoved: "remove it later, opened with the new key: `memento remote key remove REMOTE KEY`"
    default: nil
    }
  }

  private static func missingProgram(_ error: RepositoryError) -> String? {
    switch error.path {
    case "memento": "install it there, where a shell that ssh starts finds it in PATH"
    case "ssh": "install OpenSSH"
    default: "install it beside memento, in ../libexec/memento from there, or in a folder of PATH"
    }
  }
}
