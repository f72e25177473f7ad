// What snapshots are made of, as a graph in memory: a walk reads each object once and notes here what names what. Whoever
// wants to know which snapshots hold an object goes along the edges and reads nothing again.

internal import MementoStore

/// Objects by their numbers, and what each of them names. It takes about 60 bytes an object and 8 for each entry of a tree
/// or list, however many snapshots share it.
struct ObjectGraph: SnapshotVisitor {
  private(set) var objects = BlobSet()
  /// Of each object: its last edge, counted from 1; 0 for none.
  private var lastEdge = ContiguousArray<UInt32>()
  /// What an edge leads to, and the edge of the same object before it.
  private var edges = ContiguousArray<(to: UInt32, before: UInt32)>()
  /// Of each object: the number of the kind of file that first had it as its content, counted from 1; 0 for others.
  private(set) var kinds = ContiguousArray<UInt16>()
  private(set) var kindNames: [[UInt8]] = []
  private var kindNumbers: [[UInt8]: UInt16] = [:]
  /// How many objects could not be read, or are not what they should be.
  private(set) var faults = 0
  /// The tree whose entries are being told.
  private var parent: (id: ObjectID, number: Int)?
  /// Of blobs that the walk has met, by their numbers there: the number of the object whose kind is known, counted from 1.
  private var met = ContiguousArray<UInt32>()

  /// The kind of a file whose name says none, and of all kinds above the most that are told apart.
  static let noKind: [UInt8] = []
  private static let mostKinds = 10_000

  init() {}

  var count: Int { objects.count }

  /// The number of an object that was met. Nil for others.
  func number(of id: ObjectID) -> Int? { objects.number(of: id) }

  private mutating func add(_ id: ObjectID) -> Int {
    let number = objects.number(inserting: id)
    if number == lastEdge.count {
      lastEdge.append(0)
      kinds.append(0)
    }
    return number
  }

  /// Returns the number of the object that the edge leads to.
  @discardableResult
  private mutating func link(_ from: Int, _ to: ObjectID) -> Int {
    let to = add(to)
    edges.append((UInt32(to), lastEdge[from]))
    lastEdge[from] = UInt32(edges.count)
    return to
  }

  // MARK: The walk

  mutating func visit(snapshot id: ObjectID, _ record: SnapshotRecord) {
    let number = add(id)
    for content in [record.links, record.unrecorded].compactMap({ $0?.content }) where content.level > 0 {
      link(number, content.id)
    }
    switch record.body {
    case .tree(let tree, _): link(number, tree)
    case .value(let value):
      if value.content.level == 0 { return }
      note(ObjectGraph.noKind, of: link(number, value.content.id))
    }
  }

  private mutating func number(ofParent tree: ObjectID) -> Int {
    if let parent, parent.id == tree { return parent.number }
    let number = add(tree)
    parent = (tree, number)
    return number
  }

  mutating func visit(knownChunk chunk: ObjectID, number: Int, in tree: ObjectID) -> Bool {
    if number >= met.count {
      met.append(contentsOf: repeatElement(0, count: max(number + 1 - met.count, met.count)))
    }
    if met[number] == 0 {
      guard let object = objects.number(of: chunk), kinds[object] != 0 else { return false }
      met[number] = UInt32(object + 1)
    }
    let from = self.number(ofParent: tree)
    edges.append((met[number] - 1, lastEdge[from]))
    lastEdge[from] = UInt32(edges.count)
    return true
  }

  mutating func visit(_ entry: TreeEntry, in tree: ObjectID) {
    let from = number(ofParent: tree)
    switch entry.content {
    case .directory(let below): link(from, below)
    case .file(_, let content) where content.level > 0:
      let number = link(from, content.id)
      if kinds[number] == 0 { note(ObjectGraph.kind(of: entry.name), of: number) }
    default: break
    }
  }

  mutating func visit(piece: ObjectID, of tree: ObjectID) { link(add(tree), piece) }

  mutating func visit(part: ObjectID, of list: ObjectID) { link(add(list), part) }

  mutating func meet(_ fault: SnapshotFault) throws(StoreError) {
    // What could not be looked at is no damage, and no statistics may pass it over.
    if case .unreadable(let error) = fault, !error.isDamage { throw error }
    faults += 1
  }

  // MARK: Kinds of files

  private mutating func note(_ kind: [UInt8], of number: Int) {
    if kinds[number] != 0 { return }
    if let known = kindNumbers[kind] {
      kinds[number] = known
      return
    }
    let name = kindNames.count < ObjectGraph.mostKinds ? kind : ObjectGraph.noKind
    if let known = kindNumbers[name] {
      kinds[number] = known
      return
    }
    kindNames.append(name)
    kindNumbers[name] = UInt16(kindNames.count)
    kinds[number] = UInt16(kindNames.count)
  }

  /// What follows the last dot of a name, in lower case; empty where nothing does, where the dot begins the name, and for
  /// what is too long to be an extension.
  static func kind(of name: [UInt8]) -> [UInt8] {
    let dot = UInt8(ascii: ".")
    guard let last = name.lastIndex(of: dot), last > 0, name[..<last].contains(where: { $0 != dot }) else {
      return noKind
    }
    let kind = name[(last + 1)...]
    guard (1...16).contains(kind.count) else { return noKind }
    return kind.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }

  // MARK: Going along the edges

  /// Goes from an object to everything below it. `enter` is asked at each object, and says whether to go on from there. A
  /// forged store may have cycles and long ways: `enter` must say no to an object that it has seen.
  func spread(from start: Int, _ enter: (Int) -> Bool) {
    guard enter(start) else { return }
    var stack = [UInt32(start)]
    while let object = stack.popLast() {
      var edge = lastEdge[Int(object)]
      while edge != 0 {
        let (to, before) = edges[Int(edge) - 1]
        if enter(Int(to)) { stack.append(to) }
        edge = before
      }
    }
  }

  /// Gives each content and all that is below it the kind of the file that first had it.
  func kindsOfAll() -> ContiguousArray<UInt16> {
    var all = ContiguousArray<UInt16>(repeating: 0, count: count)
    for number in 0..<count where kinds[number] != 0 {
      let kind = kinds[number]
      spread(from: number) {
        if all[$0] != 0 { return false }
        all[$0] = kind
        return true
      }
    }
    return all
  }
}
