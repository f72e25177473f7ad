// The options of commands that send to a remote or receive from it.

import ArgumentParser
import MementoKit

struct TransferArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Send and receive at most so many bytes a second (500k, 20M)", valueName: "RATE"))
  var limitRate: RateArgument?
}
