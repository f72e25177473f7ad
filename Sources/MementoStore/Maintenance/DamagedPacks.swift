// Looks into packs that a repair has put aside. Only a purge asks: no command relies on what they hold.

internal import MementoSystem

extension StoreFolder {
  /// The blobs of a pack in `damaged/`. Nil for anything else, and when its table of contents cannot be read.
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
}
