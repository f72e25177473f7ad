// The steps of an originator, kept by a caretaker that sees names and dates only.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What can be known of a backup without looking inside.
public struct TimelineEntry: Hashable, Sendable {
  /// The state name in the caretaker.
  public let name: String
  /// When it was made.
  public let date: Date
  /// What the name refers to in the caretaker.
  public let id: String
}

/// Undo and redo for an originator: its backups, in order, with a position.
///
///     let timeline = Timeline(of: drawing, in: caretaker)
///     try timeline.backup("sketch")
///     timeline.originator.addCircle()
///     try timeline.undo()        // the circle is gone
///     try timeline.redo()        // and back
public final class Timeline<Subject: Originator, Keeper: Caretaker> {
  /// What is backed up; change it freely between backups.
  public var originator: Subject
  /// The backups, oldest first.
  public private(set) var history: [TimelineEntry] = []

  private var caretaker: Keeper
  /// Index of the entry that the originator was at last; nil before the first backup.
  private var position: Int?
  /// The canonical bytes of the memento at the position: whether the originator has changed since.
  private var savedBytes: [UInt8]?

  /// Begins without backups.
  public init(of originator: Subject, in caretaker: Keeper) {
    self.originator = originator
    self.caretaker = caretaker
  }

  /// Keeps the present state; what could be redone is dropped from the timeline, and stays in the caretaker. Without a name
  /// it is called `backup 1`, `backup 2` and so on, whatever is free. Throws what the caretaker's `save` throws; then
  /// nothing has changed.
  ///
  /// When the originator has not changed since the entry at the position, the timeline does not grow, and what can be
  /// redone stays: without a name nothing is saved and that entry is returned; with one the new entry takes its place.
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

  /// Goes one backup back. Changes since the last one are backed up first, so that `redo` brings them back: then they are
  /// the step that is undone. False at the beginning. Throws what the caretaker throws; then nothing has changed.
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

  /// Goes one backup forward again. False at the end, and when the originator has changed since the undo: a redo would lose
  /// that. Throws what the caretaker throws; then nothing has changed.
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
