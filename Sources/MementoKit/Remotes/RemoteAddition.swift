// Adds remotes: looks at the place, makes a repository there if there is none, and notes which one it is.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem

struct RemoteAddition {
  let repository: Repository
  let access: RemoteAccess
  let monitor: any Monitor
  /// Whether a repository is made where there is none.
  var mayFound = true

  func run(
    _ name: String, _ url: RemoteURL, _ options: RemoteAddOptions
  ) throws(RepositoryError) -> RemoteAddSummary {
    try RemoteName.validate(name)
    let folder = RemoteFolder(repository)
    let known = try folder.entryIfKnown(name)
    try checkFree(name, url, known)
    var recoveryKey: String?
    var isNew = false
    let marker: RepositoryMarker
    var opening: RemoteOpening?
    var names = 0
    let founding = known == nil ? try RemoteFounding(name, url, access, monitor: monitor) : nil
    if let founding, try !founding.isFounded() {
      guard mayFound else { throw RepositoryError(.noStore, "there is no repository at \(url)") }
      isNew = true
      if options.isDryRun {
        return RemoteAddSummary(
          remote: Remote(name: name, url: url, isSealed: !options.isPlain, isConfirmed: true), isNew: true, names: 0)
      }
      (marker, recoveryKey) = try founding.found(isSealed: !options.isPlain, at: repository.store.now)
      opening = try founding.opening(marker)
    } else {
      // The secret is asked for even though nothing is read yet: a wrong one should be noticed now.
      let session = try RemoteSession(name, url, access, expecting: known, monitor: monitor)
      marker = session.marker
      opening = session.opening
      let listed = session.listed
      names = try session.attempt { () throws(RemoteError) in ShownNames(try RefsReading.read(listed).table).count }
      if options.isPlain, marker.isSealed {
        throw RepositoryError(
          .invalidArgument, "the repository at \(url) is sealed already", reason: .otherRepository)
      }
    }
    var generator = SystemRandomNumberGenerator()
    var entry =
      known
      ?? RemoteEntry(
        url: url, repository: "\(marker.id)", isSealed: marker.isSealed, writer: "\(WriterID(using: &generator))",
        home: repository.storeIdentity)
    if !entry.isConfirmed(in: repository) {
      // A copy of a store writes under a name of its own.
      entry.writer = "\(WriterID(using: &generator))"
      entry.home = repository.storeIdentity
    }
    if !options.isDryRun {
      let lock = try RemoteLock(repository, name, monitor)
      try lock.during { () throws(RepositoryError) in
        try folder.keep(entry, name)
        if let opening { try folder.keep(opening, name) }
      }
    }
    return RemoteAddSummary(
      remote: RemoteList(repository: repository).remote(name, entry), isNew: isNew, recoveryKey: recoveryKey,
      names: names)
  }

  func check(_ given: String?) throws(RepositoryError) -> RemoteAddSummary {
    let name = try RemoteList(repository: repository).chosen(given)
    return try repository.reaching(name, nil, access, monitor) { (view) throws(RepositoryError) in
      try view.remember()
      return RemoteAddSummary(
        remote: RemoteList(repository: repository).remote(name, view.entry), isNew: false,
        names: ShownNames(view.table).count)
    }
  }

  private func checkFree(
    _ name: String, _ url: RemoteURL, _ known: RemoteEntry?
  ) throws(RepositoryError) {
    if let known, known.url != url {
      throw RepositoryError(
        .nameInUse, "the remote \(name) is \(known.url)", reason: .remoteNameIsTaken)
    }
    if let state = try repository.readRefs().states.first(where: { $0.name.utf8.starts(with: "\(name)/".utf8) }) {
      throw RepositoryError(
        .nameInUse, "there is a state \"\(state.name)\", whose name begins with \"\(name)/\"",
        reason: .remoteNameIsTaken)
    }
  }
}
