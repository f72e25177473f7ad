// The pointer to a store is put where nothing is, and only the pointer of a fork that is forgotten is taken away.

import MementoStore
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct StorePointerTests {
  private let directory: TemporaryDirectory
  private let folder: FolderTools

  init() throws {
    directory = try TemporaryDirectory()
    folder = FolderTools(directory.path.bytes)
  }

  private func fork(_ text: String) throws -> ForkID { try #require(ForkID(text)) }

  private func names() throws -> [String] { try directory.names(".memento") }

  /// What is in its place may be of another command, which has not yet put its files there.
  @Test func whatIsThereIsNotReplaced() throws {
    let pointer = StorePointer(store: BytePath("/nowhere"))
    try folder.makeFolder(".memento".bytes)
    let inode = try directory.status(".memento").inode
    try pointer.leave(in: directory.descriptor, isDurable: false)
    #expect(try directory.status(".memento").inode == inode && names() == [])
    try folder.remove(".memento".bytes)
    try folder.write(".memento".bytes, "mine".bytes)
    try pointer.leave(in: directory.descriptor, isDurable: false)
    #expect(try directory.read(".memento") == "mine".bytes)
    // Nothing else is left beside it.
    #expect(try directory.names() == [".memento"])
    try folder.remove(".memento".bytes)
    try pointer.leave(in: directory.descriptor, isDurable: false)
    #expect(try names() == [".gitignore", "store"] && directory.names() == [".memento"])
  }

  /// The folder has become that of another fork since it was looked at, or the file names none.
  @Test(arguments: ["bbbbbbbb\n", "aaaaaaaa", "aaaaaaaa\n\n", ""])
  func thePointerOfAnotherForkStays(_ text: String) throws {
    let fork = try fork("aaaaaaaa")
    try StorePointer(store: BytePath("/nowhere"), fork: fork).leave(in: directory.descriptor, isDurable: false)
    try folder.write(".memento/fork".bytes, text.bytes)
    try StorePointer.removeFork(fork, from: OpenFolder(BytePath(folder.path)))
    #expect(try names() == [".gitignore", "fork", "store"])
    #expect(try folder.read(".memento/fork".bytes) == text.bytes)
    try folder.write(".memento/fork".bytes, "aaaaaaaa\n".bytes)
    try StorePointer.removeFork(fork, from: OpenFolder(BytePath(folder.path)))
    #expect(try directory.names() == [])
  }
}
