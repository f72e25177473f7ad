// The file `unsynced`: commands with --no-sync have put things into the store that may not have reached the medium. It is
// durable itself before the first of them is visible, so its absence proves that everything in the store is.

internal import MementoSystem
internal import Synchronization

struct UnsyncedMark: Equatable {
  static let name = Array("unsynced".utf8)
  static let sizeLimit = 1 << 30
  private static let firstLine = "memento unsynced 1"

  /// The start of the machine in which these things came; empty where it is not known.
  var boot: String
  /// The packs that had reached the medium before.
  var durable: Set<ObjectID>
  /// `refs` as they were then: the last that are known to be durable.
  var refs: [UInt8]

  init(boot: String, durable: Set<ObjectID>, refs: [UInt8]) {
    self.boot = boot
    self.durable = durable
    self.refs = refs
  }

  /// Of a mark that is not understood nothing is believed: no pack had reached the medium.
  init(_ bytes: [UInt8]) {
    self.init(boot: "", durable: [], refs: [])
    var rest = bytes[...]
    func line() -> String? {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      defer { rest = rest[(end + 1)...] }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    guard line() == UnsyncedMark.firstLine else { return }
    while let line = line() {
      let words = line.split(separator: " ")
      switch words.first {
      case "boot" where words.count == 2: boot = words[1] == "-" ? "" : String(words[1])
      case "pack" where words.count == 2: if let id = ObjectID(hex: String(words[1])) { durable.insert(id) }
      case "refs":
        refs = Array(rest)
        return
      default:
        boot = ""
        durable = []
        return
      }
    }
  }

  func encoded() -> [UInt8] {
    var text = "\(UnsyncedMark.firstLine)\nboot \(boot.isEmpty ? "-" : boot)\n"
    for pack in durable.sorted() { text += "pack \(pack)\n" }
    return Array((text + "refs\n").utf8) + refs
  }

  /// Bytes of a file that are enough for the next.
  static let headLength = 256

  /// Whether the power may have failed since a mark was made that begins with these bytes: what came may be damaged.
  static func isFromEarlierStart(_ head: [UInt8]) -> Bool {
    let boot = ClockReading.systemBoot
    return boot.isEmpty || !head.starts(with: "\(firstLine)\nboot \(boot)\n".utf8)
  }
}

/// The lock that whoever puts things there holds on the mark, so that nobody removes it meanwhile.
final class UnsyncedLock: Sendable {
  private let lock: FileLock

  init(_ lock: consuming FileLock) {
    self.lock = lock
  }
}

extension StoreFolder {
  /// To be called before anything becomes visible that was not flushed. The mark stays at least until `endUnsynced`.
  func beginUnsynced() throws(Errno) {
    if isDurable { return }
    try unsynced.withLock { (held) throws(Errno) in
      var pause = 0.001
      while held == nil {
        switch try FileLock.attempt(UnsyncedMark.name, in: root, .shared) {
        case .held(let lock): held = UnsyncedLock(lock)
        case .missing: try makeUnsyncedMark()
        case .busy:
          // Somebody is making it, or flushes and is going to remove it.
          Clock.sleep(seconds: pause)
          pause = min(pause * 2, 0.05)
        }
      }
    }
  }

  /// What was put there is complete.
  func endUnsynced() {
    unsynced.withLock { $0 = nil }
  }

  private func makeUnsyncedMark() throws(Errno) {
    var mark = UnsyncedMark(boot: ClockReading.systemBoot, durable: [], refs: [])
    let listing = try DirectoryListing(reading: root.open(StoreFolder.packsName, .directory))
    for index in 0..<listing.count {
      if let id = PackName.id(fromFileName: listing.name(at: index)) { mark.durable.insert(id) }
    }
    // In a store that is being made there are none yet.
    mark.refs = try root.contents(of: StoreFolder.refsName, limit: UnsyncedMark.sizeLimit) ?? []
    do throws(Errno) {
      try write(mark, .noReplace)
    } catch {
      // Another has made it at the same time.
      if error != .exists { throw error }
    }
  }

  private func write(_ mark: UnsyncedMark, _ rule: RenameRule) throws(Errno) {
    // Locked until it is durable: whoever finds the mark waits until then.
    let file = try makeTemporary("unsynced")
    try file.write(mark.encoded())
    try file.place(as: UnsyncedMark.name, in: root, rule, durable: true)
  }

  /// To be called before anything relies on what is in the store: makes durable what was not flushed, and removes the mark.
  func settle() throws(Errno) {
    guard isDurable else { return }
    switch try FileLock.attempt(UnsyncedMark.name, in: root, .exclusive) {
    case .missing: return
    case .busy:
      // Somebody is still putting things there. What was visible so far is flushed; the mark stays.
      try root.flushFileSystem()
    case .held(let lock): try settle(holding: lock)
    }
  }

  /// `lock`: that of the mark, held alone.
  private func settle(holding lock: borrowing FileLock) throws(Errno) {
    // Flushing proves nothing of what a power cut may have damaged: that is for `confirmPacks`.
    if UnsyncedMark.isFromEarlierStart(try lock.head(UnsyncedMark.headLength)) { return }
    do throws(Errno) {
      try root.flushFileSystem()
    } catch {
      // The kernel reports it once. From now on these packs count only when they have been read.
      do throws(Errno) {
        guard var mark = try readMark() else { throw .notFound }
        mark.boot = ""
        try write(mark, .replace)
      } catch {
        // Where there is no space, or nothing can be read: a mark that is not understood says that nothing is flushed.
        // If that fails, too, nothing can be said; the failure of the flush is what is reported.
        try? lock.overwriteHead(Array("?".utf8))
      }
      throw error
    }
    try root.removeFile(UnsyncedMark.name)
  }

  /// False only when there surely is no mark.
  var mayHaveUnsynced: Bool {
    do throws(Errno) {
      _ = try root.status(of: UnsyncedMark.name)
      return true
    } catch {
      return error != .notFound
    }
  }

  /// The mark, if the machine may have been started anew since it was made.
  func unsyncedFromEarlierStart() throws(Errno) -> UnsyncedMark? {
    try hasUnsyncedFromEarlierStart() ? try readMark() : nil
  }

  func hasUnsyncedFromEarlierStart() throws(Errno) -> Bool {
    do throws(Errno) {
      let head = try root.open(UnsyncedMark.name, .read).bytes(at: 0, count: UnsyncedMark.headLength)
      return UnsyncedMark.isFromEarlierStart(head)
    } catch {
      if error == .notFound { return false }
      throw error
    }
  }

  private func readMark() throws(Errno) -> UnsyncedMark? {
    try root.contents(of: UnsyncedMark.name, limit: UnsyncedMark.sizeLimit).map { UnsyncedMark($0) }
  }
}
