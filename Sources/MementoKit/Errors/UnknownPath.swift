// The error of a path that does not exist, with the path that was probably meant.

internal import MementoModel
internal import MementoStore

extension RepositoryError {
  /// A path that none of `trees` has. A tree that cannot be read has no proposal, and is no further error: the path is not
  /// there in any case.
  static func unknownPath(
    _ path: BytePath, _ message: String, reason: Reason? = nil, in trees: [ObjectID?], _ source: any MetaSource
  ) -> RepositoryError {
    var error = RepositoryError(.noSuchPath, message, reason: reason, path: path)
    for case let tree? in trees where error.similar == nil {
      let similar = try? SimilarPath.find(path, in: tree, source)
      error.similar = similar.flatMap { String(validating: $0.bytes, as: UTF8.self) }
    }
    return error
  }
}

/// A path that is spelt like another one and exists.
private enum SimilarPath {
  /// The most names of a folder that are compared.
  private static let mostNames = 100_000

  /// Exchanges the first name that the tree does not have for the nearest one of its folder. Nil when there is none near, or
  /// the rest of the path is not below it.
  static func find(_ path: BytePath, in tree: ObjectID, _ source: any MetaSource) throws(StoreError) -> BytePath? {
    var names = path.components
    var folder = tree
    for index in names.indices {
      if let entry = try TreeReader.entry(named: names[index], of: folder, in: source) {
        guard let below = entry.tree else { return nil }
        folder = below
        continue
      }
      let text = String(decoding: names[index], as: UTF8.self)
      guard let near = Spelling.nearest(to: text, among: try texts(of: folder, source)) else { return nil }
      names[index] = Array(near.utf8)
      let whole = BytePath(Array(names.joined(separator: [UInt8(ascii: "/")])))
      return try TreePath.entry(whole, in: tree, source) == nil ? nil : whole
    }
    return nil
  }

  /// The names that are text; others cannot be typed by mistake.
  private static func texts(of folder: ObjectID, _ source: any MetaSource) throws(StoreError) -> [String] {
    var texts: [String] = []
    var reader = TreeReader(folder, in: source)
    while texts.count < mostNames, let entry = try reader.next() {
      if let text = String(validating: entry.name, as: UTF8.self) { texts.append(text) }
    }
    return texts
  }
}
