import MementoKit
import TestSupport
import Testing

/// A repair is killed before any of its calls that write, or such a call fails. The store must not be worse than
/// before, and the next repair must recover everything.
@Suite(.needsProgram, .needsStrace) struct CrashRepairTests {
  /// Overwrites bytes in the content of the first pack, in its table, and in the names, which then lack the last name.
  /// The files still exist.
  private func damaged() throws -> CrashFolder {
    try CrashFolder([
      (CrashFolder.firstFiles, "one"), ("echo more > more", "two"),
      (
        """
        echo extra | memento save extra --stdin -q; rm .memento/backup/refs; printf X | dd of=.memento/refs bs=1 seek=100 conv=notrunc status=none
        echo 'parity = none' >> .memento/config; rm -r .memento/parity
        pack=$(ls -S .memento/packs/*.pack | head -n 1); size=$(stat -c %s "$pack")
        for place in 40 $((size - 80)); do printf 'XX' | dd of="$pack" bs=1 seek=$place conv=notrunc status=none; done
        """, nil
      ),
    ])
  }

  private func expectWhole(_ copy: CrashCopy, _ folder: CrashFolder, _ when: String) throws {
    #expect(try copy.record().differences(from: folder.record) == [], "\(when)")
    let repair = try copy.memento("verify", "--repair")
    #expect(repair.status == 0, "\(when): \(repair.output)\(repair.errors)")
    try copy.expectStates(folder.states, when)
    try copy.expectNextSave(when)
  }

  @Test func aRepair() throws {
    let folder = try damaged()
    let trial = try folder.copy("trial")
    #expect(try trial.memento("verify", "--read-data", "-q").status == 13)
    try expectWhole(trial, folder, "not killed")
    let arguments = ["verify", "--repair", "-q"]
    let calls = try folder.calls(of: arguments)
    for (number, call) in Injection.sample(calls, atMost: 20, seed: 31).enumerated() {
      let copy = try folder.copy("crash-\(number)")
      try copy.kill(arguments, at: call)
      try expectWhole(copy, folder, "killed at \(call)")
      try copy.remove()
    }
  }

  @Test(arguments: FaultTests.faults)
  func aCallFails(_ fault: FaultTests.Fault) throws {
    let folder = try damaged()
    let arguments = ["verify", "--repair", "-q"]
    let trial = try folder.copy("trial")
    let all = try Injection.calls(fault.calls, of: arguments, in: trial.path)
    let begin = try Injection.calls(fault.calls, of: ["--version"], in: trial.path).count
    for (number, call) in Injection.sample(Array(all.dropFirst(begin)), atMost: 3, seed: 33).enumerated() {
      let when = "\(fault.error) of \(call)"
      let copy = try folder.copy("fault-\(number)")
      let run = try Injection.run(arguments, in: copy.path, inject: call.inject("error=\(fault.error)"))
      #expect([0, 1, 13].contains(run.status), "\(when): \(run.status) \(run.errors)")
      if run.status != 0 { #expect(run.errors.hasPrefix("memento: "), "\(when): \(run.errors)") }
      if call.name.hasSuffix("sync") { #expect(run.status == 1, "\(when): \(run.errors)") }
      try expectWhole(copy, folder, when)
      try copy.remove()
    }
  }
}
