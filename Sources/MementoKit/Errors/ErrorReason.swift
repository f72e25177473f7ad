// The exact cause of a failure, for programs that tell such cases apart.

extension RepositoryError {
  /// The exact cause of a failure. New reasons may be added: a `switch` over reasons needs a `default`.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case unknownState
      case unknownRevision
      case unknownSnapshot
      case collectedSnapshot
      case nothingSaved
      case beforeHistory
      case unreadableDate
      case nameIsTaken
      case nameIsKept
      case nameLooksAlike
      case valueNeedsNoFolder
      case valueHasNoFiles
      case valueAgainstFolder
      case valueAgainstTree
      case valueIsTooLarge
      case folderHasNoContent
      case notRegularFile
      case absentPath
      case fewerSteps
      case changedFolder
      case discardedBefore
      case unfinishedRestore
      case inaccessibleStaging
      case occupiedDestination
      case tooSmallDestination
      case storedContentKept
      case noSpaceForRestore
      case noStoreHere
      case occupiedStorePlace
      case unknownCompression
      case lostStore
      case badPointer
      case badForkName
      case otherFolder
      case disagreeingFolder
      case unnamedFolder
      case absentFolder
      case foreignStore
      case foreignFolder
      case damagedNames
      case damagedPart
      case damagedRules
      case damagedContent
      case missingBlob
      case failedOutput
      case emptyPolicy
      case wholeFolder
      case unknownPath
      case unwritableSnapshot
      case unknownKey
      case foreignKey
      case keyOfUser
      case severalValues
      case unusableValue
      case unsetKey
      case unusableURL
      case unusableRemoteName
      case unknownRemote
      case noRemote
      case severalRemotes
      case remoteNameIsTaken
      case nameOfRemote
      case unconfirmedRemote
      case damagedRemote
      case damageAtRemote
      case senselessAnswer
      case otherRepository
      case lostRepository
      case rolledBackRemote
      case lostFounding
      case missingSecret
      case missingNewSecret
      case wrongSecret
      case missingProgram
      case unkeptRecoveryKey
      case onlyKey
      case openingKey
      case unknownKeyOfRemote
      case plainRemote
      case keyNotRemoved
      case foreignCompression
      case cutOffArchive
      case equalEnds
      case reversedEnds
      case scratchInside
      case unknownFork
      case copiedFork
      case forkInside
      case forkIsInUse
      case pendingElsewhere
      case tooManyForks
    }

    private let kind: Kind

    private init(_ kind: Kind) {
      self.kind = kind
    }

    /// The name of the reason, as in this source.
    public var description: String { kind.rawValue }

    // MARK: Names

    /// No state has this name.
    public static let unknownState = Reason(.unknownState)
    /// The text names no state and no snapshot; see `revision`.
    public static let unknownRevision = Reason(.unknownRevision)
    /// No snapshot has this id.
    public static let unknownSnapshot = Reason(.unknownSnapshot)
    /// The snapshot existed, and garbage collection has removed it.
    public static let collectedSnapshot = Reason(.collectedSnapshot)
    /// Nothing has been saved in this folder yet.
    public static let nothingSaved = Reason(.nothingSaved)
    /// The history does not go back to that time.
    public static let beforeHistory = Reason(.beforeHistory)
    /// The text in `NAME@{DATE}` is not a date; see `DateReader`.
    public static let unreadableDate = Reason(.unreadableDate)
    /// Another state has the new name, and the caller did not ask to replace it.
    public static let nameIsTaken = Reason(.nameIsTaken)
    /// A state has the name, and the caller forbade to replace it.
    public static let nameIsKept = Reason(.nameIsKept)
    /// The name looks like one that is in use: they differ only by case or by normal form.
    public static let nameLooksAlike = Reason(.nameLooksAlike)

    // MARK: Values and folders

    /// A single value cannot be restored to a folder; see `revision`.
    public static let valueNeedsNoFolder = Reason(.valueNeedsNoFolder)
    /// A single value has no files to list; see `revision`.
    public static let valueHasNoFiles = Reason(.valueHasNoFiles)
    /// A single value cannot be compared with the working folder.
    public static let valueAgainstFolder = Reason(.valueAgainstFolder)
    /// A single value cannot be compared with the snapshot of a folder.
    public static let valueAgainstTree = Reason(.valueAgainstTree)
    /// The value is too large to be held in memory.
    public static let valueIsTooLarge = Reason(.valueIsTooLarge)
    /// A folder has no content to read; name one of its files. See `revision`.
    public static let folderHasNoContent = Reason(.folderHasNoContent)
    /// Only a regular file has content; see `revision` and `path`.
    public static let notRegularFile = Reason(.notRegularFile)
    /// The snapshot does not have the path; see `revision` and `path`.
    public static let absentPath = Reason(.absentPath)

    // MARK: Undo and redo

    /// The timeline does not have so many steps.
    public static let fewerSteps = Reason(.fewerSteps)
    /// The folder has unsaved changes, so there is nothing to redo.
    public static let changedFolder = Reason(.changedFolder)

    // MARK: Restore

    /// The interrupted restore discarded the state before it, so it cannot be aborted.
    public static let discardedBefore = Reason(.discardedBefore)
    /// The restore could not save a file that was changed while it ran. The restore stays pending.
    public static let unfinishedRestore = Reason(.unfinishedRestore)
    /// The staging folder of an interrupted restore belongs to another user.
    public static let inaccessibleStaging = Reason(.inaccessibleStaging)
    /// The destination folder is not empty.
    public static let occupiedDestination = Reason(.occupiedDestination)
    /// The file system of the destination is too small for the snapshot.
    public static let tooSmallDestination = Reason(.tooSmallDestination)
    /// The file system has not enough free space for what the restore would write. Nothing was changed.
    public static let noSpaceForRestore = Reason(.noSpaceForRestore)
    /// The save was cancelled. What it had stored is kept, and the next save does not store it again.
    public static let storedContentKept = Reason(.storedContentKept)

    // MARK: The store and its folder

    /// Neither the folder nor any folder above it has a store.
    public static let noStoreHere = Reason(.noStoreHere)
    /// The folder that should become a store holds other files.
    public static let occupiedStorePlace = Reason(.occupiedStorePlace)
    /// The text names no compression.
    public static let unknownCompression = Reason(.unknownCompression)
    /// The folder points to a store that is not there. See `folder`; `path` is the store.
    public static let lostStore = Reason(.lostStore)
    /// The pointer file of the folder does not name a store.
    public static let badPointer = Reason(.badPointer)
    /// The file that says which fork the folder is does not name one.
    public static let badForkName = Reason(.badForkName)
    /// The program works outside of the folder that the store belongs to. See `store` and `folder`.
    public static let otherFolder = Reason(.otherFolder)
    /// The store names another folder than the one that points to it. See `store` and `folder`.
    public static let disagreeingFolder = Reason(.disagreeingFolder)
    /// The store does not name its folder. See `store`.
    public static let unnamedFolder = Reason(.unnamedFolder)
    /// The folder of the store cannot be opened. See `store` and `folder`.
    public static let absentFolder = Reason(.absentFolder)
    /// The store belongs to another user; see `path`.
    public static let foreignStore = Reason(.foreignStore)
    /// The folder belongs to another user; see `path`.
    public static let foreignFolder = Reason(.foreignFolder)

    // MARK: Damage

    /// The list of states is damaged; the store keeps a second copy.
    public static let damagedNames = Reason(.damagedNames)
    /// A part of the store is missing or damaged that repair can make again.
    public static let damagedPart = Reason(.damagedPart)
    /// The stored ignore rules, which restores follow, are damaged.
    public static let damagedRules = Reason(.damagedRules)
    /// Content of snapshots is missing or damaged.
    public static let damagedContent = Reason(.damagedContent)
    /// A blob that is needed is in no pack.
    public static let missingBlob = Reason(.missingBlob)

    // MARK: Input and output

    /// The output descriptor that the caller passed could not be written.
    public static let failedOutput = Reason(.failedOutput)

    // MARK: Policies

    /// The policy keeps nothing of what it is about.
    public static let emptyPolicy = Reason(.emptyPolicy)

    // MARK: Purges

    /// All of the folder was to be purged.
    public static let wholeFolder = Reason(.wholeFolder)
    /// No snapshot has the path; see `path`.
    public static let unknownPath = Reason(.unknownPath)
    /// A snapshot that must be rewritten cannot be read as a whole; see `revision`.
    public static let unwritableSnapshot = Reason(.unwritableSnapshot)

    // MARK: Config

    /// There is no such key.
    public static let unknownKey = Reason(.unknownKey)
    /// The key cannot be written in this config.
    public static let foreignKey = Reason(.foreignKey)
    /// The key counts in the config of a user, and in no other.
    public static let keyOfUser = Reason(.keyOfUser)
    /// The key has several values, and the caller named none of them.
    public static let severalValues = Reason(.severalValues)
    /// The key cannot have this value.
    public static let unusableValue = Reason(.unusableValue)
    /// The key does not have this value.
    public static let unsetKey = Reason(.unsetKey)

    // MARK: Remotes

    /// The text is not the URL of a remote.
    public static let unusableURL = Reason(.unusableURL)
    /// The name has characters that the name of a remote cannot have.
    public static let unusableRemoteName = Reason(.unusableRemoteName)
    /// No remote has this name.
    public static let unknownRemote = Reason(.unknownRemote)
    /// The store has no remote.
    public static let noRemote = Reason(.noRemote)
    /// The store has several remotes, and neither the caller nor the config says which one is meant.
    public static let severalRemotes = Reason(.severalRemotes)
    /// A remote cannot have the name: names of states begin with it, or it is another remote.
    public static let remoteNameIsTaken = Reason(.remoteNameIsTaken)
    /// A state cannot have the name: it begins with the name of a remote and a slash.
    public static let nameOfRemote = Reason(.nameOfRemote)
    /// The remote came with a copied store, and its user has not confirmed it.
    public static let unconfirmedRemote = Reason(.unconfirmedRemote)
    /// What the store knows of a remote cannot be read.
    public static let damagedRemote = Reason(.damagedRemote)
    /// Something that the remote holds is damaged or missing.
    public static let damageAtRemote = Reason(.damageAtRemote)
    /// What a remote answers is not what remotes answer: something else may have answered in its place.
    public static let senselessAnswer = Reason(.senselessAnswer)
    /// The repository at the place of the remote is not the one that the store has seen there, or not of the same form.
    public static let otherRepository = Reason(.otherRepository)
    /// There was a repository, and now there is none: its disk may not be mounted.
    public static let lostRepository = Reason(.lostRepository)
    /// The remote has lost a record of names that this store has seen.
    public static let rolledBackRemote = Reason(.rolledBackRemote)
    /// Somebody else has made a repository at the same place at the same time, and that one counts.
    public static let lostFounding = Reason(.lostFounding)
    /// The caller has no secret for a sealed remote.
    public static let missingSecret = Reason(.missingSecret)
    /// The caller has no secret for a further key of a sealed remote.
    public static let missingNewSecret = Reason(.missingNewSecret)
    /// The secret opens none of the keys of the remote.
    public static let wrongSecret = Reason(.wrongSecret)
    /// The program that reaches the remote was not found, here or on the other machine.
    public static let missingProgram = Reason(.missingProgram)
    /// The recovery key of a new remote could not be shown to anybody, nor kept.
    public static let unkeptRecoveryKey = Reason(.unkeptRecoveryKey)
    /// The key is the only one that opens the remote, so it cannot be removed.
    public static let onlyKey = Reason(.onlyKey)
    /// The remote was opened with the key that is to be removed, so nothing shows that another one opens it.
    public static let openingKey = Reason(.openingKey)
    /// The remote has no such key, or several keys whose ids begin like this.
    public static let unknownKeyOfRemote = Reason(.unknownKeyOfRemote)
    /// The remote is not sealed, so it has no keys.
    public static let plainRemote = Reason(.plainRemote)
    /// The remote has the new key, and the one that it should take the place of is still there.
    public static let keyNotRemoved = Reason(.keyNotRemoved)
    /// An archive is compressed in a way that is not unpacked here.
    public static let foreignCompression = Reason(.foreignCompression)
    /// An archive ends before its end.
    public static let cutOffArchive = Reason(.cutOffArchive)

    // MARK: Bisection

    /// The good and the bad snapshot are equal.
    public static let equalEnds = Reason(.equalEnds)
    /// The good snapshot is not older than the bad one.
    public static let reversedEnds = Reason(.reversedEnds)
    /// A scratch folder would be in the working folder or in the store.
    public static let scratchInside = Reason(.scratchInside)

    // MARK: Forks

    /// The store does not know the fork that the folder says it is. See `folder`.
    public static let unknownFork = Reason(.unknownFork)
    /// The folder is a copy of a fork, which is still there. See `folder`; `path` is the fork.
    public static let copiedFork = Reason(.copiedFork)
    /// The fork would be in a folder that is saved, or in the store. See `folder`; `path` is the fork.
    public static let forkInside = Reason(.forkInside)
    /// A restore of the fork was interrupted; see `path`.
    public static let forkIsInUse = Reason(.forkIsInUse)
    /// A restore was interrupted in another folder of the store; see `path`.
    public static let pendingElsewhere = Reason(.pendingElsewhere)
    /// The store has as many forks as it can have.
    public static let tooManyForks = Reason(.tooManyForks)
  }
}
