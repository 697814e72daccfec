import torch


try:
    torch.ones(2, 3) @ torch.ones(2, 3)
except RuntimeError as error:
    print(type(error).__name__, str(error)[:30], error.args[0][:4])
else:
    raise AssertionError("no error")
try:
    torch.ones(3)[5]
except (IndexError, ValueError) as e:
    message = f"{e.__class__.__name__}: {e!s}"
finally:
    done = True
assert done and "IndexError" in message
