// The names in the staging folder of a restore, and how such a folder is removed.

package import MementoSystem

package enum StagedName {
  /// The prefix of the names of staging folders.
  package static let folderPrefix = "restore-"
  /// Whether a restore makes staging folders with this name. Such a folder is removed later, so nothing else may pass.
  static func isFolder(_ name: String) -> Bool {
    name.hasPrefix(folderPrefix)
      && name.utf8.allSatisfy {
        $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  /// The file that says what the numbers in the other names mean. A staging folder without it holds nothing of value.
  package static let list = Array("list".utf8)

  /// A file that waits to be moved to its place. After an exchange, this is the file that was in that place.
  package static func waiting(_ item: Int) -> [UInt8] { Array("\(item)".utf8) }

  /// A file that the restore took out of the folder. `attempt` numbers them when several files were in the way of the
  /// same item.
  package static func removed(_ item: Int, attempt: Int = 0) -> [UInt8] {
    Array((attempt == 0 ? "old-\(item)" : "old-\(item)-\(attempt)").utf8)
  }

  /// A directory that waits to be moved to its place.
  package static func directory(_ number: Int) -> [UInt8] { Array("d\(number)".utf8) }

  /// The number in a name of `waiting` or `removed`. Nil for any other name.
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

  /// Whether the name is one that `directory` makes.
  package static func isDirectory(_ name: [UInt8]) -> Bool {
    name.first == UInt8(ascii: "d") && number(Substring(String(decoding: name.dropFirst(), as: UTF8.self))) != nil
  }

  /// Whether a restore makes files or folders with this name.
  static func isOne(_ name: [UInt8]) -> Bool {
    name == list || item(of: name) != nil || isDirectory(name)
  }
}

extension Descriptor {
  /// Removes the staging folder `name` of this directory, with the files and empty folders that a restore made in it.
  /// If anything else is in it, that stays and so does the folder: in a store of another user, somebody may have put it
  /// there to make root remove it.
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
    // Remove the list last. If the process is killed before, the next command still knows what the other files are.
    do throws(Errno) {
      try folder.removeFile(StagedName.list)
    } catch {
      if error != .notFound { throw error }
    }
    // This fails when the folder is not empty.
    try removeDirectory(name)
  }
}
