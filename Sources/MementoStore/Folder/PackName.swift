// The file names of packs in `packs/`.

package enum PackName {
  package static func fileName(_ id: ObjectID) -> [UInt8] {
    Array("\(id).pack".utf8)
  }

  /// The id in a file name; nil when it is not the name of a pack.
  package static func id(fromFileName name: some Collection<UInt8>) -> ObjectID? {
    guard name.count == 69, name.suffix(5).elementsEqual(".pack".utf8) else { return nil }
    return ObjectID(name.prefix(64))
  }
}
