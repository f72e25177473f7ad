// One step of a plan.

internal import MementoStore
internal import MementoSystem

/// What to do with one name that is not a directory in the target.
struct PlanItem: Sendable {
  /// Its number in the plan, which is part of the name of its staged file. Set when the item is read from a plan.
  var number = 0
  var directory: Int
  var action: RestoreAction.Kind
  var old: TreeEntry?
  var new: TreeEntry?
  /// The number of another item. This name becomes, or stays, a hard link to the file of that item.
  var linkOf: Int?

  init(directory: Int, action: RestoreAction.Kind, old: TreeEntry? = nil, new: TreeEntry? = nil) {
    self.directory = directory
    self.action = action
    self.old = old
    self.new = new
  }

  var name: [UInt8] { new?.name ?? old?.name ?? [] }

  /// Whether a new file, link, fifo or device is made for the item.
  var isMade: Bool { linkOf == nil && (action == .create || action == .replace) }

  /// Bytes to write.
  var bytes: UInt64 {
    guard isMade, case .file(let size, _)? = new?.content else { return 0 }
    return size
  }

  /// The action as `TreeDiff` counts it. A file that only gains or loses other names has the same content.
  var counted: RestoreAction.Kind {
    action == .replace && old?.content == new?.content ? .metadata : action
  }
}
