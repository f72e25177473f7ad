// The forks of a store, with what can be seen of their folders.

internal import MementoStore
internal import MementoSystem

struct ForkListing {
  let repository: Repository

  func run() throws(RepositoryError) -> [Fork] {
    let refs = try translating { () throws(StoreError) in try repository.store.refs.ofMainFolder.read() }
    let names = refs.states.names(of: refs.forks.compactMap { $0.timeline.current?.snapshot })
    return refs.forks.map { Fork($0, names, repository) }
  }
}

extension Fork {
  /// `names`: those of its position, at least.
  init(_ fork: ForkedFolder, _ names: [ObjectID: [String]], _ repository: Repository) {
    let position = fork.timeline.current?.snapshot
    let folder = BytePath(fork.path)
    self.init(
      id: "\(fork.id)", folder: folder, presence: Fork.presence(of: fork.id, at: folder, repository),
      position: position.map { SnapshotID($0) }, names: position.flatMap { names[$0] } ?? [],
      steps: fork.timeline.steps.count, isRestorePending: fork.pending != nil)
  }

  /// One folder that cannot be looked at does not keep the others from being listed.
  private static func presence(of id: ForkID, at folder: BytePath, _ repository: Repository) -> Presence {
    let inside = folder.appending(ReservedName.store)
    do throws(Errno) {
      _ = try OpenFolder(opening: inside)
    } catch {
      return error == .notFound || error == .notDirectory ? .missing : .unreadable("cannot open \(inside): \(error)")
    }
    do throws(RepositoryError) {
      guard let pointer = try StorePointer.at(folder), pointer.fork == id else { return .missing }
      if pointer.store == repository.storePath { return .there }
      return try OpenFolder.identity(ifThere: pointer.store) == repository.storeIdentity ? .there : .astray
    } catch {
      // A pointer that is not understood is no fork that can be worked in.
      return error.code == .damaged ? .missing : .unreadable(error.message)
    }
  }
}
