"""What a value does when it is read, indexed, iterated or called; the objects of libraries.

There is a file for each kind of object: modules, optimizers, loaders, process groups, einops. Nodes of the IR belong into
`evaluate`, what an operator does to tensors into a row of `torchlsp.ops`.
"""
