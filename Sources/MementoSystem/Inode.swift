// Whoever reads files reads what an inode says, and times: these modules come along.

@_exported public import MementoInode
@_exported public import MementoTime
