import TestSupport
import Testing

/// Several at once: nothing is lost, nothing is mixed.
@Suite(.needsProgram, .serialized) struct ConcurrencyTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
    for name in ["a", "b", "c"] { try shell.directory.write(name, Content.text(20_000, seed: 1)) }
  }

  private func names() throws -> [String] {
    try shell.done("list", "-z").outputBytes.split(separator: 0).map {
      String(decoding: $0.split(separator: 9)[1], as: UTF8.self)
    }
  }

  private func expectGood() throws {
    let run = try shell.memento("verify", "--read-data", "-q")
    #expect(run.status == 0, "\(run.output)\(run.errors)")
  }

  @Test(arguments: [2, 8])
  func saversWithDifferentNames(_ count: Int) throws {
    let run = try shell.run(
      """
      for round in 1 2 3; do
        for i in $(seq \(count)); do
          { memento save "s$round-$i" -q -m "$i" || echo "failed $?"; } &
        done; wait; echo $round >> a
      done
      """)
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    #expect(try names() == (1...3).flatMap { round in (1...count).map { "s\(round)-\($0)" } }.sorted())
    #expect(try shell.done("log").output.split(separator: "\n").filter { $0.contains("  save  ") }.count == 3 * count)
    try expectGood()
  }

  @Test(arguments: [2, 8])
  func saversWithTheSameName(_ count: Int) throws {
    let run = try shell.run(
      "for i in $(seq \(count)); do { echo $i | memento save v --stdin -q || echo \"failed $?\"; memento save s -q; } & done; wait"
    )
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    #expect(try names() == ["s", "v"])
    #expect(try shell.done("log").output.split(separator: "\n").count == count)
    try expectGood()
  }

  /// No update of the name is lost: every value stands in its history.
  @Test func everyValueIsInTheHistory() throws {
    let run = try shell.run(
      """
      for i in 1 2 3 4 5 6 7 8; do echo $i | memento save v --stdin -q & done; wait
      for i in 0 1 2 3 4 5 6 7; do memento restore v~$i --stdout; done | sort
      for i in 1 2 3 4 5 6 7 8; do echo $i > f$i; memento save s -q & done; wait
      memento log s -n 1 >/dev/null && memento restore s~7 --to old -q
      """)
    #expect(run.output == "1\n2\n3\n4\n5\n6\n7\n8\n", "\(run.output)\(run.errors)")
  }

  @Test func noClobberHasOneWinner() throws {
    let run = try shell.run(
      "for i in 1 2 3 4 5 6; do { memento save x --no-clobber -q 2>/dev/null; echo $?; } & done; wait")
    #expect(run.output.split(separator: "\n").sorted() == ["0", "1", "1", "1", "1", "1"], "\(run.output)")
  }

  @Test func saversBesideGarbageCollection() throws {
    let run = try shell.run(
      """
      memento save base -q
      { for i in $(seq 50); do memento gc -q || echo "gc $?"; done; } &
      for i in $(seq 50); do
        # What has just become garbage is saved again.
        echo "content $((i % 5))" > a
        memento save "s$((i % 3))" -q || echo "save $?"
        [ $((i % 4)) = 0 ] && { memento delete "s$((i % 3))" -q || echo "delete $?"; }
        echo "value $((i % 2))" | memento save v --stdin -q || echo "value $?"
        [ $((i % 3)) = 0 ] && { memento delete v -q || echo "delete $?"; }
      done; wait
      """)
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    try expectGood()
    for name in try names() where name != "v" {
      #expect(try shell.memento("restore", name, "-q", "--discard").status == 0)
    }
  }

  @Test func aSaveSeesNoHalfRestoredFolder() throws {
    // Two states in which all files say the same; a save between them would have a mixture.
    let run = try shell.run(
      """
      fill() { for i in $(seq 40); do echo "$1 $1" > f$i; done; }
      fill one; memento save one -q; fill two; memento save two -q
      { for i in $(seq 10); do memento restore one -q --discard || echo "restore $?"
        memento restore two -q --discard || echo "restore $?"; done; } &
      for i in $(seq 20); do memento save seen$i -q || echo "save $?"; done; wait
      for i in $(seq 20); do memento restore seen$i --to out$i -q; cat out$i/f* | sort -u | wc -l; done | sort -u
      """)
    #expect(run.output == "1\n", "\(run.output)")
    #expect(run.errors.isEmpty, "\(run.errors)")
    try expectGood()
  }

  @Test func listsAlwaysSucceed() throws {
    let run = try shell.run(
      """
      memento save s -q
      { for i in $(seq 30); do memento save s -q; memento save t -q; memento delete t -q; done; touch done; } &
      while [ ! -e done ]; do memento list -z | tr '\\0' '\\n' | grep -c '	s	' || echo "list"; done | sort | uniq -c | wc -l
      wait
      """)
    #expect(run.output == "1\n", "\(run.output)")
    #expect(run.errors.isEmpty, "\(run.errors)")
  }

  @Test func oneLockForTwoPaths() throws {
    let run = try shell.run(
      """
      memento save one -q; ln -s "$FOLDER" ../link-$$
      exec 4<.memento/lock; flock -x 4
      memento -C ../link-$$ save two --wait 0 4<&-; echo $?; memento -C ../link-$$ list | wc -l; rm ../link-$$
      """)
    #expect(run.output == "11\n1\n")
  }

  @Test func itWaitsForTheLock() throws {
    let run = try shell.run(
      """
      memento save one -q
      flock .memento/lock sleep 0.7 & sleep 0.2
      status memento save two -q --wait 0; status memento save two -q --wait 0.1; status memento save two -q --wait 30; wait
      """)
    #expect(run.output == "=11\n=11\n=0\n", "\(run.output)")
  }
}
