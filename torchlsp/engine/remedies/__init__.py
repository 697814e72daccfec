"""Says of an error what the facts show: which operand is wrong, where it was made, and a change that fits them.

`FINDERS` has the functions of each entry of `docs_db.errors`, by its id. A finder tells nothing where it is not certain,
and shows a change only where its result fits what the error expects.
"""

from __future__ import annotations

from torchlsp.engine.remedies import broadcasting, datasets, dtypes, gradients, layers, programs, shapes
from torchlsp.engine.remedies.scene import Scene, scene
from torchlsp.engine.remedies.told import Finder, Found, Remedy, Told

FINDERS: dict[str, tuple[Finder, ...]] = {
    "E02": (shapes.view_sizes,),
    "E03": (shapes.product_sizes,),
    "E04": (dtypes.two_dtypes,),
    "E05": (broadcasting.broadcast_sizes,),
    "E06": (gradients.kept_in_list,),
    "E09": (dtypes.target_dtype,),
    "E10": (dtypes.one_hot_target,),
    "E12": (shapes.loss_rows,),
    "E16": (dtypes.target_dtype,),
    "E17": (dtypes.target_dtype,),
    "E18": (dtypes.not_probabilities,),
    "E19": (shapes.equal_shapes,),
    "E20": (shapes.equal_shapes,),
    "E23": (gradients.overwritten,),
    "E35": (layers.channels,),
    "E36": (datasets.window_past_the_end, shapes.bound_of_index, layers.table_rows),
    "E40": (shapes.mask_rows,),
    "E47": (programs.state_names,),
    "E56": (datasets.missing_sample,),
    "E96": (shapes.scattered_source,),
    "E98": (shapes.lost_dimension,),
    "E99": (shapes.batched_product,),
    "E101": (layers.state_sizes,),
    "E103": (dtypes.indices_dtype,),
    "E104": (gradients.made_nan,),
    "E109": (programs.name_taken,),
    "E111": (layers.mask_layout,),
    "E112": (layers.mask_layout,),
    "E113": (programs.tuple_attribute,),
    "E115": (programs.tensor_attribute,),
    "E116": (programs.missing_attribute,),
    "E117": (gradients.kept_in_object,),
    "E118": (shapes.einsum_operand,),
    "E119": (dtypes.written_at_indices,),
    "E120": (dtypes.sent_dtype,),
    "E121": (gradients.written_out,),
    "E122": (programs.schedule_made,),
    "E123": (layers.class_weights,),
    "E124": (programs.optimizer_made,),
    "E125": (programs.definition,),
    "E126": (programs.definition,),
    "E127": (shapes.joined_ranks,),
    "E128": (shapes.lost_dimension,),
    "E129": (layers.flat_state, shapes.lost_dimension),
    "E133": (datasets.window_past_the_end, shapes.past_a_shape, datasets.dataset_length),
    "E140": (shapes.lost_dimension,),
    "E141": (broadcasting.parts_of_index,),
    "E146": (programs.packed_layout,),
    "E150": (dtypes.of_another_type,),
    "E158": (shapes.scattered_source,),
    "E159": (gradients.custom_function,),
    "E163": (gradients.custom_function,),
    "E168": (programs.packed_layout,),
    "E169": (programs.packed_layout,),
    "E197": (shapes.target_with_channel,),
    "E198": (dtypes.blended,),
}

__all__ = ["FINDERS", "Found", "Remedy", "Scene", "Told", "remedies", "scene"]


def remedies(identifier: str, told: Told) -> tuple[Remedy, ...]:
    """Returns what is known of one error beyond its general explanation: by the finders of its entry, else by what the
    rules find about it."""
    for finder in FINDERS.get(identifier, ()):
        try:
            said = tuple(finder(told))
        except Exception:  # an error in a finder leaves the general explanation, which is still true
            continue
        if said:
            return said
    row = told.scene.row if told.scene is not None else 0
    return tuple(_of_finding(one, row) for one in told.found)


def _of_finding(found: Found, row: int) -> Remedy:
    """Returns what a finding says, with its line where that is not the one that raised, else the first step that leads to it."""
    steps = [one for one in found.steps if "called here" not in one[1]]
    where = f" (line {found.row})" if found.row != row else ""
    if not where and steps:
        where = f" (line {steps[0][0]}: {steps[0][1]})"
    first = found.message.partition(" ")[0]
    message = found.message if not first.isalpha() else found.message[0].upper() + found.message[1:]
    return Remedy(f"{message}{where}.", (f"{found.fix}.",) if found.fix else (), is_whole="`" in found.fix)
