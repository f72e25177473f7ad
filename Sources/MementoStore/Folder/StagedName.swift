// The names in the staging folder of a restore, and how one is removed.

package import MementoSystem

package enum StagedName {
  /// Of staging folders.
  package static let folderPrefix = "restore-"
  /// Says what the numbers are. A staging folder without it holds nothing that has to be looked at.
  package static let list = Array("list".utf8)

  /// A file that waits for its place; after an exchange, the file that was there.
  package static func waiting(_ item: Int) -> [UInt8] { Array("\(item)".utf8) }

  /// A file that was taken away. `attempt`: more than one may be in the way of the same file.
  package static func removed(_ item: Int, attempt: Int = 0) -> [UInt8] {
    Array((attempt == 0 ? "old-\(item)" : "old-\(item)-\(attempt)").utf8)
  }

  /// A directory that waits for its place.
  package static func directory(_ number: Int) -> [UInt8] { Array("d\(number)".utf8) }

  /// The number in a name of the first two kinds; nil for any other name.
  package static func item(of name: [UInt8]) -> Int? {
    let words = String(decoding: name, as: UTF8.self).split(separator: "-", omittingEmptySubsequences: false)
    switch words.count {
    case 1: return number(words[0])
    case 2, 3:
      guard words[0] == "old", words.count == 2 || number(words[2]) != nil else { return nil }
      return number(words[1])
    default: return nil
    }
  }

  private static func number(_ word: Substring) -> Int? {
    !word.isEmpty && word.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int(word) : nil
  }

  package static func isDirectory(_ name: [UInt8]) -> Bool {
    name.first == UInt8(ascii: "d") && number(Substring(String(decoding: name.dropFirst(), as: UTF8.self))) != nil
  }

  /// Whether a restore gives this name to anything.
  static func isOne(_ name: [UInt8]) -> Bool {
    name == list || item(of: name) != nil || isDirectory(name)
  }
}

extension Descriptor {
  /// Removes a staging folder here, with the files and empty folders that a restore made in it. Anything else stays, and so
  /// does the folder then: in the store of another user it may have been put there so that root removes it.
  package func removeStaging(_ folder: borrowing Descriptor, named name: [UInt8]) throws(Errno) {
    let listing = try DirectoryListing(reading: folder)
    for index in 0..<listing.count {
      let entry = listing.name(at: index)
      guard StagedName.isOne(entry), entry != StagedName.list else { continue }
      do throws(Errno) {
        try folder.removeFile(entry)
      } catch {
        guard error == .isDirectory || error == .notPermitted else { throw error }
        try folder.removeDirectory(entry)
      }
    }
    // Last: without it nobody knows, after a kill, what is left.
    do throws(Errno) {
      try folder.removeFile(StagedName.list)
    } catch {
      if error != .notFound { throw error }
    }
    // By name: this removes no folder that holds anything.
    try removeDirectory(name)
  }
}
