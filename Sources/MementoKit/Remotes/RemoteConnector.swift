// Reaches the objects of a remote.

internal import MementoObjects
internal import MementoSystem
internal import Synchronization

/// The way to a remote. It is open until this is released.
final class RemoteConnector: Sendable {
  let objects: any ObjectStorage
  private let helper: RemoteConnection?
  private let isFinished = Mutex(false)

  init(_ url: RemoteURL, _ access: RemoteAccess, monitor: any Monitor) throws(RepositoryError) {
    let reached: any ObjectStorage
    if url.engine == .file {
      reached = DirectoryObjects(path: url.path.bytes)
      helper = nil
    } else {
      let connection = try access.connect(url)
      helper = connection
      do throws(ObjectError) {
        reached = try HelperObjects(
          input: Descriptor(adopting: connection.answers), output: Descriptor(adopting: connection.requests),
          who: url.host.map { "\(url.engine) \($0)" } ?? url.engine.description,
          isCancelled: { monitor.isCancelled })
      } catch {
        let said = connection.finish()
        throw RepositoryError(error, of: url, said: said)
      }
    }
    objects =
      access.bytesPerSecond.map { LimitedObjects(base: reached, limit: RateLimit(bytesPerSecond: $0)) } ?? reached
  }

  /// What the helper said when it failed; nil when it said nothing, or there is none. The connection is over then.
  func lastWords() -> String? {
    guard let helper,
      isFinished.withLock({ isFinished in
        defer { isFinished = true }
        return !isFinished
      })
    else { return nil }
    return helper.finish()
  }

  deinit {
    _ = lastWords()
  }
}
