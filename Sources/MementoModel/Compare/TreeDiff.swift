// Compares two trees side by side. It never opens equal subtrees, so its cost depends only on what differs.

/// What a walk does after a name that differs.
package enum TreeStep {
  /// Skip everything below the name.
  case pass
  /// Go into the directory, and give its entries this label. Same as `pass` if the name is not a directory.
  case enter(Int)
  /// End the walk.
  case stop

  /// Enters a directory if there is a label for it, and passes it otherwise.
  @inlinable package init(inside label: Int?) {
    self = label.map { .enter($0) } ?? .pass
  }
}

/// Limits for walks.
package enum EntryLimit {
  /// A comparison of more entries than this is an attack and not a folder.
  @inlinable package static var folder: Int { 1 << 27 }
}

/// A comparison of two trees.
package struct TreeDiff<Failure: BlobFailure>: Sendable {
  package let old: any BlobSource<Failure>
  package let new: any BlobSource<Failure>
  /// Differences that are known without reading the trees.
  package var noted: NotedDifferences?
  /// A walk throws when it has met more entries than this.
  package var limit: Int
  /// Called from time to time. When it returns true, the walk throws `.cancelled`.
  package var isCancelled: @Sendable () -> Bool

  @inlinable package init(
    old: any BlobSource<Failure>, new: any BlobSource<Failure>, noted: NotedDifferences? = nil,
    limit: Int = EntryLimit.folder, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.old = old
    self.new = new
    self.noted = noted
    self.limit = limit
    self.isCancelled = isCancelled
  }

  /// The label of the directory that a walk is reading. After an error it says which directory failed.
  package final class Place {
    @usableFromInline package internal(set) var label = 0

    package init() {}
  }

  /// A directory that a walk has entered.
  package struct Frame {
    package let label: Int
    /// Its differences if they were noted. Its trees are not read then.
    package var noted: ArraySlice<EntryDifference>?
    package var old: TreeReader<Failure>?
    package var new: TreeReader<Failure>?
    package var nextOld: TreeEntry?
    package var nextNew: TreeEntry?

    @inlinable package init(
      label: Int, noted: ArraySlice<EntryDifference>? = nil, old: TreeReader<Failure>? = nil,
      new: TreeReader<Failure>? = nil
    ) {
      self.label = label
      self.noted = noted
      self.old = old
      self.new = new
    }

    /// Reads the next entry of each side that has none waiting.
    @inlinable package mutating func advance() throws(Failure) {
      if nextOld == nil, nextNew == nil, old != nil, new != nil { TreeReader.passEqual(&old!, &new!) }
      if nextOld == nil { nextOld = try old?.next() }
      if nextNew == nil { nextNew = try new?.next() }
    }
  }

  /// Calls `visit` with each name that differs: the label of its directory, and its entry on each side. The result of
  /// `visit` says how the walk continues. `label`: the label of the top directory. A nil tree has no entries. Throws
  /// when a tree cannot be read, is damaged or has too many entries, when `visit` throws, and when cancelled.
  @inlinable package func walk(
    from oldTree: ObjectID?, to newTree: ObjectID?, label: Int, at place: Place? = nil,
    _ visit: (_ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?) throws(Failure) -> TreeStep
  ) throws(Failure) {
    if oldTree == newTree { return }
    var frames = [frame(oldTree, newTree, label: label)]
    var visited = 0
    while !frames.isEmpty {
      place?.label = frames[frames.count - 1].label
      guard let (label, before, after) = try TreeDiff.step(&frames[frames.count - 1]) else {
        frames.removeLast()
        continue
      }
      visited += 1
      if visited > limit {
        throw .damaged(
          file: "tree",
          reason: "it has more entries than \(limit < EntryLimit.folder ? "fit into memory" : "a folder can have")")
      }
      if visited & 0xff == 0, isCancelled() { throw .cancelled }
      if let before, let after, before == after { continue }
      switch try visit(label, before, after) {
      case .stop: return
      case .pass: continue
      case .enter(let inner):
        let trees = (before?.tree, after?.tree)
        if trees.0 != trees.1 { frames.append(frame(trees.0, trees.1, label: inner)) }
      }
    }
  }

  /// Begins to compare two trees of a directory. Reads nothing yet.
  @inlinable package func frame(_ oldTree: ObjectID?, _ newTree: ObjectID?, label: Int) -> Frame {
    if let noted, let oldTree, let newTree, let differences = noted[TreePair(old: oldTree, new: newTree)] {
      return Frame(label: label, noted: differences[...])
    }
    return Frame(
      label: label, old: oldTree.map { TreeReader($0, in: old) }, new: newTree.map { TreeReader($0, in: new) })
  }

  /// The next name of a directory: its label, and the entry of the name on each side. Nil after the last one.
  @inlinable package static func step(_ frame: inout Frame) throws(Failure) -> (Int, TreeEntry?, TreeEntry?)? {
    if frame.noted != nil {
      guard let difference = frame.noted?.popFirst() else { return nil }
      return (frame.label, difference.old, difference.new)
    }
    try frame.advance()
    switch (frame.nextOld, frame.nextNew) {
    case (nil, nil):
      return nil
    case (let before?, nil):
      frame.nextOld = nil
      return (frame.label, before, nil)
    case (nil, let after?):
      frame.nextNew = nil
      return (frame.label, nil, after)
    case (let before?, let after?):
      if before.name == after.name {
        frame.nextOld = nil
        frame.nextNew = nil
        return (frame.label, before, after)
      }
      if before.name.lexicographicallyPrecedes(after.name) {
        frame.nextOld = nil
        return (frame.label, before, nil)
      }
      frame.nextNew = nil
      return (frame.label, nil, after)
    }
  }

  /// How many entries differ that are not directories. Directories count through their entries.
  @inlinable package func counts(from oldTree: ObjectID?, to newTree: ObjectID?) throws(Failure) -> ChangeCounts {
    var counts = ChangeCounts()
    try walk(from: oldTree, to: newTree, label: 0) { (_, before, after) throws(Failure) in
      counts.add(before, after)
      return .enter(0)
    }
    return counts
  }
}

extension ChangeCounts {
  /// Counts one difference. All counts of changes use this method, so that they agree.
  package mutating func add(_ before: TreeEntry?, _ after: TreeEntry?) {
    switch (before?.isDirectory, after?.isDirectory) {
    case (nil, false?), (true?, false?): added += 1
    case (false?, nil), (false?, true?): removed += 1
    case (false?, false?): modified += 1
    default: break
    }
  }
}

extension TreeDiff {
  /// By how much the number of files and their bytes differ. Sizes may be forged, so the sum of bytes stops at the
  /// largest or smallest number.
  @inlinable package func totals(from oldTree: ObjectID?, to newTree: ObjectID?) throws(Failure) -> (
    files: Int, bytes: Int64
  ) {
    var files = 0
    var bytes: Int64 = 0
    try walk(from: oldTree, to: newTree, label: 0) { (_, before, after) throws(Failure) in
      if case .file(let size, _)? = before?.content {
        files -= 1
        bytes = bytes.subtractingWithLimit(Int64(clamping: size))
      }
      if case .file(let size, _)? = after?.content {
        files += 1
        bytes = bytes.addingWithLimit(Int64(clamping: size))
      }
      return .enter(0)
    }
    return (files, bytes)
  }
}

extension Int64 {
  /// The sum, or the largest or smallest number if it overflows.
  package func addingWithLimit(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  /// The difference, or the largest or smallest number if it overflows.
  package func subtractingWithLimit(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
