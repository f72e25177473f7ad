// Why exactly an operation failed, for programs that tell such cases apart.

extension RepositoryError {
  /// Why exactly it failed. New reasons may be added: a `switch` over reasons needs a `default`.
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
      case noStoreHere
      case occupiedStorePlace
      case unknownCompression
      case lostStore
      case badPointer
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
    /// The snapshot was there once, and garbage collection has dropped it.
    public static let collectedSnapshot = Reason(.collectedSnapshot)
    /// Nothing has been saved in this folder yet.
    public static let nothingSaved = Reason(.nothingSaved)
    /// The history does not go back to that time.
    public static let beforeHistory = Reason(.beforeHistory)
    /// The text in `NAME@{DATE}` is not a date; see `DateReader`.
    public static let unreadableDate = Reason(.unreadableDate)
    /// A state has the name that another one should get, and replacing it was not asked for.
    public static let nameIsTaken = Reason(.nameIsTaken)
    /// A state has the name, and replacing it was ruled out.
    public static let nameIsKept = Reason(.nameIsKept)
    /// A reader would take the name for one that is in use: they differ by case or by normal form.
    public static let nameLooksAlike = Reason(.nameLooksAlike)

    // MARK: Values and folders

    /// A single value cannot be restored to a folder; see `revision`.
    public static let valueNeedsNoFolder = Reason(.valueNeedsNoFolder)
    /// A single value has no files to list; see `revision`.
    public static let valueHasNoFiles = Reason(.valueHasNoFiles)
    /// A single value cannot be compared with the folder as it is.
    public static let valueAgainstFolder = Reason(.valueAgainstFolder)
    /// A single value cannot be compared with the snapshot of a folder.
    public static let valueAgainstTree = Reason(.valueAgainstTree)
    /// The value is too large to be held in memory.
    public static let valueIsTooLarge = Reason(.valueIsTooLarge)
    /// A folder has no content that could be read; one of its files has. See `revision`.
    public static let folderHasNoContent = Reason(.folderHasNoContent)
    /// Only a regular file has content; see `revision` and `path`.
    public static let notRegularFile = Reason(.notRegularFile)
    /// The snapshot does not have the path; see `revision` and `path`.
    public static let absentPath = Reason(.absentPath)

    // MARK: Undo and redo

    /// There are not so many steps.
    public static let fewerSteps = Reason(.fewerSteps)
    /// The folder has changed since its position on the timeline, so there is nothing to redo.
    public static let changedFolder = Reason(.changedFolder)

    // MARK: Restore

    /// The interrupted restore did not save what was there before it, so it cannot be taken back.
    public static let discardedBefore = Reason(.discardedBefore)
    /// What an interrupted restore has replaced could not be looked after. The restore stays pending.
    public static let unfinishedRestore = Reason(.unfinishedRestore)
    /// What an interrupted restore has replaced belongs to another user.
    public static let inaccessibleStaging = Reason(.inaccessibleStaging)
    /// The folder to restore to is not empty.
    public static let occupiedDestination = Reason(.occupiedDestination)
    /// The file system is too small for the snapshot.
    public static let tooSmallDestination = Reason(.tooSmallDestination)

    // MARK: The store and its folder

    /// Neither the folder nor one above it has a store.
    public static let noStoreHere = Reason(.noStoreHere)
    /// The folder that should become a store holds something else.
    public static let occupiedStorePlace = Reason(.occupiedStorePlace)
    /// The text names no compression.
    public static let unknownCompression = Reason(.unknownCompression)
    /// The folder leads to a store that is not there. See `folder`; `path` is the store.
    public static let lostStore = Reason(.lostStore)
    /// The file that should lead to the store does not.
    public static let badPointer = Reason(.badPointer)
    /// The program works outside of the folder that the store belongs to. See `store` and `folder`.
    public static let otherFolder = Reason(.otherFolder)
    /// The store says that it belongs to another folder than the one that leads to it. See `store` and `folder`.
    public static let disagreeingFolder = Reason(.disagreeingFolder)
    /// The store does not say which folder it belongs to. See `store`.
    public static let unnamedFolder = Reason(.unnamedFolder)
    /// The folder that the store belongs to cannot be opened. See `store` and `folder`.
    public static let absentFolder = Reason(.absentFolder)
    /// The store belongs to another user; see `path`.
    public static let foreignStore = Reason(.foreignStore)
    /// The folder belongs to another user; see `path`.
    public static let foreignFolder = Reason(.foreignFolder)

    // MARK: Damage

    /// The names of the states are damaged; the store keeps a second copy.
    public static let damagedNames = Reason(.damagedNames)
    /// A part of the store that can be made anew is missing or damaged.
    public static let damagedPart = Reason(.damagedPart)
    /// The rules that a save was told, and that restores follow, are damaged.
    public static let damagedRules = Reason(.damagedRules)
    /// Content of snapshots is missing or damaged.
    public static let damagedContent = Reason(.damagedContent)
    /// A blob that is needed is in no pack.
    public static let missingBlob = Reason(.missingBlob)

    // MARK: Input and output

    /// The descriptor that the caller named could not be written.
    public static let failedOutput = Reason(.failedOutput)
  }
}
