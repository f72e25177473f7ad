// Makes the repository of a new remote.

internal import MementoModel
internal import MementoObjects
internal import MementoRemote
internal import MementoSeal
internal import MementoStore
internal import MementoSystem

struct RemoteFounding {
  let name: String
  let url: RemoteURL
  let access: RemoteAccess
  let monitor: any Monitor
}
