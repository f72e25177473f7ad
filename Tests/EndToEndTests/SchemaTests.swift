import TestSupport
import Testing

/// The schemas in docs/schema say what the sources say, and every command prints what they say.
@Suite(.needsProgram, .enabled(if: Machine.has("python3"), "python3 is missing"))
struct SchemaTests {
  @Test func theSchemasAreThoseOfTheSources() throws {
    let directory = try TemporaryDirectory()
    let check = try Launch(["python3", "\(Machine.packageFolder)/Tools/schemas", "--check"], in: directory.path)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test func everyCommandPrintsWhatItsSchemaSays() throws {
    let directory = try TemporaryDirectory()
    let check = "\(Machine.packageFolder)/Tests/Schemas/check"
    var run = try Launch(
      ["\(Machine.packageFolder)/Tests/Agents/python", "jsonschema", "--", check, Machine.program], in: directory.path,
      timeout: 600)
    // Without a validator that others wrote, the one of the script does it alone.
    if run.status == 77 { run = try Launch(["python3", check, Machine.program], in: directory.path, timeout: 600) }
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }
}
