// Finds out whether the next byte begins a new line. A command that ran before may have left its last line unfinished.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum LineStart {
  /// True only if it is certain that the next byte begins a line. In a file, the byte before the current position shows
  /// it. On a pipe or a terminal it is unknown what others have written.
  static func isCertain(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0 else { return false }
    let place = flags & O_APPEND != 0 ? status.st_size : lseek(descriptor, 0, SEEK_CUR)
    if place <= 0 { return place == 0 }
    var last: UInt8 = 0
    if pread(descriptor, &last, 1, place - 1) == 1 { return last == UInt8(ascii: "\n") }
    // Standard error is often open for writing only, so the file is opened again for reading.
    let copy = open("/dev/fd/\(descriptor)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard copy >= 0 else { return false }
    defer { close(copy) }
    var same = stat()
    guard fstat(copy, &same) == 0, same.st_ino == status.st_ino, same.st_dev == status.st_dev else { return false }
    return pread(copy, &last, 1, place - 1) == 1 && last == UInt8(ascii: "\n")
  }
}
