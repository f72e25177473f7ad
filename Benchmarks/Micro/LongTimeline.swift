// Reads and commits `refs` with a full timeline: `memento-bench refs FOLDER`. Every command reads them, and every save
// commits them. Prints microseconds. FOLDER must be empty; nothing is flushed.

import MementoKit
import MementoStore
import MementoSystem

/// `refs` of one step and of as many as a timeline has.
func measureRefs(folder path: String) throws {
  _ = try RepositoryCaretaker(at: path)
  let root = try Descriptor.open(Array("\(path)/.memento".utf8), .namedDirectory)
  let folder = try StoreFolder(adopting: root, durable: false)
  let refs = RefsFile(folder)
  for steps in [1, FolderTimeline.limit] {
    for number in 0..<steps { try append(number, to: refs) }
    report("refs with \(steps) steps, read", 1e6 / rate { whole { _ = try RefsFile(folder).read() } }, "µs")
    var number = steps
    report(
      "refs with \(steps) steps, read and committed",
      1e6
        / rate {
          number += 1
          whole { try append(number, to: RefsFile(folder), grows: steps > 1) }
        }, "µs")
  }
}

/// What fails is not measured.
private func whole(_ body: () throws -> Void) {
  do { try body() } catch { fatalError("\(error)") }
}

private func append(_ number: Int, to refs: RefsFile, grows: Bool = true) throws(StoreError) {
  let id = ObjectID(hashing: Array("\(number)".utf8))
  _ = try refs.update(waiting: 10) { (refs) throws(StoreError) in
    let step = TimelineStep(operation: .save, time: Clock.now(), snapshot: id)
    if grows { refs.timeline.append(step) } else { refs.timeline.replaceCurrent(with: step) }
  }
}
