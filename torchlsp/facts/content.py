"""Defines facts on a tensor's elements: the least and the greatest of them."""

from __future__ import annotations

from typing import Union

from torchlsp.core.records import dataclass, replace

Number = Union[int, float]


@dataclass(frozen=True, slots=True)
class Content:
    """All elements lie between `low` and `high`, both included.

    `how`: `certain`, elements with these two values are there; `drawn`, the elements are drawn from a range that has both,
    by `randint` or as batches of such a tensor; `padded`, both are the number that shorter sequences are filled up with, and of the
    other elements nothing is known; `row`, this is any one of the rows of a tensor with both; `part`, it is a
    part of such a tensor that was chosen somehow, perhaps for lying between other bounds.
    """

    low: Number
    high: Number
    how: str = "certain"

    def shifted(self, by: Number) -> "Content":
        """Returns the content after `by` was added."""
        return Content(self.low + by, self.high + by, self.how)

    def of_row(self) -> "Content":
        """Returns the content of one of the rows, by its number."""
        return replace(self, how="row") if self.how == "certain" and self.low != self.high else self

    def of_slice(self) -> "Content":
        """Returns the content of some of the rows, by their place."""
        same = self.how == "drawn" or self.low == self.high and self.how != "padded"
        return self if same else replace(self, how="part")

    def of_chosen(self) -> "Content":
        """Returns the content of elements that were selected, perhaps by their values."""
        same = self.low == self.high and self.how != "padded"
        return self if same else replace(self, how="part")

    def batched(self) -> "Content":
        """Returns the content of a batch of such rows: of all batches, some have the ends."""
        return replace(self, how="drawn") if self.how == "row" else self
