// What other programs make of exported archives, judged by a walker of its own.

import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

struct ExportTests {
  @Test(arguments: FidelitySample.archived)
  func gnuTarUnpacksWhatARestoreGives(_ sample: FidelitySample) throws {
    try check(sample, .gnu)
  }

  @Test(.enabled(if: TarProgram.bsd.isThere, "skipped: bsdtar is not installed"), arguments: FidelitySample.archived)
  func bsdtarUnpacksWhatARestoreGives(_ sample: FidelitySample) throws {
    try check(sample, .bsd)
  }

  private func check(_ sample: FidelitySample, _ program: TarProgram) throws {
    if sample.needsRoot, !isSuperuser { return }
    // bsdtar makes one name of letters that Unicode calls equal.
    if program.name == "bsdtar", sample.name.hasPrefix("composed and decomposed") { return }
    // libarchive adds the fraction of a time before 1970 on the wrong side.
    if program.name == "bsdtar", sample.name.hasPrefix("time -"), sample.name != "time -1.0" { return }
    let fixture = try RepositoryFixture()
    try sample.make(fixture.folder)
    try fixture.save("a")
    let restored = try Manifest(fixture.extractAsRecorded("a"))
    let unpacked = try Manifest(fixture.unpack(fixture.export("a"), with: program))
    // bsdtar leaves the time of the folder in which it unpacks as it is.
    let differences = unpacked.differences(from: restored).filter {
      program.name != "bsdtar" || !($0.hasPrefix("the folder: seconds") || $0.hasPrefix("the folder: nanoseconds"))
    }
    #expect(differences == [])
  }

  @Test(arguments: FidelitySample.archived)
  func anImportOfAnExportIsTheSameTree(_ sample: FidelitySample) throws {
    if sample.needsRoot, !isSuperuser { return }
    let fixture = try RepositoryFixture()
    try sample.make(fixture.folder)
    try fixture.save("a")
    let summary = try fixture.importArchive(try fixture.export("a"))
    #expect(summary.problems == [])
    let (old, new) = (try fixture.record("a"), try fixture.record("imported"))
    #expect(new.body == old.body)
    #expect(new.files == old.files && new.bytes == old.bytes && new.isComplete)
    #expect(try SnapshotLists(fixture.repository).links(of: new) == SnapshotLists(fixture.repository).links(of: old))
  }

  @Test(
    arguments: [("a.tar", nil), ("a.tar.gz", "gzip"), ("a.tgz", "gzip"), ("a.tar.zst", "zstd")] as [(String, String?)])
  func theSameSnapshotGivesTheSameBytes(_ name: String, _ program: String?) throws {
    let fixture = try RepositoryFixture()
    try fixture.folder.write("file".bytes, Content.text(700_000, seed: 3))
    try fixture.folder.makeFolder("folder".bytes)
    try fixture.save("a")
    let first = try fixture.export("a", name)
    let bytes = try fixture.directory.read(name)
    try fixture.export("a", "again-\(name)")
    #expect(try fixture.directory.read("again-\(name)") == bytes)
    if let program, Machine.has(program) {
      #expect(try Launch([program, "-t", first]).status == 0)
    }
    #expect(try fixture.importArchive(first).problems == [])
    #expect(try fixture.record("imported").tree == fixture.record("a").tree)
  }

  @Test func aValueIsRefused() throws {
    let fixture = try RepositoryFixture()
    try fixture.repository.saveValues([NamedValue(name: "v", bytes: "x".bytes)])
    #expect(code { try fixture.export("v") } == .wrongKind)
    #expect(!fixture.directory.exists("archive.tar"))
  }

  @Test func aFileAppearsWholeOrNotAtAll() throws {
    let fixture = try RepositoryFixture()
    try fixture.folder.write("file".bytes, "new".bytes)
    try fixture.save("a")
    try fixture.directory.write("archive.tar", "old".bytes)
    #expect(code { try fixture.export("none") } == .noSuchState)
    #expect(try fixture.directory.read("archive.tar") == "old".bytes)
    #expect(try fixture.directory.names().sorted() == ["archive.tar", "outside", "work"])
    try fixture.export("a")
    #expect(try fixture.directory.read("archive.tar").count % 10240 == 0)
    try FolderTools(fixture.directory.path.bytes).makeLink("link.tar".bytes, to: "archive.tar".bytes)
    #expect(code { try fixture.export("a", "link.tar") } == .system)
  }
}
