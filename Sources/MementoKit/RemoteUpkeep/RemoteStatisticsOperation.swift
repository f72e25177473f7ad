// Counts what a remote holds.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoStore
internal import MementoSystem

struct RemoteStatisticsOperation {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor

  func run(_ remote: String?) throws(RepositoryError) -> RemoteStatistics {
    let name = try RemoteList(repository: repository).chosen(remote)
    return try repository.reaching(name, .measuring, access, monitor) { (view) throws(RepositoryError) in
      let look = try RemoteLook(view)
      let listed = view.session.listed
      let all = try view.session.attempt { () throws(ObjectError) in try listed.list("", page: nil) }.objects
      try view.remember()
      return statistics(look, all)
    }
  }

  private func statistics(_ look: RemoteLook, _ all: [ListedObject]) -> RemoteStatistics {
    var folders: [String: (objects: Int, bytes: UInt64)] = [:]
    for object in all {
      let folder = String(object.name.text.prefix { $0 != "/" })
      let known = folders[folder] ?? (0, 0)
      folders[folder] = (known.objects + 1, known.bytes + object.size)
    }
    let seen = look.look
    let now = seen.refs.now
    var (marked, due, unlisted) = (RemotePackCount(), RemotePackCount(), RemotePackCount())
    func add(_ object: ListedObject, to count: inout RemotePackCount, due time: Timestamp? = nil) {
      count.packs += 1
      count.bytes += object.size
      guard let time = time.map({ SnapshotTime($0.adding(seconds: RemoteGrace.seconds)) }) else { return }
      count.due = min(count.due ?? time, time)
    }
    for (pack, object) in seen.packs {
      if let time = seen.marks.packs[pack] {
        if time.adding(seconds: RemoteGrace.seconds) <= now {
          add(object, to: &due)
        } else {
          add(object, to: &marked, due: time)
        }
      } else if !seen.indexes.packs.contains(pack) {
        add(object, to: &unlisted)
      }
    }
    return RemoteStatistics(
      remote: RemoteList(repository: repository).remote(look.view.name, look.view.entry),
      folders: folders.sorted { $0.key < $1.key }.map {
        RemoteStatistics.Folder(name: $0.key, objects: $0.value.objects, bytes: $0.value.bytes)
      },
      states: ShownNames(seen.refs.table).count, writers: seen.refs.table.version.numbers.count, unlisted: unlisted,
      marked: marked, due: due, time: SnapshotTime(now))
  }
}
