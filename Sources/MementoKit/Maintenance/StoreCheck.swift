// One look at the whole store, by whoever holds a lock: first the packs, then what the names need of them.

internal import MementoStore

struct StoreCheck {
  private let repository: Repository
  private let monitor: any Monitor
  private(set) var report = VerifyReport(packs: 0, blobs: 0, snapshots: 0, bytesRead: 0, damage: [])
  /// Packs of which something cannot be read as it was written, as far as they were read.
  private(set) var damagedPacks: Set<ObjectID> = []
  /// Blobs that no pack holds whole.
  private var bad: Set<ObjectID> = []

  private var store: Store { repository.store }

  init(_ repository: Repository, monitor: any Monitor) {
    self.repository = repository
    self.monitor = monitor
  }

  /// `readData`: reads every byte.
  mutating func run(readData: Bool) throws(RepositoryError) {
    let refs = try repository.readRefs()
    monitor.begin(.verifying)
    store.index.reconcile(again: true)
    for id in store.index.presentPacks().sorted() { try check(pack: id, readData: readData) }
    try follow(refs)
  }

  private mutating func check(pack id: ObjectID, readData: Bool) throws(RepositoryError) {
    report.packs += 1
    let pack: PackContents
    do throws(StoreError) {
      pack = try store.index.contents(of: id)
    } catch {
      // What lies in it may still be found by the index; the pack alone does not say any more what it holds.
      note(error, in: id)
      return
    }
    report.blobs += pack.contents.blobs.count
    if readData { try read(pack) }
  }

  /// Reads every blob of a pack and compares it with its id.
  private mutating func read(_ pack: PackContents) throws(RepositoryError) {
    var reader = store.blobReader()
    for (id, place) in store.index.placements(of: pack) {
      if monitor.isCancelled { throw .cancelled }
      do throws(StoreError) {
        _ = try reader.withBlob(id, at: place) { (bytes) in bytes.count }
        report.bytesRead += UInt64(place.length)
        monitor.advance(files: 0, bytes: UInt64(place.length))
      } catch {
        // Another pack may hold it whole.
        if (try? reader.read(id)) == nil { bad.insert(id) }
        note(error, in: pack.id)
      }
    }
    monitor.advance(files: 1, bytes: 0)
  }

  /// A block that cannot be unpacked is one thing, however many blobs it holds.
  private mutating func note(_ error: StoreError, in pack: ObjectID) {
    if error.isDamage { damagedPacks.insert(pack) }
    let found = VerifyReport.Damage(message: RepositoryError(error).message, states: [], path: nil)
    if report.damage.last != found { report.damage.append(found) }
  }

  /// What is hurt in several states in the same way is one thing, too.
  private mutating func follow(_ refs: Refs) throws(RepositoryError) {
    var names: [ObjectID: [String]] = [:]
    for state in refs.states { names[state.snapshot, default: []].append(state.name) }
    var walker = SnapshotCheck(store: store, bad: bad)
    var places: [SnapshotCheck.Finding: Int] = [:]
    for root in refs.roots.sorted() {
      if monitor.isCancelled { throw .cancelled }
      report.snapshots += 1
      let states = names[root] ?? ["snapshot \(root.short)"]
      for finding in walker.check(root) {
        if let place = places[finding] {
          report.damage[place].states += states
        } else {
          places[finding] = report.damage.count
          report.damage.append(VerifyReport.Damage(message: finding.message, states: states, path: finding.path))
        }
      }
    }
    for place in places.values { report.damage[place].states.sort() }
  }
}
