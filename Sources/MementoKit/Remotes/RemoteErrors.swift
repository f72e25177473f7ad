// The errors of remotes in words for people. No other code does this.

internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore

extension RepositoryError {
  /// `said`: what the helper said before it ended.
  init(_ error: ObjectError, of url: RemoteURL, said: String? = nil) {
    let detail = said.map { "\(error.reason) (\($0))" } ?? error.reason
    switch error.kind {
    case .cancelled:
      self = .cancelled
    case .garbled:
      // What has answered may be something else, so nothing is said of the remote.
      self.init(.damaged, "the remote \(url) cannot be understood: \(detail)", reason: .senselessAnswer)
    case .notFound, .damaged:
      self.init(.damaged, "the remote \(url) is damaged: \(detail)", reason: .damageAtRemote)
    case .newer:
      self.init(.newerFormat, "the remote \(url) was written by a newer memento: \(detail)")
    case .local:
      self.init(.system, "cannot use the remote \(url): \(detail)")
    case .untrusted:
      self.init(.untrusted, "\(url) is not trusted: \(detail)")
    case .denied:
      self.init(.denied, "\(url) denies access: \(detail)")
    case .noSuchPlace:
      self.init(.noSuchPlace, "\(url): \(detail)")
    case .clock:
      self.init(.wrongClock, "\(url) refuses all requests: \(detail)")
    case .full:
      self.init(.remoteFull, "\(url) is full: \(detail)")
    case .unreachable:
      self.init(.unreachable, "\(url) cannot be reached: \(detail)")
    case .failed:
      self.init(.remoteFailed, "\(url) has failed: \(detail)")
    }
  }

  init(_ error: SealError, of url: RemoteURL) {
    switch error.kind {
    case .wrongKey: self.init(.denied, "cannot open \(url): \(error.reason)", reason: .wrongSecret)
    case .damaged: self.init(.damaged, "the remote \(url) is damaged: \(error.reason)", reason: .damageAtRemote)
    case .newer: self.init(.newerFormat, "cannot open \(url): \(error.reason)")
    case .unusable: self.init(.invalidArgument, error.reason)
    }
  }

  init(_ error: RemoteError, of url: RemoteURL) {
    switch error {
    case .storage(let error): self.init(error, of: url)
    case .damaged(let name, let reason):
      self.init(
        .damaged, "the remote \(url) is damaged: \(name.map { "\($0): " } ?? "")\(reason)", reason: .damageAtRemote)
    case .newerFormat(_, let found):
      self.init(.newerFormat, "the remote \(url) was written by a newer memento (\(found))")
    case .tooMuch(let reason): self.init(.invalidArgument, "the remote \(url): \(reason)")
    case .unsettled:
      self.init(.remoteFailed, "\(url) changes so quickly that it cannot be read; try again")
    }
  }
}

extension RepositoryError {
  /// A message about damage, without the words that say that it is that of the store here.
  static func elsewhere(_ message: String) -> String {
    let title = "the store is damaged: "
    return message.hasPrefix(title) ? String(message.dropFirst(title.count)) : message
  }
}
