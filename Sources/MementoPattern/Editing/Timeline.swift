// Undo and redo for an originator, with a caretaker that sees only names and dates.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One backup in a timeline: what is known of it without its content.
public struct TimelineEntry: Hashable, Sendable {
  /// The state name in the caretaker.
  public let name: String
  /// When the backup was made.
  public let date: Date
  /// The identifier that the caretaker has for this name.
  public let id: String
}

/// Undo and redo for an originator: its backups in order, one of which is the current one.
///
///     let timeline = Timeline(of: drawing, in: caretaker)
///     try timeline.backup("sketch")
///     timeline.originator.addCircle()
///     try timeline.undo()        // the circle is gone
///     try timeline.redo()        // and back
public final class Timeline<Subject: Originator, Keeper: Caretaker> {
  /// What is backed up. It may be changed freely between backups.
  public var originator: Subject
  /// The backups, oldest first.
  public private(set) var history: [TimelineEntry] = []

  private var caretaker: Keeper
  /// The index of the backup that the originator was last saved to or restored from; nil before the first backup.
  private var position: Int?
  /// The canonical bytes of the memento at `position`. They tell whether the originator has changed since.
  private var savedBytes: [UInt8]?

  /// Creates a timeline without backups.
  public init(of originator: Subject, in caretaker: Keeper) {
    self.originator = originator
    self.caretaker = caretaker
  }

  /// Saves the current state of the originator. Backups that could be redone are dropped from the timeline; the
  /// caretaker keeps them. Without a name, the name is `backup` and the next free number, such as `backup 2`. Throws
  /// what the caretaker's `save` throws; then nothing has changed.
  ///
  /// When the originator has not changed since the current backup, the timeline does not grow, and backups can still be
  /// redone. Without a name nothing is saved, and the current entry is returned. With a name, the new entry replaces
  /// the current one.
  @discardableResult
  public func backup(_ name: String? = nil) throws -> TimelineEntry {
    let memento = originator.save()
    let bytes = try ValueForms.bytes(memento)
    guard let position, bytes == savedBytes else { return try keep(memento, bytes, as: name) }
    let current = history[position]
    if name == nil, caretaker.states[current.name] == current.id { return current }
    history[position] = try entry(keeping: memento, as: name ?? current.name)
    return history[position]
  }

  /// Goes back one backup. If the originator has changed since the last backup, the changes are backed up first, and
  /// the undo goes back to before them; `redo` brings them back. Returns false when there is no earlier backup, or the
  /// caretaker no longer has it. Throws what the caretaker throws; then the originator has not changed.
  @discardableResult
  public func undo() throws -> Bool {
    guard let position else { return false }
    let memento = originator.save()
    let bytes = try ValueForms.bytes(memento)
    if bytes != savedBytes {
      guard let target = try kept(at: position) else { return false }
      _ = try keep(memento, bytes, as: nil)
      try go(to: position, target)
      return true
    }
    guard position > 0, let target = try kept(at: position - 1) else { return false }
    try go(to: position - 1, target)
    return true
  }

  /// Goes forward one backup. Returns false when there is no later backup, or the caretaker no longer has it. Also
  /// returns false when the originator has changed since the undo: a redo would lose that change. Throws what the
  /// caretaker throws; then nothing has changed.
  @discardableResult
  public func redo() throws -> Bool {
    guard let position, position + 1 < history.count else { return false }
    guard try ValueForms.bytes(originator.save()) == savedBytes else { return false }
    guard let target = try kept(at: position + 1) else { return false }
    try go(to: position + 1, target)
    return true
  }

  private func keep(_ memento: Subject.Snapshot, _ bytes: [UInt8], as name: String?) throws -> TimelineEntry {
    let entry = try entry(keeping: memento, as: name ?? freeName())
    if let position { history.removeSubrange((position + 1)...) }
    history.append(entry)
    position = history.count - 1
    savedBytes = bytes
    return entry
  }

  private func entry(keeping memento: Subject.Snapshot, as name: String) throws -> TimelineEntry {
    try caretaker.save(memento: memento, for: name)
    return TimelineEntry(name: name, date: Date(), id: caretaker.states[name] ?? "")
  }

  private func freeName() -> String {
    let taken = caretaker.states
    var number = history.count + 1
    while taken["backup \(number)"] != nil { number += 1 }
    return "backup \(number)"
  }

  private func kept(at index: Int) throws -> Subject.Snapshot? {
    try caretaker.restore(state: history[index].name)
  }

  private func go(to index: Int, _ memento: Subject.Snapshot) throws {
    let bytes = try ValueForms.bytes(memento)
    originator.restore(memento)
    position = index
    savedBytes = bytes
  }
}
