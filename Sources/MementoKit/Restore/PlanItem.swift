// One step of a plan.

internal import MementoStore
internal import MementoSystem

/// Something to do with one name that is no directory in the target.
struct PlanItem: Sendable {
  /// Its number in the plan, which names its file in the staging folder. Set when it is read from a plan.
  var number = 0
  var directory: Int
  var action: RestoreAction.Kind
  var old: TreeEntry?
  var new: TreeEntry?
  /// The number of another item whose file this becomes, or remains, a second name of.
  var linkOf: Int?

  init(directory: Int, action: RestoreAction.Kind, old: TreeEntry? = nil, new: TreeEntry? = nil) {
    self.directory = directory
    self.action = action
    self.old = old
    self.new = new
  }

  var name: [UInt8] { new?.name ?? old?.name ?? [] }

  /// Something new is made for it: a file, a link, a fifo or a device.
  var isMade: Bool { linkOf == nil && (action == .create || action == .replace) }

  /// Bytes to write.
  var bytes: UInt64 {
    guard isMade, case .file(let size, _)? = new?.content else { return 0 }
    return size
  }

  /// As `TreeDiff` counts: a file that only becomes one of several names, or none any more, has no other content.
  var counted: RestoreAction.Kind {
    action == .replace && old?.content == new?.content ? .metadata : action
  }
}
