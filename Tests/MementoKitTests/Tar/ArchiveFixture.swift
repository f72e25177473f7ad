// Folders, archives and the programs that others use for them.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

/// A program that packs and unpacks.
struct TarProgram: Sendable, CustomTestStringConvertible {
  let name: String
  let pack: [String]
  let unpack: [String]

  var testDescription: String { name }
  var isThere: Bool { Machine.has(name) }

  static let gnu = TarProgram(
    name: "tar",
    pack: ["tar", "--format=pax", "--numeric-owner", "--xattrs", "--xattrs-include=*", "--acls", "--sparse", "-cf"],
    unpack: ["tar", "--numeric-owner", "--xattrs", "--xattrs-include=*", "--acls", "-pxf"])
  static let bsd = TarProgram(
    name: "bsdtar", pack: ["bsdtar", "--format=pax", "--numeric-owner", "-cf"],
    unpack: ["bsdtar", "--numeric-owner", "--acls", "--xattrs", "-pxf"])
  static let all = [gnu, bsd]

  /// Whether an archive of this program holds all of a sample. GNU tar finds holes only in blocks, and packs names of one
  /// fifo as several; bsdtar keeps the fraction of a time before 1970 on the wrong side.
  func packsAll(_ sample: FidelitySample) -> Bool {
    name == "bsdtar"
      ? !sample.name.hasPrefix("time -") || sample.name == "time -1.0"
      : !["one byte of hole", "hard links to an empty file, a link and a fifo"].contains(sample.name)
  }
}

extension FidelitySample {
  /// Without an attribute that some file systems have no room for.
  static let archived = all.filter { $0.name != "an attribute of 16 KiB" }
}

extension RepositoryFixture {
  /// Exports into a file beside the folder, and returns its path.
  @discardableResult
  func export(_ revision: Revision, _ name: String = "archive.tar") throws -> String {
    let path = "\(directory.path)/\(name)"
    try repository.export(revision, toFile: BytePath(path))
    return path
  }

  func importArchive(
    _ path: String, as name: String = "imported", _ options: ImportOptions = ImportOptions()
  ) throws -> SaveSummary {
    let file = try Descriptor.open(path.bytes, .namedFile)
    return try repository.importArchive(readingFrom: file.raw, as: name, options)
  }

  func importArchive(_ bytes: [UInt8]) throws -> SaveSummary {
    try directory.write("bytes.tar", bytes)
    return try importArchive("\(directory.path)/bytes.tar")
  }

  /// Unpacks into a new folder.
  func unpack(_ archive: String, with program: TarProgram) throws -> FolderTools {
    let place = try FolderTools(making: "\(directory.path)/unpacked".bytes)
    let run = try Launch(program.unpack + [archive, "-C", "\(directory.path)/unpacked"])
    #expect(run.status == 0, "\(run.errors)")
    return place
  }

  /// Restores everything as it is recorded, into a new folder.
  func extractAsRecorded(_ revision: Revision) throws -> FolderTools {
    let place = "\(directory.path)/extracted"
    var options = ExtractOptions()
    options.asRecorded = true
    let summary = try repository.restore(revision, to: BytePath(place), options)
    #expect(summary.problems.filter { !$0.isNote } == [])
    return FolderTools(place.bytes)
  }
}
