"""What torch says, from 2.1 on, where shapes, dims and indices do not fit."""

from __future__ import annotations

from torchlsp.core.finding import Raises
from torchlsp.facts.fault import FaultKind

OF_SHAPES = {
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
        "[Ee]xpected|divisible|must|should|can not|can't|can only|too small|mismatch|out of range|larger", "Exception"
    ),
}  # fmt: skip

OF_STATES = Raises(r"index 1 is out of bounds|\bhx\b|hidden|not enough values", "Exception")
"""Of one tensor in the place of an LSTM's two states."""
