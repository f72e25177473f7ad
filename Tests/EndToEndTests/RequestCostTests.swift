// What a bucket is asked for: requests are what object stores charge for. docs/remotes.md has these numbers.

import TestSupport
import Testing

@Suite(.needsProgram, .needsHelper) struct RequestCostTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// `spent WHAT` prints the requests since the last call: writes (an upload in parts is one), pages of listings, and reads
  /// by the folder of their objects.
  private static let counting = """
    spent() {
      awk -v what="$1" -F'[ ?]' '
        { key = $2; sub(".*/team/r/?", "", key); folder = key; sub("/.*", "", folder) }
        $1 == "GET" && /list-type=2/ { pages++; next }
        $1 == "GET" { reads[folder]++; next }
        /partNumber=|[?&]uploads=/ { next }
        { writes++ }
        END {
          printf "%s: writes %d, pages %d", what, writes, pages
          n = split("format keys refs index marks packs", order, " ")
          for (i = 1; i <= n; i++) if (reads[order[i]]) printf ", %s %d", order[i], reads[order[i]]
          printf "\\n"
        }' "$engine/log"
      : >"$engine/log"
    }

    """

  /// A page has four objects here, and 1,000 elsewhere.
  @Test func requestsAreCounted() throws {
    let run = try shell.run(
      BucketTests.prelude + RequestCostTests.counting + """
        engine e page=4; mkdir -p one/src/deep two
        seq 20000 >one/src/large; echo x >one/src/deep/small; head -c 3000000 /dev/urandom >one/random; a save first -q
        add; : >e/log; a push -q; spent first; a push -q; spent unchanged
        b init -q; b remote add origin "$url" -q
        # Nothing is known but which repository it is.
        rm -rf two/.memento/remotes/origin/{opened,indexes,store,seen}; : >e/log
        b list origin/ >/dev/null; b restore origin/first src/deep/small --to "$FOLDER/part" -q; spent restore
        cat part/src/deep/small
        echo y >one/y; a save second -q; a push -q; spent second
        b list origin/ >/dev/null; spent changed; b list origin/ >/dev/null; spent list
        """, environment: BucketTests.environment)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        // A pack, an index, a refs record, and the question whether the engine heeds conditions. The pages: one of all, and
        // two looks at the marks. Nothing is read: how the remote is opened is known from its making, and the table of
        // the pack from its writing.
        "first: writes 4, pages 3",
        // Seven objects are two pages.
        "unchanged: writes 0, pages 2",
        // Two commands. Four reads, the index, three reads of four levels (the snapshot and three folders), and the one block.
        "restore: writes 0, pages 4, format 1, keys 2, refs 1, index 1, packs 4", "x",
        "second: writes 4, pages 4",
        // Ten objects.
        "changed: writes 0, pages 3, refs 1", "list: writes 0, pages 3",
      ], "\(run.output)\(run.errors)")
  }
}
