"""Lists torch's messages, from 2.1 on, for each kind of fault that one call shows."""

from __future__ import annotations

from torchlsp.core.finding import Raises
from torchlsp.facts.fault import FaultKind

_SHAPES_DIFFER = {
    FaultKind.BROADCAST: Raises(
        "must match the (size|existing size)|shape mismatch|broadcast|must match|expanded size of the tensor", "Exception"
    ),
    FaultKind.INPLACE_SHAPE: Raises("doesn't match the broadcast shape|must match|must be the same size", "Exception"),
    FaultKind.DIM_RANGE: Raises("Dimension out of range|[Dd]imension specified as|dim", "Exception"),
    FaultKind.INDEX: Raises("out of bounds|out of range|too many indices|invalid index|k not in range|only integers", "Exception"),
    FaultKind.EINSUM: Raises(
        r"einsum\(\)|both dimension lists|contracted dimensions|tensordot expects|Dimension out of range", "Exception"
    ),
    FaultKind.PERMUTE_DIMS: Raises(
        r"number of dimensions in the tensor input|duplicate dims|repeated dim|number of dimensions as|appears multiple times"
        r"|rotation dims|transpose\(\)",
        "Exception",
    ),
    FaultKind.INDEX_SHAPE: Raises(
        "same number of dimensions|to be no larger than|supposed to be a vector|Number of indices|tensor shape must match"
        "|vector/scalar|imensionality must match|Dimension out of range",
        "Exception",
    ),
    FaultKind.RANK: Raises(r"\d-?D|[Dd]imension|dims|normalized_shape|scalar|vector|matri", "Exception"),
    FaultKind.ARGUMENT: Raises(r"\w", "Exception"),  # each function says it in its own words
    FaultKind.SIZE: Raises(
        "[Ee]xpected|divisible|must|should|can not|can't|can only|only integer tensors|only one element|too small|mismatch|out of range"
        "|larger",
        "Exception",
    ),
}  # fmt: skip
STATES_REFUSED = Raises(r"index 1 is out of bounds|\bhx\b|hidden|not enough values", "Exception")
"""The message for one tensor in the place of an LSTM's two states."""
_SIZES_DIFFER = Raises(
    r"cannot be multiplied|batch2 tensor to be|size mismatch|inconsistent tensor size|Incompatible matrix sizes|last dimension"
    r"|does not broadcast|contracted dimensions|must match|does not match weight size|to have \d+ channels|should contain \d+ "
    r"|normalized_shape=|size equal to the number of channels|divisible by num_groups|num_features|input_size"
    r"|embedding dimension",
    "Exception",
)
DEVICES_DIFFER = Raises("on the same device|on different devices|indices should be either on cpu")
EXPECTED_ERRORS = {
    **_SHAPES_DIFFER,
    FaultKind.OUT_OF_GRAPH: Raises("don't support automatic differentiation"),
    FaultKind.PACKED_LENGTHS: Raises(
        "must be sorted in decreasing order|should be a 1D CPU int64|to be equal to batch_size|has to be greater than 0"
        "|Expected `len\\(lengths\\)`"
    ),
    FaultKind.LAYER_ARGUMENTS: Raises(
        "be divisible by|not supported for strided|be one of|Only .zeros. padding|be a positive integer|be greater than zero"
        "|be within num_embeddings|has to be between 0 and 1|be a number in range|Unknown nonlinearity",
        "Exception",
    ),
    FaultKind.REDUCE_NAME: Raises("reduce argument must be|Expected reduce to be one of"),
    FaultKind.WRONG_KEYWORD: Raises(
        "unexpected keyword|takes no keyword|invalid combination of arguments", "TypeError"
    ),
    FaultKind.REMOVED_NAME: Raises("is now removed"),
    FaultKind.VIEW_STRIDES: Raises("view size is not compatible"),
    FaultKind.VIEW_NUMEL: Raises(
        "is invalid for input of size|only one dimension can be inferred|cannot reshape tensor of 0 elements|multiply up to the size"
    ),
    FaultKind.MATMUL_INNER: _SIZES_DIFFER,
    FaultKind.LAYER_CHAIN: _SIZES_DIFFER,
    FaultKind.MATMUL_RANK: Raises(
        "must be a (3D tensor|matrix)|1D tensors expected|matrix @ vector expected|need to be at least 1D|must be 2D but got"
        "|Expected 1-D argument|t\\(\\) expects a tensor|expanded size of the tensor|Dimension out of range",
        "Exception",
    ),
    FaultKind.INPLACE_EXPANDED: Raises("more than one element of the written-to tensor"),
    FaultKind.EXPAND: Raises("expanded size of the tensor|number of sizes provided|shape mismatch"),
    FaultKind.CONCATENATE: Raises(
        "Sizes of tensors must match|same number of dimensions|each tensor to be equal size|zero-dimensional tensor"
    ),
    FaultKind.ONE_BY_ONE: Raises("must be tuple of Tensors|positional arguments? but", "TypeError"),
    FaultKind.SPLIT_SIZES: Raises("split_size|not divisible by the split_size"),
    FaultKind.NEGATIVE_STEP: Raises("step must be greater than zero|slice step cannot be zero", "ValueError"),
    FaultKind.MASK_SHAPE: Raises("shape of the mask|too many indices", "IndexError"),
    FaultKind.CE_TARGET_DTYPE: Raises(
        "expected target dtype to be|expected scalar type Long but found|floating point type for target"
    ),
    FaultKind.CE_TARGET_SHAPE: Raises(
        "target tensor expected|[Ee]xpected input batch_size|1D target must have size|size mismatch|Expected target size"
        "|spatial targets supported",
        "Exception",
    ),
    FaultKind.CE_ONEHOT_INT: Raises("floating point type for target with class probabilities"),
    FaultKind.CE_CLASS_DIM: Raises("Expected target size|size mismatch|target tensor expected"),
    FaultKind.BCE_SHAPE: Raises("[Tt]arget size", "ValueError"),
    FaultKind.GRAD_DTYPE: Raises("[Oo]nly Tensors of floating point"),
    FaultKind.NUMPY_ON_DEVICE: Raises("device type tensor to numpy", "TypeError"),
    FaultKind.NUMPY_ON_GRAD: Raises("numpy\\(\\) on Tensor that requires grad"),
    FaultKind.NUMPY_DTYPE: Raises("unsupported ScalarType", "TypeError"),
    FaultKind.BATCH_OF_ONE: Raises("more than 1 value per channel", "ValueError"),
    FaultKind.BITWISE_PRECEDENCE: Raises("not implemented for|Boolean value of Tensor with", "Exception"),
    FaultKind.TRUTH_VALUE: Raises("Boolean value of Tensor with (more than one|no) value"),
    FaultKind.DEVICE_MISMATCH: DEVICES_DIFFER,
    FaultKind.SOURCE_DTYPE: Raises(
        "same dtype|same scalar type|dtypes match|same dtypes|to be equal to src.dtype|have the same"
    ),
    FaultKind.DTYPE_MISMATCH: Raises(
        "same dtype|should be the same|expected scalar type|have the same (d?type|scalar type)|but got|but found|Mismatched|promotion"
        "|to be equal to src.dtype|self and source expected"
    ),
}
"""Torch's messages, from 2.1 on, for the faults that rules report. Other faults are held to their rule's
page."""
