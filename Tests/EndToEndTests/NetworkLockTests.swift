// NFS refuses an exclusive lock on a file that was opened for reading only. A preloaded library behaves in the same
// way.

import MementoSystem
import TestSupport
import Testing

@Suite(.needsProgram, .enabled(if: Machine.has("cc"), "there is no C compiler"))
struct NetworkLockTests {
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <sys/file.h>
    #include <unistd.h>
    int flock(int file, int operation) {
      if (write(open("asked", O_WRONLY | O_CREAT | O_APPEND, 0600), "f", 1) != 1) return -1;
      int mode = fcntl(file, F_GETFL) & O_ACCMODE;
      if ((operation & LOCK_EX && mode == O_RDONLY) || (operation & LOCK_SH && mode == O_WRONLY)) {
        errno = EBADF;
        return -1;
      }
      return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, operation);
    }
    """

  @Test func everyCommandLocksWhatItMayWrite() throws {
    let shell = try Shell()
    try shell.directory.write("shim.c", NetworkLockTests.source.bytes)
    let made = try Launch(["cc", "-shared", "-fPIC", "-o", "shim.so", "shim.c", "-ldl"], in: shell.path)
    try #require(made.status == 0, "\(made.errors)")
    try shell.directory.descriptor.makeDirectory("work".bytes)
    let folder = shell.path + "/work"
    func run(_ arguments: String...) throws {
      let run = try Launch(
        [Machine.program, "-C", folder] + arguments, in: shell.path, input: "text".bytes,
        environment: ["LD_PRELOAD": shell.path + "/shim.so"])
      #expect(run.status == 0, "\(arguments): \(run.errors)")
    }
    try shell.directory.write("work/a", "first".bytes)
    try run("save", "one")
    try shell.directory.write("work/a", "second".bytes)
    try run("save", "two")
    try run("save", "value", "--stdin")
    try run("restore", "one")
    try run("undo")
    try run("redo")
    try run("rename", "two", "three")
    try run("delete", "three")
    try run("gc")
    try run("verify", "--read-data")
    try run("verify", "--repair")
    #expect(try shell.directory.read("work/a") == "first".bytes)
    // If nothing calls the shim, this test checks nothing.
    #expect(shell.directory.exists("asked"))
  }
}
