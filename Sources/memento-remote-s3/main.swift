// memento-remote-s3 URL: what memento starts to reach a bucket. All of it is in MementoS3.

internal import CHeap
internal import MementoS3

#if canImport(Glibc)
  @preconcurrency internal import Glibc
#elseif canImport(Darwin)
  @preconcurrency internal import Darwin
#endif

// The end of the input is what ends this program: uploads are taken back then. An interrupt of the terminal also goes to
// memento, which closes the input.
signal(SIGINT, SIG_IGN)
signal(SIGPIPE, SIG_IGN)

// Parts of objects are given back to the system when they are sent. The C library would keep them for the next ones of each
// thread, which takes twice the memory.
cheap_return_blocks(1 << 20)

var variables: [String: String] = [:]
var place = environ
while let entry = place.pointee {
  let words = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
  if words.count == 2 { variables[String(words[0])] = String(words[1]) }
  place += 1
}

let end = BucketHelper.run(
  Array(CommandLine.arguments.dropFirst()), environment: variables, input: STDIN_FILENO, output: STDOUT_FILENO)
if let complaint = end.complaint {
  let bytes = Array((complaint + "\n").utf8)
  // There is no other place to complain at.
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
exit(end.status)
