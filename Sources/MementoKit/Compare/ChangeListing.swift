// From the differences of two trees to the words of a listing.

internal import MementoStore

/// Turns the differences of two trees into changes by path.
struct ChangeListing {
  private(set) var changes: [Change] = []
  private var paths: [BytePath] = [BytePath("")]

  /// The path of a name in a directory that `add` has given a label.
  func path(of name: [UInt8], in directory: Int) -> BytePath { paths[directory].appending(name) }

  /// Enters one difference; returns the label of the directory to go into.
  mutating func add(_ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?) -> Int? {
    guard let name = (new ?? old)?.name else { return nil }
    let path = paths[directory].appending(name)
    let isFolder = old?.isDirectory == true || new?.isDirectory == true
    if let kind = ChangeListing.kind(old, new) { changes.append(Change(path: path, kind: kind)) }
    if !isFolder { return nil }
    paths.append(path)
    return paths.count - 1
  }

  /// A folder is listed for itself only when there is nothing in it to speak for it, or its metadata changed.
  static func kind(_ old: TreeEntry?, _ new: TreeEntry?) -> ChangeKind? {
    guard let old else { return new?.isDirectory == true ? nil : .added }
    guard let new else { return old.isDirectory ? nil : .removed }
    if old.content.kind != new.content.kind { return .type }
    if old.isDirectory {
      // Whatever happens in a folder moves its time: that alone is no news.
      var before = old.metadata
      before.modified = new.metadata.modified
      return before == new.metadata ? nil : .metadata
    }
    return old.content == new.content ? .metadata : .modified
  }
}
