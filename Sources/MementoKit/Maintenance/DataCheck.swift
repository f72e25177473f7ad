// Reads blobs of packs on all cores and compares them with their ids. Packs are gathered until there is enough to read for
// all cores, and no more of them is in memory.

internal import MementoStore
internal import MementoSystem
internal import Synchronization

struct DataCheck {
  /// What was found in a part of a pack.
  struct Finding {
    let pack: ObjectID
    let part: ReadingPlan.Part
    /// Where the next check goes on; nil when the pack was read to its end.
    let rest: UInt64?
    fileprivate(set) var bytesRead: UInt64 = 0
    fileprivate(set) var errors: [StoreError] = []
    /// Blobs of which no pack has an intact copy.
    fileprivate(set) var bad: [ObjectID] = []
  }

  /// Blocks that one worker reads.
  private struct Unit: Sendable {
    let pack: PackContents
    let blocks: Range<Int>
    /// The number of the first blob in these blocks.
    let firstBlob: Int
    let finding: Int
  }

  private static let unitSize: UInt64 = 8 << 20
  /// Packs are gathered until so many bytes are to be read.
  private static let batchSize: UInt64 = 256 << 20

  private let store: Store
  private let monitor: any Monitor
  private var units: [Unit] = []
  private var findings: [Finding] = []
  private var size: UInt64 = 0

  init(_ store: Store, monitor: any Monitor) {
    self.store = store
    self.monitor = monitor
  }

  /// Whether what was added should be read now.
  var isFull: Bool { size >= DataCheck.batchSize }

  /// Adds a part of a pack. At least one block of it is read, and no more blocks than its budget allows.
  mutating func add(_ pack: PackContents, _ part: ReadingPlan.Part) {
    let blocks = pack.contents.blocks
    var blob = 0
    var used: UInt64 = 0
    var rest: UInt64?
    var begun: (block: Int, blob: Int, size: UInt64)?
    var end = blocks.count
    func close(at block: Int) {
      guard let unit = begun, unit.block < block else { return }
      units.append(Unit(pack: pack, blocks: unit.block..<block, firstBlob: unit.blob, finding: findings.count))
      begun = nil
    }
    for (number, block) in blocks.enumerated() {
      if block.offset >= part.from {
        if begun != nil || used > 0, used >= part.budget {
          rest = block.offset
          end = number
          break
        }
        if let unit = begun, unit.size >= DataCheck.unitSize { close(at: number) }
        let before = begun ?? (number, blob, 0)
        begun = (before.block, before.blob, before.size + UInt64(block.storedLength))
        used += UInt64(block.storedLength)
      }
      blob += Int(block.blobCount)
    }
    close(at: end)
    findings.append(Finding(pack: pack.id, part: part, rest: rest))
    size += used
  }

  /// Reads what was added, and forgets it. Returns what was found, pack by pack in the order in which they were added.
  /// Throws `.cancelled` when the monitor says so.
  mutating func run() throws(RepositoryError) -> [Finding] {
    let units = units
    let outcomes = Mutex([Outcome](repeating: Outcome(), count: units.count))
    let stack = WorkStack<Int>()
    stack.push(units.indices.reversed())
    let (store, monitor) = (store, monitor)
    stack.run(workers: max(1, Host.processorCount())) { _, number in
      if monitor.isCancelled { return }
      let outcome = DataCheck.read(units[number], in: store, monitor)
      outcomes.withLock { $0[number] = outcome }
    }
    if monitor.isCancelled { throw .cancelled }
    var findings = findings
    for (unit, outcome) in zip(units, outcomes.withLock { $0 }) {
      findings[unit.finding].bytesRead += outcome.bytesRead
      findings[unit.finding].errors += outcome.errors
      findings[unit.finding].bad += outcome.bad
    }
    (self.units, self.findings, size) = ([], [], 0)
    return findings
  }

  private struct Outcome: Sendable {
    var bytesRead: UInt64 = 0
    var errors: [StoreError] = []
    var bad: [ObjectID] = []
  }

  private static func read(_ unit: Unit, in store: Store, _ monitor: any Monitor) -> Outcome {
    var outcome = Outcome()
    var reader = store.blobReader()
    var told: UInt64 = 0
    for (id, place) in store.index.placements(of: unit.pack, blocks: unit.blocks, from: unit.firstBlob) {
      if monitor.isCancelled { break }
      do throws(StoreError) {
        _ = try reader.withBlob(id, at: place) { (bytes) in bytes.count }
        outcome.bytesRead += UInt64(place.length)
        if outcome.bytesRead - told >= 1 << 20 {
          monitor.advance(files: 0, bytes: outcome.bytesRead - told)
          told = outcome.bytesRead
        }
      } catch {
        // Another pack may hold an intact copy. Any error here would also stop a restore, so its kind does not matter.
        if (try? reader.read(id)) == nil { outcome.bad.append(id) }
        outcome.errors.append(error)
      }
    }
    monitor.advance(files: 0, bytes: outcome.bytesRead - told)
    return outcome
  }
}
