// What a plan cannot do, as far as the system tells before anything is changed: mount points, immutable files, folders of
// others. Better no restore than half of one.

internal import MementoStore
internal import MementoSystem

struct RestoreCheck {
  private enum Place {
    /// It is made by the restore, or has vanished: nothing is in the way.
    case absent
    case present(FileStatus)
    /// Said already.
    case blocked
  }

  private let root: SharedDescriptor
  private let device: UInt64
  private let handles: [DirectoryHandle]
  private var places: [Place] = []
  private var problems: [Problem] = []

  /// `plan`: the folders that are mounted over and hold nothing in the target are left alone.
  static func problems(_ plan: inout RestorePlan, root: SharedDescriptor) throws(RepositoryError) -> [Problem] {
    if plan.isEmpty { return [] }
    let status: FileStatus
    do throws(Errno) {
      status = try root.descriptor.status()
    } catch {
      return [Problem(path: BytePath("."), message: "it cannot be looked at: \(error)")]
    }
    var check = RestoreCheck(plan, root, status)
    check.checkDirectories(&plan)
    try plan.items.forEach { (item) throws(RepositoryError) in check.check(item, plan) }
    return check.problems
  }

  private init(_ plan: RestorePlan, _ root: SharedDescriptor, _ status: FileStatus) {
    self.root = root
    device = status.device
    handles = plan.directoryHandles(root)
  }

  // MARK: Directories

  private mutating func checkDirectories(_ plan: inout RestorePlan) {
    for index in plan.directories.indices {
      let place = check(index, &plan)
      places.append(place)
      if case .present = place { continue }
      handles[index].finish()
    }
  }

  private mutating func check(_ index: Int, _ plan: inout RestorePlan) -> Place {
    let directory = plan.directories[index]
    var parent: FileStatus?
    if index > 0 {
      switch places[directory.parent] {
      case .absent: return .absent
      case .blocked: return .blocked
      case .present(let status): parent = status
      }
    }
    do throws(Errno) {
      let (status, obstacles) =
        index == 0
        ? try root.descriptor.obstacles(to: [])
        : try handles[directory.parent].open().descriptor.obstacles(to: directory.name)
      // A file that gives way to a folder is one of the items.
      if !status.isDirectory { return .absent }
      if index > 0, let old = directory.old {
        let isSame = status.user == old.user && status.group == old.group
        plan.directories[index].identity = isSame ? status.identity : FileIdentity.nowhere
        if !isSame { return block(plan.path(of: index), "another folder has taken its place") }
      }
      if index > 0, status.device != device || obstacles.contains(.mountPoint) {
        if !directory.isUsed, directory.fate != .remove {
          plan.directories[index].leaveAlone()
          return .absent
        }
        if directory.fate == .keep, !directory.isTouched { return .present(status) }
        return block(plan.path(of: index), "a file system is mounted there")
      }
      let isChanged = directory.fate == .keep && directory.new != nil && directory.new != directory.old
      guard directory.isTouched || directory.fate != .keep || isChanged else { return .present(status) }
      if let reason = RestoreCheck.reason(obstacles) { return block(plan.path(of: index), reason) }
      if directory.fate == .remove, let parent, RestoreCheck.isProtected(status, in: parent) {
        return block(plan.path(of: index), RestoreCheck.protected)
      }
      if directory.isTouched || directory.fate == .create { try checkMayChange(index, status, directory) }
      return .present(status)
    } catch {
      switch error {
      case .notFound, .notDirectory, .stale: return .absent
      default: return block(plan.path(of: index), "it cannot be changed: \(error)")
      }
    }
  }

  private func checkMayChange(_ index: Int, _ status: FileStatus, _ directory: PlanDirectory) throws(Errno) {
    let open: SharedDescriptor
    do throws(Errno) {
      open = try handles[index].open()
      return try open.descriptor.checkMayChange()
    } catch {
      // Its owner opens it for the time being, if the walk could see what is in it.
      guard error == .permissionDenied, status.user == Host.effectiveUser, directory.old != nil else { throw error }
    }
  }

  // MARK: Items

  private mutating func check(_ item: PlanItem, _ plan: RestorePlan) {
    guard case .present(let parent) = places[item.directory] else { return }
    do throws(Errno) {
      let (status, obstacles) = try handles[item.directory].open().descriptor.obstacles(to: item.name)
      // A folder that gives way to a file is one of the directories.
      if status.isDirectory { return }
      if obstacles.contains(.mountPoint) || status.device != device {
        _ = block(plan.path(of: item).bytes, "it is mounted there")
      } else if let reason = RestoreCheck.reason(obstacles) {
        _ = block(plan.path(of: item).bytes, reason)
      } else if item.action != .metadata, RestoreCheck.isProtected(status, in: parent) {
        _ = block(plan.path(of: item).bytes, RestoreCheck.protected)
      }
    } catch {
      // Not there, or not to be seen: then the change itself will tell.
    }
  }

  // MARK: Reasons

  private mutating func block(_ path: [UInt8], _ reason: String) -> Place {
    problems.append(Problem(path: path.isEmpty ? BytePath(".") : BytePath(path), message: reason))
    return .blocked
  }

  private static let protected = "it belongs to another user, and only its owner may remove it (sticky folder)"

  private static func reason(_ obstacles: Obstacles) -> String? {
    if obstacles.contains(.immutable) { return "it is immutable (chattr -i makes it changeable)" }
    if obstacles.contains(.appendOnly) { return "it can only be appended to (chattr -a makes it changeable)" }
    return nil
  }

  /// In a folder with the sticky bit names are removed by their owners, that of the folder, and root.
  private static func isProtected(_ status: FileStatus, in parent: FileStatus) -> Bool {
    let user = Host.effectiveUser
    return parent.permissions & 0o1000 != 0 && !Host.isSuperuser && parent.user != user && status.user != user
  }
}

extension PlanDirectory {
  /// Nothing is done to it.
  fileprivate mutating func leaveAlone() {
    fate = .keep
    old = nil
    new = nil
    isTouched = false
  }
}
