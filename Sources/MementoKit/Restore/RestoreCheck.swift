// Finds what a plan cannot do before anything is changed, as far as the system tells: mount points, immutable files,
// folders of other users. Doing nothing is better than restoring half.

internal import MementoStore
internal import MementoSystem

struct RestoreCheck {
  private enum Place {
    /// The restore makes it, or it has vanished. Nothing is in the way.
    case absent
    case present(FileStatus)
    /// The reason has been reported.
    case blocked
  }

  private let root: SharedDescriptor
  private let device: UInt64
  private let handles: [DirectoryHandle]
  private var places: [Place] = []
  private var problems: [Problem] = []

  /// The problems that stop the plan. Folders with a file system mounted on them that the target does not use are left
  /// alone in `plan`.
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
      // A file that a folder replaces is one of the items.
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
      // The restore makes this folder writable for its owner, if the walk could read the folder.
      guard error == .permissionDenied, status.user == Host.effectiveUser, directory.old != nil else { throw error }
    }
  }

  // MARK: Items

  private mutating func check(_ item: PlanItem, _ plan: RestorePlan) {
    guard case .present(let parent) = places[item.directory] else { return }
    do throws(Errno) {
      let (status, obstacles) = try handles[item.directory].open().descriptor.obstacles(to: item.name)
      // A folder that a file replaces is one of the directories.
      if status.isDirectory { return }
      if obstacles.contains(.mountPoint) || status.device != device {
        _ = block(plan.path(of: item).bytes, "it is mounted there")
      } else if let reason = RestoreCheck.reason(obstacles) {
        _ = block(plan.path(of: item).bytes, reason)
      } else if item.action != .metadata, RestoreCheck.isProtected(status, in: parent) {
        _ = block(plan.path(of: item).bytes, RestoreCheck.protected)
      }
    } catch {
      // The file is gone or cannot be seen. The restore itself reports it when it changes the file.
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

  /// In a folder with the sticky bit, only the owner of a file, the owner of the folder, and root may remove the file.
  private static func isProtected(_ status: FileStatus, in parent: FileStatus) -> Bool {
    let user = Host.effectiveUser
    return parent.permissions & 0o1000 != 0 && !Host.isSuperuser && parent.user != user && status.user != user
  }
}

extension PlanDirectory {
  /// Removes it from the plan, so that the restore does nothing to it.
  fileprivate mutating func leaveAlone() {
    fate = .keep
    old = nil
    new = nil
    isTouched = false
  }
}
