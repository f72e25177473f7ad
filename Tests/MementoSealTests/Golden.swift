// Bytes that every version must make and read, and that docs/format.md shows. Tools/memento-read.py reads them as well.

enum Golden {
  static let slot = """
    memento key 1
    repository 000102030405060708090a0b0c0d0e0f
    slot 0011223344556677
    made 2026-06-01T14:00:00.000000000Z
    kind passphrase
    scrypt 2 1 1
    salt 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
    label 404142434445464748494a4b10fc5cd88115b2e2c30a4fcd1f6930a9e8da7aadadcf5762be79c17b718aeb5001401040702d030f94e5d\
    8d9427d9390eb78d7556878f6f703819f041ca927ef2f9a6db9be8322f28aa4a750488f13ae
    key 525c34a4789d213d44ccda65060d617d68ca848e18717c477609f68ad96b4f5261342f4022bb7d7b98375e2a6761016c

    """

  /// The name that `Sample.pack` has in the storage, with the key of the samples.
  static let packName =
    "packs/b7/b71de260900798fe8a5d4fd1b34362b7bfae55e0189c14353a9b12faaed038a2d5cfcb73a8eebea0750dd884e35f6827"

  /// What "memento" becomes under the name refs/a/1, with key and salt of the samples.
  static let object = """
    6d656d656e746f207365616c65642031202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3ff6998c9c9dd21f7f\
    ef8c65a61eff407d8475e776df1c312a3ba83dba145bb0f59c2cbd6b491844631662dd49948bca
    """

  /// The SHA-256 of what 200,000 bytes become under the name refs/a/1: byte n is n modulo 251.
  static let longObject = "55f4ac07b46e4512d2a6b6a3bde51a002004c95fbce034e77f7704348aa0afea"
}
