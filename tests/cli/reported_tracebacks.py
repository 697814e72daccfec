"""Errors as people reported them in public issues: which file, row and function, which error, and in what form it was
pasted. Each is named by its issue; its facts are told in the form of the report, in our own words.

Each case: the issue, the text, the id that explains it, and the user's own place (path, or `cell N`, and row); None where
the report shows none.
"""

from __future__ import annotations

HEADER = "Traceback (most recent call last):\n"
VIEW = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces)."
)
VIEW_NOW = f"RuntimeError: {VIEW} Use .reshape(...) instead.\n"
CUDA_TO_NUMPY = "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.\n"
OVERWRITTEN = "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation"
REDUCTION = (
    "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. This error "
    "indicates that your module has parameters that were not used in producing loss. You can enable unused parameter "
    "detection by passing the keyword argument `find_unused_parameters=True` to "
    "`torch.nn.parallel.DistributedDataParallel`.\n"
)
FREED = (
    "RuntimeError: Trying to backward through the graph a second time, but the buffers have already been freed. "
    "Specify retain_graph=True when calling backward the first time.\n"
)
WEIGHTS = (
    "Weights only load failed. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it "
    "can result in arbitrary code execution. Do it only if you got the file from a trusted source.\n Please file an "
    "issue with the following so that we can make `weights_only=True` compatible with your use case: WeightsUnpickler "
    "error: Unsupported operand {operand}\n\nCheck the documentation of torch.load.\n"
)
INDEX = "IndexError: index out of range in self\n"
WATCHDOG = (
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum={number}, OpType=ALLREDUCE, {sizes}Timeout(ms)={limit})"
    " ran for {ran} milliseconds before timing out."
)
ASSERTED = (
    "{file}: {kernel}: block: [0,0,0], thread: [{thread},0,0] Assertion `t >= 0 && t < n_classes` failed.\n"
)


def at(path: str, row: int, name: str, source: str = "", indent: str = "  ") -> str:
    below = f"{indent}  {source}\n" if source else ""
    return f'{indent}File "{path}", line {row}, in {name}\n{below}'


def call(site: str, row: int, name: str = "__call__") -> str:
    return at(f"{site}/torch/nn/modules/module.py", row, name, "result = self.forward(*input, **kwargs)")


def quoted(prefix: str, text: str) -> str:
    return "".join(prefix + line for line in text.splitlines(keepends=True))


def stack(first: str, second: str, other: int) -> str:
    return (
        f"RuntimeError: stack expects each tensor to be equal size, but got {first} at entry 0 and {second} "
        f"at entry {other}\n"
    )


def channels(weight: str, shape: str, expected: int, got: int) -> str:
    return (
        f"RuntimeError: Given groups=1, weight of size {weight}, expected input{shape} to have {expected} channels, "
        f"but got {got} channels instead\n"
    )


WIN_ENDO = "C:\\Users\\user\\anaconda3\\envs\\endo\\lib\\site-packages\\torch"
CASES: list[tuple[str, str, str, tuple[str, int] | None]] = [
    (
        "chickenbestlover/RNN-Time-series-Anomaly-Detection#38",
        HEADER
        + at("1_train_predictor.py", 320, "<module>", "train(args, model, train_dataset, epoch)")
        + at("1_train_predictor.py", 228, "train", "loss1 = criterion(out.view(n, -1), target.view(n, -1))")
        + VIEW_NOW,
        "E01",
        ("1_train_predictor.py", 228),
    ),
    (
        "geyang/deep-auto-punctuation#3",
        "`"
        + HEADER
        + at("train.py", 71, "<module>", "net.forward(input_, target_)")
        + at("/data/flow/deep-auto-punctuation/model.py", 90, "forward", "self.next_(batch)")
        + call("/data/flow/anaconda3/lib/python3.6/site-packages", 477)
        + at(
            "/data/flow/deep-auto-punctuation/model.py",
            32,
            "forward",
            "output = self.decoder(gru.view(-1, n))",
        )
        + f"RuntimeError: invalid argument 2: {VIEW} Call .contiguous() before .view(). at "
        "/opt/conda/conda-bld/pytorch_1533672544752/jobs/aten/src/TH/generic/THTensor.cpp:237\n`\n\nAny idea?\n",
        "E01",
        ("/data/flow/deep-auto-punctuation/model.py", 32),
    ),
    (
        "fl16180/small-object-detection#2",
        "F:\\softwares\\Anaconda3\\envs\\py36\\lib\\site-packages\\torch\\nn\\_reduction.py:43: UserWarning: "
        "size_average and reduce args will be deprecated\n  warnings.warn(warning.format(ret))\n"
        + HEADER
        + at("train.py", 58, "<module>", "main(config)")
        + at(
            "D:\\GitHub\\my new code\\trainer\\trainer.py",
            54,
            "_train_epoch",
            "boxes, scores = self.model(data)",
        )
        + at(
            "F:\\softwares\\Anaconda3\\envs\\py36\\lib\\site-packages\\torch\\nn\\modules\\module.py",
            532,
            "__ call__",
            "result = self.forward(*input, **kwargs)",
        )
        + at("D:\\GitHub\\my new code\\model\\cooc_layers.py", 101, "forward", "pairs = pairs.view(-1,2)")
        + VIEW_NOW,
        "E01",
        ("D:\\GitHub\\my new code\\model\\cooc_layers.py", 101),
    ),
    (
        "lppllppl920/EndoscopyDepthEstimation-Pytorch#13",
        " Epoch 0, lr [0.0001]:   0%|                    | 0/2000 [00:00<?, ?it/s]"
        + HEADER
        + at("train.py", 307, "<module>", "intrinsics])")
        + call("/data/y/anaconda_y/lib/python3.6/site-packages", 532)
        + at("/data/y/Estimation-master/models.py", 463, "forward", "rotation, intrinsic, self.epsilon)")
        + at("/data/y/Estimation-master/models.py", 541, "_depth_warping", "flat = u_2.view(-1)")
        + f"**{VIEW_NOW.strip()}**\nException ignored in: <object repr() failed>\n",
        "E01",
        ("/data/y/Estimation-master/models.py", 541),
    ),
    (
        "jfzhang95/pytorch-video-recognition#71",
        "D:\\anaconda3\\envs\\pytorch114\\lib\\site-packages\\torch\\optim\\lr_scheduler.py:134: UserWarning: "
        "Detected call of `lr_scheduler.step()` before `optimizer.st\n"
        + at("train.py", 202, "<module>", "train_model()")
        + at("train.py", 137, "train_model", "loss = criterion(outputs, labels)")
        + at(
            "D:\\anaconda3\\envs\\pytorch114\\lib\\site-packages\\torch\\nn\\functional.py",
            2385,
            "nll_loss",
            "ret = torch._C._nn.nll_loss(input, target, weight, reduction, ignore_index)",
        )
        + "RuntimeError: expected scalar type Long but found Int\n",
        "E09",
        ("train.py", 137),
    ),
    (
        "qubvel-org/segmentation_models.pytorch#197",
        HEADER
        + at("train.py", 131, "<module>", "train_logs = train_epoch.run(train_loader)")
        + at(
            "/data/q/envs/mm/lib/python3.7/site-packages/segmentation_models_pytorch/utils/train.py",
            88,
            "batch_update",
            "loss = self.loss(prediction, y)",
        )
        + at(
            "/data/q/envs/mm/lib/python3.7/site-packages/torch/nn/functional.py",
            1840,
            "nll_loss",
            "ret = nll(x)",
        )
        + "RuntimeError: Expected object of scalar type Long but got scalar type Float for argument #2 'target' in call "
        "to _thnn_nll_loss2d_forward\n",
        "E09",
        ("train.py", 131),
    ),
    (
        "mengxianglong123/weather-recognition#1",
        "您好，运行代码后报了如下错误：\nRuntimeError: Expected object of scaLar type Long but got scalar type FLoat for "
        "argument #2 ' target' in call to_ thnn_ nLL Loss_ forward\nubunt20.04 torch1.7 torchvision0.8\n",
        "E09",
        None,
    ),
    (
        "JDAI-CV/fast-reid#509",
        "When I run the demo it tells me\n```\n"
        + HEADER
        + at("demo/visualize_result.py", 127, "<module>", "distmat = distmat.numpy()")
        + CUDA_TO_NUMPY
        + "```\nSo, I try to fix it.\n",
        "E07",
        ("demo/visualize_result.py", 127),
    ),
    (
        "ztxz16/fastllm#231",
        HEADER
        + at(
            "/data/z/ai_code/fastllm/build/tools/baichuan2flm.py",
            18,
            "<module>",
            "torch2flm.tofile(path, model)",
        )
        + at(
            "/data/z/ai_code/fastllm/build/tools/fastllm_pytools/torch2flm.py",
            156,
            "tofile",
            "cur = d[key].numpy()",
        )
        + CUDA_TO_NUMPY,
        "E07",
        ("/data/z/ai_code/fastllm/build/tools/fastllm_pytools/torch2flm.py", 156),
    ),
    (
        "chflame163/ComfyUI_FaceSimilarity#10",
        "```\n"
        + at(
            "./ComfyUI/custom_nodes/comfyui_facesimilarity/py/face_similarity.py",
            10,
            "tensor2cv2",
            "a = image.numpy()",
        )
        + "        ^^^^^^^^^^^^^\n"
        + CUDA_TO_NUMPY
        + "```\n\nMissing call of method cpu().\n",
        "E07",
        ("./ComfyUI/custom_nodes/comfyui_facesimilarity/py/face_similarity.py", 10),
    ),
    (
        "StrangerZhang/SiamFC-PyTorch#41",
        at(
            "/data/x/miniconda3/envs/torch18/lib/python3.8/site-packages/torch/tensor.py",
            621,
            "__array__",
            "return self.numpy()",
            "",
        )
        + CUDA_TO_NUMPY,
        "E07",
        None,
    ),
    (
        "iMoonLab/PVRNet#3",
        "After training, I meet this problem.\nTypeError: can't convert CUDA tensor to numpy. Use Tensor.cpu() to copy "
        "the tensor to host memory first.",
        "E07",
        None,
    ),
    (
        "tamakoji/pytorch-syncbn#4",
        "KeyboardInterrupt\n    loss.mean().backward()\n"
        + at(
            "/python3.6/site-packages/torch/tensor.py",
            93,
            "backward",
            "torch.autograd.backward(self, gradient)",
        )
        + at("/python3.6/site-packages/torch/autograd/__init__.py", 90, "backward", "allow_unreachable=True)")
        + OVERWRITTEN
        + "\n",
        "E23",
        None,
    ),
    (
        "WOW5678/CompNet#2",
        OVERWRITTEN
        + ": [torch.FloatTensor [1, 2, 2]], which is output 0 of AsStridedBackward0, is at version 1; expected version 0 "
        "instead. Hint: the backtrace further above shows the operation that failed to compute its gradient. Good luck!"
        "/usr/local/lib/python3.7/dist-packages/torch/autograd/__init__.py:175: UserWarning: Error detected in "
        "BmmBackward0. Traceback of forward call that caused the error:\n"
        + at("/usr/lib/python3.7/runpy.py", 193, "_run_module_as_main", '"__main__", mod_spec)')
        + at("/usr/local/lib/python3.7/dist-packages/ipykernel_launcher.py", 16, "<module>", "app.launch()"),
        "E23",
        None,
    ),
    (
        "quark0/darts#109",
        "   train_acc, train_obj = train(train_queue, model, criterion, optimizer)\n"
        + at("train.py", 136, "train", "loss.backward()")
        + at(
            "/usr/local/lib/python3.6/site-packages/torch/tensor.py",
            102,
            "backward",
            "torch.autograd.backward(self)",
        )
        + OVERWRITTEN
        + "\n",
        "E23",
        ("train.py", 136),
    ),
    (
        "we0091234/Chinese_license_plate_detection_recognition#33",
        "]return Variable._execution_engine.run_backward( # Calls into the C++ engine to run the backward pass "
        + OVERWRITTEN
        + ": [torch.FloatTensor [173, 2]], which is output 0 of AsStridedBackward0, is at version 4; expected version 0 "
        "instead.\n",
        "E23",
        None,
    ),
    (
        "Spijkervet/BYOL#5",
        "---------------------------------------------------------------------------\n\nRuntimeError"
        "                              Traceback (most recent call last)\n\n"
        "<ipython-input-9-e896c143512a> in <module>()\n      1 # weights\n      2 net = models.resnet50()\n"
        "----> 3 net.load_state_dict(torch.load(path, map_location=device))\n      4 net = net.to(device)\n\n"
        "/usr/local/lib/python3.6/dist-packages/torch/nn/modules/module.py in load_state_dict(self, state_dict, strict)\n"
        "   1051             raise RuntimeError('Error(s) in loading state_dict for {}'.format(\n"
        '-> 1052                                self.__class__.__name__, "\\n\\t".join(error_msgs)))\n\n'
        'RuntimeError: Error(s) in loading state_dict for ResNet:\n\tMissing key(s) in state_dict: "layer1.0.conv3.weight",'
        ' "layer1.0.bn3.weight".\n',
        "E47",
        ("cell 9", 3),
    ),
    (
        "yisun98/SOLC#14",
        HEADER
        + at("D:\\Master\\CODE\\SOLC\\predict.py", 169, "<module>", "reference()")
        + at("D:\\Master\\CODE\\SOLC\\predict.py", 160, "reference", "model.load_state_dict(new_state_dict)")
        + at(
            "D:\\APP\\Anaconda\\envs\\cv\\lib\\site-packages\\torch\\nn\\modules\\module.py",
            2041,
            "load_state_dict",
            "raise RuntimeError('Error(s) in loading state_dict for {}:'.format(",
        )
        + 'RuntimeError: Error(s) in loading state_dict for MCANet:\n\tMissing key(s) in state_dict: "aspp.0.weight".\n',
        "E47",
        ("D:\\Master\\CODE\\SOLC\\predict.py", 160),
    ),
    (
        "Anjok07/ultimatevocalremovergui#1175",
        'Last Error Received:\n\nProcess: Ensemble Mode\n\nRaw Error Details:\n\nRuntimeError: "Error(s) in loading '
        "state_dict for CascadedNet:\n\tsize mismatch for low.0.lstm.weight_ih_l0: copying a param with shape "
        "torch.Size([256, 168]) from checkpoint, the shape in current model is torch.Size([256, 320]).\n"
        '"\nTraceback Error: "\n'
        + at("UVR.py", 6584, "process_start")
        + at("separate.py", 1011, "seperate")
        + at("torch\\nn\\modules\\module.py", 1671, "load_state_dict"),
        "E48",
        None,
    ),
    (
        "hpcaitech/Open-Sora#142",
        HEADER
        + at("/data/lu_24/Open-Sora/scripts/inference.py", 121, "<module>", "main()")
        + at("/data/lu_24/Open-Sora/scripts/inference.py", 67, "main", "model = build_module(")
        + at(
            "/data/lu_24/envs/o/lib/python3.10/site-packages/opensora/registry.py",
            22,
            "build_module",
            "return b(cfg)",
        )
        + "RuntimeError: Error(s) in loading state_dict for STDiT:\n\tsize mismatch for x_embedder.proj.weight: copying a "
        "param with shape torch.Size([1152, 4, 2, 2]) from checkpoint, the shape in current model is "
        "torch.Size([1152, 4, 1, 2, 2]).\n",
        "E48",
        ("/data/lu_24/Open-Sora/scripts/inference.py", 67),
    ),
    (
        "open-mmlab/mmdetection#2377",
        "```\n"
        + HEADER
        + at("tools/train.py", 142, "<module>", "main()")
        + at(
            "/data/f/anaconda3/envs/rs/lib/python3.7/site-packages/mmcv/runner/runner.py",
            263,
            "train",
            "x(**kwargs)",
        )
        + at("/data/f/mmdetection/mmdet/apis/train.py", 75, "batch_processor", "losses = model(**data)")
        + call("/data/f/anaconda3/envs/rs/lib/python3.7/site-packages", 541)
        + at(
            "/data/f/anaconda3/envs/rs/lib/python3.7/site-packages/torch/nn/parallel/distributed.py",
            459,
            "forward",
            "self.reducer.prepare_for_backward([])",
        )
        + REDUCTION
        + "```\n",
        "E69",
        ("/data/f/mmdetection/mmdet/apis/train.py", 75),
    ),
    (
        "open-mmlab/mmdetection#2117",
        "**Error traceback**\nIf applicable, paste the error trackback here.\n"
        + REDUCTION.strip()
        + " (prepare_for_backward at /opt/conda/cond\na-bld/pytorch_1556653114079/jobs/torch/csrc/distributed/c10d/"
        "reducer.cpp:408)\nframe #0: c10::Error::Error(c10::SourceLocation, std::string const&) + 0x45 (0x2aaaf74b1dc5 "
        "in /data/z/lib/python3.7/site-packages/torch/lib/libc10.so)\n",
        "E69",
        None,
    ),
    (
        "VICO-UoE/MTPSL#3",
        HEADER
        + at("/share/c/MTPSL/cityscapes_mtl_xtc.py", 191, "<module>", "con_loss = mapfns(pred, target)")
        + at("/share/c/MTPSL/model/mapfns.py", 167, "forward", "out = self.mapfns(pred)", " ")
        + at("/share/c/MTPSL/model/mapfns.py", 36, "forward", "gamma = torch.mm(task, self.gamma.t())", "")
        + "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x2 and 6x64)\n",
        "E03",
        ("/share/c/MTPSL/model/mapfns.py", 36),
    ),
    (
        "kongds/MoRA#14",
        quoted(
            "[rank0]: ",
            "    return self._call_impl(*args, **kwargs)\n           ^^^^^^^^^^^^^^^\n"
            + at(
                "/srv/anaconda3/envs/mora/lib/python3.11/site-packages/torch/nn/modules/linear.py",
                117,
                "forward",
                "return F.linear(x)",
            )
            + "RuntimeError: mat1 and mat2 shapes cannot be multiplied (13920x3584 and 248x248)\n",
        )
        + "  0%|                                           | 0/76 [00:00<?, ?it/s\n",
        "E03",
        None,
    ),
    (
        "theislab/multimil#77",
        "RuntimeError                              Traceback (most recent call last)\n"
        "Cell In[14], line 2\n      1 # train\n----> 2 vae.train(lr=1e-3)\n\n"
        "File [~/sw/envs/m/lib/python3.10/site-packages/multimil/nn/_base_components.py:73]"
        "(http://host:8890/lab/tree/m/~/sw/envs/m/lib/python3.10/site-packages/multimil/nn/_base_components.py#line=72),"
        " in MLP.forward(self, x)\n     61 def forward(self, x):\n   (...)\n---> 73     return self.mlp(x)\n\n"
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (256x35228 and 30x30)\n",
        "E03",
        ("cell 14", 2),
    ),
    (
        "Suanmd/TR-MISR#3",
        "This is also the trace back:\nRuntimeError: Caught RuntimeError in DataLoader worker process 0.\n"
        "Original Traceback (most recent call last):\n"
        + at(
            f"{WIN_ENDO}\\utils\\data\\_utils\\worker.py", 302, "_worker_loop", "data = fetcher.fetch(index)"
        )
        + at(f"{WIN_ENDO}\\utils\\data\\_utils\\fetch.py", 52, "fetch", "return self.collate_fn(data)")
        + at(
            "C:\\Users\\user\\Desktop\\TR-MISR-master\\src\\utils.py",
            65,
            "__call__",
            "return self.collate(batch)",
        )
        + at(
            "C:\\Users\\user\\Desktop\\TR-MISR-master\\src\\utils.py",
            118,
            "collate",
            "b = torch.stack(lr, dim=0)",
        )
        + stack("[24, 32, 64]", "[24, 64, 32]", 1),
        "E37",
        ("C:\\Users\\user\\Desktop\\TR-MISR-master\\src\\utils.py", 118),
    ),
    (
        "pytorch/pytorch#116558",
        "`Run wy0zpbq7 errored: RuntimeError('"
        + (
            "Caught RuntimeError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
            + at(
                "/users/s/anaconda3/envs/q/lib/python3.11/site-packages/torch/utils/data/_utils/fetch.py",
                54,
                "fetch",
                "x(data)",
            )
            + at("/jobs/s/vqvae/train.py", 67, "collate_tensor_fn", "seq=torch.stack(seq,dim=0)")
            + stack("[3, 1, 224, 224]", "[3, 1, 144, 192]", 6)
        ).replace("\n", "\\n")
        + "')\n",
        "E37",
        ("/jobs/s/vqvae/train.py", 67),
    ),
    (
        "rasbt/LLMs-from-scratch#365",
        "RuntimeError                              Traceback (most recent call last)\n"
        "[<ipython-input-81-5551546cf2e9>](https://localhost:8080/#) in <cell line: 7>()\n      5 \n"
        "      6 data_iter = iter(dataloader)\n----> 7 inputs, targets = next(data_iter)\n      8 print(inputs)\n\n"
        "7 frames\n[/usr/local/lib/python3.10/dist-packages/torch/utils/data/_utils/collate.py]"
        "(https://localhost:8080/#) in collate_tensor_fn(batch, collate_fn_map)\n    212         out = elem.new(storage)\n"
        "--> 214     return torch.stack(batch, 0, out=out)\n    215 \n\n" + stack("[5]", "[1]", 1),
        "E37",
        ("cell 81", 7),
    ),
    (
        "bghira/SimpleTuner#59",
        HEADER
        + at("/srv/SimpleTuner/train_sdxl.py", 1343, "<module>", "main()")
        + at("/srv/SimpleTuner/train_sdxl.py", 858, "main", "for step, batch in enumerate(train_dataloader):")
        + at(
            "/srv/SimpleTuner/.venv/lib/python3.10/site-packages/accelerate/data_loader.py",
            394,
            "__iter__",
            "n = 1",
        )
        + at(
            "/srv/SimpleTuner/train_sdxl.py",
            617,
            "<lambda>",
            "collate_fn=lambda examples: collate_fn(examples),",
        )
        + at("/srv/SimpleTuner/train_sdxl.py", 559, "collate_fn", "pixel_values = torch.stack(latents)")
        + stack("[4, 128, 170]", "[4, 96, 128]", 2),
        "E37",
        ("/srv/SimpleTuner/train_sdxl.py", 559),
    ),
    (
        "hollowstrawberry/kohya-colab#185",
        "RuntimeError: Caught RuntimeError in DataLoader worker process 2.\nOriginal Traceback (most recent call last):\n"
        + at(
            "/usr/local/lib/python3.10/dist-packages/torch/utils/data/_utils/worker.py",
            308,
            "_worker_loop",
            "x = f()",
        )
        + at(
            "/usr/local/lib/python3.10/dist-packages/torch/utils/data/_utils/fetch.py",
            51,
            "<listcomp>",
            "data = [x]",
        )
        + at(
            "/content/kohya-trainer/library/train_util.py",
            1189,
            "__getitem__",
            'example["latents"] = torch.stack(ls)',
        )
        + stack("[4, 144, 112]", "[4, 136, 120]", 3),
        "E37",
        ("/content/kohya-trainer/library/train_util.py", 1189),
    ),
    (
        "imatge-upc/wav2pix#6",
        "Anyone else getting this?\n\n"
        + quoted(
            "> ",
            HEADER
            + at("runtime.py", 43, "<module>", "trainer.train()")
            + at(
                "/content/drive/My Drive/wav2pix-master/scripts/trainer.py",
                72,
                "train",
                "for sample in self.data_loader:",
            )
            + at(
                "/usr/local/lib/python3.6/dist-packages/torch/utils/data/dataloader.py",
                363,
                "__next__",
                "d = n()",
            )
            + "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n"
            "Original Traceback (most recent call last):\n"
            + at(
                "/usr/local/lib/python3.6/dist-packages/torch/utils/data/_utils/collate.py",
                55,
                "default_collate",
                "s()",
            )
            + stack("[128000]", "[102452]", 5),
        ),
        "E37",
        ("/content/drive/My Drive/wav2pix-master/scripts/trainer.py", 72),
    ),
    (
        "layumi/Person_reID_baseline_pytorch#372",
        "Epoch 0/59\n----------\ntrain Loss: 2.7186 Acc: 0.4082\n"
        + "".join(
            ASSERTED.format(
                file="/pytorch/aten/src/THCUNN/ClassNLLCriterion.cu:108",
                kernel="cunn_ClassNLLCriterion_updateOutput_kernel",
                thread=thread,
            )
            for thread in (0, 8, 11, 20, 31)
        )
        + HEADER
        + at("train.py", 577, "<module>", "num_epochs=opt.total_epoch)")
        + at("train.py", 379, "train_model", "running_loss += loss.item() * now_batch_size")
        + "RuntimeError: CUDA error: device-side assert triggered\n",
        "E15",
        ("train.py", 379),
    ),
    (
        "milesial/Pytorch-UNet#375",
        "".join(
            ASSERTED.format(
                file="../aten/src/ATen/native/cuda/NLLLoss2d.cu:103",
                kernel="nll_loss2d_forward_kernel",
                thread=thread,
            )
            for thread in (996, 997, 998, 999, 783)
        ),
        "E15",
        None,
    ),
    (
        "kimhc6028/pathnet-pytorch#6",
        "THCudaCheck FAIL file=/opt/conda/conda-bld/pytorch_1512378360668/jobs/torch/lib/THC/generic/THCTensorMath.cu "
        "line=26 error=59 : device-side assert triggered\n"
        + HEADER
        + at("/workspace/pathnet-pytorch/main.py", 168, "<module>", "main()")
        + at("/workspace/pathnet-pytorch/pathnet.py", 121, "train_model", "loss.backward()")
        + at(
            "/opt/conda/envs/pytorch-py2.7/lib/python2.7/site-packages/torch/autograd/variable.py",
            167,
            "backward",
            "b()",
        )
        + "RuntimeError: cuda runtime error (59) : device-side assert triggered at /opt/conda/conda-bld/"
        "pytorch_1512378360668/jobs/torch/lib/THC/generic/THCTensorMath.cu:26\n",
        "E15",
        ("/workspace/pathnet-pytorch/pathnet.py", 121),
    ),
    (
        "ssnl/dataset-distillation#58",
        quoted(
            "2022-12-28 16:13:02 [ERROR]  ",
            HEADER
            + at("/data/l/dataset-distillation/basics.py", 65, "train_steps_inplace", "callback(i, params)")
            + at(
                "/data/l/dataset-distillation/basics.py",
                138,
                "evaluate_models",
                "losses[k] += task_loss(x).item()",
            )
            + "RuntimeError: CUDA error: device-side assert triggered\n",
        ),
        "E15",
        ("/data/l/dataset-distillation/basics.py", 138),
    ),
    (
        "gseg-ethz/CoFF#2",
        "UnpicklingError                           Traceback (most recent call last)\nCell In[6], line 1\n"
        "----> 1 state = torch.load('weights[/coff.pth.tar]', weights_only=True)\n\n"
        "File [/usr/local/lib/python3.10/dist-packages/torch/serialization.py:/usr/local/lib/python3.10/dist-packages/"
        "torch/serialization.py#line=1112), in load(f, map_location, pickle_module, weights_only, mmap)\n"
        "   1112     except RuntimeError as e:\n-> 1113         raise pickle.UnpicklingError(str(e)) from None\n\n"
        "UnpicklingError: " + WEIGHTS.format(operand=60),
        "E45",
        ("cell 6", 1),
    ),
    (
        "OpenBMB/MiniCPM#185",
        "运行脚本时出现如下报错：\n"
        + HEADER
        + at(
            "/data/x/lib/python3.8/site-packages/transformers/modeling_utils.py",
            575,
            "load_state_dict",
            "return f(",
        )
        + at(
            "/data/x/lib/python3.8/site-packages/torch/serialization.py",
            1113,
            "load",
            "raise E(str(e)) from None",
        )
        + "_pickle.UnpicklingError: "
        + WEIGHTS.format(operand=118),
        "E45",
        None,
    ),
    (
        "0Xiaohei0/LocalAIVtuber#51",
        'serialization.py", line 1470, in load\n    raise pickle.UnpicklingError(_get_wo_message(str(e))) from None\n'
        "_pickle.UnpicklingError: Weights only load failed. This file can still be loaded, to do so you have two options, "
        "do those steps only if you trust the source of the checkpoint.\n        (1) In PyTorch 2.6, we changed the "
        "default value of the `weights_only` argument in `torch.load` from `False` to `True`.\n        WeightsUnpickler "
        "error: Unsupported global: GLOBAL utils.HParams was not an allowed global by default.\n",
        "E45",
        None,
    ),
    (
        "RasmussenLab/vamb#5",
        HEADER
        + at("../vamb/run.py", 311, "<module>", "logfile=logfile)")
        + at("/e/vamb/encode.py", 219, "forward", "mu, logsigma = self._encode(tensor)")
        + at("/e/vamb/encode.py", 180, "_encode", "tensor = norm(self.dropout(self.relu(layer(tensor))))")
        + call("/e/miniconda3_dev/envs/vamb/lib/python3.6/site-packages", 491)
        + at(
            "/e/miniconda3_dev/envs/vamb/lib/python3.6/site-packages/torch/nn/functional.py",
            1194,
            "batch_norm",
            "raise",
        )
        + "ValueError: Expected more than 1 value per channel when training, got input size [1, 325]\n",
        "E34",
        ("/e/vamb/encode.py", 180),
    ),
    (
        "zhaoy376/Bridge-Attention#2",
        at(
            "/B/models/BA_module.py",
            58,
            "forward",
            "pre = [self.f[i](layers[i].view(b, -1)) for i in range(n)]",
            "",
        )
        + at(
            "/B/models/BA_module.py",
            58,
            "<listcomp>",
            "pre = [self.f[i](layers[i].view(b, -1)) for i in range(n)]",
        )
        + call("/anaconda/envs/py36/lib/python3.6/site-packages", 1051, "_call_impl")
        + at(
            "/anaconda/envs/py36/lib/python3.6/site-packages/torch/nn/functional.py",
            2279,
            "batch_norm",
            "v(size)",
        )
        + "ValueError: Expected more than 1 value per channel when training, got input size torch.Size([1, 16])\n",
        "E34",
        ("/B/models/BA_module.py", 58),
    ),
    (
        "RedstoneWill/CNN_PyTorch_Beginner#1",
        "运行第3个LeNet-5案例，最后模型测试出现这样的报错："
        + channels("[6, 1, 5, 5]", "[1, 3, 32, 32]", 1, 3),
        "E35",
        None,
    ),
    (
        "keras-team/autokeras#351",
        "#它会出现错误提示\nRuntimeError                              Traceback (most recent call last)\n"
        "<ipython-input-32-5878c7fe2af8> in <module>\n      7 conv.weight.data=kernel.view(1,1,3,3)\n      8 \n"
        "----> 9 out=conv(V(input))\n     10 show(out)\n\n"
        "D:\\ProgramData\\Anaconda3\\lib\\site-packages\\torch\\nn\\modules\\module.py in __call__(self, *input, **kwargs)\n"
        "    488         else:\n--> 489             result = self.forward(*input, **kwargs)\n\n"
        + channels("[1, 1, 3, 3]", "[1, 3, 512, 512]", 1, 3),
        "E35",
        ("cell 32", 9),
    ),
    (
        "rawmarshmellows/deep-photo-aesthetics#2",
        "RuntimeError: Given groups=1, weight[512, 2048, 1, 1], so expected input[16, 64, 75, 75] to have 2048 channels, "
        "but got 64 channels instead\n@someone , can you help me\n",
        "E35",
        None,
    ),
    (
        "GBLin5566/toward-controlled-generation-of-text-pytorch#8",
        " Epoch 0 batch 0's average language loss: 8.74623718262\n"
        + HEADER
        + at("train.py", 296, "<module>", "train_vae_with_attr_loss(encoder, decoder, discriminator)")
        + at("train.py", 270, "train_vae_with_attr_loss", "total_vae_loss.backward()")
        + at("/usr/local/lib/python2.7/dist-packages/torch/autograd/variable.py", 156, "backward", "b(self)")
        + at(
            "/usr/local/lib/python2.7/dist-packages/torch/autograd/_functions/blas.py",
            30,
            "backward",
            "a, b = s()",
        )
        + FREED,
        "E22",
        ("train.py", 270),
    ),
    (
        "unslothai/unsloth#3543",
        "RuntimeError                              Traceback (most recent call last)\n"
        "[/tmp/ipython-input-773422404.py](https://localhost:8080/#) in <cell line: 0>()\n"
        "----> 1 trainer_stats = trainer.train()\n\n12 frames\n"
        "[/usr/local/lib/python3.12/dist-packages/torch/_functorch/_aot_autograd/runtime_wrappers.py]"
        "(https://localhost:8080/#) in backward(ctx, *flat_args)\n   2197                 all_args = f(\n"
        "-> 2198                     ctx.saved_tensors,\n   2199                     ctx.symints,\n\n"
        "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they "
        "have already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
        "autograd.grad().\n",
        "E22",
        ("/tmp/ipython-input-773422404.py", 1),
    ),
    (
        "3d-hand-shape/hand-graph-cnn#55",
        "022-11-23 04:49:27,078 hand_shape_pose_inference INFO: Saving image: ./output/pred_0.jpg\n"
        + HEADER
        + at("/mnt/hand/model/hand-graph-cnn-master/train_script.py", 151, "<module>", "main()")
        + at("/mnt/hand/model/hand-graph-cnn-master/train_script.py", 120, "main", "loss.backward()#反向传播")
        + at(
            "/srv/miniconda3/envs/myconda/lib/python3.7/site-packages/torch/tensor.py",
            185,
            "backward",
            "b(self)",
        )
        + FREED.replace("the buffers", "the saved intermediate results"),
        "E22",
        ("/mnt/hand/model/hand-graph-cnn-master/train_script.py", 120),
    ),
    (
        "DEEP-PolyU/KEQA_WSDM19#26",
        HEADER
        + at("test_main.py", 115, "<module>", "result, questions = entity_predict(dataset_iter=test_iter)")
        + at("test_main.py", 41, "entity_predict", "answer = torch.max(model(batch), 1)[1]")
        + at(
            "C:\\Users\\DW\\.conda\\envs\\pytorch\\lib\\site-packages\\torch\\nn\\modules\\module.py",
            1194,
            "_call_impl",
        )
        + at("C:\\Code\\KEQA_WSDM19-master\\entity_detection.py", 39, "forward", "x = self.embed(text)")
        + at(
            "C:\\Users\\DW\\.conda\\envs\\pytorch\\lib\\site-packages\\torch\\nn\\functional.py",
            2210,
            "embedding",
            "e()",
        )
        + INDEX,
        "E36",
        ("C:\\Code\\KEQA_WSDM19-master\\entity_detection.py", 39),
    ),
    (
        "facebookresearch/MUSE#179",
        " src_emb = self.src_emb(Variable(src_ids, volatile=True))\n"
        + HEADER
        + at("<input>", 1, "<module>")
        + at(
            "D:\\IDE\\pycharm\\PyCharm 2018.3.5\\helpers\\pydev\\_pydev_bundle\\pydev_umd.py",
            197,
            "runfile",
            "e(f)",
        )
        + at("E:/work_place/python/MUSE-master/unsupervised.py", 115, "<module>", "trainer.dis_step(stats)")
        + at(
            "E:\\work_place\\python\\MUSE-master\\src\\trainer.py",
            74,
            "get_dis_xy",
            "src = self.src_emb(ids)",
        )
        + at(
            "D:\\env\\python37\\lib\\site-packages\\torch\\nn\\functional.py",
            1815,
            "embedding",
            "return e(weight)",
        )
        + INDEX,
        "E36",
        ("E:\\work_place\\python\\MUSE-master\\src\\trainer.py", 74),
    ),
    (
        "FudanNLP/CPT#85",
        "│   2266 │   │   _no_grad_embedding_renorm_(weight, input)                    │\n"
        "│ ❱ 2267 │   return torch.embedding(weight, input, padding_idx)            │\n"
        "│   2268                                                                   │\n"
        "╰──────────────────────────────────────────────────────────────────────────╯\n" + INDEX,
        "E36",
        None,
    ),
    (
        "OFA-Sys/OFA#271",
        "```\n"
        + "".join(
            f"[E ProcessGroupNCCL.cpp:737] [Rank {rank}] "
            + WATCHDOG.format(number=469508, sizes="", limit=1800000, ran=1802212)
            + "\n"
            for rank in (1, 3, 2, 6)
        ),
        "E71",
        None,
    ),
    (
        "huggingface/picotron_tutorial#6",
        "[E ProcessGroupNCCL.cpp:915] [Rank 2] NCCL watchdog thread terminated with exception: [Rank 2] "
        + WATCHDOG.format(number=1, sizes="NumelIn=1, NumelOut=1, ", limit=120000, ran=120822)
        + "\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  [Rank 2] NCCL watchdog thread "
        "terminated with exception\n[E ProcessGroupNCCL.cpp:488] Some NCCL operations have failed or timed out.\n",
        "E71",
        None,
    ),
]
