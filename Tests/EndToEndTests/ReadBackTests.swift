// gc removes old packs only when the new ones have been read back from the medium as they were meant.

import TestSupport
import Testing

@Suite(.needsProgram, .needsStrace) struct ReadBackTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// Each write of a collection, changed on its way to the disk while the call says that all is well.
  @Test func aWriteThatGoesWrongIsFoundBeforeTheOldPacksGo() throws {
    let made = try shell.run(
      """
      for i in $(seq 20); do seq $i $((i * 300)) >a; memento save "s$i" -q; done
      seq 9000 | memento save v --stdin -q; memento delete v s1 s2 -q; cp -a . ../whole-$$; echo ../whole-$$
      """)
    try #require(made.status == 0, "\(made.errors)")
    let whole = made.output.split(separator: "\n").map(String.init)[0]
    let gc = ["gc", "--now", "-q"]
    let trial = try shell.run("rm -rf .memento; cp -a \(whole)/.memento .")
    try #require(trial.status == 0)
    let writes = try Injection.calls("pwrite64", of: gc, in: shell.path).count
    try #require(writes > 1)
    var found = 0
    for number in 1...writes {
      let run = try shell.run(
        """
        rm -rf .memento; cp -a \(whole)/.memento .
        taskset -c 0 strace -f -qq -o /dev/null -e 'inject=pwrite64:poke_enter=@arg2=5a5a5a5a5a5a:when=\(number)' \
          "$PROGRAM" gc --now -q; echo "=$?"
        ls .memento/tmp
        memento verify --read-data -q >../found-$$; status=$?
        if [ $status = 13 ] && ! grep -v '^the index is damaged' ../found-$$; then memento verify --repair -q >/dev/null; status=$?; fi
        rm -f ../found-$$; echo "=$status"; memento gc -q; echo "=$?"; memento restore s20 -q; tail -n 1 a
        """)
      #expect(run.output.hasSuffix("=0\n=0\n6000\n"), "\(number): \(run.output)\(run.errors)")
      // The index is derived from the packs: a wrong row is found by verify, and made anew. The second copy of the names is
      // written in this way, too, and nothing is removed because of it.
      if run.output.hasPrefix("=0\n") { continue }
      #expect(run.output.hasPrefix("=13\n"), "\(number): \(run.output)\(run.errors)")
      #expect(run.errors.contains("reads back wrong"), "\(run.errors)")
      found += 1
    }
    // A block of data, one of trees, and the table of contents at least.
    #expect(found >= 3, "\(found) of \(writes)")
    _ = try shell.run("rm -rf \(whole)")
  }
}
