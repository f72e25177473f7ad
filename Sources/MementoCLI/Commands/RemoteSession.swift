// What all commands share that reach a remote.

import MementoKit
import MementoSystem
import Synchronization

/// How one command reaches remotes: what it starts, and whom it asks.
struct RemoteReach {
  let connector: RemoteConnector
  let access: RemoteAccess
  /// The progress that is shown while somebody is asked.
  fileprivate let shown = ShownProgress()

  fileprivate final class ShownProgress: Sendable {
    let monitor = Mutex<TerminalMonitor?>(nil)
  }

  /// `recoveryKey`: what becomes of the recovery key of a new remote. `newKeyFile`: a key file that a remote is going to have
  /// as a further key.
  init(
    _ session: Session, limit: RateArgument? = nil, recoveryKey: RecoveryKeyKeeper? = nil, newKeyFile: BytePath? = nil
  ) {
    let connector = RemoteConnector(context: session.context)
    var sources = SecretSources(context: session.context)
    sources.newKeyFile = newKeyFile
    if session.canAsk {
      sources.ask = { [shown] (question) throws(RepositoryError) in
        try session.askHidden(question, shown.monitor.withLock(\.self))
      }
    }
    var access = RemoteAccess(
      host: Host.name(), bytesPerSecond: limit?.bytes,
      connect: { (url) throws(RepositoryError) in try connector.connect(url) },
      unlock: { [sources] (unlocking) throws(RepositoryError) in
        if unlocking.isNew { try recoveryKey?.prepare() }
        return try sources.secret(for: unlocking)
      })
    access.secretAtHand = { [sources] in sources.secretAtHand(for: $0) }
    access.connectAhead = { connector.connectAhead($0) }
    self.connector = connector
    self.access = access
  }
}

extension Session {
  /// Runs work that reaches a remote, with progress. `recoveryKey`, `newKeyFile`: see `RemoteReach`.
  func reaching<Result>(
    limit: RateArgument? = nil, recoveryKey: RecoveryKeyKeeper? = nil, newKeyFile: BytePath? = nil,
    _ work: (RemoteAccess, any Monitor) throws -> Result
  ) throws -> Result {
    try reaching(by: RemoteReach(self, limit: limit, recoveryKey: recoveryKey, newKeyFile: newKeyFile), work)
  }

  func reaching<Result>(
    by reach: RemoteReach, _ work: (RemoteAccess, any Monitor) throws -> Result
  ) throws -> Result {
    do {
      return try monitored { monitor in
        reach.shown.monitor.withLock { $0 = monitor as? TerminalMonitor }
        defer { reach.shown.monitor.withLock { $0 = nil } }
        return try work(reach.access, monitor)
      }
    } catch let error as RepositoryError {
      // A signal from the terminal also ends the helper, which then looks like a lost connection.
      if ErrorReport(error).status == .unreachable, context.receivedSignal() != 0 {
        throw RepositoryError(.cancelled, "interrupted")
      }
      throw reach.connector.explained(error)
    }
  }

  fileprivate func askHidden(_ question: String, _ monitor: TerminalMonitor?) throws(RepositoryError) -> [UInt8] {
    do {
      guard let monitor else { return try readHidden(question) }
      return try monitor.held { try readHidden(question) }
    } catch let error as RepositoryError {
      throw error
    } catch {
      if context.receivedSignal() != 0 { throw RepositoryError(.cancelled, "interrupted") }
      throw RepositoryError(.system, (error as? ErrorReport)?.message ?? "cannot ask for the passphrase")
    }
  }
}

// MARK: - New remotes

extension Session {
  /// The URL of a new remote. Where it leaves out what a bucket needs, that of the user's config is taken into it: what is
  /// kept of a remote, shown and confirmed is all that is used.
  func url(of place: RemotePlaceArgument) throws -> RemoteURL {
    let url = try place.url(from: directory)
    guard url.engine == .s3, let file = config.file else { return url }
    let given = try file.settings().compactMap { setting -> RemoteURL.Parameter? in
      guard setting.key.name.hasPrefix("s3-"), let value = setting.values.last else { return nil }
      if let problem = value.problem {
        throw ErrorReport.usage("\(setting.key.name) in \(TerminalText.escaped(file.path)): \(problem)")
      }
      return RemoteURL.Parameter(
        key: String(setting.key.name.dropFirst(3)), value: String(decoding: value.bytes, as: UTF8.self))
    }
    return try url.completed(with: given)
  }
}

// MARK: - States of remotes

extension Session {
  /// The remote that a text such as `REMOTE/NAME` begins with, and what follows the slash; nil when it begins with none.
  func remoteParts(
    of text: String, in repository: Repository
  ) throws(RepositoryError) -> (remote: String, rest: String)? {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let remote = String(text[..<slash])
    guard try repository.remotes().contains(where: { $0.name == remote }) else { return nil }
    return (remote, String(text[text.index(after: slash)...]))
  }

  /// Brings here the content of the files that differ, of each side that is a snapshot of a remote.
  func bringContents(
    of comparison: Comparison, from: Revision?, to: Revision?, _ repository: Repository
  ) throws {
    let old = comparison.changes.filter { $0.old != nil }.map { $0.oldPath ?? $0.path }
    let new = comparison.changes.filter { $0.new != nil }.map(\.path)
    if !old.isEmpty { try bring(from, .contents, at: old, repository) }
    if !new.isEmpty { try bring(to, .contents, at: new, repository) }
  }

  /// Whether a text begins with a remote, or may be the id of a snapshot that a remote has.
  func mayBeOfRemote(_ text: String, _ repository: Repository) throws -> Bool {
    if try remoteParts(of: text, in: repository) != nil { return true }
    guard text.utf8.count >= 4, text.allSatisfy(\.isHexDigit) else { return false }
    return try !repository.remotes().isEmpty
  }

  /// Brings here what a command is going to need of a snapshot, if it is one of a remote. `paths`: only these; all when
  /// empty.
  func bring(
    _ revision: Revision?, _ need: Repository.RemoteNeed, at paths: [BytePath] = [], _ repository: Repository
  ) throws {
    guard let revision, try mayBeOfRemote(revision.text, repository) else { return }
    try reaching { access, monitor in
      try repository.bring(revision, need, at: paths, access: access, monitor: monitor)
    }
  }
}
