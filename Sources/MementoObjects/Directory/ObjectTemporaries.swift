// The files of puts that are under way. They lie in the folder of the remote itself, under names that no object has.

internal import MementoSystem
internal import MementoTime
internal import Synchronization

final class ObjectTemporaries: Sendable {
  /// No object has a name that begins with a dot.
  private static let prefix = ".put-"
  /// In seconds. The lock of a file tells whether its process lives; on a network drive the locks of other machines may not
  /// be seen, so the file must also be older than any pause in a put.
  private static let age: Int64 = 3600
  private let isSwept = Atomic<Bool>(false)

  /// Makes a file that is locked until it has its name or is removed.
  func make(in root: SharedDescriptor) throws(Errno) -> TemporaryFile {
    var generator = SystemRandomNumberGenerator()
    while true {
      let name = "\(ObjectTemporaries.prefix)\(Host.processID)-\(String(generator.next(), radix: 16))"
      do throws(Errno) {
        return try TemporaryFile(making: Array(name.utf8), in: root, ownedLike: root.descriptor)
      } catch {
        if error != .exists { throw error }
      }
    }
  }

  /// The time by the clock that gives the objects their times: that of a file that was just made. The system's clock may
  /// be another one, since a network drive has the clock of its server. The system's clock serves where no file can be made:
  /// whoever may not write removes nothing by age either, and a full disk is most often a local one.
  func fileSystemTime(in root: SharedDescriptor) -> Timestamp {
    do throws(Errno) {
      return try make(in: root).file.descriptor.status().modified
    } catch {
      return Clock.now()
    }
  }

  /// Once for each value: removes what processes have left that were killed. What cannot be looked at or removed stays. It
  /// takes space and changes no answer.
  func sweepOnce(_ root: SharedDescriptor) {
    if isSwept.exchange(true, ordering: .relaxed) { return }
    do throws(Errno) {
      let limit = fileSystemTime(in: root).adding(seconds: -ObjectTemporaries.age)
      // Opened anew: reading moves the position of a descriptor.
      let listing = try DirectoryListing(reading: root.descriptor.open(Array(".".utf8), .directory))
      for index in 0..<listing.count {
        let name = listing.name(at: index)
        guard name.starts(with: ObjectTemporaries.prefix.utf8) else { continue }
        try removeIfAbandoned(name, in: root, before: limit)
      }
    } catch {
      // All of the rest stays.
    }
  }

  private func removeIfAbandoned(_ name: [UInt8], in root: SharedDescriptor, before limit: Timestamp) throws(Errno) {
    guard let status = try root.descriptor.statusIfPresent(of: name), status.isRegular, status.modified < limit else {
      return
    }
    if try !root.descriptor.open(name, .read).isLockedByOther() { root.descriptor.removeUnneeded(name) }
  }
}
