// The key of a sealed remote, computed while the remote is being reached: either takes a good part of a second.

internal import MementoSeal
internal import MementoSystem

/// Opens the slot that opened the repository the last time. Whether that slot still counts is known only when the remote
/// has answered; until then nobody may use what came out.
final class EarlyKey: Sendable {
  let slot: KeySlot
  let secret: SlotSecret
  private let outcome = WaitingLock<Result<MasterKey, SealError>?>(nil)

  private init(_ slot: KeySlot, _ secret: SlotSecret) {
    self.slot = slot
    self.secret = secret
  }

  /// Begins, where the slot and the secret are at hand and stretching the secret takes long. `expected`: what is known of
  /// the repository; `opened`: how it was opened the last time.
  static func begin(
    _ name: String?, _ url: RemoteURL, _ access: RemoteAccess, expecting expected: RemoteEntry?,
    _ opened: RemoteOpening?
  ) throws(RepositoryError) -> EarlyKey? {
    guard let expected, expected.isSealed, let slot = opened?.slot?.value, slot.kind == .passphrase,
      slot.repository.description == expected.repository, access.opened[slot.repository] == nil
    else { return nil }
    if let begun = access.opened.early(of: slot) { return begun }
    guard let given = access.secretAtHand(RemoteUnlocking(remote: name, url: url, isNew: false))
    else { return nil }
    let key = EarlyKey(slot, try given.slotSecret(url))
    access.opened.note(key)
    guard key.secret.kind == slot.kind else {
      key.finish(.failure(SealError(.wrongKey, "\(slot.name) is not opened by \(key.secret)")))
      return key
    }
    var threads = WorkerThreads()
    let isStarted = threads.start {
      key.finish(Result { () throws(SealError) in try key.slot.open(with: key.secret) })
    }
    threads.detach()
    // Whoever needs it does the work then.
    if !isStarted { key.finish(Result { () throws(SealError) in try slot.open(with: key.secret) }) }
    return key
  }

  private func finish(_ result: Result<MasterKey, SealError>) {
    outcome.withLock { $0 = result }
    outcome.wake()
  }

  /// Waits for the master key. Throws `.wrongKey` when the secret is that of another slot.
  func master() throws(SealError) -> MasterKey {
    try outcome.wait(checkingEvery: 3600) { $0 }.get()
  }
}
