import MementoCLI
runCommandLine()
