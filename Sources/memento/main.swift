// The program: everything is in MementoCLI, where tests can reach it.

import CStart
import MementoCLI

runCommandLine(
  arguments: UnsafeBufferPointer(start: cstart_arguments(), count: Int(cstart_argument_count())))
