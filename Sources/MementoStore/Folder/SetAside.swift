// The folder `damaged/` of a store: files that were found damaged, and have been replaced. Nobody reads it but people.

internal import MementoSystem

struct SetAside: ~Copyable {
  private let isDurable: Bool
  private let descriptor: Descriptor

  /// Makes it where it is missing.
  init(_ folder: StoreFolder) throws(StoreError) {
    try self.init(in: folder.root, durable: folder.isDurable)
  }

  /// The same for a store that cannot be opened yet.
  init(in root: borrowing Descriptor, durable: Bool = true) throws(StoreError) {
    isDurable = durable
    descriptor = try onFile("open", "damaged") { () throws(Errno) in
      try StoreFolder.openOrMake(StoreFolder.damagedName, in: root, durable: durable)
    }
  }

  /// Moves a file there, durably. What has its name already keeps it.
  func move(_ name: [UInt8], from source: borrowing Descriptor, _ path: String) throws(StoreError) {
    try onFile("move", path) { () throws(Errno) in
      try source.rename(name, to: freeName(name), in: descriptor, .noReplace)
      guard isDurable else { return }
      // Never under neither name: the new one first.
      try descriptor.flushDirectory()
      try source.flushDirectory()
    }
  }

  /// Gives a file another name there, durably, so that it can be replaced at its own in one step. Where files have one name
  /// only, it is moved; where there is none, that is well.
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
