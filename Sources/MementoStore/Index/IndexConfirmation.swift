// Checks the tables against the packs, before anything relies on a table.

internal import MementoSystem
internal import Synchronization

extension Index {
  /// Whether a save may rely on a pack having the blob: the file of the pack has its full size, and its own table of
  /// contents lists the blob. Packs in `leaving` do not count. If a pack contradicts a row, all tables are built again.
  package func hasIntactCopy(_ id: ObjectID, ignoring leaving: Set<ObjectID> = []) -> Bool {
    // On an error the blob is stored again, so nothing is lost.
    (try? hasConfirmedCopy(id, ignoring: leaving)) ?? false
  }

  private func hasConfirmedCopy(_ id: ObjectID, ignoring leaving: Set<ObjectID>) throws(StoreError) -> Bool {
    var isRefuted = false
    repeat {
      isRefuted = false
      for place in try knownPlaces(of: id) where directory.isIntact(place.pack) {
        let pack = packID(place.pack)
        if leaving.contains(pack) || badBlocks.contains(pack, place.block.offset) { continue }
        // A pack that cannot be read confirms nothing: what it may hold is stored again.
        if (try? confirms(id, place, in: pack)) == true { return true }
        isRefuted = true
      }
    } while isRefuted ? try recover() : false
    return false
  }

  /// Whether a save may rely on the copy of a blob at a place. False also when that cannot be found out.
  func hasCopy(_ id: ObjectID, at place: Location) -> Bool {
    let pack = packID(place.pack)
    return directory.isIntact(place.pack) && !badBlocks.contains(pack, place.block.offset)
      && (try? confirms(id, place, in: pack)) == true
  }

  /// Whether the table of contents of some pack lists the blob with this length. Reads all packs again before it
  /// returns `.missing`. Throws when that cannot be determined.
  package func presence(of id: ObjectID, length: UInt64) throws(StoreError) -> BlobPresence {
    var result = BlobPresence.missing
    var unread: StoreError?
    repeat {
      unread = nil
      for place in try places(of: id) {
        do throws(StoreError) {
          guard try confirms(id, place, in: packID(place.pack)) else { continue }
        } catch {
          // Another pack may hold it, too.
          if error.hidesContent { unread = error }
          continue
        }
        if UInt64(place.length) == length { return .there }
        result = .otherLength
      }
    } while result == .missing ? try recover() : false
    if result == .missing, let unread { throw unread }
    return result
  }

  /// Notes a block of which a blob could not be read and healed, if the pack is there and says itself that the blob is in
  /// this block. A row of an index table alone proves nothing.
  func noteBad(_ id: ObjectID, _ place: Location) {
    let pack = packID(place.pack)
    // A pack that cannot be read is not relied upon anyway.
    if (try? confirms(id, place, in: pack)) == true { badBlocks.add(pack, place.block.offset) }
  }

  /// Throws when the pack cannot be read.
  private func confirms(_ id: ObjectID, _ place: Location, in pack: ObjectID) throws(StoreError) -> Bool {
    try confirmed.confirm(id, place, in: pack) { () throws(StoreError) in
      do throws(StoreError) {
        return try contents(of: pack)
      } catch {
        // A medium that cannot be read is asked twice: gc drops what no pack confirms.
        guard case .system = error else { throw error }
        return try contents(of: pack)
      }
    }
  }

  /// The tables whose rows differ from the packs in `view`.
  package func differences(from view: PackView) -> [IndexDifference] {
    var result: [IndexDifference] = []
    for numbered in state.withLock({ $0.tables }) {
      let name = String(decoding: numbered.table.fileName ?? [], as: UTF8.self)
      do throws(StoreError) {
        let rows = try view.differences(from: numbered.table)
        if rows > 0 { result.append(IndexDifference(table: name, rows: rows)) }
      } catch {
        result.append(IndexDifference(table: name, rows: nil))
      }
    }
    return result
  }
}
