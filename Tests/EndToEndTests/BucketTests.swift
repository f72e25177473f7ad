// Buckets as remotes: the program, its helper, and an object store that fails as it is told.

import TestSupport
import Testing

@Suite(.needsProgram, .needsHelper) struct BucketTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// `engine NAME SETTING…` starts an object store and sets `url`; `fail RULE…` lets it fail; `a`, `b` are two machines.
  static let prelude = """
    export MEMENTO_PASSWORD='correct horse' HOME="$FOLDER/home" AWS_EC2_METADATA_DISABLED=true
    export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret/of+test
    mkdir -p home one; engines=; trap 'kill $engines' EXIT
    engine() {
      engine=$1; shift; mkdir -p "$engine"
      python3 "$FAKE" "$engine" "$@" 2>"$engine/port" & engines="$engines $!"
      until grep -q port "$engine/port"; do sleep 0.05; done
      port=$(cut -d' ' -f2 "$engine/port"); url="s3://bucket/team/r?endpoint=http://127.0.0.1:$port"
    }
    fail() { printf '%s\\n' "$@" >"$engine/faults"; }
    a() { memento -C "$FOLDER/one" "$@"; }
    b() { memento -C "$FOLDER/two" "$@"; }
    walk() {
      (cd "$1" && find . -name .memento -prune -o -print0 | LC_ALL=C sort -z | while IFS= read -r -d '' path; do
        stat -c '%n %F %a %Y %h' -- "$path"; [ -f "$path" ] && [ ! -L "$path" ] && sha256sum <"$path"
      done)
    }
    fill() {
      (cd one; mkdir -p src 'a b/é'; seq 20000 >src/large; echo x >'a b/é/new'; ln src/large src/twin; chmod 751 src
       head -c 12000000 /dev/urandom >random; memento save big1 -q && memento save exp/lr -q)
    }
    add() { a remote add origin "$url" --recovery-key "$FOLDER/key" -q; }

    """

  private static let engine = "\(Machine.packageFolder)/Tests/MementoS3Tests/Engine"
  static let environment: [String: String?] = ["FAKE": "\(engine)/fake-s3.py", "CERTIFICATES": engine]

  private func run(_ script: String) throws -> Launch {
    try shell.run(BucketTests.prelude + script, environment: BucketTests.environment)
  }

  @Test func pushCloneEditPushPullAndLose() throws {
    let run = try run(
      """
      engine e; fill; walk one >walk.one
      add; : >e/log; a push -q; echo "=$?"
      # The packs, an index and a refs record: parts of a large pack apart.
      grep -cE '^(PUT|DELETE)' e/log >writes; test "$(grep -E '^PUT' e/log | grep -vc partNumber)" -le 4 && echo few
      : >e/log; a push -q; test "$(grep -cE '^(PUT|POST)' e/log)" -le 1 && echo unchanged
      memento clone "$url" two -q; walk two >walk.two; cmp walk.one walk.two && echo same
      echo b >two/src/large; b save of-b -q; b push -q; a pull -q; a restore of-b -q; cat one/src/large
      rm -rf one; memento clone "$url" one -q; walk two >walk.two; walk one >walk.one; cmp walk.one walk.two && echo back
      b restore origin/big1 src/twin --to "$FOLDER/part" -q; wc -l <part/src/twin
      b remote list | grep -c "$url"
      """)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "=0", "few", "unchanged", "same", "b", "back", "20000", "1",
      ], "\(run.output)\(run.errors)")
  }

  @Test func faultsOnTheWayLoseNothing() throws {
    let run = try run(
      """
      engine e; fill; walk one >walk.one; add
      fail 'PUT packs 2 status 503 SlowDown' 'POST packs 1 drop' 'PUT index 1 lose' 'PUT refs 1 status 500' \
        'GET list-type 1 truncate' 'GET keys 1 drop'
      a push -q; echo "=$?"
      fail 'GET packs 2 truncate' 'GET packs 1 drop' 'GET index 1 status 503' 'GET list-type 1 rubbish'
      memento clone "$url" two -q; echo "=$?"; walk two >walk.two; cmp walk.one walk.two && echo same
      # What is falsified is found out, and the next one is right.
      fail 'GET packs 1000 falsify'; memento clone "$url" three -q 2>err; echo "=$?"
      fail; memento clone "$url" three -q; echo "=$?"; walk three >walk.3; cmp walk.one walk.3 && echo same
      """)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 6 && lines[0..<3] == ["=0", "=0", "same"], "\(run.output)\(run.errors)")
    #expect(lines.suffix(3).dropFirst() == ["=0", "same"] && lines[3] != "=0", "\(run.output)\(run.errors)")
  }

  /// Each with its own word, in at most three lines, and with no secret in them.
  @Test func whatIsWrongHasItsWord() throws {
    let run = try run(
      """
      engine e; engine plain; fill
      say() {
        word=$1; shift; "$@" 2>err; status=$?
        if [ $status = 15 ] && [ "$(wc -l <err)" -le 3 ] && grep -q "$word" err && ! grep -qE 'secret/of|correct horse' err
        then echo ok; else echo "$word: $status"; cat err; fi
      }
      add() { a remote add x "$1" --recovery-key "$FOLDER/key"; }
      say 'there is no bucket none' add "s3://none/r?endpoint=http://127.0.0.1:$port"
      AWS_ACCESS_KEY_ID=other say 'denies access: the access key is not known' add "$url"
      AWS_SECRET_ACCESS_KEY=other say 'denies access: the secret' add "$url"
      (unset AWS_ACCESS_KEY_ID; say 'no credentials' add "$url")
      say 'cannot be reached: .*no connection' add "s3://bucket/r?endpoint=http://127.0.0.1:1"
      fail '* * 99 clock -7200'; say 'the clock here is 120 minutes ahead' add "$url"
      fail '* * 99 status 403 QuotaExceeded'; add "$url" 2>err; echo "=$?"; grep -c 'is full: no space or quota' err
      fail '* * 99 status 500'; say 'has failed' add "$url"; fail
      engine tls certificate="$CERTIFICATES/host.pem" private="$CERTIFICATES/host-private.pem"
      tls="s3://bucket/r?endpoint=https://localhost:$port"
      say 'is not trusted' add "$tls"
      export AWS_CA_BUNDLE="$CERTIFICATES/authority.pem"; add "$tls" >/dev/null && echo trusted
      ls key
      """)
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0 == "ok" }.count == 8, "\(run.output)\(run.errors)")
    #expect(lines.contains("=15") && lines.suffix(2) == ["trusted", "key"], "\(run.output)\(run.errors)")
  }

  @Test func theConfigOfTheUserCompletesTheURL() throws {
    let run = try run(
      """
      engine e region=mars-1; fill; bare=s3://bucket/team/r
      memento config --user s3-endpoint "http://127.0.0.1:$port" -q
      memento config --user s3-region mars-1 -q; memento config --user s3-path-style true -q
      memento config --user s3-path-style perhaps 2>/dev/null; echo "=$?"; a config s3-region x 2>/dev/null; echo "=$?"
      a remote add origin $bare --recovery-key "$FOLDER/key" -q; a push -q; echo "=$?"
      a remote list | grep -o 's3://.*true'| sed "s/$port/PORT/"; memento clone $bare two -q; echo "=$?"
      # The same again, by the same config, is the same remote.
      a remote add origin $bare -q; echo "=$?"
      # The helper gets no passphrase.
      : >e/log; fail 'GET list-type 1 delay 3'; a list origin/ >/dev/null &
      until [ -s e/log ]; do sleep 0.05; done
      for environ in /proc/[0-9]*/environ; do
        if grep -qz "^FOLDER=$FOLDER" "$environ" 2>/dev/null && readlink "${environ%environ}exe" | grep -q memento-remote-s3; then
          echo helper; grep -cz MEMENTO_PASSWORD "$environ"
        fi
      done; wait %+
      """)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "=2", "=2", "=0", "s3://bucket/team/r?endpoint=http://127.0.0.1:PORT&region=mars-1&path-style=true", "=0", "=0",
        "helper", "0",
      ], "\(run.output)\(run.errors)")
  }
}

extension Trait where Self == ConditionTrait {
  static var needsHelper: Self {
    .enabled(if: Machine.hasBucketHelper && Machine.has("python3"), "the helper of buckets or python3 is missing")
  }
}
