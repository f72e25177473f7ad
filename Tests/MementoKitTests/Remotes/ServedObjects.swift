// Objects behind the protocol of helpers, which a thread of this process serves.

import MementoObjects
import MementoSystem
import TestSupport
import Testing

@testable import MementoKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

enum ServedObjects {
  /// A connection to a helper that serves `storage` until it is closed.
  static func connect(_ storage: any ObjectStorage) -> RemoteConnection {
    var requests: [Int32] = [0, 0]
    var answers: [Int32] = [0, 0]
    precondition(pipe(&requests) == 0 && pipe(&answers) == 0)
    signal(SIGPIPE, SIG_IGN)
    let (input, output) = (requests[0], answers[1])
    var threads = WorkerThreads()
    let isStarted = threads.start {
      // The client sees how it ends.
      try? ObjectServer(storage, input: input, output: output).run()
      close(input)
      close(output)
    }
    precondition(isStarted)
    threads.detach()
    return RemoteConnection(answers: answers[0], requests: requests[1], finish: { nil })
  }

  /// A connection to a helper that ends at once.
  static func connectToNobody() -> RemoteConnection {
    var requests: [Int32] = [0, 0]
    var answers: [Int32] = [0, 0]
    precondition(pipe(&requests) == 0 && pipe(&answers) == 0)
    signal(SIGPIPE, SIG_IGN)
    close(requests[0])
    close(answers[1])
    return RemoteConnection(answers: answers[0], requests: requests[1], finish: { nil })
  }

  static func access(to storage: any ObjectStorage, host: String) -> RemoteAccess {
    var access = RemoteAccess(
      host: host, connect: { (_) throws(RepositoryError) in connect(storage) },
      unlock: { (_) throws(RepositoryError) in .passphrase("secret".bytes) })
    access.scrypt = RemoteTests.quickScrypt
    return access
  }
}
