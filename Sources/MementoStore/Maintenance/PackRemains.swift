// What is left of packs that no command relies on: those that a repair has put aside, and parity without a pack.

internal import MementoSystem

extension StoreFolder {
  /// The blobs of a pack that a repair has put aside. Nil for anything else, and when its table of contents cannot be
  /// read.
  package func blobs(ofDamaged name: [UInt8]) -> [ObjectID]? {
    guard let id = PackName.id(fromFileName: name.prefix(69)) else { return nil }
    do throws(Errno) {
      let file = SharedDescriptor(try root.open(StoreFolder.damagedName, .directory).open(name, .read))
      // An error means the same as for one that cannot be opened.
      return (try? PackCheck.contents(PackReader(file), named: id))?.contents.blobs.map(\.id)
    } catch {
      return nil
    }
  }

  /// Parity of packs that are not there.
  package func strayParity(besides packs: Set<ObjectID>) throws(StoreError) -> [ObjectID] {
    try LocalParity(self).packs().subtracting(packs).sorted()
  }
}
