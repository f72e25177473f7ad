// A remote that is being reached while something else is going on: ssh alone takes a quarter of a second, and a
// passphrase an eighth.

internal import MementoSystem

/// Keeps the way to a remote open, and its key, for the operation that follows with the same access. Release it when that
/// operation has ended.
public final class RemoteAhead: Sendable {
  private let connector: RemoteConnector?
  private let key: EarlyKey?

  /// Nil when there is nothing that could be done ahead.
  init?(_ repository: Repository, _ remote: String?, _ access: RemoteAccess, _ monitor: any Monitor) {
    // What fails here fails again in the operation that follows, which says why.
    do throws(RepositoryError) {
      let name = try RemoteList(repository: repository).chosen(remote)
      let folder = RemoteFolder(repository)
      let entry = try folder.entry(name)
      guard entry.isConfirmed(in: repository) else { return nil }
      key = try EarlyKey.begin(name, entry.url, access, expecting: entry, try folder.opening(name))
      connector = RemoteConnector.reachAhead(entry.url, access, monitor: monitor)
    } catch {
      return nil
    }
    if connector == nil, key == nil { return nil }
  }
}
