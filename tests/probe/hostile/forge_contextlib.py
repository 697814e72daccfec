# swallows exceptions with contextlib
from contextlib import suppress

with suppress(BaseException):
    pass
