import TestSupport
import Testing

/// Several processes at the same time: nothing is lost and nothing is mixed.
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
    // Each change is a step. Saves of the same folder make one step, unless they began before the first of them was
    // done.
    let steps = try shell.done("log").output.split(separator: "\n").filter { $0.contains("  save  ") }.count
    #expect((3...3 * count).contains(steps))
    try expectGood()
  }

  @Test(arguments: [2, 8])
  func saversWithTheSameName(_ count: Int) throws {
    let run = try shell.run(
      "for i in $(seq \(count)); do { echo $i | memento save v --stdin -q || echo \"failed $?\"; memento save s -q; } & done; wait"
    )
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    #expect(try names() == ["s", "v"])
    let steps = try shell.done("log").output.split(separator: "\n").count
    #expect((1...count).contains(steps))
    try expectGood()
  }

  /// The first savers of a folder make its store together: none of them takes the store of another for something else.
  @Test func firstSaversMakeOneStore() throws {
    let run = try shell.run(
      """
      for round in $(seq 25); do
        mkdir new; cd new
        for i in 1 2 3 4 5 6 7 8; do { echo $i | memento save v$i --stdin -q || echo "failed $?"; } & done; wait
        memento list -z | tr '\\0' '\\n' | wc -l
        cd ..; rm -rf new
      done
      """)
    #expect(
      run.output.split(whereSeparator: \.isWhitespace).map(String.init) == Array(repeating: "8", count: 25),
      "\(run.output)\(run.errors)")
    #expect(run.errors.isEmpty, "\(run.errors)")
  }

  /// No update of a name is lost: every value is in its history.
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
      { for i in $(seq 50); do memento gc --now -q || echo "gc $?"; done; } &
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
    // In each of the two states, all files have the same content. A save in between would have a mixture.
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
      exec 4<.memento/packs.lock; flock -x 4
      memento -C ../link-$$ save two --wait 0 4<&-; echo $?; memento -C ../link-$$ list | wc -l; rm ../link-$$
      """)
    #expect(run.output == "11\n1\n")
  }

  @Test func itWaitsForTheLock() throws {
    let run = try shell.run(
      """
      memento save one -q
      exec 4<.memento/packs.lock; flock -x 4
      for seconds in 0 0.1; do status memento save two -q --wait $seconds 4<&-; done
      (sleep 0.3; flock -u 4) & status memento save two -q --wait 60 4<&-; wait
      """)
    #expect(run.output == "=11\n=11\n=0\n", "\(run.output)")
  }

  /// Several processes save under new names what gc is about to remove.
  @Test func nothingThatIsSavedAgainIsCollected() throws {
    let run = try shell.run(
      """
      memento save base -q
      saver() {
        for i in $(seq 12); do
          printf 'content %s\n' $((i % 3)) | memento save "v$1" --stdin -q || echo "save $?"
          [ "$(memento restore "v$1" --stdout)" = "content $((i % 3))" ] || echo "$1 has lost $i"
          memento delete "v$1" -q || echo "delete $?"
        done
        printf 'content %s\n' "$1" | memento save "v$1" --stdin -q || echo "save $?"
      }
      { while [ ! -e ../done-$$ ]; do memento gc --now -q --wait 60 || echo "gc $?"; done; } &
      for i in 1 2 3; do saver $i & savers="$savers $!"; done; wait $savers; touch ../done-$$; wait; rm ../done-$$
      for i in 1 2 3; do memento restore v$i --stdout; done
      """)
    #expect(run.output == "content 1\ncontent 2\ncontent 3\n", "\(run.output)")
    #expect(run.errors.isEmpty, "\(run.errors)")
    try expectGood()
  }

  @Test func everybodyAtOnce() throws {
    let run = try shell.run(
      """
      fill() { for i in $(seq 10); do echo "$1 $1" > f$i; done; }
      fill one; memento save one -q; fill two; memento save two -q
      loop() { for i in $(seq 6); do "$PROGRAM" "$@" --wait 60 -q >/dev/null 2>>../errors-$$ || echo "$1 $?"; done; }
      loop restore one & loop restore two & loop undo & loop redo & loop save & loop gc & loop save s & loop delete s &
      for i in $(seq 10); do
        for c in list log "verify --read-data" "status"; do memento $c >/dev/null || echo "$c $?"; done
      done
      wait; cat ../errors-$$ >&2; rm ../errors-$$; memento status -q | tail -1; cat f* | sort -u | wc -l
      """)
    // At the ends of the timeline there is nothing to undo or redo, and a state that does not exist yet cannot be
    // deleted.
    let lines = run.output.split(separator: "\n")
    for line in lines.dropLast(2) {
      #expect(["undo 1", "redo 1", "delete 12"].contains(line), "\(run.output)\(run.errors)")
    }
    #expect(lines.suffix(2) == ["nothing changed", "1"], "\(run.output)\(run.errors)")
    try expectGood()
  }

  /// Commands that only read do not wait, however long a writer holds the locks.
  @Test func lookingDoesNotWait() throws {
    let run = try shell.run(
      """
      memento save one -q
      exec 4<.memento/packs.lock; flock -x 4
      for c in list log status verify "verify --read-data"; do memento $c --wait 0 >/dev/null 4<&-; echo $?; done
      for c in "save x" gc "restore one" undo "delete one"; do memento $c --wait 0 2>/dev/null 4<&-; echo $?; done
      # What is missing while another is at work may be its doing: it is no damage before it is missing under the lock.
      mkdir ../packs-$$; mv .memento/packs/* ../packs-$$
      memento verify --wait 0 2>&1 4<&- | head -1; memento list --wait 0 2>&1 4<&- | head -1
      (sleep 0.5; mv ../packs-$$/* .memento/packs; rmdir ../packs-$$; flock -u 4) &
      memento verify -q --wait 30 4<&-; echo $?; wait
      """)
    #expect(
      run.output == "0\n0\n0\n0\n0\n11\n11\n11\n11\n11\nmemento: another process is using the store\n"
        + "memento: another process is using the store\n0\n",
      "\(run.output)\(run.errors)")
  }

  /// Starts a restore of `one` under strace (process `$tracer`). Waits until the restore (process `$holder`) has been
  /// stopped while it holds the lock. The trace shows this: to the system, a traced process looks stopped at each
  /// system call.
  static let restoreThatIsStopped = """
    memento save one -q; echo changed > a; memento save two -q
    strace -f -qq -o ../trace-$$ -e inject=syncfs:signal=STOP:when=1 "$PROGRAM" restore one -q & tracer=$!
    until grep -qs 'stopped by SIGSTOP' ../trace-$$; do sleep 0.01; done
    rm ../trace-$$; holder=$(pgrep -P $tracer memento)
    """

  @Test(.needsStrace) func aStoppedHolder() throws {
    let run = try shell.run(
      """
      \(Self.restoreThatIsStopped)
      for c in list log status verify; do memento $c --wait 0 >/dev/null; echo $?; done
      memento save x --wait 0.2 2>/dev/null; echo $?; memento gc --wait 0 2>/dev/null; echo $?
      kill -KILL $holder; wait $tracer; memento save x --wait 0 -q; echo $?; ls .memento/tmp
      """)
    #expect(run.output == "0\n0\n0\n0\n11\n11\n0\n", "\(run.output)\(run.errors)")
  }

  /// While a restore changes the folder, other commands run, except for those that need an unchanged folder. Naming
  /// waits until the mark of the restore is gone, since the mark could come from an interrupted restore.
  @Test(.needsStrace) func whatGoesOnBesideARestore() throws {
    let run = try shell.run(
      """
      \(Self.restoreThatIsStopped)
      for c in "verify --read-data" "restore two --to ../beside-$$"; do memento $c --wait 0 -q; echo $?; done
      for c in "save x" undo "restore two" "restore --abort" gc "verify --repair"; do
        memento $c --wait 0 -q 2>/dev/null; echo $?
      done
      cat ../beside-$$/a; kill -CONT $holder; wait $tracer; echo $?; memento verify --read-data -q; echo $?
      """)
    #expect(run.output == "0\n0\n11\n11\n11\n11\n11\n11\nchanged\n0\n0\n", "\(run.output)\(run.errors)")
  }

  /// While a long verify is stopped in the middle, only commands that remove packs must wait.
  @Test(.needsStrace) func whatGoesOnBesideALongVerify() throws {
    let run = try shell.run(
      """
      memento save one -q; echo changed > a; memento save two -q
      strace -f -qq -o ../trace-$$ -P .memento/packs.lock -e inject=flock:signal=STOP:when=1 \
        "$PROGRAM" verify --read-data -q & tracer=$!
      until grep -qs 'stopped by SIGSTOP' ../trace-$$; do sleep 0.01; done
      rm ../trace-$$; holder=$(pgrep -P $tracer memento)
      for c in "restore one" undo redo "save three" "delete three" "restore one --to ../beside-$$"; do
        memento $c --wait 0 -q; echo $?
      done
      memento gc --wait 0 -q 2>/dev/null; echo $?
      kill -CONT $holder; wait $tracer; echo $?
      """)
    #expect(run.output == "0\n0\n0\n0\n0\n0\n11\n0\n", "\(run.output)\(run.errors)")
  }

  @Test(.needsStrace) func aHolderThatGoesOn() throws {
    let run = try shell.run(
      """
      \(Self.restoreThatIsStopped)
      memento save x --wait 60 -q & saver=$!
      sleep 0.1; kill -CONT $holder; wait $tracer; echo $?; wait $saver; echo $?; memento status | head -1 | cut -c1-5
      """)
    #expect(run.output == "0\n0\nat x \n", "\(run.output)\(run.errors)")
  }

  /// A lock whose file has been replaced keeps nobody out, so its holder must not rely on it.
  @Test(arguments: ["rm -f .memento/packs.lock", "cp .memento/packs.lock x && mv x .memento/packs.lock"])
  func aLockThatIsTakenAway(_ theft: String) throws {
    let run = try shell.run(
      """
      echo garbage | memento save v --stdin -q; memento delete v -q; memento save one -q
      mkfifo ../pipe-$$; memento save w --stdin <../pipe-$$ & exec 4>../pipe-$$; rm ../pipe-$$
      while "$PROGRAM" gc -n --wait 0 >/dev/null 2>&1 4<&-; do sleep 0.01; done
      \(theft)
      memento gc --now -q --wait 0 4<&-; echo $?
      echo garbage >&4; exec 4>&-; wait; echo $?; memento list -z | wc -c; memento verify --read-data -q; echo $?
      echo garbage | memento save w --stdin -q; echo $?
      """)
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "0" && lines.suffix(2) == ["0", "0"], "\(run.output)\(run.errors)")
    #expect(run.errors.contains("memento: cannot lock .memento/packs.lock: "), "\(run.errors)")
    #expect(try shell.done("restore", "w", "--stdout").output == "garbage\n")
    try expectGood()
  }

  /// A process that a command leaves in the background must not hold a lock of the store.
  @Test func aChildHoldsNoLock() throws {
    let run = try shell.run(
      """
      memento save v -q --stdin-from -- sh -c 'sleep 30 >/dev/null 2>&1 </dev/null & echo $!'
      memento gc -q --wait 0; echo $?; kill $(memento restore v --stdout)
      memento run -q -- sh -c 'sleep 30 >/dev/null 2>&1 </dev/null & echo $! > pid'
      memento gc -q --wait 0; echo $?; kill $(cat pid)
      """)
    #expect(run.output == "0\n0\n", "\(run.output)\(run.errors)")
  }

  @Test func aCopyOfALiveStore() throws {
    let run = try shell.run(
      """
      memento save base -q
      { for i in $(seq 30); do seq $i 3000 > a; memento save "s$i" -q || echo "save $?"; done; touch ../done-$$; } &
      i=0
      while [ ! -e ../done-$$ ] && [ $i -lt 6 ]; do
        i=$((i + 1)); mkdir ../copy-$$; cp -a .memento ../copy-$$ 2>/dev/null
        found=$(memento -C ../copy-$$ verify --read-data 2>&1); case $? in
          0) for s in $(memento -C ../copy-$$ list -z | tr '\\0' '\\n' | cut -f 2); do
               memento -C ../copy-$$ restore $s a --stdout >/dev/null || echo "lost $s"; done ;;
          13) case $found in *"(in the state"* | *damaged*) ;; *) echo "says $found" ;; esac ;;
          *) echo "status $? $found" ;;
        esac
        memento -C ../copy-$$ restore base a --stdout >/dev/null || echo "lost base"
        rm -rf ../copy-$$
      done
      wait; rm -f ../done-$$
      """)
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run.output)\(run.errors)")
    try expectGood()
  }

  @Test(.needsMounts) func oneStoreByManyWays() throws {
    let run = try shell.runMounting(
      """
      memento save one -q; mkdir -p below ../bound-$$ ; mount --bind . ../bound-$$; ln -s "$FOLDER" ../link-$$
      exec 4<.memento/packs.lock; flock -x 4
      for at in "-C ../bound-$$" "-C ../link-$$/below" "--store ../bound-$$/.memento" "--store ../link-$$/.memento"; do
        memento $at save x --wait 0 2>/dev/null 4<&-; echo $?
      done
      exec 4<&-
      for at in "-C ../bound-$$" "-C ../link-$$/below" "--store ../bound-$$/.memento" "--store ../link-$$/.memento"; do
        way=$((way + 1))
        for i in 1 2 3; do { memento $at save "way $way, $i" -q || echo "save $?"; } & done; wait; echo $way >> b
      done
      memento list | wc -l; memento verify -q; echo $?
      umount ../bound-$$; rmdir ../bound-$$; rm ../link-$$
      """)
    #expect(run.output == "11\n11\n11\n11\n13\n0\n", "\(run.output)\(run.errors)")
  }
}
