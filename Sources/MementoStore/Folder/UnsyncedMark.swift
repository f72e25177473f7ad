// The file `unsynced` marks a store into which a command with `--no-sync` has put something that may not have reached
// the medium. The mark itself is durable before the first such thing is visible. So if there is no mark, everything in
// the store is durable.

internal import MementoSystem
internal import Synchronization

struct UnsyncedMark: Equatable {
  static let name = Array("unsynced".utf8)
  static let sizeLimit = 1 << 30
  private static let firstLine = "memento unsynced 1"

  /// The identity of the boot during which the mark was made. Empty where it is not known.
  var boot: String
  /// The packs that were there before the mark. They are durable.
  var durable: Set<ObjectID>
  /// `refs` as they were before the mark: the last ones that are known to be durable.
  var refs: [UInt8]

  init(boot: String, durable: Set<ObjectID>, refs: [UInt8]) {
    self.boot = boot
    self.durable = durable
    self.refs = refs
  }

  /// Reads a mark. A mark that is not understood counts as one without any durable pack.
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

  /// The bytes of the mark.
  func encoded() -> [UInt8] {
    var text = "\(UnsyncedMark.firstLine)\nboot \(boot.isEmpty ? "-" : boot)\n"
    for pack in durable.sorted() { text += "pack \(pack)\n" }
    return Array((text + "refs\n").utf8) + refs
  }

  /// How many bytes of the file `isFromEarlierStart` needs.
  static let headLength = 256

  /// Whether the machine may have been restarted since the mark was made: the unflushed files may then be damaged.
  /// `head`: the first bytes of the mark.
  static func isFromEarlierStart(_ head: [UInt8]) -> Bool {
    let boot = ClockReading.systemBoot
    return boot.isEmpty || !head.starts(with: "\(firstLine)\nboot \(boot)\n".utf8)
  }
}

/// A shared lock on the mark. A process holds it while it puts unflushed files into the store, so that nobody removes
/// the mark meanwhile.
final class UnsyncedLock: Sendable {
  private let lock: FileLock

  init(_ lock: consuming FileLock) {
    self.lock = lock
  }
}

extension StoreFolder {
  /// Makes the mark and locks it. To be called before anything becomes visible that is not flushed. The mark stays at
  /// least until `endUnsynced`.
  func beginUnsynced() throws(Errno) {
    if isDurable { return }
    try unsynced.withLock { (held) throws(Errno) in
      var pause = 0.001
      while held == nil {
        switch try FileLock.attempt(UnsyncedMark.name, in: root, .shared) {
        case .held(let lock): held = UnsyncedLock(lock)
        case .missing: try makeUnsyncedMark()
        case .busy:
          // Another process is making the mark, or is flushing the store to remove it.
          Clock.sleep(seconds: pause)
          pause = min(pause * 2, 0.05)
        }
      }
    }
  }

  /// Releases the lock on the mark: this process has put everything into the store.
  func endUnsynced() {
    unsynced.withLock { $0 = nil }
  }

  private func makeUnsyncedMark() throws(Errno) {
    var mark = UnsyncedMark(boot: ClockReading.systemBoot, durable: [], refs: [])
    let listing = try DirectoryListing(reading: root.open(StoreFolder.packsName, .directory))
    for index in 0..<listing.count {
      if let id = PackName.id(fromFileName: listing.name(at: index)) { mark.durable.insert(id) }
    }
    // A store that is being made has no `refs` yet.
    mark.refs = try root.contents(of: StoreFolder.refsName, limit: UnsyncedMark.sizeLimit) ?? []
    do throws(Errno) {
      try write(mark, .noReplace)
    } catch {
      // Another process has made the mark at the same time.
      if error != .exists { throw error }
    }
  }

  private func write(_ mark: UnsyncedMark, _ rule: RenameRule) throws(Errno) {
    // The file is locked until it is durable, so a process that finds the mark waits until then.
    let file = try makeTemporary("unsynced")
    try file.write(mark.encoded())
    try file.place(as: UnsyncedMark.name, in: root, rule, durable: true)
  }

  /// Flushes everything that was not flushed, and removes the mark. To be called before anything relies on the content
  /// of the store. Does nothing with `--no-sync`.
  func settle() throws(Errno) {
    guard isDurable else { return }
    switch try FileLock.attempt(UnsyncedMark.name, in: root, .exclusive) {
    case .missing: return
    case .busy:
      // Another process is still writing. Flush what is visible so far; the mark stays.
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

  /// What is said of an operation that used the mark and failed with `error`: that something else has the place of the
  /// mark, if that is so.
  func failure(of operation: String, _ path: String, _ error: Errno) -> StoreError {
    // Where nothing can be said of the mark, the error stands for itself.
    if let status = try? root.status(of: UnsyncedMark.name), !status.isRegular {
      return .damaged(file: "unsynced", reason: "it is not a file")
    }
    return .system(operation: operation, path: path, error)
  }

  /// False only when there surely is no mark.
  package var mayHaveUnsynced: Bool {
    do throws(Errno) {
      _ = try root.status(of: UnsyncedMark.name)
      return true
    } catch {
      return error != .notFound
    }
  }

  /// The mark, if the machine may have been restarted since it was made. Nil if not, or if there is no mark.
  func unsyncedFromEarlierStart() throws(Errno) -> UnsyncedMark? {
    try hasUnsyncedFromEarlierStart() ? try readMark() : nil
  }

  /// Whether there is a mark and the machine may have been restarted since it was made. Reads only its first bytes.
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
