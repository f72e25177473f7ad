// What the way to a bucket can do to answers, seen through the program: nothing is lost, nothing hangs, and the message says
// what it was.

import TestSupport
import Testing

@Suite(.needsProgram, .needsHelper) struct BucketProxyTests {
  private let shell: Shell

  init() throws {
    shell = try Shell()
  }

  /// What goes wrong with every request for a pack, and how a push and a clone end meanwhile: the statuses that may be, and
  /// a word of the message.
  private struct Fault {
    let name: String
    let rule: String
    let push: [Int]
    let pushWord: String
    let clone: [Int]
    let cloneWord: String

    init(_ name: String, _ rule: String, push: [Int], _ pushWord: String, clone: [Int], _ cloneWord: String) {
      self.name = name
      self.rule = rule
      self.push = push
      self.pushWord = pushWord
      self.clone = clone
      self.cloneWord = cloneWord
    }
  }

  private static let lost = "the connection was lost"
  private static let faults = [
    Fault("drop", "drop", push: [15], lost, clone: [15], lost),
    Fault("lose", "lose", push: [15], lost, clone: [15], lost),
    // The answer to a put has no content.
    Fault("cut", "truncate", push: [0], "", clone: [15], lost),
    Fault("hang", "hang", push: [15], "no progress for 30 seconds", clone: [15], "no progress for 30 seconds"),
    Fault("delay", "delay 2", push: [0], "", clone: [0], ""),
    Fault("falsify", "falsify", push: [0], "", clone: [13], "is not what its name says|cannot be unpacked"),
    // It may end the helper, or be taken for another answer and be found out.
    Fault("repeat", "repeat", push: [0, 13, 15], "", clone: [0, 13, 15], ""),
    Fault("s500", "status 500", push: [15], "has failed: .*status 500", clone: [15], "has failed: .*status 500"),
    Fault("s503", "status 503 SlowDown", push: [15], "has failed: .*SlowDown", clone: [15], "has failed: .*SlowDown"),
    Fault("redirect", "redirect http://example.org/", push: [15], "sends elsewhere", clone: [15], "sends elsewhere"),
    Fault("page", "page", push: [13], "an answer .* makes no sense", clone: [13], "ends too early"),
    Fault("rubbish", "rubbish", push: [15], lost, clone: [15], lost),
    Fault("inside", "inside", push: [13], "an answer .* makes no sense", clone: [13], "ends too early"),
  ]

  /// Prints for each fault: its name, the statuses of a push and of a clone while it lasts and when it is over, and whether
  /// the clone is the folder.
  @Test func whatLastsIsNamedAndLosesNothing() throws {
    let rules = BucketProxyTests.faults.map { "\($0.name) \($0.rule)" }.joined(separator: "\n")
    let run = try shell.run(
      BucketTests.prelude + """
        (cd one; seq 20000 >large; head -c 3000000 /dev/urandom >random); a save first -q; walk one >walk.one
        lasting() {
          name=$1; shift; engine "$name.engine"; url="s3://bucket/r?endpoint=http://127.0.0.1:$port"
          a remote add "$name" "$url" --plain -q
          fail "PUT packs 999 $*"; a push "$name" -q 2>"$name.push"; said=$?
          fail; a push "$name" -q; said="$said $?"
          fail "GET packs 999 $*"; memento clone "$url" "$name" -q 2>"$name.clone"; said="$said $?"
          fail; memento clone "$url" "$name" -q; said="$said $?"
          walk "$name" >"walk.$name"; cmp "walk.$name" walk.one && said="$said same"
          echo "$name $said"
          kill $engines
        }
        while read -r words; do (trap - EXIT; lasting $words) & done <<<"$RULES"
        wait
        """, environment: BucketTests.environment.merging(["RULES": rules]) { $1 }, timeout: 600)
    let lines = run.output.split(separator: "\n").map(String.init)
    for fault in BucketProxyTests.faults {
      let words = lines.first { $0.hasPrefix("\(fault.name) ") }?.split(separator: " ").map(String.init) ?? []
      try #require(words.count == 6, "\(fault.name): \(words) \(run.errors)")
      #expect(fault.push.contains(Int(words[1]) ?? -1) && words[2] == "0", "\(words)")
      #expect(fault.clone.contains(Int(words[3]) ?? -1) && words[4] == "0" && words[5] == "same", "\(words)")
      for (what, word) in [("push", fault.pushWord), ("clone", fault.cloneWord)] {
        let said = String(decoding: try shell.directory.read("\(fault.name).\(what)"), as: UTF8.self)
        #expect(try word.isEmpty || said.contains(Regex(word)), "\(fault.name), \(what): \(said)")
        #expect(said.split(separator: "\n").count <= 3, "\(fault.name), \(what): \(said)")
        #expect(!said.contains("secret/of"))
      }
    }
  }

  /// async-http-client 1.37 may end over an answer that comes twice, and the helper with it. By design the command then ends
  /// with 15; or with 13, when the answer was taken for that to a read of the same range of another object. What it had begun
  /// is finished by the next one, and nothing is damaged.
  @Test func answersThatComeTwice() throws {
    let run = try shell.run(
      BucketTests.prelude + """
        (cd one; seq 20000 >large; head -c 300000 /dev/urandom >random); a save first -q; engine e; add
        ends() { case $1 in 0) echo right ;; 13 | 15) [ "$(wc -l <err)" -le 3 ] && echo right || cat err ;; *) echo "$1"; cat err ;; esac; }
        for round in 1 2 3 4; do
          echo "$round" >one/small; a save first -q; fail '* * 999 repeat'; a push -q 2>err; ends $?; fail
        done
        a push -q; echo "=$?"; a verify --remote origin --read-data -q; echo "=$?"
        fail '* * 999 repeat'; memento clone "$url" two -q 2>err; ends $?; fail; memento clone "$url" two -q; echo "=$?"
        walk one >walk.one; walk two >walk.two; cmp walk.one walk.two && echo same
        """, environment: BucketTests.environment)
    #expect(
      run.output.split(separator: "\n").map(String.init) == [
        "right", "right", "right", "right", "=0", "=0", "right", "=0", "same",
      ], "\(run.output)\(run.errors)")
  }
}
