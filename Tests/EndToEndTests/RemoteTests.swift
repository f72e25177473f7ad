import TestSupport
import Testing

/// Two folders as two machines, and one remote between them.
@Suite(.needsProgram) struct RemoteTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// `a` and `b` run the program as two machines; `walk DIR` describes a folder with tools that are not memento.
  private static let machines = """
    export MEMENTO_PASSWORD='correct horse' HOME="$FOLDER/home"
    mkdir -p home remotes one
    a() { memento -C "$FOLDER/one" "$@"; }
    b() { memento -C "$FOLDER/two" "$@"; }
    walk() {
      (cd "$1" && find . -name .memento -prune -o -print0 | LC_ALL=C sort -z | while IFS= read -r -d '' path; do
        stat -c '%n %F %a %Y %h' -- "$path"
        [ -f "$path" ] && [ ! -L "$path" ] && sha256sum <"$path"
        [ -L "$path" ] && readlink -- "$path"
      done)
    }
    add() { memento -C "$1" remote add origin "file://$FOLDER/remotes/r" --recovery-key "$FOLDER/$2.key" -q; }

    """

  private func run(_ script: String, environment: [String: String?] = [:]) throws -> Launch {
    try shell.run(RemoteTests.machines + script, environment: environment)
  }

  private func fill() throws -> Launch {
    try run(
      """
      cd one
      mkdir -p src 'a b/é'; seq 20000 >src/large; echo x >'a b/é/new
      line'; ln -s ../src link; ln src/large src/twin; chmod 751 src; touch -d '2001-02-03 04:05:06' src/large
      head -c 300000 /dev/urandom >random
      memento save big1 -q && memento save exp/lr -q -m 'a message'
      """)
  }

  @Test func pushCloneEditBothPushBothAndSettle() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      add one one && a push -q && stat -c %a one.key && test -s one.key
      memento clone "file://$FOLDER/remotes/r" two -q
      walk one >walk.one; walk two >walk.two; cmp walk.one walk.two && echo same
      # Nothing more is needed for what a clone has brought.
      mv remotes away; env -u MEMENTO_PASSWORD "$PROGRAM" -C two restore exp/lr -q; b list | wc -l; mv away remotes
      # Both move one name.
      echo a >>one/src/large; a save big1 -q; echo b >>two/src/large; b save big1 -q; b save of-b -q
      a push | tail -1 | sed 's/;.*//'
      b push >said; echo "=$?"; grep -c 'also moved by' said
      other=$(b list origin/ | awk '$1 ~ /@/ { print $1 }'); case $other in origin/big1@?*) echo other ;; esac
      # Every reader sees the same.
      a list origin/ | awk '{ print $1, $2 }' >list.a; b list origin/ | awk '{ print $1, $2 }' >list.b
      cmp list.a list.b && wc -l <list.a
      # Settled: the other one goes.
      b delete "$other" -q; a pull >said; a list | sed 's/^[* ]*//' | awk '{ print $1 }' | sort | tr '\\n' ' '
      a list origin/ | grep -c @
      """)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "600", "same", "2", "pushed big1 to origin: moved", "=0", "1", "other", "4", "big1 exp/lr of-b 0",
      ], "\(run.output)\(run.errors)")
  }

  @Test func aLostFolderComesBack() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      add one one && a push -q; walk one >before; rm -rf one
      memento clone "file://$FOLDER/remotes/r" one -q; walk one >after; cmp before after && echo same
      a log -q | wc -l >/dev/null; a verify --read-data -q; echo "=$?"
      # A second time on the same folder has nothing to do.
      memento clone "file://$FOLDER/remotes/r" one -q; echo "=$?"
      mkdir other; echo x >other/x; memento clone "file://$FOLDER/remotes/r" other; echo "=$?"; cat other/x
      """)
    #expect(run.output == "same\n=0\n=0\n=1\nx\n", "\(run.output)\(run.errors)")
  }

  @Test func aPartOfAStateOfTheRemote() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      add one one && a push -q; cp one/src/large large
      mkdir two && b init -q && add two two
      b list origin/ | awk '{ print $1 }'
      b ls origin/big1:src; b cat origin/big1:src/large | cmp - large && echo same
      b restore origin/big1 src --to "$FOLDER/part" -q; cmp part/src/large large && ls -A part
      b show origin/exp/lr | grep -c 'a message'; b diff origin/big1 origin/exp/lr --exit-code; echo "=$?"
      b save mine --from origin/big1 -q; rm -r remotes; b restore mine --to "$FOLDER/mine" -q && ls mine | wc -l
      """)
    #expect(
      run.output == "origin/big1\norigin/exp/lr\nlarge\ntwin\nsame\nsrc\n1\n=0\n4\n", "\(run.output)\(run.errors)")
  }

  @Test func whatIsWrongHasItsStatus() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      say() { "$@" 2>err; echo "$? $(head -c 40 err | head -1)"; }
      say a remote add origin "file://$FOLDER/none/r" --recovery-key k | cut -d' ' -f1; ls k 2>/dev/null
      say a remote add origin "file://$FOLDER/remotes/r" | cut -d' ' -f1; ls remotes
      say a remote add exp "file://$FOLDER/remotes/x" --plain | cut -d' ' -f1
      add one one; a push -q
      mkdir two; b init -q
      MEMENTO_PASSWORD=wrong say b remote add origin "file://$FOLDER/remotes/r" | cut -d' ' -f1
      (unset MEMENTO_PASSWORD; say b remote add origin "file://$FOLDER/remotes/r") | cut -d' ' -f1
      MEMENTO_RECOVERY_KEY_FILE="$FOLDER/one.key" MEMENTO_PASSWORD=wrong b remote add origin "file://$FOLDER/remotes/r" -q
      echo "=$?"
      say a push nowhere | cut -d' ' -f1; say a push origin none | cut -d' ' -f1; say a cat origin/none:x | cut -d' ' -f1
      mv remotes away; echo y >one/y; a save y --push >out 2>err; echo "=$?"; grep -c '^saved y' out
      grep -c 'saved here, and not pushed' err; a list --cached origin/ | wc -l
      """)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "15", "2", "1", "15", "15", "=0", "12", "12", "12", "=15", "1", "1", "2",
      ], "\(run.output)\(run.errors)")
  }

  @Test func theUpkeepOfARemote() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      days() { find remotes/r -type f | while read -r f; do touch -d "@$(($(stat -c %Y "$f") - $1 * 86400))" "$f"; done; }
      packs() { find remotes/r/packs -type f | wc -l; }
      a remote add origin "file://$FOLDER/remotes/r" --plain -q; a push -q
      head -c 200000 /dev/urandom >one/gone; a save gone -q; a push -q; rm one/gone; a save big1 -q; a push -q
      a delete origin/gone -q; days 3; a gc --remote origin -n | grep -c 'would mark 1 pack'
      a gc --remote origin -q; a stats --remote origin | grep -c '^marked: 1 pack'; packs
      days 2; a gc --json --remote origin | grep -o '"removed":{[^}]*"packs":1}' | wc -l; packs
      a gc --remote origin --now 2>err; echo "=$?"; a gc --remote none 2>err; echo "=$?"
      a verify --remote origin --read-data | sed 's/.*: //'; echo "=$?"
      # What the remote lost comes from the store, and the reverse.
      rm "$(find remotes/r/packs -type f | head -1)"; a verify --remote origin >out 2>err; echo "=$?"; grep -c '^packs/.* is missing' out
      grep -c 'verify --remote origin --repair' err; a verify --remote origin --repair -q; echo "=$?"
      rm -rf one/.memento/packs one/random; a verify >out 2>err; echo "=$?"; a verify --repair | grep -c 'from origin'
      mv remotes away; rm -rf one/.memento/packs; a verify --repair >out 2>err; echo "=$?"; grep -c 'a remote was of no help: origin' err
      """)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "1", "1", "3", "1", "2", "=2", "=12", "no damage", "=0", "=13", "1", "1", "=0", "=13", "1", "=13", "1",
      ], "\(run.output)\(run.errors)")
  }

  @Test func keysComeAndGo() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      add one one; a push -q; find remotes/r/packs -type f | sort | xargs sha256sum >before
      head -c 32 /dev/urandom >file.key
      a remote key add origin --key-file "$FOLDER/file.key" --label laptop -q
      a remote key list -z | tr '\\0\\t' '\\n ' | awk '{ print $2, $4, $5 }' | sort
      MEMENTO_NEW_PASSWORD='battery staple' a remote key change origin | sed 's/[0-9a-f]\\{16\\}/ID/g; s/([^)]*)/(LABEL)/g'
      a push 2>/dev/null; echo "=$?"
      export MEMENTO_PASSWORD='battery staple'; a push -q; echo "=$?"
      old=$(a remote key list | awk '$0 ~ /recovery/ { print $1 }'); a remote key remove origin "$old" -q; echo "=$?"
      own=$(a remote key list | awk '$1 == "*" { print $2 }'); a remote key remove origin "$own" 2>err; echo "=$?"
      MEMENTO_KEY_FILE="$FOLDER/file.key" a remote key remove origin "$own" -n | grep -c 'would remove the passphrase'
      a remote key add --recovery-key "$FOLDER/new.key" -q; stat -c %a new.key
      a remote key add --recovery 2>err; echo "=$?"; grep -c 'recovery-key FILE' err
      a remote key add 2>err; echo "=$?"; grep -c MEMENTO_NEW_PASSWORD err
      MEMENTO_RECOVERY_KEY_FILE="$FOLDER/new.key" MEMENTO_PASSWORD= a remote check -q; echo "=$?"
      a remote --json key list | grep -o '"kind":"[a-z]*"' | sort
      find remotes/r/packs -type f | sort | xargs sha256sum | cmp before - && echo same
      """)
    let host = "other"
    #expect(
      run.output.split(separator: "\n").map(String.init).map {
        $0.hasPrefix("passphrase current") ? "passphrase current" : $0
      }
        == [
          "file \(host) laptop", "passphrase current", "recovery \(host) recovery",
          "origin has the passphrase ID (LABEL) in the place of the passphrase ID (LABEL)", "=15", "=0", "=0", "=2",
          "1",
          "600", "=2", "1", "=15", "1", "=0", "\"kind\":\"file\"", "\"kind\":\"passphrase\"", "\"kind\":\"recovery\"",
          "same",
        ], "\(run.output)\(run.errors)")
  }

  @Test func nothingInTheRemoteTellsNamesOrContent() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      echo 'a very well known sentence' >one/known; a save secret-name -q -m 'secret message'; add one one; a push -q
      grep -rlE 'well known|secret-name|secret message|exp/lr|random' remotes; find remotes -name '*secret*'; echo end
      """)
    #expect(run.output == "end\n", "\(run.output)\(run.errors)")
  }

  /// ssh gets its words as they should be; what it says at the end is relayed.
  @Test func sshIsStartedAsItShouldBe() throws {
    try #require(try fill().status == 0)
    let run = try run(
      """
      mkdir bin; cat >bin/ssh <<'END'
      #!/bin/sh
      printf '%s\\n' "$@" >"$FOLDER/words"; env | grep -c MEMENTO_PASSWORD >"$FOLDER/inherited"
      echo "ada@box: Permission denied (publickey)." >&2; exit 255
      END
      chmod +x bin/ssh; export PATH="$FOLDER/bin:$PATH"
      a remote add box "ssh://ada@box:2222/it%27s" --recovery-key k 2>err; echo "=$?"; grep -c 'Permission denied' err
      wc -l <err; cat words inherited; ls k 2>/dev/null
      """)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "=15", "1", "2", "-T", "-o", "ConnectTimeout=25", "-o", "BatchMode=yes", "-p", "2222", "-l", "ada", "--", "box",
        #"memento serve --stdio '/it'\''s'"#, "0",
      ], "\(run.output)\(run.errors)")
  }

  /// A program that others wrote reaches a place that this one knows nothing of.
  @Test func anotherEngineHasItsHelper() throws {
    let run = try run(
      """
      mkdir bin
      printf '#!/bin/sh\\nexec "$PROGRAM" serve --stdio "${1#folder://}"\\n' >bin/memento-remote-folder
      chmod +x bin/memento-remote-folder; PATH="$FOLDER/bin:$PATH"
      echo x >one/file; a save first -q
      a remote add origin "folder://$FOLDER/remotes/r" --recovery-key "$FOLDER/key" -q && a push -q
      memento clone "folder://$FOLDER/remotes/r" two -q && cat two/file
      a remote list | cut -d ' ' -f 1
      a remote add other nobody://here; echo "=$?"
      """)
    #expect(run.output == "x\norigin\n=15\n", "\(run.output)\(run.errors)")
    #expect(run.errors.contains("there is no program memento-remote-nobody; memento itself knows file, ssh and s3"))
  }
}
