// The program: everything is in MementoCLI, where tests can reach it.

import MementoCLI

runCommandLine()
