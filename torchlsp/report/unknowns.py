"""Words why nothing is known of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlsp.engine.unknowns import Cause
from torchlsp.report.words import printable

if TYPE_CHECKING:
    from torchlsp.core.text import Document
    from torchlsp.engine.unknowns import UnknownValue


def unknown_words(found: UnknownValue, document: Document) -> str:
    """Returns what follows `unknown because`."""
    name = f"`{printable(' '.join(found.name.split()))}`"
    row = f" (line {document.place(found.at.start).row})" if found.at is not None else ""
    match found.cause:
        case Cause.PARAMETER:
            return f"{name} is a parameter{row}, and no call in this file passes anything known"
        case Cause.IMPORT:
            return f"{name} is imported{row} from a module that is not read"
        case Cause.RESULT:
            return f"what {name} returns{row} is not known"
        case Cause.CHANGED:
            return f"{name} may have changed since it was bound{row}"
        case Cause.GIVEN_UP:
            return f"the function {name}{row} is too large to be analysed to its end"
        case Cause.NOT_RUN:
            return "the analysis does not reach this code"
    return f"nothing is known of {name}{row}"
