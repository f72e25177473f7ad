import TestSupport
import Testing

/// The owner of a store, and the files that root leaves in the store of another user.
@Suite(.needsProgram, .needsRoot, .enabled(if: Machine.has("setpriv"), "setpriv is missing"))
struct OwnerTests {
  private let shell: Shell
  /// In a script, `sudo_memento` is the program run by root for the user `nobody`.
  private let prelude = """
    sudo_memento() { SUDO_UID=65534 "$PROGRAM" "$@"; }
    foreign() { find "$@" ! -user 65534; }
    cd work

    """

  init() throws {
    shell = try Shell()
    _ = try shell.run("chmod 755 . && mkdir work && chown 65534:65534 work")
  }

  @Test func whatRootWritesBelongsToTheOwnerOfTheStore() throws {
    let run = try shell.run(
      prelude + """
        nobody sh -c 'echo a > a; "$PROGRAM" save one -q'
        rm -r .memento/journal .memento/*lock .memento/index .memento/cache
        nobody sh -c 'echo b > b'; sudo_memento save two -m 'by root' --exclude '*.o' -q
        nobody sh -c 'seq 600 > many'; sudo_memento save many -q
        echo v | sudo_memento save value --stdin -q; sudo_memento rename value other -q
        sudo_memento restore one -q; sudo_memento undo -q; sudo_memento redo -q; sudo_memento delete two -q
        sudo_memento gc -q; sudo_memento verify --read-data -q; sudo_memento verify --repair -q
        foreign .memento; ls .memento/tmp
        status nobody "$PROGRAM" save three -q; status nobody "$PROGRAM" restore many -q
        status nobody "$PROGRAM" gc -q; status nobody "$PROGRAM" verify --read-data -q
        """)
    #expect(run.output == "=0\n=0\n=0\n=0\n", "\(run.output)\(run.errors)")
    #expect(run.errors.isEmpty, "\(run.errors)")
  }

  /// More than 512 states are kept in a file of their own. Damaged parts are moved to a folder of their own.
  @Test func foldersThatRootAddsBelongToTheOwnerOfTheStore() throws {
    let run = try shell.run(
      prelude + """
        nobody sh -c 'echo a > a; "$PROGRAM" save one -q; "$PROGRAM" save two -q'
        echo torn > .memento/refs; sudo_memento verify --repair -q; ls .memento/damaged
        foreign .memento
        status nobody "$PROGRAM" save three -q
        """)
    #expect(run.output == "refs\n=0\n", "\(run.output)\(run.errors)")
  }

  /// Root must not give an existing file away: it may be a hard link to a file that the user must not have.
  @Test func whatRootFindsInTheStoreIsNotGivenAway() throws {
    let run = try shell.run(
      prelude + """
        nobody sh -c 'echo a > a; "$PROGRAM" save one -q; rm -f .memento/*.lock .memento/journal'
        echo secret > ../secret; chmod 600 ../secret; for i in packs.lock folder.lock journal; do ln ../secret .memento/$i; done
        sudo_memento save two -q
        stat -c %u ../secret .memento/packs.lock .memento/folder.lock .memento/journal
        """)
    #expect(run.output == "0\n0\n0\n0\n", "\(run.output)\(run.errors)")
  }

  /// Both the folder and the store must be trusted, each as it was opened.
  @Test func foldersAndStoresOfOthersAreUsedOnlyWhereTheyAreTrusted() throws {
    let run = try shell.run(
      prelude + """
        mkdir -p ../home/.config/memento; export HOME=$(realpath ../home)
        nobody sh -c 'echo a > a; "$PROGRAM" save one -q'
        status memento list -q; status memento save x -q; status memento status -q
        status memento --store .memento list -q; status memento --store .memento save x -q
        echo "trust = $PWD" > ../home/.config/memento/config
        status memento list -q; status memento save x -q; status memento restore one -q
        echo "trust = $(realpath ..)/*" > ../home/.config/memento/config; status memento status -q
        echo "trust = *" > ../home/.config/memento/config; status memento status -q
        echo "trust = $PWD/other" > ../home/.config/memento/config; status memento status -q
        chown -R 65534 ../home/.config; chmod 755 ../home; echo "trust = *" > ../home/.config/memento/config
        status memento status -q; foreign .memento
        # A folder of one's own with the store of another, and the other way round.
        mkdir ../mine; cp -a .memento ../mine; cd ../mine; chmod 755 .; status memento list -q
        chown -R 0:0 .memento; chown 65534 .; status memento list -q; status memento status -q; status memento restore one -q
        cd ..; mkdir new; chown 65534 new; cd new; status memento save x -q; status memento init -q; ls -A
        """)
    let statuses = run.output.split(separator: "\n").filter { $0.first == "=" }.joined(separator: " ")
    #expect(
      statuses == "=1 =1 =1 =0 =1 =0 =0 =0 =0 =0 =1 =1 =1 =0 =1 =1 =1 =1", "\(run.output)\(run.errors)")
  }

  @Test func aPlantedStoreIsNoObstacle() throws {
    let run = try shell.run(
      """
      chmod 1777 .; mkdir .memento; echo 'format = 99' > .memento/config; echo /elsewhere > .memento/store
      cd work; nobody sh -c 'mkdir deep; cd deep; echo a > a; "$PROGRAM" save one -q; "$PROGRAM" list -q | cut -c1-6'
      nobody "$PROGRAM" save -n above 2>&1 >/dev/null | grep -c 'passed over'
      cd deep; rm -r .memento ../../.memento; ln -s /etc ../../.memento; mkfifo ../.memento
      status nobody "$PROGRAM" save two -q; rm ../.memento
      """)
    #expect(run.output == "*  one\n1\n=0\n", "\(run.output)\(run.errors)")
  }

  @Test func whatRootMakesForAUserBelongsToTheUser() throws {
    let run = try shell.run(
      prelude + """
        echo a > a; chown 65534 a; mkdir ../stores
        sudo_memento save one -q; foreign .memento; status nobody "$PROGRAM" save two -q
        rm -r .memento; sudo_memento save one -q --store ../stores/s; foreign .memento ../stores/s
        chmod 755 ../stores; status nobody "$PROGRAM" save two -q
        """)
    #expect(run.output == "=0\n=0\n", "\(run.output)\(run.errors)")
  }
}
