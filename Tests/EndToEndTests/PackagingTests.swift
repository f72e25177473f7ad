import TestSupport
import Testing

/// What makes packages, tried on the programs that are there. The script says what each of them means; anyone can run it
/// by hand. What it cannot check here it calls `skipped`.
@Suite(
  .needsProgram, .enabled(if: Machine.has("python3", "bash", "make", "git"), "python3, bash, make or git is missing"))
struct PackagingTests {
  @Test(arguments: ["deb", "dist", "sbom", "programs", "release", "workflow", "formula"])
  func holds(_ name: String) throws {
    let directory = try TemporaryDirectory()
    let check = try Launch(
      ["\(Machine.packageFolder)/Tests/Packaging/check", name], in: directory.path,
      environment: ["PATH": Machine.path, "TMPDIR": directory.path], timeout: 600)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    if check.output.contains("skipped") { print("packaging, \(name): \(check.output)", terminator: "") }
  }
}
