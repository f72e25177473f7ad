// Ids and byte readers are what a store is made of: whoever uses the store uses them.

@_exported public import MementoModel
