// What a collection sees of a remote.

package import MementoModel
package import MementoObjects
internal import MementoTime

/// One look at everything. The names come first: what is removed later was marked long before this look at them.
package struct CollectionLook: Sendable {
  package let refs: RefsReading
  package let marks: MarksReading
  package let indexes: IndexReading
  /// The pack objects that are listed.
  package let packs: [ObjectID: ListedObject]

  /// `toleratesDamage`: reads what can be read of the marks and the indexes, for a check or a repair.
  package init(
    _ storage: any ObjectStorage, cache: inout some IndexCache, known: NameTable = NameTable(),
    toleratesDamage: Bool = false
  ) throws(RemoteError) {
    refs = try RefsReading.read(storage, known: known, readsAll: true)
    marks = try MarksReading(storage, toleratesDamage: toleratesDamage)
    indexes = try IndexReading(storage, cache: &cache, readsReplaced: true, toleratesDamage: toleratesDamage)
    let objects = try ObjectListing(storage, PackObject.prefix).objects
    packs = Dictionary(
      objects.compactMap { object in PackObject.pack(object.name).map { ($0, object) } }, uniquingKeysWith: { $1 })
  }

  /// The packs that must stay for a blob that a name needs. `holders`: all packs that have it by the current indexes.
  ///
  /// One is enough if nobody has marked it. Of marked ones all stay: others may be about to remove any of them.
  package func needed(of holders: [ObjectID]) -> [ObjectID] {
    let there = holders.filter { packs[$0] != nil }
    if let safe = there.filter({ !marks.isMarked($0) }).min() { return [safe] }
    return there.isEmpty ? holders : there
  }
}
