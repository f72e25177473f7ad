// The object `format/ID`, which every reader looks at before anything else.

package import MementoObjects

/// Says that a place holds a repository, which one, and whether its objects are sealed. It is text, so that people who
/// find it learn what they have found.
package struct RepositoryMarker: Hashable, Sendable {
  /// The format that this version writes.
  package static let version: UInt64 = 1
  /// Where the markers are. There is more than one only when two were made at the same time.
  package static let folder = "format/"
  /// A marker has at most so many bytes.
  package static let maximumSize = WordLines.maximumSize

  package let id: RepositoryID
  /// Whether all objects but markers and slots are sealed.
  package let isSealed: Bool

  package init(id: RepositoryID = RepositoryID(), isSealed: Bool) {
    self.id = id
    self.isSealed = isSealed
  }

  /// The name under which the marker is put.
  package var name: ObjectName { ObjectName("\(RepositoryMarker.folder)\(id)")! }  // digits make a name

  /// The id that the name of a marker says. Nil for another name.
  package static func id(_ name: ObjectName) -> RepositoryID? {
    guard name.text.hasPrefix(folder) else { return nil }
    return RepositoryID(String(name.text.dropFirst(folder.count)))
  }

  /// The bytes of the object.
  package var text: [UInt8] {
    Array("memento repository \(RepositoryMarker.version)\nid \(id)\ncontents \(isSealed ? "sealed" : "plain")\n".utf8)
  }

  /// Reads the bytes of the object `name`. Throws `.newer` when another version is needed, and `.damaged`.
  package init(_ text: [UInt8], name: ObjectName) throws(SealError) {
    guard let version = WordLines.version(text, title: "memento repository") else {
      throw SealError(.damaged, "\(name) is not the marker of a repository")
    }
    guard version == RepositoryMarker.version else {
      throw SealError(.newer, "the repository has the format \(version), which this version does not know")
    }
    guard let lines = WordLines(text) else { throw SealError(.damaged, "\(name) is damaged") }
    if let features = lines["requires"] {
      let names = String(decoding: features.filter { 0x20...0x7e ~= $0 }, as: UTF8.self)
      throw SealError(.newer, "the repository requires \(names), which this version does not know")
    }
    guard let bytes = lines.bytes("id", count: RepositoryID.byteCount), let id = RepositoryID(bytes: bytes),
      RepositoryMarker.id(name) == id
    else { throw SealError(.damaged, "\(name) is the marker of another repository") }
    switch lines["contents"] {
    case .some(Array("sealed".utf8)[...]): isSealed = true
    case .some(Array("plain".utf8)[...]): isSealed = false
    default: throw SealError(.damaged, "\(name) does not say whether the repository is sealed")
    }
    self.id = id
  }
}
