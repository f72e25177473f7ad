// The folders beside the main one that share a store, each with steps of its own. One file holds the steps of all of them,
// so one rename commits whatever a command changes, and no folder can lose its steps without the others.

/// What `refs` know of a fork.
package struct ForkedFolder: Equatable, Sendable {
  package let id: ForkID
  /// Where its folder was when this was written, absolute.
  package var path: [UInt8]
  package var timeline = FolderTimeline()
  package var pending: PendingRestore?

  package init(_ id: ForkID, at path: [UInt8]) {
    self.id = id
    self.path = path
  }
}

extension Refs {
  /// The most forks: each commit writes the steps of all of them.
  package static let mostForks = 1000

  /// The fork with this id; nil when there is none.
  package subscript(fork id: ForkID) -> ForkedFolder? { forks.first { $0.id == id } }

  /// Puts the steps and the pending restore of a fork in the place of those of the main folder, and these into the record of
  /// the fork; done twice, it changes nothing. So whatever works on the steps of a folder works on those of a fork. Returns
  /// false when there is no such fork.
  package mutating func exchange(with fork: ForkID) -> Bool {
    guard let index = forks.firstIndex(where: { $0.id == fork }) else { return false }
    swap(&timeline, &forks[index].timeline)
    swap(&pending, &forks[index].pending)
    return true
  }

  /// The steps of all folders: those of this one first.
  package var timelines: [FolderTimeline] { [timeline] + forks.map(\.timeline) }

  /// The restores that have begun to change a folder, of all folders.
  package var allPending: [PendingRestore] { ([pending] + forks.map(\.pending)).compactMap(\.self) }

  /// Removes the steps with these snapshots from all folders, except the current ones. Returns how many.
  package mutating func removeSteps(of snapshots: Set<ObjectID>) -> Int {
    let count = timelines.reduce(0) { $0 + $1.steps.count }
    forEachTimeline { $0.remove(snapshots) }
    return count - timelines.reduce(0) { $0 + $1.steps.count }
  }

  /// Changes the steps of all folders.
  mutating func forEachTimeline(_ body: (inout FolderTimeline) -> Void) {
    body(&timeline)
    for index in forks.indices { body(&forks[index].timeline) }
  }
}

/// The oldest steps of folders, which leave their timelines for good.
package struct ExpiredSteps: Equatable, Sendable {
  /// Of the folder that is looked from.
  package var own: [TimelineStep]
  package var forks: [ForkID: [TimelineStep]]

  package init(own: [TimelineStep] = [], forks: [ForkID: [TimelineStep]] = [:]) {
    self.own = own
    self.forks = forks.filter { !$0.value.isEmpty }
  }

  package var isEmpty: Bool { own.isEmpty && forks.isEmpty }
  package var all: [TimelineStep] { own + forks.values.flatMap(\.self) }
}

extension ForkID {
  /// One that none of `others` has.
  package init(besides others: [ForkID]) {
    var generator = SystemRandomNumberGenerator()
    while true {
      let digits = String(generator.next() as UInt32, radix: 16)
      let text = String(repeating: "0", count: 8 - digits.count) + digits
      guard let id = ForkID(text), !others.contains(id) else { continue }
      self = id
      return
    }
  }
}
