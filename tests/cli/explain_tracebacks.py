"""Errors in the forms in which people paste them. Made up from the facts of common ones, of no real person's program.

Each case: its name, the text, the id that explains it (None: unknown), and the user's own place as the answer must name
it: path (or `cell N`), row and source; None where the text tells no place.
"""

from __future__ import annotations

SITE = "/opt/conda/lib/python3.11/site-packages"
USER = "/data/mia/project"
HEADER = "Traceback (most recent call last):\n"
MODULE_CALL = f"""\
  File "{SITE}/torch/nn/modules/module.py", line 1739, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "{SITE}/torch/nn/modules/module.py", line 1750, in _call_impl
    return forward_call(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
LINEAR = (
    MODULE_CALL
    + f"""\
  File "{SITE}/torch/nn/modules/linear.py", line 125, in forward
    return F.linear(input, self.weight, self.bias)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""
)
SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)\n"


def frame(file: str, row: int, name: str, source: str) -> str:
    return f'  File "{file}", line {row}, in {name}\n    {source}\n'


def plain(file: str, row: int, source: str, error: str, inside: str = "") -> str:
    return HEADER + frame(file, row, "<module>", source) + inside + error + "\n"


def backward(row: int, error: str) -> str:
    inside = frame(f"{SITE}/torch/_tensor.py", 626, "backward", "torch.autograd.backward(")
    inside += frame(f"{SITE}/torch/autograd/__init__.py", 347, "backward", "_engine_run_backward(")
    inside += frame(
        f"{SITE}/torch/autograd/graph.py",
        823,
        "_engine_run_backward",
        "return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
    )
    return plain(f"{USER}/train.py", row, "loss.backward()", error, inside)


def prefixed(prefix: str, text: str) -> str:
    return "".join(prefix + line for line in text.splitlines(keepends=True))


def on_rank(number: int, text: str) -> str:
    return prefixed(f"[rank{number}]: ", text)


MODEL = (
    HEADER
    + frame(f"{USER}/train.py", 48, "<module>", "main()")
    + frame(f"{USER}/train.py", 40, "main", "logits = model(images)")
    + MODULE_CALL
    + frame(f"{USER}/model.py", 21, "forward", "return self.head(x)")
    + LINEAR
    + SHAPES
)
MODEL_PLACE = (f"{USER}/model.py", 21, "return self.head(x)")
ELASTIC = f"""\
E1121 10:03:12.224000 71 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 0 (pid: 90) of binary: /opt/conda/bin/python
Traceback (most recent call last):
  File "/opt/conda/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "{SITE}/torch/distributed/run.py", line 896, in main
    run(args)
  File "{SITE}/torch/distributed/launcher/api.py", line 269, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 90)
============================================================
"""
WORKER = (
    HEADER
    + frame(f"{USER}/train.py", 33, "<module>", "for images, labels in loader:")
    + frame(f"{SITE}/torch/utils/data/dataloader.py", 708, "__next__", "data = self._next_data()")
    + frame(f"{SITE}/torch/_utils.py", 733, "reraise", "raise exception")
    + "{kind}: Caught {kind} in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
    + frame(f"{SITE}/torch/utils/data/_utils/worker.py", 349, "_worker_loop", "data = fetcher.fetch(index)")
    + frame(
        f"{SITE}/torch/utils/data/_utils/fetch.py", 52, "fetch", "data = [self.dataset[idx] for idx in x]"
    )
    + "{inside}{kind}: {text}\n"
)


def in_worker(kind: str, text: str, inside: str = "") -> str:
    return WORKER.replace("{kind}", kind).replace("{text}", text).replace("{inside}", inside)


IPYTHON = f"""\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[7], line 4
      2 net = nn.Linear(256, 10)
      3 x = torch.randn(32, 512)
----> 4 out = net(x)
      5 out.shape

File {SITE}/torch/nn/modules/module.py:1739, in Module._wrapped_call_impl(self, *args, **kwargs)
   1737     return self._compiled_call_impl(*args, **kwargs)
   1738 else:
-> 1739     return self._call_impl(*args, **kwargs)

File {SITE}/torch/nn/modules/linear.py:125, in Linear.forward(self, input)
    124 def forward(self, input: Tensor) -> Tensor:
--> 125     return F.linear(input, self.weight, self.bias)

{SHAPES}"""
OLD_IPYTHON = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
<ipython-input-12-3a1f0c8d9e77> in <module>()
      1 h = torch.randn(4, 3).t()
----> 2 h.view(12)

RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.
"""
COLOURED_IPYTHON = (
    "\x1b[31m---------------------------------------------------------------------------\x1b[39m\n"
    "\x1b[31mRuntimeError\x1b[39m                              Traceback (most recent call last)\n"
    "\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[3]\x1b[39m\x1b[32m, line 6\x1b[39m\n"
    "\x1b[32m      4\x1b[39m loss = out.mean()\n"
    "\x1b[32m      5\x1b[39m loss.backward()\n"
    "\x1b[32m----> \x1b[39m\x1b[32m6\x1b[39m \x1b[43mloss\x1b[49m.backward()\n\n"
    f"\x1b[36mFile \x1b[39m\x1b[32m{SITE}/torch/_tensor.py:626\x1b[39m, in \x1b[36mTensor.backward\x1b[39m\x1b[34m(self)\x1b[39m\n"
    "\x1b[32m--> \x1b[39m\x1b[32m626\x1b[39m torch.autograd.backward(\n\n"
    "\x1b[31mRuntimeError\x1b[39m: Trying to backward through the graph a second time (or directly access saved"
    " tensors after they have already been freed).\n"
)
NOTEBOOK_MODULE = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Input In [5], in <cell line: 3>()
      1 model = Net().cuda()
      2 batch = next(iter(loader))
----> 3 out = model(batch)

File ~/project/net.py:17, in Net.forward(self, x)
     15 def forward(self, x):
     16     x = self.stem(x)
---> 17     return x + self.table

RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
"""
PYTEST = f"""\
=================================== FAILURES ===================================
__________________________________ test_forward __________________________________

    def test_forward():
        model = Net()
>       out = model(torch.randn(32, 512))

tests/test_model.py:14:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

self = Linear(in_features=256, out_features=10, bias=True)

    def forward(self, input: Tensor) -> Tensor:
>       return F.linear(input, self.weight, self.bias)
E       {SHAPES}
{SITE}/torch/nn/modules/linear.py:125: RuntimeError
=========================== short test summary info ============================
FAILED tests/test_model.py::test_forward - {SHAPES}============================== 1 failed in 1.52s ===============================
"""
SHORT_PYTEST = f"""\
=================================== FAILURES ===================================
__________________________________ test_loss __________________________________
tests/test_loss.py:9: in test_loss
    loss = F.cross_entropy(logits, target)
{SITE}/torch/nn/functional.py:3494: in cross_entropy
    return torch._C._nn.cross_entropy_loss(
E   IndexError: Target 10 is out of bounds.
=========================== short test summary info ============================
"""
LIGHTNING = (
    HEADER
    + frame(f"{USER}/fit.py", 60, "<module>", "trainer.fit(model, datamodule)")
    + frame(f"{SITE}/lightning/pytorch/trainer/trainer.py", 561, "fit", "call._call_and_handle_interrupt(")
    + frame(
        f"{SITE}/lightning/pytorch/strategies/strategy.py",
        390,
        "training_step",
        "return self.lightning_module",
    )
    + frame(f"{USER}/lit.py", 31, "training_step", "loss = self.loss(self(x), y)")
    + MODULE_CALL
    + frame(
        f"{SITE}/torch/nn/functional.py", 3494, "cross_entropy", "return torch._C._nn.cross_entropy_loss("
    )
    + "ValueError: Expected input batch_size (64) to match target batch_size (32).\n"
)
RICH = """\
╭───────────────────── Traceback (most recent call last) ──────────────────────╮
│ /data/mia/project/cli.py:52 in train                                         │
│                                                                              │
│    51 │   for images, labels in loader:                                      │
│ ❱  52 │   │   loss = criterion(model(images), labels)                        │
│                                                                              │
│ /opt/conda/lib/python3.11/site-packages/torch/nn/functional.py:3494 in       │
│ cross_entropy                                                                │
│                                                                              │
│ ❱ 3494 │   return torch._C._nn.cross_entropy_loss(                           │
╰──────────────────────────────────────────────────────────────────────────────╯
RuntimeError: Expected floating point type for target with class probabilities, got Long
"""
DEVICE_ASSERT = prefixed(
    "",
    "../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: "
    "[4,0,0] Assertion `t >= 0 && t < n_classes` failed.\n" * 3,
) + plain(
    f"{USER}/train.py",
    70,
    "running += loss.item()",
    "RuntimeError: CUDA error: device-side assert triggered\n"
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1",
)
COMPILED = (
    HEADER
    + frame(f"{USER}/fast.py", 19, "<module>", "step(x)")
    + frame(f"{SITE}/torch/_dynamo/eval_frame.py", 658, "_fn", "return fn(*args, **kwargs)")
    + frame(f"{SITE}/torch/_dynamo/exc.py", 317, "unimplemented_v2", "raise Unsupported(msg)")
    + "torch._dynamo.exc.Unsupported: Data-dependent branching\n"
    "  Explanation: Detected data-dependent branching (e.g. `if my_tensor.sum() > 0:`).\n\n"
    "from user code:\n"
    f'   File "{USER}/fast.py", line 12, in step\n    if x.sum() > 0:\n\n'
    "Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace\n"
)
FAKE = (
    HEADER
    + frame(f"{SITE}/torch/_subclasses/fake_tensor.py", 2071, "_dispatch_impl", "r = func(*args, **kwargs)")
    + "RuntimeError: a and b must have same reduction dim, but got [32, 512] X [256, 10].\n\n"
    "The above exception was the direct cause of the following exception:\n\n"
    + HEADER
    + frame(f"{USER}/fast.py", 30, "<module>", "compiled(x)")
    + frame(f"{SITE}/torch/_dynamo/eval_frame.py", 658, "_fn", "return fn(*args, **kwargs)")
    + "torch._dynamo.exc.TorchRuntimeError: Dynamo failed to run FX node with fake tensors: call_function <built-in "
    "function linear>: got RuntimeError('a and b must have same reduction dim, but got [32, 512] X [256, 10].')\n"
)
HANDLED = (
    HEADER
    + frame(f"{USER}/load.py", 8, "read", "return table[key]")
    + "KeyError: 'model'\n\nDuring handling of the above exception, another exception occurred:\n\n"
    + HEADER
    + frame(f"{USER}/load.py", 15, "<module>", "net.load_state_dict(read(path))")
    + frame(f"{SITE}/torch/nn/modules/module.py", 2593, "load_state_dict", "raise RuntimeError(")
    + "RuntimeError: Error(s) in loading state_dict for Net:\n"
    '\tMissing key(s) in state_dict: "conv1.weight", "conv1.bias". \n'
    '\tUnexpected key(s) in state_dict: "module.conv1.weight", "module.conv1.bias". \n'
)
SPAWNED = (
    HEADER
    + frame(f"{USER}/launch.py", 90, "<module>", "mp.spawn(main, nprocs=2)")
    + frame(
        f"{SITE}/torch/multiprocessing/spawn.py",
        340,
        "spawn",
        "return start_processes(fn, args, nprocs, join)",
    )
    + "torch.multiprocessing.spawn.ProcessRaisedException:\n\n-- Process 1 terminated with the following error:\n"
    + HEADER
    + frame(f"{SITE}/torch/multiprocessing/spawn.py", 90, "_wrap", "fn(i, *args)")
    + frame(f"{USER}/launch.py", 41, "main", "loss = F.nll_loss(out, target)")
    + "RuntimeError: expected scalar type Long but found Int\n\n"
)
INTERLEAVED = "".join(
    first + second
    for first, second in zip(
        on_rank(1, MODEL).splitlines(keepends=True), on_rank(0, MODEL).splitlines(keepends=True), strict=True
    )
)
TIMEOUT = on_rank(
    0,
    HEADER
    + frame(f"{USER}/ddp.py", 77, "<module>", "dist.all_reduce(total)")
    + frame(f"{SITE}/torch/distributed/c10d_logger.py", 81, "wrapper", "return func(*args, **kwargs)")
    + "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [127.0.0.1]:4021\n",
)
CAUSE_AND_TIMEOUT = TIMEOUT + on_rank(1, MODEL) + ELASTIC
WINDOWS = (
    HEADER
    + '  File "C:\\Users\\mia\\project\\train.py", line 12, in <module>\n    x = x.cuda()\n'
    + '  File "C:\\Users\\mia\\anaconda3\\Lib\\site-packages\\torch\\cuda\\__init__.py", line 363, in _lazy_init\n'
    + '    raise AssertionError("Torch not compiled with CUDA enabled")\n'
    + "AssertionError: Torch not compiled with CUDA enabled\n"
).replace("\n", "\r\n")
BAR = "Epoch 1:  43%|████▎     | 43/100 [00:12<00:16,  3.45it/s, loss=0.71]"
TQDM = "\rEpoch 1:   0%|          | 0/100 [00:00<?, ?it/s]\r" + BAR + MODEL
HANG = f"""\
Timeout (0:10:00)!
Thread 0x00007f3c52d4f740 (most recent call first):
  File "{SITE}/torch/utils/file_baton.py", line 42 in wait
  File "{SITE}/torch/utils/cpp_extension.py", line 2059 in _jit_compile
  File "{USER}/ops.py", line 7 in <module>
"""
WARNINGS_BEFORE = (
    f"{SITE}/torch/nn/modules/transformer.py:382: UserWarning: enable_nested_tensor is True, but "
    "self.use_nested_tensor is False\n  warnings.warn(\n"
    f"{USER}/train.py:9: UserWarning: Using a target size (torch.Size([8])) that is different to the input size "
    "(torch.Size([8, 1])). This will likely lead to incorrect results due to broadcasting.\n"
    "  loss = F.mse_loss(out, y)\n"
)

TIMES = "".join(
    f"2026-11-21T10:00:0{number % 10}.{number * 7919 % 99999:05}Z stderr F {line}"
    for number, line in enumerate(MODEL.splitlines(keepends=True))
)

CASES = [
    ("plain", MODEL, "E03", MODEL_PLACE),
    ("indented in a forum", prefixed("    ", MODEL), "E03", MODEL_PLACE),
    ("quoted in an issue", prefixed("> ", MODEL), "E03", MODEL_PLACE),
    ("container's log", prefixed("trainer-1  | ", MODEL), "E03", MODEL_PLACE),
    ("log with times", TIMES, "E03", MODEL_PLACE),
    ("log without a traceback", "step 1\n" * 9 + "ERROR " + SHAPES + "bye\n" * 9, "E03", None),
    ("without the header", MODEL.removeprefix(HEADER), "E03", MODEL_PLACE),
    (
        "old ipython without the class",
        OLD_IPYTHON.replace("RuntimeError   ", "", 1).split("\n", 1)[1].lstrip(),
        "E01",
        ("cell 12", 2, "h.view(12)"),
    ),
    ("a bar before and after", BAR + MODEL + BAR + "\n" + BAR + "\n", "E03", MODEL_PLACE),
    ("tqdm", TQDM, "E03", MODEL_PLACE),
    ("windows", WINDOWS, "E60", ("C:\\Users\\mia\\project\\train.py", 12, "x = x.cuda()")),
    ("torchrun", on_rank(0, MODEL) + ELASTIC, "E03", MODEL_PLACE),
    ("two ranks interleaved", INTERLEAVED + ELASTIC, "E03", MODEL_PLACE),
    ("the other rank's consequence first", CAUSE_AND_TIMEOUT, "E03", MODEL_PLACE),
    ("only the consequence", TIMEOUT, "E71", (f"{USER}/ddp.py", 77, "dist.all_reduce(total)")),
    ("mp.spawn", SPAWNED, "E09", (f"{USER}/launch.py", 41, "loss = F.nll_loss(out, target)")),
    ("ipython", IPYTHON, "E03", ("cell 7", 4, "out = net(x)")),
    ("old ipython", OLD_IPYTHON, "E01", ("cell 12", 2, "h.view(12)")),
    ("coloured ipython", COLOURED_IPYTHON, "E22", ("cell 3", 6, "loss.backward()")),
    ("ipython into a module", NOTEBOOK_MODULE, "E08", ("~/project/net.py", 17, "return x + self.table")),
    ("pytest", PYTEST, "E03", ("tests/test_model.py", 14, "out = model(torch.randn(32, 512))")),
    (
        "pytest --tb=short",
        SHORT_PYTEST,
        "E14",
        ("tests/test_loss.py", 9, "loss = F.cross_entropy(logits, target)"),
    ),
    ("lightning", LIGHTNING, "E12", (f"{USER}/lit.py", 31, "loss = self.loss(self(x), y)")),
    ("rich", RICH, "E10", (f"{USER}/cli.py", 52, "loss = criterion(model(images), labels)")),
    ("device-side assert", DEVICE_ASSERT, "E15", (f"{USER}/train.py", 70, "running += loss.item()")),
    ("torch.compile", COMPILED, "E90", (f"{USER}/fast.py", 12, "if x.sum() > 0:")),
    ("torch.compile on fake tensors", FAKE, "E03", (f"{USER}/fast.py", 30, "compiled(x)")),
    ("while handling another", HANDLED, "E47", (f"{USER}/load.py", 15, "net.load_state_dict(read(path))")),
    (
        "worker, collate",
        in_worker(
            "RuntimeError",
            "stack expects each tensor to be equal size, but got [3, 32, 32] at entry 0 and [1, 32, 32] at entry 3",
        ),
        "E37",
        (f"{USER}/train.py", 33, "for images, labels in loader:"),
    ),
    (
        "worker, dataset",
        in_worker(
            "TypeError",
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
            frame(f"{USER}/data.py", 18, "__getitem__", "return self.images[index].numpy()"),
        ),
        "E07",
        (f"{USER}/data.py", 18, "return self.images[index].numpy()"),
    ),
    (
        "worker, unknown",
        in_worker("KeyError", "'label'", frame(f"{USER}/data.py", 22, "__getitem__", "label = row['label']")),
        "E51",
        (f"{USER}/data.py", 22, "label = row['label']"),
    ),
    (
        "worker killed",
        plain(
            f"{USER}/train.py",
            33,
            "for batch in loader:",
            "RuntimeError: DataLoader worker (pid 4120) is killed by signal: Killed. ",
            frame(
                f"{SITE}/torch/utils/data/_utils/signal_handling.py",
                73,
                "handler",
                "_error_if_any_worker_fails()",
            ),
        ),
        "E52",
        (f"{USER}/train.py", 33, "for batch in loader:"),
    ),
    (
        "in place",
        backward(
            27,
            "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
            "operation: [torch.cuda.FloatTensor [64, 128]], which is output 0 of ReluBackward0, is at version 1; "
            "expected version 0 instead. Hint: enable anomaly detection",
        ),
        "E23",
        (f"{USER}/train.py", 27, "loss.backward()"),
    ),
    (
        "no graph",
        backward(31, "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"),
        "E24",
        (f"{USER}/train.py", 31, "loss.backward()"),
    ),
    (
        "out of memory",
        plain(
            f"{USER}/train.py",
            88,
            "out = model(batch)",
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of "
            "23.69 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 22.48 GiB memory in use.",
            MODULE_CALL,
        ),
        "E59",
        (f"{USER}/train.py", 88, "out = model(batch)"),
    ),
    (
        "ddp",
        on_rank(
            1,
            plain(
                f"{USER}/ddp.py",
                52,
                "out = model(x)",
                "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. "
                "This error indicates that your module has parameters that were not used in producing loss.",
                MODULE_CALL,
            ),
        ),
        "E69",
        (f"{USER}/ddp.py", 52, "out = model(x)"),
    ),
    (
        "weights only",
        plain(
            f"{USER}/predict.py",
            14,
            "state = torch.load(path)",
            "_pickle.UnpicklingError: Weights only load failed. This file can still be loaded, to do so you have two "
            "options, \x1b[1mdo those steps only if you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6",
            frame(
                f"{SITE}/torch/serialization.py",
                1529,
                "load",
                "raise pickle.UnpicklingError(_get_wo_message(str(e)))",
            ),
        ),
        "E45",
        (f"{USER}/predict.py", 14, "state = torch.load(path)"),
    ),
    (
        "scheduler's keyword",
        plain(
            f"{USER}/train.py",
            18,
            "sched = ReduceLROnPlateau(opt, verbose=True)",
            "TypeError: ReduceLROnPlateau.__init__() got an unexpected keyword argument 'verbose'",
        ),
        "E42",
        (f"{USER}/train.py", 18, "sched = ReduceLROnPlateau(opt, verbose=True)"),
    ),
    (
        "channels",
        plain(
            f"{USER}/train.py",
            20,
            "net(image)",
            "RuntimeError: Given groups=1, weight of size [16, 3, 3, 3], expected input[1, 224, 224, 3] to have 3 "
            "channels, but got 224 channels instead",
            MODULE_CALL + frame(f"{SITE}/torch/nn/modules/conv.py", 549, "_conv_forward", "return F.conv2d("),
        ),
        "E35",
        (f"{USER}/train.py", 20, "net(image)"),
    ),
    ("warnings, then an error", WARNINGS_BEFORE + MODEL, "E03", MODEL_PLACE),
    ("only a warning", WARNINGS_BEFORE, "E20", (f"{USER}/train.py", 9, "loss = F.mse_loss(out, y)")),
    (
        "two tracebacks, the first was survived",
        backward(5, "RuntimeError: grad can be implicitly created only for scalar outputs")
        + "retrying\n"
        + MODEL,
        "E03",
        MODEL_PLACE,
    ),
    ("a dump of a hang", HANG, "E66", None),
    ("a bare message", SHAPES, "E03", None),
    (
        "a message in a sentence",
        "I keep getting RuntimeError: a leaf Variable that requires grad is being used in an in-place operation. why?",
        "E26",
        None,
    ),
    (
        "an error of C++",
        "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: out of memory\n",
        "E59",
        None,
    ),
    (
        "an error of one's own",
        plain(f"{USER}/train.py", 3, "cfg['lr']", "KeyError: 'lr'"),
        None,
        (f"{USER}/train.py", 3, "cfg['lr']"),
    ),
    (
        "an error of one's own after one that was survived",
        backward(5, "RuntimeError: grad can be implicitly created only for scalar outputs")
        + plain(f"{USER}/train.py", 3, "cfg['lr']", "KeyError: 'lr'"),
        None,
        (f"{USER}/train.py", 3, "cfg['lr']"),
    ),
]
