// Makes the repository of a new remote.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem

struct RemoteFounding {
  private let url: RemoteURL
  private let name: String
  private let access: RemoteAccess
  private let connector: RemoteConnector

  init(_ name: String, _ url: RemoteURL, _ access: RemoteAccess, monitor: any Monitor) throws(RepositoryError) {
    self.name = name
    self.url = url
    self.access = access
    connector = try RemoteConnector.reach(url, access, monitor: monitor)
  }

  private func attempt<Result>(_ body: () throws(RemoteError) -> Result) throws(RepositoryError) -> Result {
    try RemoteSession.attempting(url, connector, body)
  }

  private func attempt<Result>(_ body: () throws(ObjectError) -> Result) throws(RepositoryError) -> Result {
    try RemoteSession.attempting(url, connector, body)
  }

  /// Whether there is a repository.
  func isFounded() throws(RepositoryError) -> Bool {
    try attempt { () throws(RemoteError) in try RepositoryFounding.marker(connector.objects) != nil }
  }

  /// Makes a repository. Its keys are there before its marker. Throws `.nameInUse` when somebody else was quicker; nothing
  /// of this one is left then. Returns the recovery key of a sealed one.
  func found(isSealed: Bool, at time: Timestamp) throws(RepositoryError) -> (RepositoryMarker, recoveryKey: String?) {
    let marker = RepositoryMarker(isSealed: isSealed)
    var slots: [KeySlot] = []
    var recoveryKey: String?
    if isSealed { (slots, recoveryKey) = try keys(of: marker, time) }
    let ring = KeyRing(connector.objects, of: marker.id)
    for slot in slots { try attempt { () throws(ObjectError) in try ring.add(slot) } }
    let storage = connector.objects
    var outcome = try attempt { () throws(RemoteError) in
      try RepositoryFounding.found(storage, marker: marker.text, id: "\(marker.id)")
    }
    if outcome == .undecided {
      Clock.sleep(seconds: Double(RepositoryFounding.wait))
      outcome = try attempt { () throws(RemoteError) in
        try RepositoryFounding.secondLook(storage, id: "\(marker.id)")
      }
    }
    guard outcome == .founded else {
      for slot in slots { try attempt { () throws(ObjectError) in try storage.remove(slot.name) } }
      throw RepositoryError(
        .nameInUse, "somebody else has just made a repository at \(url), so this one was taken back",
        reason: .lostFounding)
    }
    return (marker, recoveryKey)
  }

  /// How the repository that was just made is opened from now on; nil when the remote does not list it yet.
  func opening(_ marker: RepositoryMarker) throws(RepositoryError) -> RemoteOpening? {
    let look = RemoteMarkerLook(OneListing(connector.objects), url, connector)
    guard let object = try look.listed(marker.name) else { return nil }
    let slot = try access.opened.slot(of: marker.id).flatMap { (slot) throws(RepositoryError) in
      try look.listed(slot.name).map { (object: $0, value: slot) }
    }
    return RemoteOpening(marker: object, slot: slot)
  }

  private func keys(
    of marker: RepositoryMarker, _ time: Timestamp
  ) throws(RepositoryError) -> (slots: [KeySlot], recoveryKey: String) {
    let secret = try access.unlock(RemoteUnlocking(remote: name, url: url, isNew: true)).slotSecret(url)
    let master = MasterKey()
    let recovery = RecoveryKey()
    do throws(SealError) {
      let slots = [
        try KeySlot(
          wrapping: master, with: secret, label: Array(access.host.utf8.prefix(KeySlot.maximumLabel)), of: marker.id,
          made: time, scrypt: access.scrypt),
        try KeySlot(
          wrapping: master, with: .recoveryKey(recovery), label: Array("recovery".utf8), of: marker.id, made: time),
      ]
      access.opened[marker.id] = master
      access.opened.note(slots[0])
      return (slots, String(decoding: recovery.text(), as: UTF8.self))
    } catch {
      throw RepositoryError(error, of: url)
    }
  }
}
