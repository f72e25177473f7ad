// The names of pack objects: `packs/xx/NAME`.

package import MementoModel
package import MementoObjects

/// 32 random bytes name the object of a pack, so each upload has a name of its own: a collection that is going to remove
/// a pack never removes the same bytes that were put anew. The 64 hex digits stand in folders by the first two of them.
package enum PackObject {
  package static let prefix = "packs/"

  package static func random(using generator: inout some RandomNumberGenerator) -> ObjectID {
    ObjectID(generator.next(), generator.next(), generator.next(), generator.next())
  }

  package static func name(_ pack: ObjectID) -> ObjectName {
    let digits = pack.description
    guard let name = ObjectName("\(prefix)\(digits.prefix(2))/\(digits)") else { preconditionFailure("not a name") }
    return name
  }

  /// Nil when the name is not that of a pack.
  package static func pack(_ name: ObjectName) -> ObjectID? {
    guard let pack = ObjectID(Array(name.text.utf8.suffix(64))), PackObject.name(pack) == name else { return nil }
    return pack
  }
}
