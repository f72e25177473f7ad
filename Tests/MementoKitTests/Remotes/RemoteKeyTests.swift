// The keys of a sealed remote.

import MementoSeal
import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct RemoteKeyTests {
  private let place: TemporaryDirectory
  private let url: RemoteURL
  private let one: RemoteTests.Machine

  init() throws {
    place = try TemporaryDirectory()
    url = try RemoteURL("file://\(place.path)/remote")
    one = try RemoteTests.Machine("one")
    try one.write("a", "alpha")
    try one.save("v")
  }

  /// An access that opens with `secret`, and gives `new` to a further key.
  private func access(_ secret: RemoteSecret, new: RemoteSecret? = nil) -> RemoteAccess {
    var access = RemoteAccess(
      host: "one", connect: { (_) throws(RepositoryError) in throw RepositoryError(.unreachable, "none") },
      unlock: { (unlocking) throws(RepositoryError) in
        guard unlocking.isFurtherKey else { return secret }
        guard let new else { throw RepositoryError(.denied, "nothing is asked here") }
        return new
      })
    access.scrypt = RemoteTests.quickScrypt
    return access
  }

  private let first = RemoteSecret.passphrase("correct horse".bytes)
  private let second = RemoteSecret.passphrase("battery staple".bytes)

  private func keys(_ secret: RemoteSecret) throws -> [RemoteKey] {
    try one.repository.remoteKeys(of: nil, access: access(secret)).keys
  }

  private func opens(_ secret: RemoteSecret) throws -> Bool {
    do throws(RepositoryError) {
      _ = try one.repository.checkRemote("origin", access: access(secret))
      return true
    } catch {
      #expect(error.code == .denied && error.reason == .wrongSecret, "\(error)")
      return false
    }
  }

  private func failure(_ body: () throws -> Void) -> RepositoryError? {
    do {
      try body()
      return nil
    } catch {
      return error as? RepositoryError
    }
  }

  @Test func aNewRemoteHasAPassphraseAndARecoveryKey() throws {
    let made = try one.add(url)
    let recovery = try #require(made.recoveryKey)
    let keys = try keys(first)
    #expect(keys.map(\.kind) == [.passphrase, .recoveryKey] || keys.map(\.kind) == [.recoveryKey, .passphrase])
    #expect(keys.filter(\.isCurrent).map(\.kind) == [.passphrase])
    #expect(Set(keys.map(\.label)) == ["one", "recovery"])
    #expect(try self.keys(.recoveryKey(recovery)).filter(\.isCurrent).map(\.kind) == [.recoveryKey])
  }

  @Test func aFurtherKeyOpensTheSame() throws {
    try one.add(url)
    try one.push()
    let before = try RemoteTests.files(FolderTools("\(place.path)/remote".bytes))
    var options = RemoteKeyOptions()
    options.label = "backup"
    let file = RemoteSecret.keyFile(Content.random(32, seed: 5))
    let added = try one.repository.addRemoteKey(to: nil, options, access: access(first, new: file))
    #expect(added.added?.kind == .keyFile && added.added?.label == "backup" && added.removed == nil)
    let after = try RemoteTests.files(FolderTools("\(place.path)/remote".bytes))
    // One small object, and nothing else.
    #expect(
      Set(after).subtracting(before).map { String(decoding: $0, as: UTF8.self) } == ["keys/\(added.added?.id ?? "")"])
    #expect(Set(before).isSubset(of: after))
    #expect(try opens(file) && opens(first))
    options.isRecoveryKey = true
    let made = try one.repository.addRemoteKey(to: "origin", options, access: access(file))
    let text = try #require(made.recoveryKey)
    #expect(try opens(.recoveryKey(text)))
    #expect(try keys(first).count == 4)
  }

  @Test func aChangedPassphraseOpensAndTheOldOneDoesNot() throws {
    try one.add(url)
    try one.push()
    let packs = try RemoteTests.files(FolderTools("\(place.path)/remote/packs".bytes))
    var dry = RemoteKeyOptions()
    dry.isDryRun = true
    let planned = try one.repository.changeRemoteKey(of: nil, dry, access: access(first))
    #expect(planned.removed?.kind == .passphrase && planned.added == nil && !planned.isCommitted)
    #expect(try opens(first))
    let change = try one.repository.changeRemoteKey(of: nil, access: access(first, new: second))
    #expect(change.removed?.id == planned.removed?.id && change.added?.label == "one")
    #expect(try opens(second))
    #expect(try !opens(first))
    #expect(try keys(second).count == 2)
    #expect(try RemoteTests.files(FolderTools("\(place.path)/remote/packs".bytes)) == packs)
    // Another machine that has the new one reads everything.
    let two = try RemoteTests.Machine("two")
    _ = try two.repository.addRemote("origin", url, access: access(second))
    #expect(try two.repository.pull(access: access(second)).moves.count == 1)
  }

  @Test func aLostPassphraseIsReplacedWithTheRecoveryKey() throws {
    let made = try one.add(url)
    let recovery = RemoteSecret.recoveryKey(try #require(made.recoveryKey))
    let found = try keys(recovery)
    let old = try #require(found.first { $0.kind == .passphrase })
    let refused = failure { _ = try one.repository.changeRemoteKey(of: nil, access: access(recovery, new: second)) }
    #expect(refused?.reason == .openingKey)
    _ = try one.repository.changeRemoteKey(of: nil, key: old.id, access: access(recovery, new: second))
    #expect(try opens(second))
    #expect(try !opens(first))
  }

  @Test func theLastKeyStays() throws {
    try one.add(url)
    let keys = try keys(first)
    let own = try #require(keys.first { $0.isCurrent })
    let other = try #require(keys.first { !$0.isCurrent })
    #expect(
      failure { _ = try one.repository.removeRemoteKey(own.id, from: nil, access: access(first)) }?.reason
        == .openingKey)
    let dry = try one.repository.removeRemoteKey(other.id, from: nil, isDryRun: true, access: access(first))
    #expect(dry.removed?.id == other.id && !dry.isCommitted)
    #expect(try self.keys(first).count == 2)
    _ = try one.repository.removeRemoteKey(String(other.id.prefix(6)), from: nil, access: access(first))
    #expect(
      failure { _ = try one.repository.removeRemoteKey(own.id, from: nil, access: access(first)) }?.reason == .onlyKey)
    #expect(
      failure { _ = try one.repository.removeRemoteKey(other.id, from: nil, access: access(first)) }?.reason
        == .unknownKeyOfRemote)
    #expect(
      failure { _ = try one.repository.removeRemoteKey("abc", from: nil, access: access(first)) }?.code == .noSuchState)
    #expect(try opens(first))
  }

  /// A slot that says it is one of this repository, and is not, is named and changes nothing.
  @Test func aForeignSlotIsNamed() throws {
    try one.add(url)
    let remotes = try one.repository.remotes()
    let text = remotes.first?.repository ?? ""
    let id = try #require(RepositoryID(text))
    let slot = try KeySlot(
      wrapping: MasterKey(), with: try .passphrase("mallory".bytes), label: "m".bytes, of: id,
      made: Timestamp(seconds: 1, nanoseconds: 0), scrypt: RemoteTests.quickScrypt)
    try place.write("remote/\(slot.name)", slot.text)
    let list = try one.repository.remoteKeys(of: nil, access: access(first))
    #expect(list.keys.count == 2 && list.problems.count == 1)
    _ = try one.repository.removeRemoteKey(slot.number, from: nil, access: access(first))
    #expect(try one.repository.remoteKeys(of: nil, access: access(first)).problems.isEmpty)
  }

  @Test func aPlainRemoteHasNoKeys() throws {
    try one.add(url, plain: true)
    #expect(failure { _ = try one.repository.remoteKeys(of: nil, access: access(first)) }?.reason == .plainRemote)
  }

  @Test func manyKeysAreTooMany() throws {
    try one.add(url)
    var options = RemoteKeyOptions()
    options.isRecoveryKey = true
    for _ in 2..<32 { _ = try one.repository.addRemoteKey(to: nil, options, access: access(first)) }
    #expect(
      failure { _ = try one.repository.addRemoteKey(to: nil, options, access: access(first)) }?.code == .invalidArgument
    )
    options.label = String(repeating: "x", count: 65)
    #expect(failure { _ = try one.repository.addRemoteKey(to: nil, options, access: access(first)) } != nil)
  }
}
