// Everything that uses the store also uses the ids and byte readers of the model.

@_exported public import MementoModel
