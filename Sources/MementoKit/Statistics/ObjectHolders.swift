// Which snapshots hold each object: one of those that are told apart, or several; and who else does.

struct ObjectHolders {
  /// Why an object is needed.
  struct Marks: OptionSet {
    let rawValue: UInt8

    /// A chosen snapshot has it.
    static let chosen = Marks(rawValue: 1)
    /// A state that was not chosen has it.
    static let otherState = Marks(rawValue: 2)
    /// The snapshot at the position has it.
    static let position = Marks(rawValue: 4)
    /// A step of the timeline without a name has it, or a pending restore.
    static let timeline = Marks(rawValue: 8)
    /// A snapshot that only the trash keeps has it.
    static let trash = Marks(rawValue: 16)
  }

  private static let several = UInt32.max
  /// The holder of each object, counted from 1; 0 for none.
  private var holders: ContiguousArray<UInt32>
  private var marks: ContiguousArray<Marks>

  init(count: Int) {
    holders = ContiguousArray(repeating: 0, count: count)
    marks = ContiguousArray(repeating: [], count: count)
  }

  /// Notes that a snapshot has everything below an object. `holder`: its number, counted from 0; nil for those that are
  /// not told apart. An object is entered again only as long as something new is said of it, so the work is that of a few
  /// walks, however many snapshots there are.
  mutating func add(_ mark: Marks, holder: Int?, from start: Int, in graph: ObjectGraph) {
    graph.spread(from: start) { object in
      var isNew = false
      if !marks[object].isSuperset(of: mark) {
        marks[object].formUnion(mark)
        isNew = true
      }
      guard let holder else { return isNew }
      switch holders[object] {
      case 0: holders[object] = UInt32(holder + 1)
      case UInt32(holder + 1), ObjectHolders.several: return isNew
      default: holders[object] = ObjectHolders.several
      }
      return true
    }
  }

  func marks(of object: Int) -> Marks { marks[object] }

  /// The only holder of an object, counted from 0. Nil where several have it, or none.
  func onlyHolder(of object: Int) -> Int? {
    let holder = holders[object]
    return holder == 0 || holder == ObjectHolders.several ? nil : Int(holder) - 1
  }
}
