// Whether the next byte that is written begins a line. A command that was run may have left its last one unfinished.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum LineStart {
  /// True only where that is certain: in a file the byte before the place of writing tells. Of a pipe or a terminal nobody
  /// can know what has been written there.
  static func isCertain(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0 else { return false }
    let place = flags & O_APPEND != 0 ? status.st_size : lseek(descriptor, 0, SEEK_CUR)
    if place <= 0 { return place == 0 }
    var last: UInt8 = 0
    if pread(descriptor, &last, 1, place - 1) == 1 { return last == UInt8(ascii: "\n") }
    // Standard error is often open for writing only.
    let copy = open("/dev/fd/\(descriptor)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard copy >= 0 else { return false }
    defer { close(copy) }
    var same = stat()
    guard fstat(copy, &same) == 0, same.st_ino == status.st_ino, same.st_dev == status.st_dev else { return false }
    return pread(copy, &last, 1, place - 1) == 1 && last == UInt8(ascii: "\n")
  }
}
