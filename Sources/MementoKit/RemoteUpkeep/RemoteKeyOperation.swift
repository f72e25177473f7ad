// Lists, adds, changes and removes the keys of a sealed remote.

internal import MementoModel
internal import MementoObjects
internal import MementoSeal
internal import MementoStore

struct RemoteKeyOperation {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  /// A remote that was opened, with its slots.
  private struct Opened {
    let name: String
    let view: RemoteView
    let ring: KeyRing
    let master: MasterKey
    /// The slot that opened it.
    let slot: KeySlot
    let slots: [KeySlot]
    let unreadable: [String]

    var url: RemoteURL { view.session.url }
  }

  func list(_ remote: String?) throws(RepositoryError) -> RemoteKeyList {
    try reaching(remote) { (opened) throws(RepositoryError) in
      var keys: [RemoteKey] = []
      var problems = opened.unreadable
      for slot in opened.slots {
        do throws(SealError) {
          keys.append(try RemoteKeyOperation.key(slot, opened))
        } catch {
          problems.append(error.reason)
        }
      }
      return RemoteKeyList(remote: opened.name, keys: keys, problems: problems)
    }
  }

  func add(_ remote: String?, _ options: RemoteKeyOptions) throws(RepositoryError) -> RemoteKeyChange {
    try reaching(remote) { (opened) throws(RepositoryError) in
      try checkRoom(opened)
      let label = Array((options.label ?? (options.isRecoveryKey ? "recovery" : access.host)).utf8)
      if options.isDryRun { return RemoteKeyChange(remote: opened.name, isCommitted: false) }
      let made = try make(label: options.label == nil ? RemoteKeyOperation.cut(label) : label, options, opened)
      return RemoteKeyChange(
        remote: opened.name, added: made.key, recoveryKey: made.recoveryKey, isCommitted: true)
    }
  }

  func change(
    _ remote: String?, _ key: String?, _ options: RemoteKeyOptions
  ) throws(RepositoryError) -> RemoteKeyChange {
    try reaching(remote) { (opened) throws(RepositoryError) in
      let old = try key.map { (text) throws(RepositoryError) in try slot(text, opened) } ?? opened.slot
      guard old.kind != .recoveryKey else {
        // Whoever has only this one and does not get to see the next one has none.
        throw RepositoryError(
          .invalidArgument,
          key == nil
            ? "\(opened.name) was opened with its recovery key, which is not changed" : "a recovery key is not changed",
          reason: .openingKey)
      }
      try checkRoom(opened)
      let replaced = try seal(opened) { () throws(SealError) in try RemoteKeyOperation.key(old, opened) }
      if options.isDryRun { return RemoteKeyChange(remote: opened.name, removed: replaced, isCommitted: false) }
      let made = try make(label: Array((options.label ?? replaced.label).utf8), options, opened)
      do throws(RepositoryError) {
        try attempt(opened) { () throws(KeyRing.Failure) in try opened.ring.remove(old, keeping: made.slot) }
      } catch {
        throw RepositoryError(
          error.code,
          "the new key \(made.key.id) opens \(opened.name), and the old one \(replaced.id) is still there: "
            + error.message, reason: .keyNotRemoved)
      }
      return RemoteKeyChange(
        remote: opened.name, added: made.key, removed: replaced, recoveryKey: made.recoveryKey, isCommitted: true)
    }
  }

  func remove(_ remote: String?, _ key: String, isDryRun: Bool) throws(RepositoryError) -> RemoteKeyChange {
    try reaching(remote) { (opened) throws(RepositoryError) in
      let old = try slot(key, opened)
      guard opened.slots.count > 1 else {
        throw RepositoryError(
          .invalidArgument, "\(old.number) is the only key of \(opened.name)", reason: .onlyKey)
      }
      guard old.name != opened.slot.name else {
        throw RepositoryError(
          .invalidArgument,
          "\(opened.name) was opened with the key \(old.number), so nothing shows that another one works",
          reason: .openingKey)
      }
      let removed = RemoteKeyOperation.anyKey(old, opened)
      if !isDryRun {
        try attempt(opened) { () throws(KeyRing.Failure) in try opened.ring.remove(old, keeping: opened.slot) }
      }
      return RemoteKeyChange(remote: opened.name, removed: removed, isCommitted: !isDryRun)
    }
  }

  // MARK: The remote

  private func reaching<Result>(
    _ remote: String?, _ body: (Opened) throws(RepositoryError) -> Result
  ) throws(RepositoryError) -> Result {
    let name = try RemoteList(repository: repository).chosen(remote)
    return try repository.reaching(name, nil, access, monitor) { (view) throws(RepositoryError) in
      try body(try open(name, view))
    }
  }

  private func open(_ name: String, _ view: RemoteView) throws(RepositoryError) -> Opened {
    let session = view.session
    guard session.marker.isSealed else {
      throw RepositoryError(.invalidArgument, "the remote \(name) is plain, so it has no keys", reason: .plainRemote)
    }
    let id = session.marker.id
    guard let master = access.opened[id], let slot = access.opened.slot(of: id) else {
      throw RepositoryError(.denied, "the remote \(name) was not opened", reason: .missingSecret)
    }
    let ring = KeyRing(session.objects, of: id)
    let listing = try session.attempt { () throws(ObjectError) in try ring.listing() }
    return Opened(
      name: name, view: view, ring: ring, master: master, slot: slot, slots: listing.slots,
      unreadable: listing.unreadable.map(\.reason.reason))
  }

  private func attempt<Result>(
    _ opened: Opened, _ body: () throws(KeyRing.Failure) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(KeyRing.Failure) {
      return try body()
    } catch {
      switch error {
      case .storage(let error):
        let said = error.kind == .unreachable ? opened.view.session.connector.lastWords() : nil
        throw RepositoryError(error, of: opened.url, said: said)
      case .seal(let error): throw RepositoryError(error, of: opened.url)
      }
    }
  }

  private func seal<Result>(
    _ opened: Opened, _ body: () throws(SealError) -> Result
  ) throws(RepositoryError) -> Result {
    do throws(SealError) { return try body() } catch { throw RepositoryError(error, of: opened.url) }
  }

  // MARK: Slots

  private func make(
    label: [UInt8], _ options: RemoteKeyOptions, _ opened: Opened
  ) throws(RepositoryError) -> (slot: KeySlot, key: RemoteKey, recoveryKey: String?) {
    guard label.count <= KeySlot.maximumLabel, !label.contains(0) else {
      throw RepositoryError(.invalidArgument, "a label has at most \(KeySlot.maximumLabel) bytes")
    }
    let recovery = options.isRecoveryKey ? RecoveryKey() : nil
    let secret: SlotSecret
    if let recovery {
      secret = .recoveryKey(recovery)
    } else {
      let wanted = RemoteUnlocking(remote: opened.name, url: opened.url, isNew: true, isFurtherKey: true)
      secret = try access.unlock(wanted).slotSecret(opened.url)
    }
    let slot = try seal(opened) { () throws(SealError) in
      try KeySlot(
        wrapping: opened.master, with: secret, label: label, of: opened.view.session.marker.id,
        made: repository.store.now, scrypt: access.scrypt)
    }
    try attempt(opened) { () throws(KeyRing.Failure) in
      try opened.ring.add(slot, of: opened.master, openedBy: secret)
    }
    let key = try seal(opened) { () throws(SealError) in try RemoteKeyOperation.key(slot, opened) }
    return (slot, key, recovery.map { String(decoding: $0.text(), as: UTF8.self) })
  }

  /// The slot whose number begins with a text.
  private func slot(_ text: String, _ opened: Opened) throws(RepositoryError) -> KeySlot {
    let found = opened.slots.filter { $0.number.hasPrefix(text.lowercased()) }
    guard text.utf8.count >= 4, found.count == 1 else {
      throw RepositoryError(
        found.count > 1 ? .ambiguous : .noSuchState,
        found.count > 1 && text.utf8.count >= 4
          ? "several keys of \(opened.name) begin with \"\(text)\""
          : "the remote \(opened.name) has no key \"\(text)\"",
        reason: .unknownKeyOfRemote)
    }
    return found[0]
  }

  private func checkRoom(_ opened: Opened) throws(RepositoryError) {
    let count = try opened.view.session.attempt { () throws(ObjectError) in try opened.ring.count() }
    guard count < KeyRing.maximumAdded else {
      throw RepositoryError(.invalidArgument, "the remote \(opened.name) has \(count) keys, and cannot have more")
    }
  }

  private static func key(_ slot: KeySlot, _ opened: Opened) throws(SealError) -> RemoteKey {
    var key = bare(slot, opened)
    key.label = String(decoding: try slot.label(opened.master), as: UTF8.self)
    return key
  }

  /// A slot that is not of this key has no label.
  private static func anyKey(_ slot: KeySlot, _ opened: Opened) -> RemoteKey {
    do throws(SealError) { return try key(slot, opened) } catch { return bare(slot, opened) }
  }

  private static func bare(_ slot: KeySlot, _ opened: Opened) -> RemoteKey {
    RemoteKey(
      id: slot.number, kind: RemoteKey.Kind(slot.kind.word), label: "", made: SnapshotTime(slot.made),
      isCurrent: slot.name == opened.slot.name)
  }

  /// The name of a machine as a label. It may be longer than one.
  private static func cut(_ label: [UInt8]) -> [UInt8] {
    var label = Array(label.prefix { $0 != 0 }.prefix(KeySlot.maximumLabel))
    while String(validating: label, as: UTF8.self) == nil { label.removeLast() }
    return label
  }
}
