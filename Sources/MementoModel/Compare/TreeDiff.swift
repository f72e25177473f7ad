// Two trees, side by side: what differs. Equal subtrees are never opened, so the cost is that of the difference.

/// How much there can be.
package enum EntryLimit {
  /// More entries than this on one side of a comparison are a bomb, not a folder.
  @inlinable package static var folder: Int { 1 << 27 }
}

package struct TreeDiff<Failure: BlobFailure>: Sendable {
  package let old: any BlobSource<Failure>
  package let new: any BlobSource<Failure>
  /// What is known without reading.
  package var noted: NotedDifferences?
  /// A walk ends when it has met more entries than this.
  package var limit: Int
  /// Asked now and then; true ends a walk.
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

  /// Which directory is read at the moment, by its label: what a failure is about.
  package final class Place {
    @usableFromInline package internal(set) var label = 0

    package init() {}
  }

  package struct Frame {
    package let label: Int
    /// What differs, when it was noted: then nothing is read.
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

    /// Looks at the next entry of each side, where that has not been done.
    @inlinable package mutating func advance() throws(Failure) {
      if nextOld == nil, nextNew == nil, old != nil, new != nil { TreeReader.passEqual(&old!, &new!) }
      if nextOld == nil { nextOld = try old?.next() }
      if nextNew == nil { nextNew = try new?.next() }
    }
  }

  /// Calls `visit` with each name that differs: the label of its directory, and the entry on each side. For a name that
  /// is a directory on either side, `visit` returns the label for what is inside, or nil to pass over it.
  @inlinable package func walk(
    from oldTree: ObjectID?, to newTree: ObjectID?, label: Int, at place: Place? = nil,
    _ visit: (_ directory: Int, _ old: TreeEntry?, _ new: TreeEntry?) throws(Failure) -> Int?
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
      guard let inner = try visit(label, before, after) else { continue }
      let trees = (before?.tree, after?.tree)
      if trees.0 == trees.1 { continue }
      frames.append(frame(trees.0, trees.1, label: inner))
    }
  }

  @inlinable package func frame(_ oldTree: ObjectID?, _ newTree: ObjectID?, label: Int) -> Frame {
    if let noted, let oldTree, let newTree, let differences = noted[TreePair(old: oldTree, new: newTree)] {
      return Frame(label: label, noted: differences[...])
    }
    return Frame(
      label: label, old: oldTree.map { TreeReader($0, in: old) }, new: newTree.map { TreeReader($0, in: new) })
  }

  /// The next name on either side.
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

  /// How many entries differ that are no directories; these count by what is in them.
  @inlinable package func counts(from oldTree: ObjectID?, to newTree: ObjectID?) throws(Failure) -> ChangeCounts {
    var counts = ChangeCounts()
    try walk(from: oldTree, to: newTree, label: 0) { (_, before, after) throws(Failure) in
      counts.add(before, after)
      return before?.isDirectory == true || after?.isDirectory == true ? 0 : nil
    }
    return counts
  }
}

extension ChangeCounts {
  /// Counts one difference: the one way in which changes are counted everywhere.
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
  /// By how much the number of files and their bytes differ. Sizes may be forged: their sum stops at the ends.
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
      return before?.isDirectory == true || after?.isDirectory == true ? 0 : nil
    }
    return (files, bytes)
  }
}

extension Int64 {
  package func addingWithLimit(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }

  package func subtractingWithLimit(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other > 0 ? .min : .max) : difference
  }
}
