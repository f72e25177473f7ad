// The folder `damaged/` of a store: it keeps files that were found damaged. No command reads them; they are there for
// people.

internal import MementoSystem

struct Quarantine: ~Copyable {
  private let isDurable: Bool
  private let descriptor: Descriptor

  /// Opens `damaged/`, and makes it if it is missing.
  init(_ folder: StoreFolder) throws(StoreError) {
    try self.init(in: folder.root, durable: folder.isDurable)
  }

  /// Same, for a store that cannot be opened yet.
  init(in root: borrowing Descriptor, durable: Bool = true) throws(StoreError) {
    isDurable = durable
    descriptor = try onFile("open", "damaged") { () throws(Errno) in
      try StoreFolder.openOrMake(StoreFolder.damagedName, in: root, durable: durable)
    }
  }

  /// Moves a file to `damaged/`, durably except with `--no-sync`. If the name is taken there, the file gets a free one,
  /// such as `NAME.1`.
  func move(_ name: [UInt8], from source: borrowing Descriptor, _ path: String) throws(StoreError) {
    try onFile("move", path) { () throws(Errno) in
      try source.rename(name, to: freeName(name), in: descriptor, .noReplace)
      guard isDurable else { return }
      // Flush the new name first, so that a power cut cannot leave the file without a name.
      try descriptor.flushDirectory()
      try source.flushDirectory()
    }
  }

  /// Links a file into `damaged/`, durably except with `--no-sync`, so that a new file can replace it in one step.
  /// Moves it where the file system has no hard links. Does nothing when there is no such file.
  func keep(_ name: [UInt8], from source: borrowing Descriptor, _ path: String) throws(StoreError) {
    do throws(Errno) {
      try source.link(name, to: freeName(name), in: descriptor)
    } catch {
      if error == .notFound { return }
      return try move(name, from: source, path)
    }
    if isDurable { try onFile("flush", "damaged") { () throws(Errno) in try descriptor.flushDirectory() } }
  }

  private func freeName(_ name: [UInt8]) throws(Errno) -> [UInt8] {
    var free = name
    var number = 1
    while try descriptor.statusIfPresent(of: free) != nil {
      free = name + Array(".\(number)".utf8)
      number += 1
    }
    return free
  }
}
