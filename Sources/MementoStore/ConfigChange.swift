// Replaces `config` of a store that is in use.

package import MementoSystem

extension Store {
  /// The bytes of `config` as they are now, or those of its second copy if it has rotted: what is changed is written
  /// anew, and must not keep the rot. Another process may have changed it since the store was opened.
  package func configNow() throws(StoreError) -> [UInt8] {
    try Store.healedConfig(in: folder.root).bytes
  }

  /// Replaces `config` in one step: nobody else replaces it between reading and renaming. `change` gets its bytes and
  /// returns the new ones; if it throws, nothing is written, and its error is the failure. The new file is durable when
  /// this returns. This open store goes on with the config that it has read before.
  ///
  /// `lock`: keeps the store from being upgraded meanwhile, which rewrites `config` as well.
  package func changeConfig<Use: StoreUse, Failure: Error>(
    holding lock: borrowing StoreLock<Use>, waiting wait: LockWait, _ change: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(StoreError) -> Result<[UInt8], Failure> {
    let turn = try lockFile(StoreFolder.refsLockName, in: folder.root, .exclusive, waiting: wait)
    return try changeConfig(lock, turn, change)
  }

  private func changeConfig<Use: StoreUse, Failure: Error>(
    _ lock: borrowing StoreLock<Use>, _ turn: borrowing FileLock, _ change: ([UInt8]) throws(Failure) -> [UInt8]
  ) throws(StoreError) -> Result<[UInt8], Failure> {
    let old = try configNow()
    let new: [UInt8]
    do throws(Failure) {
      new = try change(old)
    } catch {
      return .failure(error)
    }
    try lock.check()
    if new != old { try folder.replaceConfig(with: new) }
    return .success(new)
  }

  /// Writes the second copy of a config of which every line is understood. The next save gives it the time of `config`.
  package func backUp(config: [UInt8]) {
    StoreBackup(folder).keep(config, of: StoreFolder.configName, modified: nil)
  }
}

extension StoreFolder {
  /// Replaces `config`, durably also with `--no-sync`: a torn one would make the whole store unreadable. The new file has
  /// the permissions of the old one.
  func replaceConfig(with bytes: [UInt8]) throws(StoreError) {
    try onFile("write", "config") { () throws(Errno) in
      let permissions = try root.status(of: StoreFolder.configName).permissions
      let file = try makeTemporary("config")
      try file.file.descriptor.setPermissions(permissions)
      try file.write(bytes)
      try file.place(as: StoreFolder.configName, in: root, durable: true)
    }
  }
}
