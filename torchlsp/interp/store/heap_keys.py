"""Names the keys under which the heap holds what the analysis knows of an object beside its attributes.

The heap maps (ref, key) to anything. A key without `@` is the name of an attribute; `"[]"` is the items of a sequence and
`"{}"` the entries of a mapping. The ref `"*"` stands for all objects.
"""

from __future__ import annotations

OF_ROOT = "self@"
"""Begins the ref of the object whose methods are analysed by themselves, with no creation in sight."""

# ---- objects ------------------------------------------------------------------------------------------------------------

ATTRIBUTES = "@attributes"
"""Names of the attributes that were set on an object, in the order of their first setting."""
BASE = "@base"
"""The layer that an object is by its base class."""
BUFFERS = "@buffers"
"""Names of an object's registered buffers."""
DELETED = "@deleted"
"""Whether an attribute of the object was deleted, or may have been."""
UNREADY = "@unready"
"""Whether `Module.__init__` has not run on the object yet."""
UNMADE = "@unmade"
"""Whether the object's `__init__` raises on the path, so that there is no such object."""

# ---- layers and modules -------------------------------------------------------------------------------------------------

DEVICE = "@device"
"""The device of a module's parameters."""
DTYPE = "@dtype"
"""The dtype of a module's parameters."""
GRAD = "@grad"
"""Whether a module's parameters require gradients."""
MEMORY = "@memory"
"""The memory format of a module's parameters."""
TRAINING = "@training"
"""Whether a module is in training mode."""
AGAIN = {DEVICE: "@device again", DTYPE: "@dtype again", TRAINING: "@training again"}
"""By key, whether a module's device, dtype or training mode changed after functions had called it, or more than once."""
CALLED = "@called"
"""Whether a function has called the module while the module's body runs."""
FROZEN = "@frozen"
"""Under `"*"`: whether `requires_grad` was set on parameters of an unknown module."""
CHANGED = "@changed"
"""Names of a layer's weights and displayed sizes that were assigned on every path."""
RESIZED = "@resized"
"""Whether parameters of a layer may have been replaced by others of another size."""

# ---- data loaders, optimizers and files ---------------------------------------------------------------------------------

BATCH_SIZE = "@batch"
"""Under the name of a generic size: whether it is the batch size of a loader."""
GIVEN = "@given"
"""The arguments that a loader was created with."""
USED = "@used"
"""Whether an iterator of parameters is exhausted."""
RESUMED = "@resumed"
"""Whether the groups of an optimizer may have `initial_lr`, which resuming a scheduler needs."""
STEPPED = "@stepped"
"""Whether a method other than a question was called on a scheduler since it was created."""
SAVED = "@saved"
"""As the ref, with the path of a file as the key: what `torch.save` has written there."""
COPIES = "@copies"
"""Whether a parallel wrapper may return copies of what its module has returned."""
OF_OTHER_CLASS = "@of other class"
"""Whether names of a module may stand for the compiled module, which is not of its class."""
COMPILED = "@compiled"
"""As the ref, with the place of an attribute or name as the key: the compiled module that it was assigned."""

# ---- calls, the autograd graph and time ---------------------------------------------------------------------------------

RECURRENT = "@recurrent"
"""Under the position of a call of a recurrent layer: the layer, its input and how it was called."""
PLACED = "@placed"
"""The device to which an argument of unknown type was moved."""
WRITTEN = "@written"
"""The last in-place write to a storage, or to the parameters of a layer."""
FREED = "@freed"
"""The backward pass that freed a node of the autograd graph."""
REACHED = "@reached"
"""The backward pass that reached a layer."""
RETAINED = "@retained"
"""Whether `retain_grad` was called on a tensor with this storage; under `"*"`, on an unknown one."""
BACKWARD = "@backward"
"""Under `"*"`: the last backward pass."""
KEPT = "@kept"
"""The last backward pass with `retain_graph=True` that reached a node of the autograd graph."""
QUEUED = "@queued"
"""The first work that was queued on a GPU since a reading of the clock; `NO` if nothing is queued."""
SINCE = "@since"
"""With the ref of an earlier reading of the clock: what was queued between the two."""
