import TestSupport
import Testing

/// Root restores from the store of another user, or into the folder of one. Nothing in it may make root give rights
/// away.
@Suite(.needsProgram, .needsRoot, .enabled(if: Machine.has("setpriv"), "setpriv is missing"))
struct ForeignFolderTests {
  private let shell: Shell
  private let prelude = """
    cd work
    look() { stat -c '%A %u:%g %n' "$@" 2>/dev/null; }
    save_everything() {
      echo plain > plain; echo program > program; echo root > root; mknod device c 1 3; mkfifo pipe; mkdir folder
      chown -h 65534:65534 plain program pipe folder; chown 0:0 root device; chmod 4755 program; chmod 2775 folder
      chmod 4711 root; chmod 640 plain; chmod 600 pipe
      "$@" save one -q; rm -r plain program root device pipe folder
    }

    """

  init() throws {
    shell = try Shell()
    _ = try shell.run("chmod 755 . && mkdir work store && chown 65534:65534 work")
  }

  private func changeStoreOwner(_ body: String) -> String {
    prelude + """
      export SUDO_UID=65534
      save_everything "$PROGRAM"; chown -R 65534:65534 .memento

      """ + body
  }

  @Test(arguments: ["restore one", "restore one --to ../copy", "undo"])
  func aStoreOfAnotherUserHandsOutNothing(_ command: String) throws {
    let run = try shell.run(
      changeStoreOwner(
        """
        \(command == "undo" ? "\"$PROGRAM\" save two -q" : ":")
        status "$PROGRAM" \(command) -q
        [ -d ../copy ] && cd ../copy; look *
        """))
    #expect(
      run.output
        == "=3\ndrwxrwsr-x 65534:65534 folder\nprw------- 65534:65534 pipe\n-rw-r----- 65534:65534 plain\n"
        + "-rwxr-xr-x 65534:65534 program\n-rwx--x--x 65534:65534 root\n", "\(run.output)\(run.errors)")
    #expect(run.errors.contains("device: device not restored: "), "\(run.errors)")
    #expect(run.errors.contains("program: setuid and setgid not restored: "), "\(run.errors)")
    #expect(run.errors.contains("owner not restored, here and elsewhere: "), "\(run.errors)")
    #expect(run.errors.contains("--as-recorded"), "\(run.errors)")
  }

  @Test(arguments: ["restore one", "restore one --to ../copy", "undo"])
  func asRecordedRestoresAllOfIt(_ command: String) throws {
    let run = try shell.run(
      changeStoreOwner(
        """
        \(command == "undo" ? "\"$PROGRAM\" save two -q" : ":")
        status "$PROGRAM" \(command) --as-recorded -q
        [ -d ../copy ] && cd ../copy; look *
        """))
    #expect(
      run.output
        == "=0\ncrw-r--r-- 0:0 device\ndrwxrwsr-x 65534:65534 folder\nprw------- 65534:65534 pipe\n"
        + "-rw-r----- 65534:65534 plain\n-rwsr-xr-x 65534:65534 program\n-rws--x--x 0:0 root\n",
      "\(run.output)\(run.errors)")
    #expect(run.errors.isEmpty, "\(run.errors)")
  }

  /// Root trusts the owners in its own store. But setuid programs and the like are not restored into the folder of
  /// another user.
  @Test func aFolderOfAnotherUserGetsNoPrivileges() throws {
    let run = try shell.run(
      prelude + """
        mkdir -p ../home/.config/memento; export HOME="$(realpath ../home)"
        echo "trust = $PWD" > ../home/.config/memento/config
        export MEMENTO_STORE="$FOLDER/store/s"
        save_everything "$PROGRAM"; chown -R 0:0 "$MEMENTO_STORE"
        status "$PROGRAM" restore one -q; look *; status "$PROGRAM" restore one -q --as-recorded; look *
        """)
    #expect(
      run.output
        == "=3\ndrwxrwsr-x 65534:65534 folder\nprw------- 65534:65534 pipe\n-rw-r----- 65534:65534 plain\n"
        + "-rwxr-xr-x 65534:65534 program\n-rwx--x--x 0:0 root\n"
        + "=0\ncrw-r--r-- 0:0 device\ndrwxrwsr-x 65534:65534 folder\nprw------- 65534:65534 pipe\n"
        + "-rw-r----- 65534:65534 plain\n-rwsr-xr-x 65534:65534 program\n-rws--x--x 0:0 root\n",
      "\(run.output)\(run.errors)")
  }

  /// A change of owner removes capabilities, so they are set again.
  @Test(.enabled(if: Machine.has("setcap", "getcap"), "setcap is missing"))
  func capabilitiesOutliveAChangeOfOwner() throws {
    let run = try shell.run(
      """
      echo program > program; setcap cap_net_raw+ep program; memento save one -q
      chown 12:34 program; setcap cap_net_raw+ep program
      status memento restore one -q; getcap program; stat -c %u:%g program; status memento status --exit-code -q >/dev/null
      """)
    #expect(run.output == "=0\nprogram cap_net_raw=ep\n0:0\n=0\n", "\(run.output)\(run.errors)")
  }

  /// Capabilities in the store of another user are not restored.
  @Test(.enabled(if: Machine.has("setcap", "getcap"), "setcap is missing"))
  func capabilitiesAreNotHandedOut() throws {
    let run = try shell.run(
      prelude + """
        export SUDO_UID=65534
        echo program > program; chown 65534:65534 program; setcap cap_setuid+ep program
        "$PROGRAM" save one -q; chown -R 65534:65534 .memento; rm program
        status "$PROGRAM" restore one -q; getcap program
        status "$PROGRAM" restore one -q --as-recorded; getcap program
        """)
    #expect(run.output == "=3\n=0\nprogram cap_setuid=ep\n", "\(run.output)\(run.errors)")
  }

  /// In tmp/ of another user's store, root removes only the staging folders of restores.
  @Test func aFolderThatWasPutIntoTheStoreIsNotRemoved() throws {
    let run = try shell.run(
      prelude + """
        nobody sh -c 'echo a > a; "$PROGRAM" save one -q'
        mkdir secret; echo secret > secret/file; mkdir secret/inner; chmod 700 secret
        mv secret .memento/tmp/restore-1-1; echo b > b
        export SUDO_UID=65534; status "$PROGRAM" save two -q; status "$PROGRAM" gc -q
        cat .memento/tmp/restore-1-1/file; ls -d .memento/tmp/restore-1-1/inner
        """)
    #expect(run.output == "=0\n=0\nsecret\n.memento/tmp/restore-1-1/inner\n", "\(run.output)\(run.errors)")
  }
}
