// The items of a plan, in order, encoded as bytes. There may be millions. What exceeds a few megabytes goes to a file
// without a name and is read piece by piece. If no file can be written, all items stay in memory.

internal import MementoStore
internal import MementoSystem

struct PlanItems: Sendable {
  private enum Piece: Sendable {
    case memory([UInt8])
    /// A piece in the file; both numbers are in bytes.
    case file(offset: UInt64, length: Int)
  }

  /// A later decision about an item.
  private struct Change: Sendable {
    var action: RestoreAction.Kind
    var linkOf: Int?
    var isRemoved = false
  }

  static let pieceSize = 256 << 10
  /// How many bytes of pieces stay in memory, enough for some 60,000 items.
  static let heldInMemory = 4 << 20

  private let makeFile: (@Sendable () throws(Errno) -> SharedDescriptor)?
  private let heldInMemory: Int
  private var pieces: [Piece] = []
  private var piece = ByteWriter()
  private var row = ByteWriter()
  private var file: SharedDescriptor?
  private var fileEnd: UInt64 = 0
  private var held = 0
  private var isFileRefused = false
  private var changes: [Int: Change] = [:]
  /// How many items were added, removed ones included.
  private var added = 0
  private var removed = 0

  /// `makeFile`: makes an empty file that disappears when it is closed. Nil keeps everything in memory.
  init(
    heldInMemory: Int = PlanItems.heldInMemory, makeFile: (@Sendable () throws(Errno) -> SharedDescriptor)? = nil
  ) {
    self.heldInMemory = heldInMemory
    self.makeFile = makeFile
  }

  var count: Int { added - removed }
  var isEmpty: Bool { count == 0 }
  /// Whether some items are hard links to others.
  var hasLinks: Bool { changes.values.contains { $0.linkOf != nil } }

  // MARK: Adding

  /// Adds an item and returns its number.
  @discardableResult
  mutating func append(_ item: PlanItem) -> Int {
    row.bytes.removeAll(keepingCapacity: true)
    row.varint(UInt64(item.directory))
    if let old = item.old { TreeEntryCodec.encode(old, into: &row) }
    if let new = item.new { TreeEntryCodec.encode(new, into: &row) }
    if piece.bytes.isEmpty { piece.bytes.reserveCapacity(PlanItems.pieceSize + 1024) }
    piece.u8(
      PlanItems.code(item.action) | (item.old == nil ? 0 : PlanItems.oldFlag)
        | (item.new == nil ? 0 : PlanItems.newFlag))
    piece.u32(UInt32(row.bytes.count))
    piece.append(row.bytes)
    if piece.bytes.count >= PlanItems.pieceSize { closePiece() }
    added += 1
    if item.linkOf != nil { changes[added - 1] = Change(action: item.action, linkOf: item.linkOf) }
    return added - 1
  }

  private mutating func closePiece() {
    let bytes = piece.bytes
    piece = ByteWriter()
    if held + bytes.count > heldInMemory, let offset = put(bytes) {
      pieces.append(.file(offset: offset, length: bytes.count))
    } else {
      held += bytes.count
      pieces.append(.memory(bytes))
    }
  }

  /// Writes a piece to the file and returns its offset. Returns nil when that fails; then this piece and all later ones
  /// stay in memory.
  private mutating func put(_ bytes: [UInt8]) -> UInt64? {
    guard let makeFile, !isFileRefused else { return nil }
    do throws(Errno) {
      if file == nil { file = try makeFile() }
      let start = fileEnd
      try file?.descriptor.write(bytes, at: start)
      fileEnd = start + UInt64(bytes.count)
      return start
    } catch {
      isFileRefused = true
      return nil
    }
  }

  // MARK: Changing

  /// Gives an item another action.
  mutating func setAction(_ action: RestoreAction.Kind, of number: Int) {
    changes[number, default: Change(action: action)].action = action
  }

  /// Makes an item a hard link to the file of another item. `action`: the action of the item.
  mutating func link(_ number: Int, to first: Int, action: RestoreAction.Kind) {
    changes[number, default: Change(action: action)].linkOf = first
  }

  /// Removes an item from the plan. The other items keep their numbers.
  mutating func remove(_ item: PlanItem) {
    changes[item.number, default: Change(action: item.action)].isRemoved = true
    removed += 1
  }

  // MARK: Reading

  /// The actions whose items are read.
  struct Actions: OptionSet {
    let rawValue: UInt8

    static let create = Actions(rawValue: 1 << code(.create))
    static let replace = Actions(rawValue: 1 << code(.replace))
    static let remove = Actions(rawValue: 1 << code(.remove))
    static let metadata = Actions(rawValue: 1 << code(.metadata))
    /// The items that put something in their place.
    static let made: Actions = [.create, .replace]
    /// The items that change more than metadata.
    static let content: Actions = [.create, .replace, .remove]
    static let all: Actions = [.create, .replace, .remove, .metadata]
  }

  /// The action as the lowest two bits of a row.
  private static func code(_ action: RestoreAction.Kind) -> UInt8 {
    switch action {
    case .create: 0
    case .replace: 1
    case .remove: 2
    case .metadata: 3
    }
  }

  private static let actions: [RestoreAction.Kind] = [.create, .replace, .remove, .metadata]
  private static let oldFlag: UInt8 = 4
  private static let newFlag: UInt8 = 8

  /// Reads items in order.
  struct Reader {
    private let items: PlanItems
    private let actions: Actions
    /// The number of the next piece. The last of `pieces` is followed by the piece that is still open.
    private var piece = 0
    private var bytes = ByteReader([])
    private var number = 0

    fileprivate init(_ items: PlanItems, _ actions: Actions) {
      self.items = items
      self.actions = actions
    }

    /// The next item; nil after the last. Throws when the file of the plan cannot be read.
    mutating func next() throws(Errno) -> PlanItem? {
      while true {
        while bytes.isAtEnd {
          if piece > items.pieces.count { return nil }
          bytes = ByteReader(piece < items.pieces.count ? try items.bytes(of: items.pieces[piece]) : items.piece.bytes)
          piece += 1
        }
        do throws(FormatError) {
          if let item = try row() { return item }
        } catch {
          throw .badMessage
        }
      }
    }

    /// The next row; nil when the reader skips it.
    private mutating func row() throws(FormatError) -> PlanItem? {
      let flags = try bytes.u8()
      let length = Int(try bytes.u32())
      let change = items.changes.isEmpty ? nil : items.changes[number]
      number += 1
      let action = change?.action ?? PlanItems.actions[Int(flags & 3)]
      guard change?.isRemoved != true, actions.contains(Actions(rawValue: 1 << code(action))) else {
        try bytes.skip(length)
        return nil
      }
      var item = PlanItem(directory: Int(try bytes.varint()), action: action)
      item.number = number - 1
      item.linkOf = change?.linkOf
      if flags & oldFlag != 0 { item.old = try TreeEntryCodec.decode(&bytes) }
      if flags & newFlag != 0 { item.new = try TreeEntryCodec.decode(&bytes) }
      return item
    }
  }

  private func bytes(of piece: Piece) throws(Errno) -> [UInt8] {
    switch piece {
    case .memory(let bytes):
      return bytes
    case .file(let offset, let length):
      guard let file else { throw .badMessage }
      let bytes = try file.descriptor.bytes(at: offset, count: length)
      guard bytes.count == length else { throw .badMessage }
      return bytes
    }
  }

  /// A reader of all items with one of these actions.
  func reader(_ actions: Actions = .all) -> Reader { Reader(self, actions) }

  /// Calls `body` with each item that has one of these actions, in order. Throws also when the plan cannot be read.
  func forEach(
    _ actions: Actions = .all, _ body: (PlanItem) throws(RepositoryError) -> Void
  ) throws(RepositoryError) {
    var items = reader(actions)
    while let item = try RepositoryError.onPlan({ () throws(Errno) in try items.next() }) { try body(item) }
  }
}

extension RepositoryError {
  /// Runs `body`, which reads items of a plan.
  fileprivate static func onPlan<Result>(_ body: () throws(Errno) -> Result) throws(RepositoryError) -> Result {
    do throws(Errno) {
      return try body()
    } catch {
      throw RepositoryError(.system, "cannot read the plan of the restore: \(error)", systemError: error.code)
    }
  }
}
