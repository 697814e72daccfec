"""Names of torch's releases, written by `python -m torchlsp.dev torch-api`; see `torch_names`.

Long because it names all that torch has.
"""

RELEASES = "1.13 2.0 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15"
TABLE = """\
modules 0- torch torch._C torch._C_flatbuffer@0-2,9- torch._VF torch.__config__ torch.__future__ torch._appdirs
 torch._awaits@1- torch._classes torch._compile@2- torch._custom_class_base@15- torch._custom_op@2-
 torch._custom_ops@2- torch._decomp torch._deploy@0-10 torch._dispatch torch._environment@7- torch._export@1-
 torch._functorch@1- torch._guards@1- torch._higher_order_ops@2- torch._jit_internal torch._lazy torch._library@3-
 torch._linalg_utils torch._lobpcg torch._logging@2- torch._lowrank torch._meta_registrations
 torch._namedtensor_internals@0-14 torch._native@13- torch._numpy@2- torch._opaque_base@12- torch._ops
 torch._precompile@15- torch._precompile_driver@15- torch._prims torch._prims_common torch._python_dispatcher
 torch._refs torch._six@0-1 torch._size_docs@5- torch._sources torch._storage_docs torch._streambase@3-
 torch._strobelight@5- torch._subclasses torch._tensor torch._tensor_docs torch._tensor_iterator@14- torch._tensor_str
 torch._thread_safe_fork@7- torch._torch_docs torch._utils torch._utils_internal torch._vmap_internals
 torch._weights_only_unpickler torch.accelerator@7- torch.accelerator.graphs@13- torch.accelerator.memory@10-
 torch.accelerator.random@15- torch.amp torch.amp.autocast_mode torch.amp.grad_scaler@4- torch.ao torch.ao.nn
 torch.ao.nn.intrinsic torch.ao.nn.qat torch.ao.nn.quantizable torch.ao.nn.quantized torch.ao.nn.sparse torch.ao.ns
 torch.ao.ns.fx torch.ao.pruning@1- torch.ao.pruning.scheduler@1- torch.ao.pruning.sparsifier@1- torch.ao.quantization
 torch.ao.quantization.backend_config torch.ao.quantization.fake_quantize torch.ao.quantization.fuse_modules
 torch.ao.quantization.fuser_method_mappings torch.ao.quantization.fx torch.ao.quantization.observer
 torch.ao.quantization.pt2e@2-12 torch.ao.quantization.qconfig torch.ao.quantization.qconfig_mapping
 torch.ao.quantization.qconfig_mapping_utils@0-1 torch.ao.quantization.quant_type
 torch.ao.quantization.quantization_mappings torch.ao.quantization.quantization_types@0-1
 torch.ao.quantization.quantize torch.ao.quantization.quantize_fx torch.ao.quantization.quantize_jit
 torch.ao.quantization.quantize_pt2e@2-12 torch.ao.quantization.quantizer@2-12 torch.ao.quantization.stubs
 torch.ao.quantization.utils torch.ao.sparsity@0-1 torch.ao.sparsity.scheduler@0-1 torch.ao.sparsity.sparsifier@0-1
 torch.autograd torch.autograd.anomaly_mode torch.autograd.forward_ad torch.autograd.function
 torch.autograd.functional torch.autograd.grad_mode torch.autograd.gradcheck torch.autograd.graph
 torch.autograd.profiler torch.autograd.profiler_legacy torch.autograd.profiler_util torch.autograd.variable
 torch.backends torch.backends.cpu@2- torch.backends.cuda torch.backends.cudnn torch.backends.cudnn.rnn
 torch.backends.cusparselt@6- torch.backends.kleidiai@8- torch.backends.mha@4- torch.backends.miopen@10-
 torch.backends.mkl torch.backends.mkldnn torch.backends.mps torch.backends.nnpack@4- torch.backends.openmp
 torch.backends.opt_einsum torch.backends.python_native@13- torch.backends.quantized torch.backends.xeon
 torch.backends.xeon.run_cpu torch.backends.xnnpack torch.classes torch.compiler@2- torch.compiler.config@7-
 torch.compiler.precompile@16- torch.contrib torch.cpu torch.cpu.amp torch.cpu.amp.autocast_mode
 torch.cpu.amp.grad_scaler@4- torch.cuda torch.cuda.amp torch.cuda.amp.autocast_mode torch.cuda.amp.common
 torch.cuda.amp.grad_scaler torch.cuda.comm torch.cuda.error@0-10 torch.cuda.gds@6- torch.cuda.graph_annotations@15-
 torch.cuda.graphs torch.cuda.green_contexts@11- torch.cuda.jiterator torch.cuda.memory torch.cuda.nccl
 torch.cuda.nvtx torch.cuda.profiler torch.cuda.random torch.cuda.sparse torch.cuda.streams torch.cuda.tunable@5-
 torch.distributed torch.distributed.algorithms torch.distributed.algorithms.ddp_comm_hooks
 torch.distributed.algorithms.join torch.distributed.algorithms.model_averaging torch.distributed.argparse_util
 torch.distributed.autograd torch.distributed.c10d_error_logger@1-2 torch.distributed.c10d_logger@2-
 torch.distributed.checkpoint@1- torch.distributed.checkpoint.api@1- torch.distributed.checkpoint.default_planner@1-
 torch.distributed.checkpoint.filesystem@1- torch.distributed.checkpoint.format_utils@4-
 torch.distributed.checkpoint.fsspec@4-5 torch.distributed.checkpoint.fsspec_filesystem@16-
 torch.distributed.checkpoint.hf_storage@9- torch.distributed.checkpoint.logger@5-
 torch.distributed.checkpoint.logging_handlers@5- torch.distributed.checkpoint.metadata@1-
 torch.distributed.checkpoint.optimizer@1- torch.distributed.checkpoint.planner@1-
 torch.distributed.checkpoint.planner_helpers@1- torch.distributed.checkpoint.protocol@15-
 torch.distributed.checkpoint.quantized_hf_storage@10- torch.distributed.checkpoint.resharding@1-
 torch.distributed.checkpoint.staging@5- torch.distributed.checkpoint.state_dict@3-
 torch.distributed.checkpoint.state_dict_loader@1- torch.distributed.checkpoint.state_dict_saver@1-
 torch.distributed.checkpoint.stateful@3- torch.distributed.checkpoint.storage@1-
 torch.distributed.checkpoint.utils@1- torch.distributed.collective_utils@2- torch.distributed.config@12-
 torch.distributed.constants torch.distributed.debug@11- torch.distributed.device_mesh@3-
 torch.distributed.distributed_c10d torch.distributed.elastic torch.distributed.elastic.agent
 torch.distributed.elastic.control_plane@5- torch.distributed.elastic.events torch.distributed.elastic.metrics
 torch.distributed.elastic.multiprocessing torch.distributed.elastic.rendezvous torch.distributed.elastic.timer
 torch.distributed.elastic.utils torch.distributed.flight_recorder@11-
 torch.distributed.flight_recorder.components@11- torch.distributed.flight_recorder.fr_trace@11-
 torch.distributed.fsdp torch.distributed.fsdp.api@1- torch.distributed.fsdp.flat_param@0-3
 torch.distributed.fsdp.flatten_params_wrapper@0-1 torch.distributed.fsdp.fully_sharded_data_parallel
 torch.distributed.fsdp.sharded_grad_scaler torch.distributed.fsdp.utils@0-1 torch.distributed.fsdp.wrap
 torch.distributed.launch torch.distributed.launcher torch.distributed.launcher.api
 torch.distributed.logging_handlers@1- torch.distributed.nn torch.distributed.nn.api torch.distributed.nn.functional
 torch.distributed.nn.jit torch.distributed.optim torch.distributed.optim.apply_optimizer_in_backward@1-
 torch.distributed.optim.functional_adadelta torch.distributed.optim.functional_adagrad
 torch.distributed.optim.functional_adam torch.distributed.optim.functional_adamax
 torch.distributed.optim.functional_adamw torch.distributed.optim.functional_rmsprop
 torch.distributed.optim.functional_rprop torch.distributed.optim.functional_sgd
 torch.distributed.optim.named_optimizer@1- torch.distributed.optim.optimizer
 torch.distributed.optim.post_localSGD_optimizer torch.distributed.optim.utils
 torch.distributed.optim.zero_redundancy_optimizer torch.distributed.pipeline@0-5 torch.distributed.pipeline.sync@0-5
 torch.distributed.pipelining@5- torch.distributed.pipelining.microbatch@5- torch.distributed.pipelining.schedules@5-
 torch.distributed.pipelining.stage@5- torch.distributed.remote_device torch.distributed.rendezvous
 torch.distributed.rpc torch.distributed.rpc.api torch.distributed.rpc.backend_registry
 torch.distributed.rpc.constants torch.distributed.rpc.functions torch.distributed.rpc.internal
 torch.distributed.rpc.options torch.distributed.rpc.rref_proxy torch.distributed.rpc.server_process_global_profiler
 torch.distributed.run torch.distributed.tensor@1- torch.distributed.tensor.debug@6-
 torch.distributed.tensor.device_mesh@6- torch.distributed.tensor.experimental@6- torch.distributed.tensor.parallel@1-
 torch.distributed.tensor.placement_types@6- torch.distributed.utils torch.distributions torch.distributions.bernoulli
 torch.distributions.beta torch.distributions.binomial torch.distributions.categorical torch.distributions.cauchy
 torch.distributions.chi2 torch.distributions.constraint_registry torch.distributions.constraints
 torch.distributions.continuous_bernoulli torch.distributions.dirichlet torch.distributions.distribution
 torch.distributions.exp_family torch.distributions.exponential torch.distributions.fishersnedecor
 torch.distributions.gamma torch.distributions.generalized_pareto@9- torch.distributions.geometric
 torch.distributions.gumbel torch.distributions.half_cauchy torch.distributions.half_normal
 torch.distributions.independent torch.distributions.inverse_gamma@3- torch.distributions.kl
 torch.distributions.kumaraswamy torch.distributions.laplace torch.distributions.lkj_cholesky
 torch.distributions.log_normal torch.distributions.logistic_normal torch.distributions.lowrank_multivariate_normal
 torch.distributions.mixture_same_family torch.distributions.multinomial torch.distributions.multivariate_normal
 torch.distributions.negative_binomial torch.distributions.normal torch.distributions.one_hot_categorical
 torch.distributions.pareto torch.distributions.poisson torch.distributions.relaxed_bernoulli
 torch.distributions.relaxed_categorical torch.distributions.studentT torch.distributions.transformed_distribution
 torch.distributions.transforms torch.distributions.uniform torch.distributions.utils torch.distributions.von_mises
 torch.distributions.weibull torch.distributions.wishart torch.export@2- torch.export.custom_obj@4-
 torch.export.custom_ops@8- torch.export.decomp_utils@7- torch.export.dynamic_shapes@4- torch.export.experimental@6-
 torch.export.exported_program@3- torch.export.graph_signature@3- torch.export.passes@6- torch.export.pt2_archive@9-
 torch.export.pt2_archive.constants@9- torch.export.unflatten@4- torch.fft torch.foreach@16- torch.func@1-
 torch.functional torch.futures torch.fx torch.fx.annotate torch.fx.config@1- torch.fx.experimental
 torch.fx.experimental.accelerator_partitioner torch.fx.experimental.const_fold torch.fx.experimental.debug
 torch.fx.experimental.dynamic_spec@14- torch.fx.experimental.graph_gradual_typechecker
 torch.fx.experimental.merge_matmul torch.fx.experimental.meta_tracer torch.fx.experimental.migrate_gradual_types
 torch.fx.experimental.normalize torch.fx.experimental.optimization torch.fx.experimental.partitioner_utils
 torch.fx.experimental.proxy_tensor torch.fx.experimental.recording@3- torch.fx.experimental.refinement_types
 torch.fx.experimental.rewriter torch.fx.experimental.schema_type_annotation torch.fx.experimental.sym_node@3-
 torch.fx.experimental.symbolic_shapes torch.fx.experimental.unification torch.fx.experimental.unify_refinements
 torch.fx.experimental.validator@2- torch.fx.graph torch.fx.graph_module torch.fx.immutable_collections
 torch.fx.interpreter torch.fx.node torch.fx.operator_schemas torch.fx.passes
 torch.fx.passes.annotate_getitem_nodes@1- torch.fx.passes.backends torch.fx.passes.canonicalize@15-
 torch.fx.passes.dialect torch.fx.passes.fake_tensor_prop torch.fx.passes.graph_drawer
 torch.fx.passes.graph_manipulation torch.fx.passes.graph_transform_observer@5- torch.fx.passes.infra
 torch.fx.passes.net_min_base torch.fx.passes.operator_support torch.fx.passes.param_fetch
 torch.fx.passes.pass_manager torch.fx.passes.regional_inductor@11-
 torch.fx.passes.regional_inductor_invoke_subgraph@12- torch.fx.passes.reinplace torch.fx.passes.runtime_assert@5-
 torch.fx.passes.shape_prop torch.fx.passes.split_module torch.fx.passes.split_utils torch.fx.passes.splitter_base
 torch.fx.passes.tests torch.fx.passes.tools_common torch.fx.passes.utils torch.fx.proxy torch.fx.subgraph_rewriter
 torch.fx.tensor_type torch.fx.traceback torch.hub torch.jit torch.jit.annotations torch.jit.frontend
 torch.jit.generate_bytecode torch.jit.mobile torch.jit.quantized torch.jit.supported_ops
 torch.jit.unsupported_tensor_ops torch.library torch.linalg torch.masked torch.masked.maskedtensor
 torch.masked.maskedtensor.binary torch.masked.maskedtensor.core torch.masked.maskedtensor.creation
 torch.masked.maskedtensor.passthrough torch.masked.maskedtensor.reductions torch.masked.maskedtensor.unary
 torch.monitor torch.mps@1- torch.mps.event@2- torch.mps.profiler@2- torch.mps.streams@16- torch.mtia@5-
 torch.mtia.memory@7- torch.mtia.mtia_graph@11- torch.multiprocessing torch.multiprocessing.pool
 torch.multiprocessing.queue torch.multiprocessing.reductions torch.multiprocessing.spawn torch.nativert@11-
 torch.nativert.backends@11- torch.nested torch.nn torch.nn.attention@4- torch.nn.attention.bias@4-
 torch.nn.attention.experimental@7- torch.nn.attention.flex_attention@6- torch.nn.attention.varlen@11-
 torch.nn.backends torch.nn.backends.thnn torch.nn.common_types torch.nn.cpp torch.nn.functional torch.nn.grad
 torch.nn.init torch.nn.intrinsic torch.nn.intrinsic.modules torch.nn.intrinsic.qat torch.nn.intrinsic.quantized
 torch.nn.modules torch.nn.modules.activation torch.nn.modules.adaptive torch.nn.modules.batchnorm
 torch.nn.modules.channelshuffle torch.nn.modules.container torch.nn.modules.conv torch.nn.modules.distance
 torch.nn.modules.dropout torch.nn.modules.flatten torch.nn.modules.fold torch.nn.modules.instancenorm
 torch.nn.modules.lazy torch.nn.modules.linear torch.nn.modules.linear_cross_entropy@14-
 torch.nn.modules.linear_cross_entropy_options@14- torch.nn.modules.loss torch.nn.modules.module
 torch.nn.modules.normalization torch.nn.modules.padding torch.nn.modules.pixelshuffle torch.nn.modules.pooling
 torch.nn.modules.rnn torch.nn.modules.sparse torch.nn.modules.transformer torch.nn.modules.upsampling
 torch.nn.modules.utils torch.nn.parallel torch.nn.parallel.comm torch.nn.parallel.common_types@0-2
 torch.nn.parallel.data_parallel torch.nn.parallel.distributed torch.nn.parallel.parallel_apply
 torch.nn.parallel.replicate torch.nn.parallel.scatter_gather torch.nn.parameter torch.nn.qat torch.nn.qat.dynamic
 torch.nn.qat.modules torch.nn.quantizable torch.nn.quantizable.modules torch.nn.quantized torch.nn.quantized.dynamic
 torch.nn.quantized.functional torch.nn.quantized.modules torch.nn.utils torch.nn.utils.clip_grad
 torch.nn.utils.convert_parameters torch.nn.utils.fusion torch.nn.utils.init torch.nn.utils.memory_format
 torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.rnn
 torch.nn.utils.spectral_norm torch.nn.utils.stateless torch.nn.utils.weight_norm torch.numa@10-
 torch.numa.binding@10- torch.onnx torch.onnx.errors torch.onnx.operators torch.onnx.ops@9-
 torch.onnx.symbolic_caffe2@0-10 torch.onnx.symbolic_helper torch.onnx.symbolic_opset10 torch.onnx.symbolic_opset11
 torch.onnx.symbolic_opset12 torch.onnx.symbolic_opset13 torch.onnx.symbolic_opset14 torch.onnx.symbolic_opset15
 torch.onnx.symbolic_opset16 torch.onnx.symbolic_opset17 torch.onnx.symbolic_opset18@1- torch.onnx.symbolic_opset19@5-
 torch.onnx.symbolic_opset20@5- torch.onnx.symbolic_opset7 torch.onnx.symbolic_opset8 torch.onnx.symbolic_opset9
 torch.onnx.testing@11- torch.onnx.utils torch.onnx.verification torch.ops torch.optim torch.optim.adadelta
 torch.optim.adagrad torch.optim.adam torch.optim.adamax torch.optim.adamw torch.optim.asgd torch.optim.functional@16-
 torch.optim.lbfgs torch.optim.lr_scheduler torch.optim.nadam torch.optim.optimizer torch.optim.radam
 torch.optim.rmsprop torch.optim.rprop torch.optim.sgd torch.optim.sparse_adam torch.optim.swa_utils torch.overrides
 torch.package torch.package.analyze torch.package.analyze.find_first_use_of_broken_modules
 torch.package.analyze.is_from_package torch.package.analyze.trace_dependencies
 torch.package.file_structure_representation torch.package.find_file_dependencies torch.package.glob_group
 torch.package.importer torch.package.package_exporter torch.package.package_importer torch.profiler
 torch.profiler.itt torch.profiler.profiler torch.profiler.python_tracer torch.quantization
 torch.quantization.fake_quantize torch.quantization.fuse_modules torch.quantization.fuser_method_mappings
 torch.quantization.fx torch.quantization.fx.convert torch.quantization.fx.fuse torch.quantization.fx.fusion_patterns
 torch.quantization.fx.graph_module torch.quantization.fx.match_utils torch.quantization.fx.pattern_utils
 torch.quantization.fx.prepare torch.quantization.fx.quantization_patterns torch.quantization.fx.quantization_types
 torch.quantization.fx.utils torch.quantization.observer torch.quantization.qconfig torch.quantization.quant_type
 torch.quantization.quantization_mappings torch.quantization.quantize torch.quantization.quantize_fx
 torch.quantization.quantize_jit torch.quantization.stubs torch.quantization.utils torch.quasirandom torch.random
 torch.return_types torch.serialization torch.signal@1- torch.signal.windows@1- torch.signal.windows.windows@1-
 torch.sparse torch.sparse.semi_structured@2- torch.special torch.storage torch.testing torch.torch_version
 torch.types torch.utils torch.utils.backcompat torch.utils.backend_registration@1- torch.utils.benchmark
 torch.utils.benchmark.examples torch.utils.benchmark.op_fuzzers torch.utils.benchmark.utils
 torch.utils.bottleneck@0-11 torch.utils.bundled_inputs torch.utils.checkpoint torch.utils.collect_env
 torch.utils.cpp_backtrace torch.utils.cpp_extension torch.utils.data torch.utils.data.backward_compatibility
 torch.utils.data.communication@0-1 torch.utils.data.dataloader torch.utils.data.dataloader_experimental@0-1
 torch.utils.data.datapipes torch.utils.data.dataset torch.utils.data.distributed torch.utils.data.graph
 torch.utils.data.graph_settings torch.utils.data.sampler torch.utils.debug_log@14- torch.utils.deterministic@3-
 torch.utils.dlpack torch.utils.file_baton torch.utils.flop_counter@2- torch.utils.hipify torch.utils.hipify.constants
 torch.utils.hipify.cuda_to_hip_mappings torch.utils.hipify.hipify_python torch.utils.hipify.version torch.utils.hooks
 torch.utils.jit torch.utils.jit.log_extract torch.utils.mkldnn torch.utils.mobile_optimizer torch.utils.model_dump
 torch.utils.model_zoo torch.utils.module_tracker@5- torch.utils.serialization@8- torch.utils.serialization.config@8-
 torch.utils.show_pickle torch.utils.tensorboard torch.utils.tensorboard.summary torch.utils.tensorboard.writer
 torch.utils.throughput_benchmark torch.utils.viz@2- torch.utils.weak@1- torch.version torch.xpu@4-
 torch.xpu.graphs@12- torch.xpu.memory@6- torch.xpu.random@4- torch.xpu.streams@4-
torch 0- AVG AbstractContextManager@12- AcceleratorError@9- AggregationType AliasDb AliasInfo Any AnyStr AnyType
 Argument ArgumentSpec AwaitType@1- BFloat16Storage BFloat16Tensor@3- BatchNormBackend@5- BenchmarkConfig
 BenchmarkExecutionStats BinaryIO@0-8 Block BoolLikeType@15- BoolStorage BoolTensor BoolType BufferDict ByteStorage
 ByteTensor CONV_BN_FUSION CallStack Callable Capsule CapturedTraceback@2- CharStorage CharTensor ClassDef ClassType
 Code CompilationUnit CompleteArgumentSpec ComplexDoubleStorage ComplexFloatStorage ComplexType ConcreteModuleType
 ConcreteModuleTypeBuilder ConstantIntNode@15- ContextManager@0-9 ConvBackend@1- Decl DeepCopyMemoTable Def
 DeserializationStorageContext DeviceLikeType@3- DeviceMesh@11- DeviceObjType Dict@0-9 DictType DisableTorchFunction
 DisableTorchFunctionSubclass@1- DispatchKey DispatchKeySet DoubleStorage DoubleTensor EllipsisType@9- Enum EnumType
 ErrorReport Event@5- ExcludeDispatchKeyGuard ExecutionPlan FUSE_ADD_RELU FatalError FileCheck FloatLikeType@15-
 FloatStorage FloatTensor FloatType FunctionSchema Future FutureType FxNode@6- Generator Generic GradScaler@4-
 Gradient Graph GraphExecGroup@11- GraphExecutorState GreenContext@11-15 HOIST_CONV_PACKED_PARAMS HalfStorage
 HalfTensor INSERT_FOLD_PREPACK_OPS IO@8- IODescriptor IValue Ident InferredType IntEnum@3- IntLikeType@6- IntStorage
 IntTensor IntType InterfaceType Iterable Iterator JITException JitType JitTypeT@9- K@3- List@0-9 ListType
 LiteScriptModule Literal LocalIntNode@15- LockingLogger LoggerBase LongStorage LongTensor MobileOptimizerType@0-1
 ModuleDict NamedTuple NestedIntNode@15- Node NoneType NoopLogger Number NumberType OpSchema@11- OperatorInfo
 Optional@0-9 OptionalType OutOfMemoryError@5- P@3- PRIVATE_OPS PackageExporter ParamSpec@3- ParameterDict
 ParamsSpec@14- Path Placement@11- Protocol@3- PyObjectType PySymType@15- PyTorchFileReader PyTorchFileWriter
 QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage R REMOVE_DROPOUT RRefType ResolutionCallback
 ReturnVal@3-9 S SUM ScriptClass ScriptClassFunction ScriptDict@3- ScriptDictIterator ScriptDictKeyIterator
 ScriptFunction ScriptList@3- ScriptListIterator ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject
 ScriptObjectProperty Self@5- Sequence SerializationStorageContext Set@0-9 ShapesSpec@14- ShortStorage ShortTensor
 Size SourceRange Stack StaticModule Storage StorageBase Stream StreamObjType StringType SupportsIndex@3- SymBool@1-
 SymBoolType@3- SymFloat@1- SymFloatNode@0-1 SymInt SymIntNode@0-1 SymIntType@3- SymNode@15- T TYPE_CHECKING T_co@9-
 Tag@2- Tensor TensorBase@3- TensorType ThroughputBenchmark TorchDispatchMode@5- TracingState TreeView Tuple@0-9
 TupleType Type TypeAlias@9- TypeVar TypedStorage USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH Union@0-9 UnionType
 UntypedStorage Use VULKAN_AUTOMATIC_GPU_TRANSFER@1- Value XPU_POOL_HANDLE@12- abs abs_ absolute accelerator@7- acos
 acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint
 affine_grid_generator alias_copy align_tensors@0-14 all allclose alpha_dropout alpha_dropout_ amax amin aminmax amp
 angle any ao arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh
 arctanh_ are_deterministic_algorithms_enabled argmax argmin argsort argwhere as_strided as_strided_ as_strided_copy
 as_strided_scatter as_tensor asarray asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d
 atleast_3d attr@0-5 attribute@4-5 autocast autocast_decrement_nesting autocast_increment_nesting autograd avg_pool1d
 backends baddbmm bartlett_window base_py_dll_path@0-6 batch_norm batch_norm_backward_elemt batch_norm_backward_reduce
 batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats
 bcomplex32@15- bernoulli bfloat16 bilinear binary_cross_entropy_with_logits bincount binomial bit bits16@3-
 bits1x8@3- bits2x4@3- bits4x2@3- bits8@3- bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
 bitwise_xor blackman_window block_diag bmm bool broadcast_shapes broadcast_tensors broadcast_to bucketize builtins
 can_cast candidate@0-5 cartesian_prod cat ccol_indices_copy cdist cdouble ceil ceil_ celu celu_ cfloat chain_matmul
 chalf@3- channel_shuffle channels_last channels_last_3d cholesky cholesky_inverse cholesky_solve
 choose_qparams_optimized chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ classes classproperty
 clear_autocast_cache clip clip_ clone col_indices_copy coll_meta_registrations@12- column_stack combinations
 compile@1- compiled_with_cxx11_abi compiler@2- complex complex128 complex32 complex64 concat concatenate cond@3- conj
 conj_physical conj_physical_ constant_pad_nd contiguous_format contrib conv1d conv2d conv3d conv_tbc conv_transpose1d
 conv_transpose2d conv_transpose3d convolution copysign corrcoef cos cos_ cosh cosh_ cosine_embedding_loss
 cosine_similarity count_nonzero cov cpp cpu cross crow_indices_copy csan ctc_loss ctypes cuda cuda_path@0-6
 cuda_path_var@0-6 cuda_version@0-6 cuda_version_1@0-6 cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution
 cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable
 cummax cummin cumprod cumsum cumulative_trapezoid current_module@4-5 default_generator default_path@0-6 deg2rad
 deg2rad_ dequantize det detach detach_ detach_copy device diag diag_embed diagflat diagonal diagonal_copy
 diagonal_scatter diff digamma dist distributed distributions div divide dll@0-6 dll_path@0-6 dll_paths@0-6 dlls@0-6
 dot double dropout dropout_ dsmm dsplit dstack dtype e eig einsum embedding embedding_bag embedding_renorm_ empty
 empty_like empty_permuted@2- empty_quantized empty_strided enable_grad eq equal erf erf_ erfc erfc_ erfinv err@0-6
 exp exp2 exp2_ exp_ expand_copy expm1 expm1_ export@2- eye fake_quantize_per_channel_affine
 fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
 fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight
 fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix feature_alpha_dropout feature_alpha_dropout_
 feature_dropout feature_dropout_ fft fill fill_ finfo fix fix_ flatten flip fliplr flipud float float16 float32
 float4_e2m1fn_x2@9- float64 float8_e4m3fn@3- float8_e4m3fnuz@3- float8_e5m2@3- float8_e5m2fnuz@3- float8_e8m0fnu@8-
 float_power floor floor_ floor_divide fmax fmin fmod fn@4-5 foreach@16- fork frac frac_ frexp frobenius_norm
 from_dlpack from_file from_numpy frombuffer full full_like func@1- functional functools@9-
 fused_moving_avg_obs_fake_quant futures fx gather gather_traceback@2- gcd gcd_ ge geqrf ger get_autocast_cpu_dtype
 get_autocast_dtype@5- get_autocast_gpu_dtype get_autocast_ipu_dtype get_autocast_xla_dtype get_default_device@4-
 get_default_dtype get_deterministic_debug_mode get_device get_device_module@5- get_file_path
 get_float32_matmul_precision get_num_interop_threads get_num_thread@0-15 get_num_threads get_rng_state glob gradient
 greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt half hamming_window
 hann_window hardshrink has_cuda has_cudnn has_lapack has_mkl has_mkldnn has_mps has_openmp has_spectral
 hash_tensor@10- heaviside hinge_embedding_loss histc histogram histogramdd hsmm hsplit hspmm hstack hub hypot i0 i0_
 igamma igammac iinfo imag import_ir_module import_ir_module_from_buffer importlib@5- index_add index_copy index_fill
 index_put index_put_ index_reduce index_select indices_copy inf inference_mode init_num_threads initial_seed inner
 inspect instance_norm int int1 int16 int2 int3 int32 int4 int5 int6 int64 int7 int8 int_repr inverse
 is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled
 is_autocast_ipu_enabled is_autocast_xla_enabled is_complex is_conj is_deterministic_algorithms_warn_only_enabled
 is_distributed is_floating_point is_grad_enabled is_inference is_inference_mode_enabled is_loaded@0-6 is_neg
 is_nonzero is_same_size is_signed is_storage is_tensor is_vulkan_available is_warn_always_enabled isclose isfinite
 isin isinf isnan isneginf isposinf isreal istft jagged@3- jit kaiser_window kernel32@0-6 kl_div kron kthvalue
 last_error@0-6 layer_norm layout lcm lcm_ ldexp ldexp_ le legacy_contiguous_format lerp less less_equal lgamma
 library linalg linspace load lobpcg log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2
 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace logsumexp long lstm
 lstm_cell lstsq lt lu lu_solve lu_unpack manager_path@0-5 manual_seed margin_ranking_loss masked masked_fill
 masked_scatter masked_select math@1- matmul matrix_exp matrix_power matrix_rank max max_pool1d
 max_pool1d_with_indices max_pool2d max_pool3d maximum mean median memory_format merge_type_from_type_comment meshgrid
 min minimum miopen_batch_norm miopen_convolution miopen_convolution_add_relu miopen_convolution_relu
 miopen_convolution_transpose miopen_ctc_loss@12- miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d
 mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer@1- mm mode
 monitor moveaxis movedim mps@1- msort mtia@5- mul multinomial multiply multiprocessing mv mvlgamma name@0-5 nan
 nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy native_batch_norm
 native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm nativert@11- ne neg neg_
 negative negative_ nested newaxis@5- nextafter nn no_grad nonzero nonzero_static@2- norm norm_except_dim normal
 not_equal nuclear_norm numa@10- numel numpy@5- nvtoolsext_dll_path@0-6 obj@0-5 old_flags ones ones_like onnx ops
 optim orgqr ormqr os outer overload overrides package pairwise_distance parse_ir parse_schema parse_type_comment
 path_patched@0-6 pca_lowrank pdb@5-6 pdist per_channel_affine per_channel_affine_float_qparams per_channel_symmetric
 per_tensor_affine per_tensor_symmetric permute permute_copy pfiles_path@0-6 pi pinverse pixel_shuffle pixel_unshuffle
 platform poisson poisson_nll_loss polar polygamma positive pow prelu prepare_multiprocessing_environment
 preserve_format prev_error_mode@0-6 prod profiler profiler_allow_cudagraph_cupti_lazy_reinit_cuda12@9- promote_types
 put py_dll_path@0-6 py_float@1-6 py_int@1-6 q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale
 q_zero_point qint32 qint8 qr qscheme quantile quantization quantize_per_channel quantize_per_tensor
 quantize_per_tensor_dynamic quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell
 quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d@2- quantized_rnn_relu_cell quantized_rnn_tanh_cell
 quasirandom quint2x4 quint4x2 quint8 rad2deg rad2deg_ rand rand_like randint randint_like randn randn_like random
 randperm range ravel real reciprocal reciprocal_ register_after_fork relu relu_ remainder renorm repeat_interleave
 res@0-6 reshape resize_as_ resize_as_sparse_ resolve_conj resolve_neg result_type return_types rms_norm@5- rnn_relu
 rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round round_ row_indices_copy row_stack rrelu rrelu_ rsqrt rsqrt_
 rsub runtime_checkable@3- saddmm save scalar_tensor scatter scatter_add scatter_reduce searchsorted seed
 segment_reduce select select_copy select_scatter selu selu_ serialization set_anomaly_enabled
 set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype@5- set_autocast_enabled
 set_autocast_gpu_dtype set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype
 set_autocast_xla_enabled set_default_device@1- set_default_dtype set_default_tensor_type set_deterministic_debug_mode
 set_float32_matmul_precision set_flush_denormal set_grad_enabled set_num_interop_threads set_num_threads
 set_printoptions set_rng_state set_vital set_warn_always sgn short sigmoid sigmoid_ sign signal@1- signbit sin sin_
 sinc sinc_ sinh sinh_ slice_copy slice_inverse@4- slice_scatter slogdet smm softmax solve sort sparse sparse_bsc
 sparse_bsc_tensor sparse_bsr sparse_bsr_tensor sparse_compressed_tensor sparse_coo sparse_coo_tensor sparse_csc
 sparse_csc_tensor sparse_csr sparse_csr_tensor special split split_copy split_with_sizes split_with_sizes_copy spmm
 sqrt sqrt_ square square_ squeeze squeeze_copy sspaddmm stack std std_mean stft storage strided sub subtract sum svd
 svd_lowrank swapaxes swapdims sym_constrain_range@2- sym_constrain_range_for_size@2- sym_float@1- sym_fresh_size@7-
 sym_int@1- sym_ite@3- sym_max@1- sym_min@1- sym_name@4-5 sym_not@1- sym_sqrt@3- sym_sum@7- symbolize_tracebacks@2-
 symeig sympy@15- sys sysconfig@5-6 t t_copy take take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot
 testing textwrap th_dll_path@0-6 thread_safe_generator@13- threading@4- threshold threshold_ tile to_dlpack topk
 torch torch_version trace transpose transpose_copy trapezoid trapz triangular_solve tril tril_indices
 triplet_margin_loss triu triu_indices true_divide trunc trunc_ typename types typing@15- typing_extensions@7-10,15-
 uint1 uint16@4- uint2 uint3 uint32@4- uint4 uint5 uint6 uint64@4- uint7 uint8 unbind unbind_copy unflatten
 unfold_copy unify_type_list unique unique_consecutive unique_dim unravel_index@3- unsafe_chunk unsafe_split
 unsafe_split_with_sizes unsqueeze unsqueeze_copy use_deterministic_algorithms usebase_path@5-6 utils values_copy
 vander var var_mean vdot version view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy
 vmap@1- vsplit vstack wait warnings@11- where while_loop@6- windows@1- with_load_library_flags@0-6 xlogy xlogy_
 xpu@4- zero_ zeros zeros_like
torch.ConstantIntNode() 15- val
torch.DeviceMesh() 11- _init_backend _layout _rank _rank_map _root_mesh backend_override device_type mesh
 mesh_dim_names preserve_rank_order@16-
torch.GradScaler() 4- backoff_factor device enabled growth_factor growth_interval init_scale
torch.NestedIntNode() 15- coeff t_id
torch.PackageExporter() 0- debug@1- f importer
torch.ParamsSpec() 14- params
torch.ShapesSpec() 14- assumptions globals params
torch.SymBool() 1- node
torch.SymFloat() 1- node
torch.SymInt() 1- node
torch.SymNode() 15- constant expr fx_node hint optimized_summation pytype shape_env
torch.Tensor 0- H T abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_
 addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint align_as@0-14 align_to@0-14 all allclose amax amin
 aminmax angle any apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_
 arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided as_strided_ as_strided_scatter as_subclass asin
 asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16
 bincount bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or
 bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm bool broadcast_to byte cauchy_
 ccol_indices cdouble ceil ceil_ cfloat chalf char cholesky cholesky_inverse cholesky_solve chunk clamp clamp_
 clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone coalesce col_indices conj conj_physical conj_physical_
 const_data_ptr contiguous copy_ copysign copysign_ corrcoef cos cos_ cosh cosh_ count_nonzero cov cpu cross
 crow_indices cuda cummax cummin cumprod cumprod_ cumsum cumsum_ data data_ptr deg2rad deg2rad_ dense_dim dequantize
 det detach detach_ device diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_ dim dim_order@2-
 dist div div_ divide divide_ dot double dsplit dtype eig element_size eq eq_ equal erf erf_ erfc erfc_ erfinv erfinv_
 exp exp2 exp2_ exp_ expand expand_as expm1 expm1_ exponential_ fill_ fill_diagonal_ fix fix_ flatten flip fliplr
 flipud float float_power float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp
 gather gcd gcd_ ge ge_ geometric_ geqrf ger get_device grad grad_dtype@11- grad_fn greater greater_ greater_equal
 greater_equal_ gt gt_ half hardshrink has_names@0-14 hash_tensor@10- heaviside heaviside_ histc histogram hsplit
 hypot hypot_ i0 i0_ igamma igamma_ igammac igammac_ imag index@11- index_add index_add_ index_copy index_copy_
 index_fill index_fill_ index_put index_put_ index_reduce index_reduce_ index_select indices inner int int_repr
 inverse ipu is_coalesced is_complex is_conj is_contiguous is_cpu@2- is_cuda is_distributed is_floating_point
 is_inference is_ipu is_leaf is_maia@5- is_meta is_mkldnn is_mps is_mtia@3- is_neg is_nested is_nonzero is_ort@0-5
 is_pinned is_quantized is_same_size is_set_to is_shared is_signed is_sparse is_sparse_csr is_vulkan is_xla is_xpu@7-
 isclose isfinite isinf isnan isneginf isposinf isreal istft item itemsize@2- kron kthvalue layout lcm lcm_ ldexp
 ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_
 log_ log_normal_ log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_and_ logical_not
 logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logsumexp long lstsq lt lt_ lu lu_solve mH
 mT map2_ map_ masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_exp matrix_power
 max maximum mean median min minimum mm mode module_load@4- moveaxis movedim msort mtia mul mul_ multinomial multiply
 multiply_ mv mvlgamma mvlgamma_ name names@0-14 nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow
 narrow_copy nbytes@2- ndim ndimension ne ne_ neg neg_ negative negative_ nelement new new_empty new_empty_strided
 new_full new_ones new_tensor new_zeros nextafter nextafter_ nonzero nonzero_static@2- norm normal_ not_equal
 not_equal_ numel numpy orgqr ormqr outer output_nr permute pin_memory pinverse polygamma polygamma_ positive pow pow_
 prelu prod put put_ q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qr qscheme
 quantile rad2deg rad2deg_ random_ ravel real reciprocal reciprocal_ record_stream refine_names@0-14 register_hook
 register_post_accumulate_grad_hook@2- reinforce relu relu_ remainder remainder_ rename@0-14 rename_@0-14 renorm
 renorm_ repeat repeat_interleave requires_grad requires_grad_ reshape reshape_as resize resize_ resize_as resize_as_
 resize_as_sparse_ resolve_conj resolve_neg retain_grad retains_grad@2- roll rot90 round round_ row_indices rsqrt
 rsqrt_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select select_scatter set_ sgn sgn_
 shape share_memory_ short sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_inverse@4-
 slice_scatter slogdet smm softmax solve sort sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ split
 split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ sspaddmm std stft storage storage_offset storage_type
 stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes swapaxes_ swapdims swapdims_ symeig t t_ take
 take_along_dim tan tan_ tanh tanh_ tensor_split tile to to_dense to_mkldnn to_padded_tensor to_sparse to_sparse_bsc
 to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr tolist topk trace transpose transpose_ triangular_solve tril
 tril_ triu triu_ true_divide true_divide_ trunc trunc_ type type_as unbind unflatten unfold uniform_ unique
 unique_consecutive unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage@1- values
 var vdot view view_as volatile vsplit where xlogy xlogy_ xpu@5- zero_
torch.Tensor.abs() 0-
torch.Tensor.abs_() 0-
torch.Tensor.absolute() 0-
torch.Tensor.absolute_() 0-
torch.Tensor.acos() 0-
torch.Tensor.acos_() 0-
torch.Tensor.acosh() 0-
torch.Tensor.acosh_() 0-
torch.Tensor.add() 0- alpha other out
torch.Tensor.add_() 0- alpha other
torch.Tensor.addbmm() 0- alpha batch1 batch2 beta
torch.Tensor.addbmm_() 0- alpha batch1 batch2 beta
torch.Tensor.addcdiv() 0- tensor1 tensor2 value
torch.Tensor.addcdiv_() 0- tensor1 tensor2 value
torch.Tensor.addcmul() 0- tensor1 tensor2 value
torch.Tensor.addcmul_() 0- tensor1 tensor2 value
torch.Tensor.addmm() 0- alpha beta mat1 mat2
torch.Tensor.addmm_() 0- alpha beta mat1 mat2
torch.Tensor.addmv() 0- alpha beta mat vec
torch.Tensor.addmv_() 0- alpha beta mat vec
torch.Tensor.addr() 0- alpha beta vec1 vec2
torch.Tensor.addr_() 0- alpha beta vec1 vec2
torch.Tensor.adjoint() 0-
torch.Tensor.align_as() 0-14 other
torch.Tensor.align_to() 0-14 ellipsis_idx names order
torch.Tensor.all() 0- dim keepdim
torch.Tensor.allclose() 0- atol equal_nan other rtol
torch.Tensor.amax() 0- dim keepdim
torch.Tensor.amin() 0- dim keepdim
torch.Tensor.aminmax() 0- dim keepdim
torch.Tensor.angle() 0-
torch.Tensor.any() 0- dim keepdim
torch.Tensor.apply_() 0- callable
torch.Tensor.arccos() 0-
torch.Tensor.arccos_() 0-
torch.Tensor.arccosh() 0-
torch.Tensor.arccosh_() 0-
torch.Tensor.arcsin() 0-
torch.Tensor.arcsin_() 0-
torch.Tensor.arcsinh() 0-
torch.Tensor.arcsinh_() 0-
torch.Tensor.arctan() 0-
torch.Tensor.arctan2() 0- other
torch.Tensor.arctan2_() 0- other
torch.Tensor.arctan_() 0-
torch.Tensor.arctanh() 0-
torch.Tensor.arctanh_() 0- other
torch.Tensor.argmax() 0- dim keepdim
torch.Tensor.argmin() 0- dim keepdim
torch.Tensor.argsort() 0- descending dim stable
torch.Tensor.argwhere() 0-
torch.Tensor.as_strided() 0- size storage_offset stride
torch.Tensor.as_strided_() 0- size storage_offset stride
torch.Tensor.as_strided_scatter() 0- size src storage_offset stride
torch.Tensor.as_subclass() 0- cls
torch.Tensor.asin() 0-
torch.Tensor.asin_() 0-
torch.Tensor.asinh() 0-
torch.Tensor.asinh_() 0-
torch.Tensor.atan() 0-
torch.Tensor.atan2() 0- other
torch.Tensor.atan2_() 0- other
torch.Tensor.atan_() 0-
torch.Tensor.atanh() 0-
torch.Tensor.atanh_() 0- other
torch.Tensor.backward() 0- create_graph gradient inputs retain_graph
torch.Tensor.baddbmm() 0- alpha batch1 batch2 beta
torch.Tensor.baddbmm_() 0- alpha batch1 batch2 beta
torch.Tensor.bernoulli() 0- generator p
torch.Tensor.bernoulli_() 0- generator p
torch.Tensor.bfloat16() 0- memory_format
torch.Tensor.bincount() 0- minlength weights
torch.Tensor.bitwise_and() 0- other
torch.Tensor.bitwise_and_() 0- other
torch.Tensor.bitwise_left_shift() 0- other
torch.Tensor.bitwise_left_shift_() 0- other
torch.Tensor.bitwise_not() 0-
torch.Tensor.bitwise_not_() 0-
torch.Tensor.bitwise_or() 0- other
torch.Tensor.bitwise_or_() 0- other
torch.Tensor.bitwise_right_shift() 0- other
torch.Tensor.bitwise_right_shift_() 0- other
torch.Tensor.bitwise_xor() 0- other
torch.Tensor.bitwise_xor_() 0- other
torch.Tensor.bmm() 0- batch2 mat2
torch.Tensor.bool() 0- memory_format
torch.Tensor.broadcast_to() 0- shape size
torch.Tensor.byte() 0- memory_format
torch.Tensor.cauchy_() 0- generator median sigma
torch.Tensor.ccol_indices() 0-
torch.Tensor.ceil() 0-
torch.Tensor.ceil_() 0-
torch.Tensor.chalf() 0- memory_format
torch.Tensor.char() 0- memory_format
torch.Tensor.cholesky() 0- upper
torch.Tensor.cholesky_inverse() 0- upper
torch.Tensor.cholesky_solve() 0- input2 upper
torch.Tensor.chunk() 0- chunks dim
torch.Tensor.clamp() 0- max min
torch.Tensor.clamp_() 0- max min
torch.Tensor.clamp_max() 0- max
torch.Tensor.clamp_max_() 0- max
torch.Tensor.clamp_min() 0- min
torch.Tensor.clamp_min_() 0- min
torch.Tensor.clip() 0- max min
torch.Tensor.clip_() 0- max min
torch.Tensor.clone() 0- memory_format
torch.Tensor.coalesce() 0-
torch.Tensor.col_indices() 0-
torch.Tensor.conj() 0-
torch.Tensor.conj_physical() 0-
torch.Tensor.conj_physical_() 0-
torch.Tensor.contiguous() 0- memory_format
torch.Tensor.copy_() 0- non_blocking other@8- src
torch.Tensor.copysign() 0- other
torch.Tensor.copysign_() 0- other
torch.Tensor.corrcoef() 0-
torch.Tensor.cos() 0-
torch.Tensor.cos_() 0-
torch.Tensor.cosh() 0-
torch.Tensor.cosh_() 0-
torch.Tensor.count_nonzero() 0- dim
torch.Tensor.cov() 0- aweights correction fweights
torch.Tensor.cpu() 0- memory_format
torch.Tensor.cross() 0- dim other
torch.Tensor.crow_indices() 0-
torch.Tensor.cuda() 0- device memory_format non_blocking
torch.Tensor.cummax() 0- dim
torch.Tensor.cummin() 0- dim
torch.Tensor.cumprod() 0- dim dtype
torch.Tensor.cumprod_() 0- dim dtype
torch.Tensor.cumsum() 0- dim dtype
torch.Tensor.cumsum_() 0- dim dtype
torch.Tensor.data_ptr() 0-
torch.Tensor.deg2rad() 0-
torch.Tensor.deg2rad_() 0-
torch.Tensor.dense_dim() 0-
torch.Tensor.dequantize() 0-
torch.Tensor.det() 0-
torch.Tensor.diag() 0- diagonal
torch.Tensor.diag_embed() 0- dim1 dim2 offset
torch.Tensor.diagflat() 0- offset
torch.Tensor.diagonal() 0- dim1 dim2 offset outdim@0-14
torch.Tensor.diagonal_scatter() 0- dim1 dim2 offset src
torch.Tensor.diff() 0- append dim n prepend
torch.Tensor.digamma() 0-
torch.Tensor.digamma_() 0-
torch.Tensor.dim() 0-
torch.Tensor.dim_order() 2- ambiguity_check@7-
torch.Tensor.dist() 0- other p
torch.Tensor.div() 0- other rounding_mode value
torch.Tensor.div_() 0- other rounding_mode value
torch.Tensor.divide() 0- other rounding_mode value
torch.Tensor.divide_() 0- other rounding_mode value
torch.Tensor.dot() 0- other tensor
torch.Tensor.double() 0- memory_format
torch.Tensor.dsplit() 0- indices sections split_size_or_sections
torch.Tensor.eig() 0- eigenvectors
torch.Tensor.element_size() 0-
torch.Tensor.eq() 0- other
torch.Tensor.eq_() 0- other
torch.Tensor.equal() 0- other
torch.Tensor.erf() 0-
torch.Tensor.erf_() 0-
torch.Tensor.erfc() 0-
torch.Tensor.erfc_() 0-
torch.Tensor.erfinv() 0-
torch.Tensor.erfinv_() 0-
torch.Tensor.exp() 0-
torch.Tensor.exp2() 0-
torch.Tensor.exp2_() 0-
torch.Tensor.exp_() 0-
torch.Tensor.expand() 0- implicit size sizes@0-14
torch.Tensor.expand_as() 0- other
torch.Tensor.expm1() 0-
torch.Tensor.expm1_() 0-
torch.Tensor.exponential_() 0- generator lambd
torch.Tensor.fill_() 0- value
torch.Tensor.fill_diagonal_() 0- fill_value wrap
torch.Tensor.fix() 0-
torch.Tensor.fix_() 0-
torch.Tensor.flatten() 0- dims@0-14 end_dim out_dim@0-14 start_dim
torch.Tensor.flip() 0- dims
torch.Tensor.fliplr() 0-
torch.Tensor.flipud() 0-
torch.Tensor.float() 0- memory_format
torch.Tensor.float_power() 0- exponent
torch.Tensor.float_power_() 0- exponent
torch.Tensor.floor() 0-
torch.Tensor.floor_() 0-
torch.Tensor.floor_divide() 0- other out value
torch.Tensor.floor_divide_() 0- other value
torch.Tensor.fmax() 0- other
torch.Tensor.fmin() 0- other
torch.Tensor.fmod() 0- divisor other
torch.Tensor.fmod_() 0- divisor other
torch.Tensor.frac() 0-
torch.Tensor.frac_() 0-
torch.Tensor.frexp() 0- input
torch.Tensor.gather() 0- dim index sparse_grad
torch.Tensor.gcd() 0- other
torch.Tensor.gcd_() 0- other
torch.Tensor.ge() 0- other
torch.Tensor.ge_() 0- other
torch.Tensor.geometric_() 0- generator p
torch.Tensor.geqrf() 0-
torch.Tensor.ger() 0- vec2
torch.Tensor.get_device() 0-
torch.Tensor.greater() 0- other
torch.Tensor.greater_() 0- other
torch.Tensor.greater_equal() 0- other
torch.Tensor.greater_equal_() 0- other
torch.Tensor.gt() 0- other
torch.Tensor.gt_() 0- other
torch.Tensor.half() 0- memory_format
torch.Tensor.hardshrink() 0- lambd
torch.Tensor.has_names() 0-14
torch.Tensor.hash_tensor() 10- dim keepdim mode
torch.Tensor.heaviside() 0- values
torch.Tensor.heaviside_() 0- values
torch.Tensor.histc() 0- bins max min
torch.Tensor.histogram() 0- bins density input range weight
torch.Tensor.hsplit() 0- indices sections split_size_or_sections
torch.Tensor.hypot() 0- other
torch.Tensor.hypot_() 0- other
torch.Tensor.i0() 0-
torch.Tensor.i0_() 0-
torch.Tensor.igamma() 0- other
torch.Tensor.igamma_() 0- other
torch.Tensor.igammac() 0- other
torch.Tensor.igammac_() 0- other
torch.Tensor.index() 11- dims positions
torch.Tensor.index_add() 0- alpha dim index source
torch.Tensor.index_add_() 0- alpha dim index source
torch.Tensor.index_copy() 0- dim index source tensor2
torch.Tensor.index_copy_() 0- dim index source tensor
torch.Tensor.index_fill() 0- dim index value
torch.Tensor.index_fill_() 0- dim index value
torch.Tensor.index_put() 0- accumulate indices values
torch.Tensor.index_put_() 0- accumulate indices values
torch.Tensor.index_reduce() 0- dim include_self index reduce source
torch.Tensor.index_reduce_() 0- dim include_self index reduce source
torch.Tensor.index_select() 0- dim index
torch.Tensor.indices() 0-
torch.Tensor.inner() 0- other
torch.Tensor.int() 0- memory_format
torch.Tensor.int_repr() 0-
torch.Tensor.inverse() 0-
torch.Tensor.is_coalesced() 0-
torch.Tensor.is_complex() 0-
torch.Tensor.is_conj() 0-
torch.Tensor.is_contiguous() 0- memory_format
torch.Tensor.is_distributed() 0-
torch.Tensor.is_floating_point() 0-
torch.Tensor.is_inference() 0-
torch.Tensor.is_neg() 0-
torch.Tensor.is_nonzero() 0-
torch.Tensor.is_pinned() 0- device
torch.Tensor.is_same_size() 0- other
torch.Tensor.is_set_to() 0- tensor
torch.Tensor.is_shared() 0-
torch.Tensor.is_signed() 0-
torch.Tensor.isclose() 0- atol equal_nan other rtol
torch.Tensor.isfinite() 0-
torch.Tensor.isinf() 0-
torch.Tensor.isnan() 0-
torch.Tensor.isneginf() 0-
torch.Tensor.isposinf() 0-
torch.Tensor.isreal() 0-
torch.Tensor.istft() 0- center hop_length length n_fft normalized onesided return_complex win_length window
torch.Tensor.item() 0-
torch.Tensor.kron() 0- other
torch.Tensor.kthvalue() 0- dim k keepdim
torch.Tensor.lcm() 0- other
torch.Tensor.lcm_() 0- other
torch.Tensor.ldexp() 0- other
torch.Tensor.ldexp_() 0- other
torch.Tensor.le() 0- other
torch.Tensor.le_() 0- other
torch.Tensor.lerp() 0- end weight
torch.Tensor.lerp_() 0- end weight
torch.Tensor.less() 0- other
torch.Tensor.less_() 0- other
torch.Tensor.less_equal() 0- other
torch.Tensor.less_equal_() 0- other
torch.Tensor.lgamma() 0-
torch.Tensor.lgamma_() 0-
torch.Tensor.log() 0-
torch.Tensor.log10() 0-
torch.Tensor.log10_() 0-
torch.Tensor.log1p() 0-
torch.Tensor.log1p_() 0-
torch.Tensor.log2() 0-
torch.Tensor.log2_() 0-
torch.Tensor.log_() 0-
torch.Tensor.log_normal_() 0- generator mean std
torch.Tensor.log_softmax() 0- dim dtype
torch.Tensor.logaddexp() 0- other
torch.Tensor.logaddexp2() 0- other
torch.Tensor.logcumsumexp() 0- dim
torch.Tensor.logdet() 0-
torch.Tensor.logical_and() 0- other
torch.Tensor.logical_and_() 0- other
torch.Tensor.logical_not() 0-
torch.Tensor.logical_not_() 0-
torch.Tensor.logical_or() 0- other
torch.Tensor.logical_or_() 0- other
torch.Tensor.logical_xor() 0- other
torch.Tensor.logical_xor_() 0- other
torch.Tensor.logit() 0- eps
torch.Tensor.logit_() 0- eps
torch.Tensor.logsumexp() 0- dim keepdim
torch.Tensor.long() 0- memory_format
torch.Tensor.lstsq() 0- other
torch.Tensor.lt() 0- other
torch.Tensor.lt_() 0- other
torch.Tensor.lu() 0- get_infos pivot
torch.Tensor.lu_solve() 0- LU_data LU_pivots
torch.Tensor.map2_() 0- callable x y
torch.Tensor.map_() 0- callable other@8- tensor
torch.Tensor.masked_fill() 0- mask value
torch.Tensor.masked_fill_() 0- mask value
torch.Tensor.masked_scatter() 0- mask source tensor
torch.Tensor.masked_scatter_() 0- mask source
torch.Tensor.masked_select() 0- mask
torch.Tensor.matmul() 0- other tensor2
torch.Tensor.matrix_exp() 0-
torch.Tensor.matrix_power() 0- n
torch.Tensor.max() 0- dim keepdim other
torch.Tensor.maximum() 0- other
torch.Tensor.mean() 0- dim dtype keepdim
torch.Tensor.median() 0- dim keepdim
torch.Tensor.min() 0- dim keepdim other
torch.Tensor.minimum() 0- other
torch.Tensor.mm() 0- mat2
torch.Tensor.mode() 0- dim keepdim
torch.Tensor.module_load() 4- assign other
torch.Tensor.moveaxis() 0- destination source
torch.Tensor.movedim() 0- destination source
torch.Tensor.msort() 0-
torch.Tensor.mul() 0- other out value
torch.Tensor.mul_() 0- other value
torch.Tensor.multinomial() 0- generator num_samples replacement
torch.Tensor.multiply() 0- other value
torch.Tensor.multiply_() 0- other value
torch.Tensor.mv() 0- vec
torch.Tensor.mvlgamma() 0- p
torch.Tensor.mvlgamma_() 0- p
torch.Tensor.nan_to_num() 0- nan neginf posinf
torch.Tensor.nan_to_num_() 0- nan neginf posinf
torch.Tensor.nanmean() 0- dim dtype keepdim
torch.Tensor.nanmedian() 0- dim keepdim
torch.Tensor.nanquantile() 0- dim interpolation keepdim q
torch.Tensor.nansum() 0- dim dtype keepdim
torch.Tensor.narrow() 0- dim dimension length start
torch.Tensor.narrow_copy() 0- dim dimension length start
torch.Tensor.ndimension() 0-
torch.Tensor.ne() 0- other
torch.Tensor.ne_() 0- other
torch.Tensor.neg() 0-
torch.Tensor.neg_() 0-
torch.Tensor.negative() 0-
torch.Tensor.negative_() 0-
torch.Tensor.nelement() 0-
torch.Tensor.new() 0- device other size storage
torch.Tensor.new_empty() 0- device dtype layout memory_format pin_memory requires_grad size
torch.Tensor.new_empty_strided() 0- device dtype layout memory_format pin_memory requires_grad size stride
torch.Tensor.new_full() 0- device dtype fill_value layout memory_format pin_memory requires_grad size
torch.Tensor.new_ones() 0- device dtype layout memory_format pin_memory requires_grad size
torch.Tensor.new_tensor() 0- data device dtype layout memory_format pin_memory requires_grad
torch.Tensor.new_zeros() 0- device dtype layout memory_format pin_memory requires_grad size
torch.Tensor.nextafter() 0- other
torch.Tensor.nextafter_() 0- other
torch.Tensor.nonzero() 0- as_tuple
torch.Tensor.nonzero_static() 2- fill_value input@2-14 size
torch.Tensor.norm() 0- dim dtype keepdim p
torch.Tensor.normal_() 0- generator mean std
torch.Tensor.not_equal() 0- other
torch.Tensor.not_equal_() 0- other
torch.Tensor.numel() 0-
torch.Tensor.numpy() 0- force
torch.Tensor.orgqr() 0- input2
torch.Tensor.ormqr() 0- input2 input3 left transpose
torch.Tensor.outer() 0- vec2
torch.Tensor.permute() 0- dims
torch.Tensor.pin_memory() 0- device
torch.Tensor.pinverse() 0- rcond
torch.Tensor.polygamma() 0- n
torch.Tensor.polygamma_() 0- n
torch.Tensor.positive() 0-
torch.Tensor.pow() 0- exponent
torch.Tensor.pow_() 0- exponent
torch.Tensor.prelu() 0- weight
torch.Tensor.prod() 0- dim dtype keepdim
torch.Tensor.put() 0- accumulate index input source
torch.Tensor.put_() 0- accumulate index source
torch.Tensor.q_per_channel_axis() 0-
torch.Tensor.q_per_channel_scales() 0-
torch.Tensor.q_per_channel_zero_points() 0-
torch.Tensor.q_scale() 0-
torch.Tensor.q_zero_point() 0-
torch.Tensor.qr() 0- some
torch.Tensor.qscheme() 0-
torch.Tensor.quantile() 0- dim interpolation keepdim q
torch.Tensor.rad2deg() 0-
torch.Tensor.rad2deg_() 0-
torch.Tensor.random_() 0- from from_ generator to
torch.Tensor.ravel() 0-
torch.Tensor.reciprocal() 0-
torch.Tensor.reciprocal_() 0-
torch.Tensor.record_stream() 0- s stream
torch.Tensor.refine_names() 0-14 names
torch.Tensor.register_hook() 0- hook
torch.Tensor.register_post_accumulate_grad_hook() 2- hook
torch.Tensor.reinforce() 0- reward
torch.Tensor.relu() 0-
torch.Tensor.relu_() 0-
torch.Tensor.remainder() 0- divisor other
torch.Tensor.remainder_() 0- divisor other
torch.Tensor.renorm() 0- dim maxnorm p
torch.Tensor.renorm_() 0- dim maxnorm p
torch.Tensor.repeat() 0- repeats sizes@0-6
torch.Tensor.repeat_interleave() 0- dim output_size repeats
torch.Tensor.requires_grad_() 0- mode requires_grad
torch.Tensor.reshape() 0- shape
torch.Tensor.reshape_as() 0- other
torch.Tensor.resize() 0-
torch.Tensor.resize_() 0- memory_format size sizes
torch.Tensor.resize_as() 0- tensor
torch.Tensor.resize_as_() 0- memory_format tensor the_template
torch.Tensor.resize_as_sparse_() 0- the_template
torch.Tensor.resolve_conj() 0-
torch.Tensor.resolve_neg() 0-
torch.Tensor.retain_grad() 0-
torch.Tensor.roll() 0- dims shifts
torch.Tensor.rot90() 0- dims k
torch.Tensor.round() 0- decimals
torch.Tensor.round_() 0- decimals
torch.Tensor.row_indices() 0-
torch.Tensor.rsqrt() 0-
torch.Tensor.rsqrt_() 0-
torch.Tensor.scatter() 0- dim index reduce src value
torch.Tensor.scatter_() 0- dim index reduce src value
torch.Tensor.scatter_add() 0- dim index src
torch.Tensor.scatter_add_() 0- dim index src
torch.Tensor.scatter_reduce() 0- dim include_self index reduce src
torch.Tensor.scatter_reduce_() 0- dim include_self index reduce src
torch.Tensor.select() 0- dim index
torch.Tensor.select_scatter() 0- dim index src
torch.Tensor.set_() 0- offset@0-8 size source storage@0-8 storage_offset stride
torch.Tensor.sgn() 0-
torch.Tensor.sgn_() 0-
torch.Tensor.share_memory_() 0-
torch.Tensor.short() 0- memory_format
torch.Tensor.sigmoid() 0-
torch.Tensor.sigmoid_() 0-
torch.Tensor.sign() 0-
torch.Tensor.sign_() 0-
torch.Tensor.signbit() 0-
torch.Tensor.sin() 0-
torch.Tensor.sin_() 0-
torch.Tensor.sinc() 0-
torch.Tensor.sinc_() 0-
torch.Tensor.sinh() 0-
torch.Tensor.sinh_() 0-
torch.Tensor.size() 0- dim
torch.Tensor.slice_inverse() 4- dim end src start step
torch.Tensor.slice_scatter() 0- dim end src start step
torch.Tensor.slogdet() 0-
torch.Tensor.smm() 0- mat mat2
torch.Tensor.softmax() 0- dim dtype
torch.Tensor.solve() 0- other
torch.Tensor.sort() 0- descending dim stable
torch.Tensor.sparse_dim() 0-
torch.Tensor.sparse_mask() 0- mask
torch.Tensor.sparse_resize_() 0- dense_dim size sparse_dim
torch.Tensor.sparse_resize_and_clear_() 0- dense_dim size sparse_dim
torch.Tensor.split() 0- dim split_size
torch.Tensor.split_with_sizes() 0- dim split_sizes
torch.Tensor.sqrt() 0-
torch.Tensor.sqrt_() 0-
torch.Tensor.square() 0-
torch.Tensor.square_() 0-
torch.Tensor.squeeze() 0- dim
torch.Tensor.squeeze_() 0- dim
torch.Tensor.sspaddmm() 0- alpha beta mat1 mat2
torch.Tensor.std() 0- correction dim keepdim unbiased
torch.Tensor.stft() 0- align_to_window@8- center fft_size@0-8 frame_length@0-8 hop@0-8 hop_length n_fft normalized
 onesided pad_end@0-8 pad_mode return_complex return_onesided@0-8 win_length window
torch.Tensor.storage() 0-
torch.Tensor.storage_offset() 0-
torch.Tensor.storage_type() 0-
torch.Tensor.stride() 0- _int@0-3 dim
torch.Tensor.sub() 0- alpha other out
torch.Tensor.sub_() 0- alpha other
torch.Tensor.subtract() 0- alpha other
torch.Tensor.subtract_() 0- alpha other
torch.Tensor.sum() 0- dim dtype keepdim
torch.Tensor.sum_to_size() 0- size
torch.Tensor.svd() 0- compute_uv some
torch.Tensor.swapaxes() 0- axis0 axis1
torch.Tensor.swapaxes_() 0- axis0 axis1
torch.Tensor.swapdims() 0- dim0 dim1
torch.Tensor.swapdims_() 0- dim0 dim1
torch.Tensor.symeig() 0- eigenvectors upper@0-1
torch.Tensor.t() 0-
torch.Tensor.t_() 0-
torch.Tensor.take() 0- index indices
torch.Tensor.take_along_dim() 0- dim indices
torch.Tensor.tan() 0-
torch.Tensor.tan_() 0-
torch.Tensor.tanh() 0-
torch.Tensor.tanh_() 0-
torch.Tensor.tensor_split() 0- dim indices indices_or_sections sections tensor_indices_or_sections
torch.Tensor.tile() 0- dims reps@0-2
torch.Tensor.to() 0- args copy device dtype kwargs memory_format@3- non_blocking other
torch.Tensor.to_dense() 0- dtype masked_grad@2-
torch.Tensor.to_mkldnn() 0- dtype
torch.Tensor.to_padded_tensor() 0- output_size padding
torch.Tensor.to_sparse() 0- blocksize@1- dense_dim@1- layout@1- sparseDims sparse_dim
torch.Tensor.to_sparse_bsc() 0- blocksize dense_dim@1-
torch.Tensor.to_sparse_bsr() 0- blocksize dense_dim@1-
torch.Tensor.to_sparse_coo() 0-
torch.Tensor.to_sparse_csc() 0- dense_dim@1-
torch.Tensor.to_sparse_csr() 0- dense_dim@1-
torch.Tensor.tolist() 0-
torch.Tensor.topk() 0- dim k largest sorted
torch.Tensor.trace() 0-
torch.Tensor.transpose() 0- dim0 dim1
torch.Tensor.transpose_() 0- dim0 dim1
torch.Tensor.triangular_solve() 0- A transpose unitriangular upper
torch.Tensor.tril() 0- diagonal
torch.Tensor.tril_() 0- diagonal
torch.Tensor.triu() 0- diagonal
torch.Tensor.triu_() 0- diagonal
torch.Tensor.true_divide() 0- other out value
torch.Tensor.true_divide_() 0- other value
torch.Tensor.trunc() 0-
torch.Tensor.trunc_() 0-
torch.Tensor.type() 0- dtype kwargs non_blocking
torch.Tensor.type_as() 0- other tensor
torch.Tensor.unbind() 0- dim
torch.Tensor.unflatten() 0- dim names@0-14 sizes
torch.Tensor.unfold() 0- dimension size step
torch.Tensor.uniform_() 0- from from_ generator to
torch.Tensor.unique() 0- dim return_counts return_inverse sorted
torch.Tensor.unique_consecutive() 0- dim return_counts return_inverse
torch.Tensor.unsafe_chunk() 0- chunks dim
torch.Tensor.unsafe_split() 0- dim split_size
torch.Tensor.unsafe_split_with_sizes() 0- dim split_sizes
torch.Tensor.unsqueeze() 0- dim
torch.Tensor.unsqueeze_() 0- dim
torch.Tensor.untyped_storage() 1-
torch.Tensor.values() 0-
torch.Tensor.var() 0- correction dim keepdim unbiased
torch.Tensor.vdot() 0- other
torch.Tensor.view() 0- dtype shape size
torch.Tensor.view_as() 0- other
torch.Tensor.vsplit() 0- indices sections split_size_or_sections
torch.Tensor.where() 0- condition other y
torch.Tensor.xlogy() 0- other
torch.Tensor.xlogy_() 0- other
torch.Tensor.xpu() 5- device memory_format non_blocking
torch.Tensor.zero_() 0-
torch.TorchDispatchMode() 5- _dispatch_key
torch.abs() 0- input out
torch.abs_() 0- input
torch.absolute() 0- input out
torch.accelerator 7- Any@11- Device@16- Graph@13- Optional@8-11 cache@11- current_accelerator current_device_idx
 current_device_index current_stream deprecated device_count device_index@9- empty_cache@10- empty_host_cache@13-
 get_device_capability@11- get_memory_info@11- graphs@13- is_available max_memory_allocated@10-
 max_memory_reserved@10- memory@10- memory_allocated@10- memory_reserved@10- memory_stats@10- random@15-
 reset_accumulated_memory_stats@10- reset_peak_memory_stats@10- set_device_idx set_device_index set_stream synchronize
 torch
torch.accelerator.current_accelerator() 7- check_available@8-
torch.accelerator.current_device_index() 7-
torch.accelerator.current_stream() 7- device
torch.accelerator.device_count() 7-
torch.accelerator.device_index() 9- device
torch.accelerator.empty_cache() 10-
torch.accelerator.empty_host_cache() 13-
torch.accelerator.get_device_capability() 11- device
torch.accelerator.get_memory_info() 11- device_index
torch.accelerator.graphs 13- Graph Literal Self gc torch
torch.accelerator.is_available() 7-
torch.accelerator.max_memory_allocated() 10- device_index
torch.accelerator.max_memory_reserved() 10- device_index
torch.accelerator.memory 10- Any Device@16- OrderedDict empty_cache empty_host_cache@13- get_memory_info@11-
 max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats
 reset_peak_memory_stats torch
torch.accelerator.memory.empty_cache() 10-
torch.accelerator.memory.empty_host_cache() 13-
torch.accelerator.memory.get_memory_info() 11- device_index
torch.accelerator.memory.max_memory_allocated() 10- device_index
torch.accelerator.memory.max_memory_reserved() 10- device_index
torch.accelerator.memory.memory_allocated() 10- device_index
torch.accelerator.memory.memory_reserved() 10- device_index
torch.accelerator.memory.memory_stats() 10- device_index
torch.accelerator.memory.reset_accumulated_memory_stats() 10- device_index
torch.accelerator.memory.reset_peak_memory_stats() 10- device_index
torch.accelerator.memory_allocated() 10- device_index
torch.accelerator.memory_reserved() 10- device_index
torch.accelerator.memory_stats() 10- device_index
torch.accelerator.random 15- Device@16- Tensor get_rng_state get_rng_state_all initial_seed torch
torch.accelerator.random.get_rng_state() 15- device
torch.accelerator.random.get_rng_state_all() 15-
torch.accelerator.random.initial_seed() 15- device
torch.accelerator.reset_accumulated_memory_stats() 10- device_index
torch.accelerator.reset_peak_memory_stats() 10- device_index
torch.accelerator.set_device_index() 7- device
torch.accelerator.set_stream() 7- stream
torch.accelerator.synchronize() 7- device
torch.acos() 0- input out
torch.acos_() 0- input
torch.acosh() 0- input out
torch.acosh_() 0- input
torch.adaptive_avg_pool1d() 0- input output_size
torch.adaptive_max_pool1d() 0- input output_size
torch.add() 0- alpha input other out self
torch.addbmm() 0- alpha batch1 batch2 beta input out self
torch.addcdiv() 0- input out self tensor1 tensor2 value
torch.addcmul() 0- input out self tensor1 tensor2 value
torch.addmm() 0- alpha beta input mat1 mat2 out out_dtype@9- self
torch.addmv() 0- alpha beta input mat out self vec
torch.addmv_() 0- alpha beta input mat self vec
torch.addr() 0- alpha beta input out self vec1 vec2
torch.adjoint() 0- input
torch.affine_grid_generator() 0- align_corners size theta
torch.alias_copy() 0- input out
torch.align_tensors() 0-14
torch.all() 0- dim input keepdim out
torch.allclose() 0- atol equal_nan input other rtol
torch.alpha_dropout() 0- input p train
torch.alpha_dropout_() 0- input p train
torch.amax() 0- dim input keepdim out
torch.amin() 0- dim input keepdim out
torch.aminmax() 0- dim input keepdim out
torch.amp 0- GradScaler@4- autocast autocast_mode custom_bwd@5- custom_fwd@5- grad_scaler@4- is_autocast_available@5-
torch.amp.GradScaler() 4- backoff_factor device enabled growth_factor growth_interval init_scale
torch.amp.autocast() 0- cache_enabled device_type dtype enabled
torch.amp.autocast_mode 0- Any HAS_NUMPY@5- Optional@0-13 autocast autocast_decorator collections@5- custom_bwd@5-
 custom_fwd@5- functools is_autocast_available@5- np@5- torch warnings
torch.amp.autocast_mode.autocast() 0- cache_enabled device_type dtype enabled
torch.amp.autocast_mode.autocast_decorator() 0- autocast_instance func
torch.amp.autocast_mode.custom_bwd() 5- bwd device_type
torch.amp.autocast_mode.custom_fwd() 5- cast_inputs device_type fwd
torch.amp.autocast_mode.is_autocast_available() 5- device_type
torch.amp.custom_bwd() 5- bwd device_type
torch.amp.custom_fwd() 5- cast_inputs device_type fwd
torch.amp.grad_scaler 4- Any Dict@4-8 Enum GradScaler Iterable List@4-8 OptState Optional@4-13 TYPE_CHECKING@8-
 Tuple@4-8 Union@4-13 abc annotations cast defaultdict inspect overload torch warnings
torch.amp.grad_scaler.GradScaler() 4- backoff_factor device enabled growth_factor growth_interval init_scale
torch.amp.is_autocast_available() 5- device_type
torch.angle() 0- input out
torch.any() 0- dim input keepdim out
torch.ao.ns 0- fx
torch.ao.pruning 1- BaseScheduler BaseSparsifier CubicSL FakeSparsity LambdaSL NearlyDiagonalSparsifier
 WeightNormSparsifier fqn_to_module get_arg_info_from_tensor_fqn get_dynamic_sparse_quantized_mapping
 get_static_sparse_quantized_mapping module_to_fqn scheduler sparsifier
torch.ao.pruning.BaseScheduler() 1- last_epoch sparsifier verbose
torch.ao.pruning.BaseSparsifier() 1- defaults
torch.ao.pruning.CubicSL() 1- delta_t init_sl init_t initially_zero last_epoch sparsifier total_t verbose
torch.ao.pruning.FakeSparsity() 1- mask
torch.ao.pruning.LambdaSL() 1- last_epoch sl_lambda sparsifier verbose
torch.ao.pruning.NearlyDiagonalSparsifier() 1- nearliness
torch.ao.pruning.WeightNormSparsifier() 1- norm sparse_block_shape sparsity_level zeros_per_block
torch.ao.pruning.fqn_to_module() 1- model path
torch.ao.pruning.get_arg_info_from_tensor_fqn() 1- model tensor_fqn
torch.ao.pruning.get_dynamic_sparse_quantized_mapping() 1-
torch.ao.pruning.get_static_sparse_quantized_mapping() 1-
torch.ao.pruning.module_to_fqn() 1- model module prefix
torch.ao.quantization 0- ABC@0-1 AffineQuantizedObserverBase@8- Any@0-1 CUSTOM_KEY@6-12 Callable@0-1,2-
 DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS
 DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS DEFAULT_MODULE_TO_ACT_POST_PROCESS DEFAULT_OP_LIST_TO_FUSER_METHOD@0-1
 DEFAULT_PATTERN_TO_FUSER_METHOD@0-1 DEFAULT_QAT_MODULE_MAPPINGS DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS
 DEFAULT_STATIC_QUANT_MODULE_MAPPINGS DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS DeQuantStub Dict@0-1 F@0-1
 FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize FixedQParamsObserver FusedMovingAvgObsFakeQuantize
 Granularity@8- HistogramObserver List@2-8 MappingType@8- MatchAllNode@0-1 MinMaxObserver Module@0-1
 MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NUMERIC_DEBUG_HANDLE_KEY@6-12 NoopObserver
 ObserverBase ObserverOrFakeQuantize@2- Optional@0-1,2-13 Pattern@0-1 PerAxis@8- PerBlock@8- PerChannelMinMaxObserver
 PerGroup@8- PerRow@8- PerTensor@8- PerToken@8- PlaceholderObserver QConfig QConfigAny QConfigDynamic QConfigMapping
 QuantStub QuantType QuantWrapper RecordingObserver ReuseInputObserver Set@0-1 Tensor@2- TorchAODType@8- Tuple@0-1,2-8
 Type@0-1 TypeAliasType@10- UniformQuantizationObserverBase Union@0-1,2-13 ZeroPointDomain@8- abstractmethod@0-1
 activation_is_memoryless@0-1 add_module_to_qconfig_obs_ctr@0-1 add_observer_@0-1 add_quant_dequant
 allow_exported_model_train_eval@4-12 ao_nn@0-1 assert_valid_qconfig@0-1 backend_config compare_results@6-12 convert
 convert_dynamic_jit convert_jit copy@0-1 default_activation_only_qconfig default_affine_fixed_qparams_fake_quant
 default_affine_fixed_qparams_observer default_debug_observer default_debug_qconfig default_dynamic_fake_quant
 default_dynamic_qat_qconfig default_dynamic_qconfig default_dynamic_quant_observer default_embedding_fake_quant
 default_embedding_fake_quant_4bit default_embedding_qat_qconfig default_embedding_qat_qconfig_4bit default_eval_fn
 default_fake_quant default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_0to1_observer
 default_fixed_qparams_range_neg1to1_fake_quant default_fixed_qparams_range_neg1to1_observer
 default_float_qparams_observer default_float_qparams_observer_4bit default_fused_act_fake_quant
 default_fused_per_channel_wt_fake_quant default_fused_wt_fake_quant default_histogram_fake_quant
 default_histogram_observer default_observer default_per_channel_qconfig
 default_per_channel_symmetric_qnnpack_qat_qconfig default_per_channel_symmetric_qnnpack_qconfig
 default_per_channel_weight_fake_quant default_per_channel_weight_observer default_placeholder_observer
 default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_quint8_weight_qconfig@2-
 default_reuse_input_observer default_reuse_input_qconfig default_symmetric_fixed_qparams_fake_quant
 default_symmetric_fixed_qparams_observer default_symmetric_qnnpack_qat_qconfig default_symmetric_qnnpack_qconfig
 default_weight_fake_quant default_weight_observer default_weight_only_qconfig disable_fake_quant disable_observer
 enable_fake_quant enable_observer extract_results_from_loggers@6-12 fake_quantize float16_dynamic_qconfig
 float16_static_qconfig float_qparams_weight_only_qconfig float_qparams_weight_only_qconfig_4bit fuse_conv_bn
 fuse_conv_bn_jit fuse_conv_bn_relu fuse_convtranspose_bn fuse_linear_bn fuse_modules fuse_modules_qat
 fused_per_channel_wt_fake_quant_range_neg_127_to_127 fused_wt_fake_quant_range_neg_127_to_127 fuser_method_mappings
 fx generate_numeric_debug_handle@3-12 get_block_size@8- get_combined_dict@0-1 get_default_compare_output_module_list
 get_default_custom_config_dict get_default_dynamic_quant_module_mappings
 get_default_dynamic_sparse_quant_module_mappings get_default_float_to_quantized_operator_mappings
 get_default_qat_module_mappings get_default_qat_qconfig get_default_qat_qconfig_dict get_default_qat_qconfig_mapping
 get_default_qconfig get_default_qconfig_dict get_default_qconfig_mapping get_default_qconfig_propagation_list
 get_default_static_quant_module_mappings get_default_static_quant_reference_module_mappings
 get_default_static_sparse_quant_module_mappings get_dynamic_quant_module_class get_embedding_qat_module_mappings
 get_embedding_static_quant_module_mappings get_fuser_method get_fuser_method_new get_observer_dict@0-1
 get_observer_state_dict get_qparam_dict@0-1 get_quantized_operator get_static_quant_module_class
 get_unique_devices_@0-1 get_valid_patterns@0-1 has_no_children_ignoring_parametrizations@0-1
 is_activation_post_process@0-1 is_reuse_input_qconfig@0-1 itertools@0-1 load_observer_state_dict
 move_exported_model_to_eval@2-12 move_exported_model_to_train@4-12 nn@0-9 nni@0-1 nniq@0-1 nniqat@0-1 nniqd@0-1
 nnq@0-1 nnqat@0-1 nnqatd@0-1 nnqd@0-1 nnqr@0-1 no_observer_set obs_or_fq_ctr_equals@0-1 observer
 per_channel_dynamic_qconfig per_channel_weight_observer_range_neg_127_to_127 prepare prepare_dynamic_jit
 prepare_for_propagation_comparison@6-12 prepare_jit prepare_qat propagate_qconfig_ pt2e@2-12 qconfig qconfig_equals
 qconfig_mapping qconfig_mapping_utils@0-1 quant_type quant_type_to_str@0-1 quantization_mappings
 quantization_types@0-1 quantize quantize_dynamic quantize_dynamic_jit quantize_fx quantize_jit quantize_pt2e@2-12
 quantize_qat quantizer@2-12 re@0-1 register_activation_post_process_hook@0-1 reverse2@0-1 reverse3@0-1
 reverse_sequential_wrapper2@0-1 script_qconfig script_qconfig_dict sequential_wrapper2@0-1 stubs swap_module sys@10-
 torch@0-1,2- type_before_parametrizations@0-1 utils warnings@0-1 weight_observer_range_neg_127_to_127
 wrap_cpp_module@0-1
torch.ao.quantization.DeQuantStub() 0- qconfig
torch.ao.quantization.FakeQuantizeBase() 0-
torch.ao.quantization.FixedQParamsFakeQuantize() 0- observer
torch.ao.quantization.FixedQParamsObserver() 0-3 dtype qscheme quant_max quant_min scale zero_point
torch.ao.quantization.HistogramObserver() 0-3 bins dtype eps factory_kwargs qscheme quant_max quant_min reduce_range
 upsample_rate
torch.ao.quantization.MinMaxObserver() 0-3 dtype eps factory_kwargs qscheme quant_max quant_min reduce_range
torch.ao.quantization.Module() 0-1
torch.ao.quantization.NoopObserver() 0- custom_op_name dtype
torch.ao.quantization.ObserverBase() 0- dtype is_dynamic@3-
torch.ao.quantization.PerChannelMinMaxObserver() 0-3 ch_axis dtype eps factory_kwargs qscheme quant_max quant_min
 reduce_range
torch.ao.quantization.PlaceholderObserver() 0- compute_dtype custom_op_name dtype eps@2- is_dynamic@1- qscheme@2-
 quant_max@1- quant_min@1-
torch.ao.quantization.QConfigMapping() 0-
torch.ao.quantization.QuantStub() 0- qconfig
torch.ao.quantization.QuantWrapper() 0- module
torch.ao.quantization.RecordingObserver() 3- dtype
torch.ao.quantization.ReuseInputObserver() 0-
torch.ao.quantization.UniformQuantizationObserverBase() 0-3 dtype eps factory_kwargs qscheme quant_max quant_min
 reduce_range
torch.ao.quantization.activation_is_memoryless() 0-1 qconfig
torch.ao.quantization.add_module_to_qconfig_obs_ctr() 0-1 module qconfig
torch.ao.quantization.add_observer_() 0-1 custom_module_class_mapping device module non_leaf_module_list
 qconfig_propagation_list
torch.ao.quantization.add_quant_dequant() 0- module
torch.ao.quantization.allow_exported_model_train_eval() 4-12 model
torch.ao.quantization.assert_valid_qconfig() 0-1 mod qconfig
torch.ao.quantization.compare_results() 6-12 actual_results ref_results
torch.ao.quantization.convert() 0- convert_custom_config_dict inplace is_reference mapping module remove_qconfig
 use_precomputed_fake_quant@5-
torch.ao.quantization.convert_dynamic_jit() 0- debug inplace model preserved_attrs
torch.ao.quantization.convert_jit() 0- debug inplace model preserved_attrs
torch.ao.quantization.default_eval_fn() 0- calib_data model
torch.ao.quantization.disable_fake_quant() 0- mod
torch.ao.quantization.disable_observer() 0- mod
torch.ao.quantization.enable_fake_quant() 0- mod
torch.ao.quantization.enable_observer() 0- mod
torch.ao.quantization.extract_results_from_loggers() 6-12 model
torch.ao.quantization.fuse_conv_bn() 0- bn conv is_qat
torch.ao.quantization.fuse_conv_bn_jit() 0- inplace model
torch.ao.quantization.fuse_conv_bn_relu() 0- bn conv is_qat relu
torch.ao.quantization.fuse_convtranspose_bn() 0- bn convt is_qat
torch.ao.quantization.fuse_linear_bn() 0- bn is_qat linear
torch.ao.quantization.fuse_modules() 0- fuse_custom_config_dict fuser_func inplace model modules_to_fuse
torch.ao.quantization.fuse_modules_qat() 0- fuse_custom_config_dict fuser_func inplace model modules_to_fuse
torch.ao.quantization.generate_numeric_debug_handle() 3-12 ep@7-12 graph_module@3-7
torch.ao.quantization.get_block_size() 8- granularity input_shape
torch.ao.quantization.get_combined_dict() 0-1 additional_dict default_dict
torch.ao.quantization.get_default_compare_output_module_list() 0-
torch.ao.quantization.get_default_custom_config_dict() 0-
torch.ao.quantization.get_default_dynamic_quant_module_mappings() 0-
torch.ao.quantization.get_default_dynamic_sparse_quant_module_mappings() 0-
torch.ao.quantization.get_default_float_to_quantized_operator_mappings() 0-
torch.ao.quantization.get_default_qat_module_mappings() 0-
torch.ao.quantization.get_default_qat_qconfig() 0- backend version
torch.ao.quantization.get_default_qat_qconfig_dict() 0- backend version
torch.ao.quantization.get_default_qat_qconfig_mapping() 0- backend version
torch.ao.quantization.get_default_qconfig() 0- backend version
torch.ao.quantization.get_default_qconfig_dict() 0- backend version
torch.ao.quantization.get_default_qconfig_mapping() 0- backend version
torch.ao.quantization.get_default_qconfig_propagation_list() 0-
torch.ao.quantization.get_default_static_quant_module_mappings() 0-
torch.ao.quantization.get_default_static_quant_reference_module_mappings() 0-
torch.ao.quantization.get_default_static_sparse_quant_module_mappings() 0-
torch.ao.quantization.get_dynamic_quant_module_class() 0- additional_dynamic_quant_mapping float_module_class
torch.ao.quantization.get_embedding_qat_module_mappings() 0-
torch.ao.quantization.get_embedding_static_quant_module_mappings() 0-
torch.ao.quantization.get_fuser_method() 0- additional_fuser_method_mapping op_list
torch.ao.quantization.get_fuser_method_new() 0- fuser_method_mapping op_pattern
torch.ao.quantization.get_observer_dict() 0-1 mod prefix target_dict
torch.ao.quantization.get_observer_state_dict() 0- mod
torch.ao.quantization.get_qparam_dict() 0-1 observer_or_fake_quant
torch.ao.quantization.get_quantized_operator() 0- float_op
torch.ao.quantization.get_static_quant_module_class() 0- additional_static_quant_mapping float_module_class
 is_reference
torch.ao.quantization.get_unique_devices_() 0-1 module
torch.ao.quantization.get_valid_patterns() 0-1 op_pattern
torch.ao.quantization.has_no_children_ignoring_parametrizations() 0-1 module
torch.ao.quantization.is_activation_post_process() 0-1 module
torch.ao.quantization.is_reuse_input_qconfig() 0-1 qconfig
torch.ao.quantization.load_observer_state_dict() 0- mod obs_dict
torch.ao.quantization.move_exported_model_to_eval() 2-12 m@2-3 model@3-12
torch.ao.quantization.move_exported_model_to_train() 4-12 model
torch.ao.quantization.no_observer_set() 0-
torch.ao.quantization.obs_or_fq_ctr_equals() 0-1 obs_or_fq1 obs_or_fq2
torch.ao.quantization.prepare() 0- allow_list inplace model observer_non_leaf_module_list prepare_custom_config_dict
torch.ao.quantization.prepare_dynamic_jit() 0- inplace model qconfig_dict
torch.ao.quantization.prepare_for_propagation_comparison() 6-12 model
torch.ao.quantization.prepare_jit() 0- inplace model qconfig_dict
torch.ao.quantization.prepare_qat() 0- inplace mapping model
torch.ao.quantization.propagate_qconfig_() 0- module prepare_custom_config_dict qconfig_dict
torch.ao.quantization.qconfig_equals() 0- q1 q2
torch.ao.quantization.quant_type_to_str() 0-1 quant_type
torch.ao.quantization.quantize() 0- inplace mapping model run_args run_fn
torch.ao.quantization.quantize_dynamic() 0- dtype inplace mapping model qconfig_spec
torch.ao.quantization.quantize_dynamic_jit() 0- debug inplace model qconfig_dict
torch.ao.quantization.quantize_jit() 0- debug inplace model qconfig_dict run_args run_fn
torch.ao.quantization.quantize_qat() 0- inplace model run_args run_fn
torch.ao.quantization.register_activation_post_process_hook() 0-1 module pre_hook
torch.ao.quantization.reverse2() 0-1 f
torch.ao.quantization.reverse3() 0-1 f
torch.ao.quantization.reverse_sequential_wrapper2() 0-1 sequential
torch.ao.quantization.script_qconfig() 0- qconfig
torch.ao.quantization.script_qconfig_dict() 0- qconfig_dict
torch.ao.quantization.sequential_wrapper2() 0-1 sequential
torch.ao.quantization.swap_module() 0- custom_module_class_mapping mapping mod use_precomputed_fake_quant@5-
torch.ao.quantization.type_before_parametrizations() 0-1 module
torch.ao.quantization.wrap_cpp_module() 0-1 cpp_module
torch.ao.sparsity 0-1 BaseScheduler BaseSparsifier CubicSL FakeSparsity LambdaSL NearlyDiagonalSparsifier
 WeightNormSparsifier fqn_to_module get_arg_info_from_tensor_fqn get_dynamic_sparse_quantized_mapping
 get_static_sparse_quantized_mapping module_to_fqn scheduler sparsifier
torch.ao.sparsity.BaseScheduler() 0-1 last_epoch sparsifier verbose
torch.ao.sparsity.BaseSparsifier() 0-1 defaults
torch.ao.sparsity.CubicSL() 0-1 delta_t init_sl init_t initially_zero last_epoch sparsifier total_t verbose
torch.ao.sparsity.FakeSparsity() 0-1 mask
torch.ao.sparsity.LambdaSL() 0-1 last_epoch sl_lambda sparsifier verbose
torch.ao.sparsity.NearlyDiagonalSparsifier() 0-1 nearliness
torch.ao.sparsity.WeightNormSparsifier() 0-1 norm sparse_block_shape sparsity_level zeros_per_block
torch.ao.sparsity.fqn_to_module() 0-1 model path
torch.ao.sparsity.get_arg_info_from_tensor_fqn() 0-1 model tensor_fqn
torch.ao.sparsity.get_dynamic_sparse_quantized_mapping() 0-1
torch.ao.sparsity.get_static_sparse_quantized_mapping() 0-1
torch.ao.sparsity.module_to_fqn() 0-1 model module prefix
torch.arange() 0- device dtype end layout memory_format out pin_memory requires_grad start step
torch.arccos() 0- input out
torch.arccos_() 0- input
torch.arccosh() 0- input out
torch.arccosh_() 0- input
torch.arcsin() 0- input out
torch.arcsin_() 0- input
torch.arcsinh() 0- input out
torch.arcsinh_() 0- input
torch.arctan() 0- input out
torch.arctan2() 0- input other out
torch.arctan_() 0- input
torch.arctanh() 0- input out
torch.arctanh_() 0- input
torch.are_deterministic_algorithms_enabled() 0-
torch.argmax() 0- dim input keepdim out
torch.argmin() 0- dim input keepdim out
torch.argsort() 0- descending dim input out@6- stable
torch.argwhere() 0- input
torch.as_strided() 0- input size storage_offset stride
torch.as_strided_() 0- input size storage_offset stride
torch.as_strided_copy() 0- input out size storage_offset stride
torch.as_strided_scatter() 0- input size src storage_offset stride
torch.as_tensor() 0- data device dtype
torch.asarray() 0- copy device dtype layout memory_format obj pin_memory requires_grad
torch.asin() 0- input out
torch.asin_() 0- input
torch.asinh() 0- input out
torch.asinh_() 0- input
torch.atan() 0- input out
torch.atan2() 0- input other out
torch.atan_() 0- input
torch.atanh() 0- input out
torch.atanh_() 0- input
torch.atleast_1d() 0-
torch.atleast_2d() 0-
torch.atleast_3d() 0-
torch.autocast() 0- cache_enabled device_type dtype enabled
torch.autograd 0- Any@0-6 Callable@0-6 DeviceType Function List@0-8 Mapping@14- NestedIOFunction Optional@0-13
 ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState SavedTensor Sequence Tuple@0-8 Union@0-13 Variable
 anomaly_mode backward cast detect_anomaly enable_grad enforce_grad_layout_policy@14- forward_ad function functional
 grad grad_mode gradcheck gradgradcheck graph handle_torch_function has_torch_function inference_mode
 is_multithreading_enabled@2- is_tensor_like is_view_replay_enabled@2- kineto_available no_grad overload@14- profiler
 profiler_legacy profiler_util set_detect_anomaly set_grad_enabled set_multithreading_enabled@1- torch variable
 warnings
torch.autograd.anomaly_mode 0- Any@0-2 detect_anomaly set_detect_anomaly torch warnings
torch.autograd.anomaly_mode.detect_anomaly() 0- check_nan
torch.autograd.anomaly_mode.set_detect_anomaly() 0- check_nan mode
torch.autograd.backward() 0- create_graph grad_tensors grad_variables inputs retain_graph tensors
torch.autograd.detect_anomaly() 0- check_nan
torch.autograd.enforce_grad_layout_policy() 14- enable
torch.autograd.forward_ad 0- Any NamedTuple@9- Optional@9-13 UnpackedDualTensor dual_level enter_dual_level
 exit_dual_level make_dual namedtuple@0-9 os sys@0-1 torch unpack_dual
torch.autograd.forward_ad.dual_level() 0-1
torch.autograd.forward_ad.enter_dual_level() 0-
torch.autograd.forward_ad.exit_dual_level() 0- level
torch.autograd.forward_ad.make_dual() 0- level tangent tensor
torch.autograd.forward_ad.unpack_dual() 0- level tensor
torch.autograd.function 0- AUTOGRAD_FUNCTION_COUNTER@4- Any BackwardCFunction Callable@10- Concatenate@10- Function
 FunctionCtx FunctionMeta InplaceFunction List@0-8 NestedIOFunction Optional@0-13 OrderedDict ParamSpec@10- Tuple@1-8
 TypeVar@10- custom_function_call@1- deprecated@5- functools hooks inspect@3- itertools@4- once_differentiable torch
 traceable@0-5 warnings with_metaclass@0-1
torch.autograd.function.FunctionMeta() 0- attrs bases name
torch.autograd.function.InplaceFunction() 0- inplace
torch.autograd.function.once_differentiable() 0- fn
torch.autograd.function.traceable() 0-5 fn_cls
torch.autograd.function.with_metaclass() 0-1 meta
torch.autograd.functional 0- List@0-8 Tuple@0-8 fwAD hessian hvp jacobian jvp torch vhp vjp
torch.autograd.functional.hessian() 0- create_graph func inputs outer_jacobian_strategy strict vectorize
torch.autograd.functional.hvp() 0- create_graph func inputs strict v
torch.autograd.functional.jacobian() 0- create_graph func inputs strategy strict vectorize
torch.autograd.functional.jvp() 0- create_graph func inputs strict v
torch.autograd.functional.vhp() 0- create_graph func inputs strict v
torch.autograd.functional.vjp() 0- create_graph func inputs strict v
torch.autograd.grad() 0- allow_unused create_graph grad_outputs inputs is_grads_batched materialize_grads@2-
 only_inputs outputs retain_graph
torch.autograd.grad_mode 0- Any Callable@0-1 F@0-1,3- FuncType@0-1 Optional@1-4 TypeVar@0-1 Union@8-13 cast@0-1
 enable_grad enforce_grad_layout_policy@14- functools@0-1 inference_mode inspect@0-1 no_grad set_grad_enabled
 set_multithreading_enabled@1- sys@0-1 torch
torch.autograd.grad_mode.enforce_grad_layout_policy() 14- enable
torch.autograd.grad_mode.inference_mode() 0-2 mode
torch.autograd.grad_mode.no_grad() 0-
torch.autograd.grad_mode.set_grad_enabled() 0- mode
torch.autograd.grad_mode.set_multithreading_enabled() 1- mode
torch.autograd.gradcheck 0- Callable Dict@0-8 FAILED_BATCHED_GRAD_MSG FAILED_BATCHED_GRAD_MSG_FWD_AD FAILED_NONDET_MSG
 FAST_FAIL_SLOW_OK_MSG GradcheckError Iterable List@0-8 Optional@0-13 Tuple@0-8 Union@0-13 collections deprecated@5-
 functools get_analytical_jacobian get_numerical_jacobian get_numerical_jacobian_wrt_specific_input gradcheck
 gradgradcheck is_tensor_like product torch vmap warnings
torch.autograd.gradcheck() 0- atol check_backward_ad check_batched_forward_grad check_batched_grad check_forward_ad
 check_grad_dtypes check_sparse_nnz@0-4 check_undefined_grad eps fast_mode func inputs masked@2- nondet_tol
 raise_exception rtol
torch.autograd.gradcheck.get_analytical_jacobian() 0- grad_out inputs nondet_tol output
torch.autograd.gradcheck.get_numerical_jacobian() 0- eps fn grad_out inputs target
torch.autograd.gradcheck.get_numerical_jacobian_wrt_specific_input() 0- eps fn input input_idx inputs is_forward_ad
 outputs
torch.autograd.gradcheck.gradcheck() 0- atol check_backward_ad check_batched_forward_grad check_batched_grad
 check_forward_ad check_grad_dtypes check_sparse_nnz@0-4 check_undefined_grad eps fast_mode func inputs masked@2-
 nondet_tol raise_exception rtol
torch.autograd.gradcheck.gradgradcheck() 0- atol check_batched_grad check_fwd_over_rev check_grad_dtypes
 check_rev_over_rev check_undefined_grad eps fast_mode func gen_non_contig_grad_outputs grad_outputs inputs masked@2-
 nondet_tol raise_exception rtol
torch.autograd.gradcheck.is_tensor_like() 0- inp
torch.autograd.gradcheck.vmap() 0- func in_dims out_dims
torch.autograd.gradgradcheck() 0- atol check_batched_grad check_fwd_over_rev check_grad_dtypes check_rev_over_rev
 check_undefined_grad eps fast_mode func gen_non_contig_grad_outputs grad_outputs inputs masked@2- nondet_tol
 raise_exception rtol
torch.autograd.graph 0- Any Callable Deque@4-8 Dict@1-8 Generator@6- GradientEdge@3- Iterable@6- Iterator@6- List@1-8
 Literal@6- MutableMapping@6- NamedTuple@6- Node@1- OpOverload@6- Optional@1- RemovableHandle@1- Sequence@1- Set@1-8
 TYPE_CHECKING@6- TorchDispatchMode@1- Tuple@1-8 TypeAlias@6- Union@4- Variable@4- WeakKeyDictionary@6-
 WeakValueDictionary@6- abc@1- allow_mutation_on_saved_tensors@1- cast@4- collections@4-6 contextlib contextvars@13-
 defaultdict@1- deque@6- disable_saved_tensors_hooks functools@4- get_gradient_edge@3- increment_version@2- log@4-
 logging@4- namedtuple@3-6 node_creation_hook@15- queue_callback@16- region_activation_memory_budget@14-
 register_multi_grad_hook@1- save_on_cpu saved_tensors_hooks set_override_stale_capture_stream@14-
 set_warn_on_accumulate_grad_stream_mismatch@11- threading@4- torch weakref@1-6
torch.autograd.graph.OpOverload() 6- op op_dk overloadpacket schema tags
torch.autograd.graph.RemovableHandle() 1- extra_dict hooks_dict
torch.autograd.graph.TorchDispatchMode() 2- _dispatch_key
torch.autograd.graph.allow_mutation_on_saved_tensors() 1-
torch.autograd.graph.disable_saved_tensors_hooks() 0- error_message
torch.autograd.graph.get_gradient_edge() 3- tensor
torch.autograd.graph.increment_version() 2- tensor
torch.autograd.graph.node_creation_hook() 15- hook
torch.autograd.graph.queue_callback() 16- callback
torch.autograd.graph.region_activation_memory_budget() 14- budget
torch.autograd.graph.register_multi_grad_hook() 1- fn mode@4- tensors
torch.autograd.graph.save_on_cpu() 0- device_type@2- pin_memory
torch.autograd.graph.saved_tensors_hooks() 0- pack_hook unpack_hook
torch.autograd.graph.set_override_stale_capture_stream() 14- enabled
torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch() 11- enabled
torch.autograd.inference_mode() 0-2 mode
torch.autograd.is_tensor_like() 0- inp
torch.autograd.no_grad() 0-
torch.autograd.profiler 0- Any ContextDecorator@0-1 DeviceType Dict@0-8 EnforceUnique EventList FunctionEvent Future
 Iterable@6- KinetoStepTracker@1- List@0-8 MEMORY_EVENT_NAME MemRecordsAcc OUT_OF_MEMORY_EVENT_NAME Optional
 ProfilerActivity ProfilerConfig ProfilerState copy@14- dataclass@5- defaultdict@1- deprecated@16- emit_itt emit_nvtx
 functools kineto_available kineto_step@0-1 load_nvprof log@12- logging@12- parse_nvprof_trace perf_counter_ns@5-
 profile record_function torch uuid@7- warn
torch.autograd.profiler.EnforceUnique() 0-16
torch.autograd.profiler.FunctionEvent() 0- activity_type@13- concrete_inputs@2- cpu_memory_usage cuda_memory_usage@0-5
 device_index device_memory_usage@5- device_resource_id@5- device_type end_us external_id@13- extra_meta@13- flops
 flow_id@13- flow_start@13- flow_type@13- fwd_thread id input_dtypes@13- input_shapes is_async is_legacy
 is_python_function@13- is_remote is_user_annotation@6- kwinputs@6- linked_correlation_id@13- metadata_json@11-16 name
 node_id overload_name@8- privateuse1_memory_usage@2-5 python_id@13- python_module_id@13- python_parent_id@13- scope
 sequence_nr stack start_us structured_input_shapes@13- structured_input_strides@13- thread trace_name
 typed_metadata@15- use_device@2-
torch.autograd.profiler.Future() 10- devices
torch.autograd.profiler.MemRecordsAcc() 0- mem_records
torch.autograd.profiler.emit_itt() 0- enabled record_shapes
torch.autograd.profiler.emit_nvtx() 0- enabled record_shapes
torch.autograd.profiler.kineto_step() 0-1
torch.autograd.profiler.load_nvprof() 0- path
torch.autograd.profiler.parse_nvprof_trace() 0- path
torch.autograd.profiler.profile() 0- _profiler_extensions@16- acc_events@6- activity_filters@13-
 custom_trace_id_callback@7- enabled experimental_config post_processing_timeout_s@12- profile_memory record_shapes
 use_cpu use_cuda@0-15 use_device@2- use_kineto use_mtia@2-6 with_flops with_modules with_stack
torch.autograd.profiler.record_function() 0- args name
torch.autograd.profiler_legacy 0- DeviceType EventList FunctionEvent MEMORY_EVENT_NAME ProfilerConfig ProfilerState
 deprecated@5- itertools profile torch warn@0-5 warnings@5-
torch.autograd.profiler_legacy.FunctionEvent() 0- activity_type@13- concrete_inputs@2- cpu_memory_usage
 cuda_memory_usage@0-5 device_index device_memory_usage@5- device_resource_id@5- device_type end_us external_id@13-
 extra_meta@13- flops flow_id@13- flow_start@13- flow_type@13- fwd_thread id input_dtypes@13- input_shapes is_async
 is_legacy is_python_function@13- is_remote is_user_annotation@6- kwinputs@6- linked_correlation_id@13-
 metadata_json@11-16 name node_id overload_name@8- privateuse1_memory_usage@2-5 python_id@13- python_module_id@13-
 python_parent_id@13- scope sequence_nr stack start_us structured_input_shapes@13- structured_input_strides@13- thread
 trace_name typed_metadata@15- use_device@2-
torch.autograd.profiler_legacy.profile() 0-5 enabled profile_memory record_shapes use_cuda with_flops with_modules
 with_stack
torch.autograd.profiler_util 0- Any@2- Callable@13- DeviceType Dict@0-8 EventList EventMetadata@13-
 FormattedTimesMixin FunctionEvent FunctionEventAvg Interval Kernel List@0-8 MEMORY_EVENT_NAME MemRecordsAcc
 NamedTuple@13- OUT_OF_MEMORY_EVENT_NAME Optional@0-13 StringTable Tuple@0-8 attrgetter bisect defaultdict
 deprecated@5- itertools json@13- math namedtuple torch
torch.autograd.profiler_util.FunctionEvent() 0- activity_type@13- concrete_inputs@2- cpu_memory_usage
 cuda_memory_usage@0-5 device_index device_memory_usage@5- device_resource_id@5- device_type end_us external_id@13-
 extra_meta@13- flops flow_id@13- flow_start@13- flow_type@13- fwd_thread id input_dtypes@13- input_shapes is_async
 is_legacy is_python_function@13- is_remote is_user_annotation@6- kwinputs@6- linked_correlation_id@13-
 metadata_json@11-16 name node_id overload_name@8- privateuse1_memory_usage@2-5 python_id@13- python_module_id@13-
 python_parent_id@13- scope sequence_nr stack start_us structured_input_shapes@13- structured_input_strides@13- thread
 trace_name typed_metadata@15- use_device@2-
torch.autograd.profiler_util.FunctionEventAvg() 0-
torch.autograd.profiler_util.Interval() 0- end start
torch.autograd.profiler_util.MemRecordsAcc() 0- mem_records
torch.autograd.set_detect_anomaly() 0- check_nan mode
torch.autograd.set_grad_enabled() 0- mode
torch.autograd.set_multithreading_enabled() 1- mode
torch.autograd.variable 0- ImperativeEngine Variable VariableMeta torch with_metaclass@0-1
torch.autograd.variable.with_metaclass() 0-1 meta
torch.avg_pool1d() 0- ceil_mode count_include_pad input kernel_size padding stride
torch.backends 0-10 ContextProp PropModule contextmanager cpu@2-10 cuda cudnn cusparselt@6-10 disable_global_flags
 flags_frozen kleidiai@8-10 mha@4-10 mkl mkldnn mps nnpack@4-10 openmp opt_einsum quantized types xeon xnnpack
torch.backends.ContextProp() 0-10 getter setter
torch.backends.PropModule() 0-10 m name
torch.backends.cpu 2- get_cpu_capability torch
torch.backends.cpu.get_cpu_capability() 2-
torch.backends.cuda 0- Any@11- IntEnum@1-3 SDPAParams@3- SDPBackend@1- Union@0-13
 allow_fp16_bf16_reduction_math_sdp@6- blas_workspace_size@14- can_use_cudnn_attention@6-
 can_use_efficient_attention@3- can_use_flash_attention@3- contextlib cuBLASModule cuFFTPlanCache
 cuFFTPlanCacheAttrContextProp cuFFTPlanCacheManager cublas_workspace_size@14- cublaslt_workspace_size@14-
 cudnn_sdp_enabled@4- cufft_plan_cache deprecated@5- enable_cudnn_sdp@4- enable_flash_sdp enable_math_sdp
 enable_mem_efficient_sdp@1- flash_sdp_enabled fp16_bf16_reduction_math_sdp_allowed@6- is_built
 is_ck_sdpa_available@13- is_flash_attention_available@6- math_sdp_enabled matmul mem_efficient_sdp_enabled@1-
 preferred_blas_library@5- preferred_linalg_library preferred_rocm_fa_library@8- sdp_kernel sys@0-3 torch warnings@4-5
torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp() 6- enabled
torch.backends.cuda.blas_workspace_size() 14- backend size
torch.backends.cuda.can_use_cudnn_attention() 6- debug params
torch.backends.cuda.can_use_efficient_attention() 3- debug params
torch.backends.cuda.can_use_flash_attention() 3- debug params
torch.backends.cuda.cuFFTPlanCache() 0- device_index
torch.backends.cuda.cuFFTPlanCacheAttrContextProp() 0- getter setter
torch.backends.cuda.cuFFTPlanCacheManager() 0-
torch.backends.cuda.cublas_workspace_size() 14- size
torch.backends.cuda.cublaslt_workspace_size() 14- size
torch.backends.cuda.cudnn_sdp_enabled() 4-
torch.backends.cuda.enable_cudnn_sdp() 4- enabled
torch.backends.cuda.enable_flash_sdp() 0- enabled
torch.backends.cuda.enable_math_sdp() 0- enabled
torch.backends.cuda.enable_mem_efficient_sdp() 1- enabled
torch.backends.cuda.flash_sdp_enabled() 0-
torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed() 6-
torch.backends.cuda.is_built() 0-
torch.backends.cuda.is_ck_sdpa_available() 13-
torch.backends.cuda.is_flash_attention_available() 6-
torch.backends.cuda.math_sdp_enabled() 0-
torch.backends.cuda.mem_efficient_sdp_enabled() 1-
torch.backends.cuda.preferred_blas_library() 5- backend
torch.backends.cuda.preferred_linalg_library() 0- backend
torch.backends.cuda.preferred_rocm_fa_library() 8- backend
torch.backends.cuda.sdp_kernel() 0- enable_cudnn@4- enable_flash enable_math enable_mem_efficient@1-
torch.backends.cusparselt 6- Optional get_max_alg_id@7- is_available torch version
torch.backends.cusparselt.get_max_alg_id() 7-
torch.backends.cusparselt.is_available() 6-
torch.backends.cusparselt.version() 6-
torch.backends.disable_global_flags() 0-10
torch.backends.flags_frozen() 0-10
torch.backends.kleidiai 8- is_available torch
torch.backends.kleidiai.is_available() 8-
torch.backends.mha 4- get_fastpath_enabled set_fastpath_enabled torch
torch.backends.mha.get_fastpath_enabled() 4-
torch.backends.mha.set_fastpath_enabled() 4- value
torch.backends.mkl 0- VERBOSE_OFF VERBOSE_ON is_available torch verbose
torch.backends.mkl.is_available() 0-
torch.backends.mkl.verbose() 0- enable
torch.backends.mps 0- Optional@4- TYPE_CHECKING@6- get_core_count@10- get_name@10- is_available is_built
 is_macos13_or_newer@1- is_macos_or_newer@4- torch
torch.backends.mps.is_built() 0-
torch.backends.nnpack 4- ContextProp PropModule contextmanager flags is_available set_flags torch
torch.backends.nnpack.ContextProp() 4- getter setter
torch.backends.nnpack.PropModule() 4- m name
torch.backends.nnpack.flags() 4- enabled
torch.backends.nnpack.is_available() 4-
torch.backends.nnpack.set_flags() 4- _enabled
torch.backends.openmp 0- is_available torch
torch.backends.openmp.is_available() 0-
torch.backends.xeon 0- run_cpu
torch.baddbmm() 0- alpha batch1 batch2 beta input out out_dtype@9- self
torch.bartlett_window() 0- device dtype layout memory_format periodic pin_memory requires_grad window_length
torch.batch_norm() 0- bias cudnn_enabled eps input momentum running_mean running_var training weight
torch.batch_norm_backward_elemt() 0- count grad_out input invstd mean mean_dy@0-2 mean_dy_xmu@0-2 sum_dy@2-
 sum_dy_xmu@2- weight
torch.batch_norm_backward_reduce() 0- bias_g grad_out input input_g invstd mean weight weight_g
torch.batch_norm_elemt() 0- bias eps input invstd mean out weight
torch.batch_norm_gather_stats() 0- count eps input invstd mean momentum running_mean running_var
torch.batch_norm_gather_stats_with_counts() 0- counts eps input invstd mean momentum running_mean running_var
torch.batch_norm_stats() 0- eps input
torch.batch_norm_update_stats() 0- input momentum running_mean running_var
torch.bernoulli() 0- generator input out p
torch.bilinear() 0- bias input1 input2 weight
torch.binary_cross_entropy_with_logits() 0- input pos_weight reduce@0-2 reduction size_average@0-2 target weight
torch.bincount() 0- input minlength weights
torch.binomial() 0- count generator prob
torch.bitwise_and() 0- input other out self
torch.bitwise_left_shift() 0- input other out self
torch.bitwise_not() 0- input out
torch.bitwise_or() 0- input other out self
torch.bitwise_right_shift() 0- input other out self
torch.bitwise_xor() 0- input other out self
torch.blackman_window() 0- device dtype layout memory_format periodic pin_memory requires_grad window_length
torch.block_diag() 0-
torch.bmm() 0- input mat2 out out_dtype@9-
torch.broadcast_shapes() 0-
torch.broadcast_tensors() 0-
torch.broadcast_to() 0- input shape size
torch.bucketize() 0- boundaries input out out_int32 right self
torch.can_cast() 0- from@0-5 from_ to
torch.cartesian_prod() 0-
torch.cat() 0- dim out tensors
torch.ccol_indices_copy() 0- input out@1-
torch.cdist() 0- compute_mode p x1 x2
torch.ceil() 0- input out
torch.ceil_() 0- input
torch.celu() 0- alpha input
torch.celu_() 0- alpha input
torch.chain_matmul() 0- out
torch.channel_shuffle() 0- groups input
torch.cholesky() 0- input out upper
torch.cholesky_inverse() 0- input out upper
torch.cholesky_solve() 0- input input2 out upper
torch.choose_qparams_optimized() 0- bit_width input n_bins numel ratio
torch.chunk() 0- chunks dim input
torch.clamp() 0- input max min out
torch.clamp_() 0- input max min
torch.clamp_max() 0- input max out
torch.clamp_max_() 0- input max
torch.clamp_min() 0- input min out
torch.clamp_min_() 0- input min
torch.classproperty() 0- func
torch.clip() 0- input max min out
torch.clip_() 0- input max min
torch.clone() 0- input memory_format
torch.col_indices_copy() 0- input out
torch.column_stack() 0- out tensors
torch.combinations() 0- input r with_replacement
torch.compile() 1-6 backend disable dynamic fullgraph mode model options
torch.compiled_with_cxx11_abi() 0-
torch.compiler 2- Any@6- CacheInfo@8- Callable@6- F@10- FuncType@10- List@2-8 NestedCompileRegionOptions@12-
 Optional@8-13 ParamSpec@8- PrecompileError@15- StanceStr@15- TYPE_CHECKING@8-13,15- TypeVar@6- Union@10-13
 allow_in_graph assume_constant_result compile config@7- contextlib@13- cudagraph_mark_step_begin@3-
 cudagraph_mark_warmup_incomplete@15- dataclass@12-13 disable get_default_backend@14- io@10- is_compiling@4-
 is_dynamo_compiling@4- is_exporting@8- keep_portable_guards_unsafe@12- keep_tensor_guards_unsafe@9- list_backends
 load_cache_artifacts@8- load_compiled_function@10- nested_compile_region@9- nonstrict_trace@15- precompile@15- reset
 save_cache_artifacts@8- set_default_backend@14- set_enable_guard_collectives@9- set_stance@7-
 skip_all_guards_unsafe@11- skip_guard_on_all_nn_modules_unsafe@9- skip_guard_on_globals_unsafe@9-
 skip_guard_on_inbuilt_nn_modules_unsafe@9- substitute_in_graph@6- torch wrap_numpy@4-
torch.compiler.allow_in_graph() 2- fn
torch.compiler.assume_constant_result() 2- fn
torch.compiler.cudagraph_mark_step_begin() 3-
torch.compiler.cudagraph_mark_warmup_incomplete() 15-
torch.compiler.disable() 2- fn reason@9- recursive
torch.compiler.get_default_backend() 14-
torch.compiler.is_compiling() 4-
torch.compiler.is_dynamo_compiling() 4-
torch.compiler.is_exporting() 8-
torch.compiler.keep_portable_guards_unsafe() 12- guard_entries
torch.compiler.keep_tensor_guards_unsafe() 9- guard_entries keep_parameters
torch.compiler.list_backends() 2- exclude_tags
torch.compiler.load_cache_artifacts() 8- serialized_artifacts
torch.compiler.load_compiled_function() 10- external_data@12- f_globals@11- file
torch.compiler.nested_compile_region() 9- fn max_reuse_entries@13- options@12- reuse_hash_fn@13-
torch.compiler.nonstrict_trace() 15- traceable_fn
torch.compiler.precompile 16- Capture MakeFxTracer PrecompileError PrecompileSummary PrecompiledRunnable capture load
 typing
torch.compiler.precompile.capture() 16- artifact_path backend cache_path fn tracer
torch.compiler.precompile.load() 16- artifact_path cache_path
torch.compiler.reset() 2-
torch.compiler.save_cache_artifacts() 8-
torch.compiler.set_default_backend() 14- backend
torch.compiler.set_enable_guard_collectives() 9- enabled
torch.compiler.set_stance() 7- force_backend skip_guard_eval_unsafe stance
torch.compiler.skip_all_guards_unsafe() 11- guard_entries
torch.compiler.skip_guard_on_all_nn_modules_unsafe() 9- guard_entries
torch.compiler.skip_guard_on_globals_unsafe() 9- guard_entries
torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe() 9- guard_entries
torch.compiler.substitute_in_graph() 6- can_constant_fold_through original_fn skip_signature_check
torch.compiler.wrap_numpy() 4- fn
torch.complex() 0- imag out real
torch.concat() 0- dim out tensors
torch.concatenate() 0- axis dim out tensors
torch.cond() 3- false_fn operands pred true_fn
torch.conj() 0- input
torch.conj_physical() 0- input out
torch.conj_physical_() 0- input
torch.constant_pad_nd() 0- input pad value
torch.contrib 0-
torch.conv1d() 0- bias dilation groups input padding stride weight
torch.conv2d() 0- bias dilation groups input padding stride weight
torch.conv3d() 0- bias dilation groups input padding stride weight
torch.conv_tbc() 0- bias input pad weight
torch.conv_transpose1d() 0- bias dilation groups input output_padding padding stride weight
torch.conv_transpose2d() 0- bias dilation groups input output_padding padding stride weight
torch.conv_transpose3d() 0- bias dilation groups input output_padding padding stride weight
torch.convolution() 0- bias dilation groups input output_padding padding stride transposed weight
torch.copysign() 0- input other out
torch.corrcoef() 0- input
torch.cos() 0- input out
torch.cos_() 0- input
torch.cosh() 0- input out
torch.cosh_() 0- input
torch.cosine_embedding_loss() 0- input1 input2 margin reduce@0-2 reduction size_average@0-2 target
torch.cosine_similarity() 0- dim eps x1 x2
torch.count_nonzero() 0- dim input
torch.cov() 0- aweights correction fweights input
torch.cpu 0- AbstractContextManager@2- Any@2- BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor Event@3-
 FloatTensor HalfTensor IntTensor LongTensor Mapping@12- MappingProxyType@12- Optional@2-12 ShortTensor Stream@2-
 StreamContext@2- Union@2-12 amp current_device@3- current_stream@2- device_count@2- get_capabilities@12-
 is_available@2- is_initialized@9- lru_cache@12- set_device@3- stream@2- synchronize@2- torch@2-
torch.cpu.Stream() 3- priority
torch.cpu.StreamContext() 2- stream
torch.cpu.amp 0- GradScaler@4- autocast autocast_mode grad_scaler@4-
torch.cpu.amp.GradScaler() 4- backoff_factor enabled growth_factor growth_interval init_scale
torch.cpu.amp.autocast() 0-11 cache_enabled dtype enabled
torch.cpu.current_device() 3-
torch.cpu.current_stream() 2- device
torch.cpu.device_count() 2-
torch.cpu.get_capabilities() 12-
torch.cpu.is_available() 2-
torch.cpu.is_initialized() 9-
torch.cpu.set_device() 3- device
torch.cpu.stream() 2- stream
torch.cpu.synchronize() 2- device
torch.cross() 0- dim input other out
torch.crow_indices_copy() 0- input out
torch.ctc_loss() 0- blank input_lengths log_probs reduction target_lengths targets zero_infinity
torch.cuda 0- AcceleratorError@9- Any BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor
 CUDAGraph CUDAPluggableAllocator@1- Callable@4- CharStorage CharTensor ComplexDoubleStorage ComplexFloatStorage
 CudaError DEVICE_REQUIREMENT@12- DEVICE_REQUIREMENT_POST_JETSON_SBSA_UNIFICATION@15- DeferredCudaCallError Device
 DoubleStorage DoubleTensor Enum@16- Event ExternalStream FloatStorage FloatTensor GreenContext@11- HalfStorage
 HalfTensor IntStorage IntTensor List@0-8 LongStorage LongTensor MemPool@6- MemPoolContext@6-9 NewType@10- Optional
 OutOfMemoryError PYTORCH_RELEASES_CODE_CC@12- Path@8- Set@0-1 ShortStorage ShortTensor Stream StreamContext
 TYPE_CHECKING@9- Tuple@0-8 Union@0-13 amdsmi@5- amp auto@16- cache@16- caching_allocator_alloc
 caching_allocator_delete caching_allocator_disabled@13- caching_allocator_enable@7- can_device_access_peer cast@1-
 change_current_allocator@1- check_error classproperty clock_rate@2- comm contextlib@0-6 ctypes@8- cudaStatus cudart
 current_blas_handle current_device current_solver_handle@14- current_stream default_generators default_stream device
 device_count device_memory_used@7- device_of empty_cache error@0-10 export_dot@15- export_graph_data@15- gds@6-
 get_allocator_backend@1- get_arch_list get_device_capability get_device_name get_device_properties get_gencode_flags
 get_per_process_memory_fraction@7- get_rng_state get_rng_state_all get_stream_from_external@8- get_sync_debug_mode
 glob@15- graph graph_annotations@15- graph_pool_handle graphs green_contexts@11- has_half has_magma
 host_memory_stats@8- host_memory_stats_as_nested_dict@8- importlib@2- init initial_seed ipc_collect is_available
 is_bf16_supported is_current_stream_capturing is_initialized is_tf32_supported@8- jiterator list_gpu_processes
 lru_cache make_graphed_callables manual_seed manual_seed_all max_memory_allocated max_memory_cached
 max_memory_reserved mem_get_info memory memory_allocated memory_cached memory_reserved memory_snapshot memory_stats
 memory_stats_as_nested_dict memory_summary memory_usage nccl nvtx os platform@14- power_draw@2- profiler pynvml@2-
 random reset_accumulated_host_memory_stats@8- reset_accumulated_memory_stats reset_max_memory_allocated
 reset_max_memory_cached reset_peak_host_memory_stats@8- reset_peak_memory_stats seed seed_all set_device
 set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream set_sync_debug_mode sparse stream streams
 synchronize sys@2-6,9-12 temperature@2- threading torch traceback tunable@5- use_mem_pool@6- utilization warnings
torch.cuda.CUDAPluggableAllocator() 1- alloc_fn_name free_fn_name path_to_so_file
torch.cuda.CudaError() 0- code
torch.cuda.GreenContext() 15- device_id num_sms sm_partition@16- workqueue_concurrency_limit workqueue_scope
torch.cuda.MemPool() 6- allocator no_split@11- symmetric@9-10 use_on_oom@9-
torch.cuda.MemPoolContext() 6-9 pool
torch.cuda.StreamContext() 0- stream
torch.cuda.amp 0- GradScaler amp_definitely_not_available@4- autocast autocast_mode common custom_bwd custom_fwd
 grad_scaler
torch.cuda.amp.GradScaler() 0- backoff_factor enabled growth_factor growth_interval init_scale
torch.cuda.amp.amp_definitely_not_available() 4-
torch.cuda.amp.autocast() 0-11 cache_enabled dtype enabled
torch.cuda.amp.custom_bwd() 0- bwd
torch.cuda.amp.custom_fwd() 0- cast_inputs fwd
torch.cuda.caching_allocator_alloc() 0- device size stream
torch.cuda.caching_allocator_delete() 0- mem_ptr
torch.cuda.caching_allocator_disabled() 13-
torch.cuda.caching_allocator_enable() 7- value
torch.cuda.can_device_access_peer() 0- device peer_device
torch.cuda.change_current_allocator() 1- allocator
torch.cuda.check_error() 0- res
torch.cuda.classproperty() 0- func
torch.cuda.clock_rate() 2- device
torch.cuda.comm 0- broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter
torch.cuda.comm.broadcast() 0- devices out tensor
torch.cuda.comm.broadcast_coalesced() 0- buffer_size devices tensors
torch.cuda.comm.gather() 0- destination dim out tensors
torch.cuda.comm.reduce_add() 0- destination inputs
torch.cuda.comm.reduce_add_coalesced() 0- buffer_size destination inputs
torch.cuda.comm.scatter() 0- chunk_sizes devices dim out streams tensor
torch.cuda.cudart() 0-
torch.cuda.current_blas_handle() 0-
torch.cuda.current_device() 0-
torch.cuda.current_solver_handle() 14-
torch.cuda.current_stream() 0- device
torch.cuda.default_stream() 0- device
torch.cuda.device() 0- device
torch.cuda.device_count() 0-
torch.cuda.device_memory_used() 7- device
torch.cuda.device_of() 0- obj
torch.cuda.empty_cache() 0-
torch.cuda.error 0-10
torch.cuda.export_dot() 15- path verbose
torch.cuda.export_graph_data() 15- path
torch.cuda.gds 6- Callable GdsFile@8- List@6-8 Optional@6-12 Storage gds_deregister_buffer@8- gds_register_buffer@8-
 is_available@15- os sys torch
torch.cuda.gds.GdsFile() 8- filename flags
torch.cuda.gds.gds_deregister_buffer() 8- s
torch.cuda.gds.gds_register_buffer() 8- s
torch.cuda.gds.is_available() 15-
torch.cuda.get_allocator_backend() 1-
torch.cuda.get_arch_list() 0-
torch.cuda.get_device_capability() 0- device
torch.cuda.get_device_name() 0- device
torch.cuda.get_device_properties() 0- device
torch.cuda.get_gencode_flags() 0-
torch.cuda.get_per_process_memory_fraction() 7- device
torch.cuda.get_rng_state() 0- device
torch.cuda.get_rng_state_all() 0-
torch.cuda.get_stream_from_external() 8- data_ptr device
torch.cuda.get_sync_debug_mode() 0-
torch.cuda.graph() 0- annotation_config@16- capture_error_mode@2- check_input_liveness@14- cuda_graph
 enable_annotations@13- pool stream
torch.cuda.graph_annotations 15- clear_kernel_annotations dump_kernel_py_stacks@16- get_kernel_annotations
 get_kernel_py_stacks@16- is_available mark_kernels
torch.cuda.graph_annotations.clear_kernel_annotations() 15-
torch.cuda.graph_annotations.dump_kernel_py_stacks() 16- path
torch.cuda.graph_annotations.get_kernel_annotations() 15-
torch.cuda.graph_annotations.get_kernel_py_stacks() 16-
torch.cuda.graph_annotations.is_available() 15-
torch.cuda.graph_annotations.mark_kernels() 15- annotation backward
torch.cuda.graph_pool_handle() 0-
torch.cuda.graphs 0- Any@16- CUDAGraph Callable@10- MemPool@15- Optional@4-5,10-12 OrderedDict@15- ParamSpec@10-
 RemovableHandle@15- Self@10- TYPE_CHECKING@10- Tensor@10- TypeAlias@10- TypeGuard@15- TypeVar@10- Union@10-
 annotations@10- ctypes@15- export_dot@15- export_graph_data@15- gc graph graph_pool_handle
 is_current_stream_capturing make_graphed_callables overload@10- register_graph_capture_end_hook@15-
 register_graph_capture_start_hook@15- register_graph_destroy_hook@15- register_graph_instantiate_hook@15-
 register_graph_replay_end_hook@15- register_graph_replay_start_hook@15- torch typing@5- warnings@15- weakref@15-
torch.cuda.graphs.MemPool() 15- allocator no_split use_on_oom
torch.cuda.graphs.RemovableHandle() 15- extra_dict hooks_dict
torch.cuda.graphs.export_dot() 15- path verbose
torch.cuda.graphs.export_graph_data() 15- path
torch.cuda.graphs.graph() 0- annotation_config@16- capture_error_mode@2- check_input_liveness@14- cuda_graph
 enable_annotations@13- pool stream
torch.cuda.graphs.graph_pool_handle() 0-
torch.cuda.graphs.is_current_stream_capturing() 0-
torch.cuda.graphs.make_graphed_callables() 0- allow_unused_input@1- callables capture_error_mode@15-
 enable_annotations@15- num_warmup_iters pool@4- sample_args
torch.cuda.graphs.register_graph_capture_end_hook() 15- fn
torch.cuda.graphs.register_graph_capture_start_hook() 15- fn
torch.cuda.graphs.register_graph_destroy_hook() 15- fn
torch.cuda.graphs.register_graph_instantiate_hook() 15- fn
torch.cuda.graphs.register_graph_replay_end_hook() 15- fn
torch.cuda.graphs.register_graph_replay_start_hook() 15- fn
torch.cuda.green_contexts 11- Any@15- GreenContext SMPartition@16- SUPPORTED@11-15 Sequence@16- annotations@15-
 byref@16- c_int@16- deprecated@15- functools@15- get_num_locality_domains@16- is_localization_supported@16- os@16-
 sys@15- torch warnings@15-
torch.cuda.green_contexts.GreenContext() 15- device_id num_sms sm_partition@16- workqueue_concurrency_limit
 workqueue_scope
torch.cuda.green_contexts.SMPartition() 16- _device_id _owner _resource
torch.cuda.green_contexts.get_num_locality_domains() 16- device_id
torch.cuda.green_contexts.is_localization_supported() 16- device_id
torch.cuda.host_memory_stats() 8-
torch.cuda.host_memory_stats_as_nested_dict() 8-
torch.cuda.init() 0-
torch.cuda.initial_seed() 0-
torch.cuda.ipc_collect() 0-
torch.cuda.is_available() 0-
torch.cuda.is_bf16_supported() 0- including_emulation@5-
torch.cuda.is_current_stream_capturing() 0-
torch.cuda.is_initialized() 0-
torch.cuda.is_tf32_supported() 8-
torch.cuda.jiterator 0- Callable List@0-8 Tensor re torch
torch.cuda.list_gpu_processes() 0- device
torch.cuda.make_graphed_callables() 0- allow_unused_input@1- callables capture_error_mode@15- enable_annotations@15-
 num_warmup_iters pool@4- sample_args
torch.cuda.manual_seed() 0- seed
torch.cuda.manual_seed_all() 0- seed
torch.cuda.max_memory_allocated() 0- device
torch.cuda.max_memory_cached() 0- device
torch.cuda.max_memory_reserved() 0- device
torch.cuda.mem_get_info() 0- device
torch.cuda.memory 0- Any CUDAPluggableAllocator@1- Device Dict@0-8 Literal@7- MemPool@6- MemPoolContext@6-9
 NotRequired@11-12 Optional@2-12 TYPE_CHECKING@9- Tuple@0-8 TypedDict@11-12 Union@0-9 caching_allocator_alloc
 caching_allocator_delete caching_allocator_disabled@13- caching_allocator_enable@7- cast@11-12
 change_current_allocator@1- collections contextlib ctypes@1- deprecated@5- empty_cache get_allocator_backend@1-
 get_per_process_memory_fraction@7- host_memory_stats@8- host_memory_stats_as_nested_dict@8- is_initialized json@16-
 list_gpu_processes max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory_allocated
 memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict memory_summary os@11-12
 pickle@2- re@11-12 reset_accumulated_host_memory_stats@8- reset_accumulated_memory_stats reset_max_memory_allocated
 reset_max_memory_cached reset_peak_host_memory_stats@8- reset_peak_memory_stats set_per_process_memory_fraction
 signature@2- sys@2- threading@15- torch use_mem_pool@6- warnings
torch.cuda.memory.CUDAPluggableAllocator() 1- alloc_fn_name free_fn_name path_to_so_file
torch.cuda.memory.MemPool() 6- allocator no_split@11- symmetric@9-10 use_on_oom@9-
torch.cuda.memory.MemPoolContext() 6-9 pool
torch.cuda.memory.caching_allocator_alloc() 0- device size stream
torch.cuda.memory.caching_allocator_delete() 0- mem_ptr
torch.cuda.memory.caching_allocator_disabled() 13-
torch.cuda.memory.caching_allocator_enable() 7- value
torch.cuda.memory.change_current_allocator() 1- allocator
torch.cuda.memory.empty_cache() 0-
torch.cuda.memory.get_allocator_backend() 1-
torch.cuda.memory.get_per_process_memory_fraction() 7- device
torch.cuda.memory.host_memory_stats() 8-
torch.cuda.memory.host_memory_stats_as_nested_dict() 8-
torch.cuda.memory.is_initialized() 0-
torch.cuda.memory.list_gpu_processes() 0- device
torch.cuda.memory.max_memory_allocated() 0- device
torch.cuda.memory.max_memory_cached() 0- device
torch.cuda.memory.max_memory_reserved() 0- device
torch.cuda.memory.mem_get_info() 0- device
torch.cuda.memory.memory_allocated() 0- device
torch.cuda.memory.memory_cached() 0- device
torch.cuda.memory.memory_reserved() 0- device
torch.cuda.memory.memory_snapshot() 0- include_traces@12- mempool_id@9-
torch.cuda.memory.memory_stats() 0- device
torch.cuda.memory.memory_stats_as_nested_dict() 0- device
torch.cuda.memory.memory_summary() 0- abbreviated device
torch.cuda.memory.reset_accumulated_host_memory_stats() 8-
torch.cuda.memory.reset_accumulated_memory_stats() 0- device
torch.cuda.memory.reset_max_memory_allocated() 0- device
torch.cuda.memory.reset_max_memory_cached() 0- device
torch.cuda.memory.reset_peak_host_memory_stats() 8-
torch.cuda.memory.reset_peak_memory_stats() 0- device
torch.cuda.memory.set_per_process_memory_fraction() 0- device fraction
torch.cuda.memory.use_mem_pool() 6- device pool
torch.cuda.memory_allocated() 0- device
torch.cuda.memory_cached() 0- device
torch.cuda.memory_reserved() 0- device
torch.cuda.memory_snapshot() 0- include_traces@12- mempool_id@9-
torch.cuda.memory_stats() 0- device
torch.cuda.memory_stats_as_nested_dict() 0- device
torch.cuda.memory_summary() 0- abbreviated device
torch.cuda.memory_usage() 0- device
torch.cuda.nccl 0- Optional@0-12 SUM Sequence Union@0-12 all_gather all_reduce broadcast collections init_rank
 is_available reduce reduce_scatter torch unique_id version warnings
torch.cuda.nccl.all_gather() 0- comms inputs outputs streams
torch.cuda.nccl.all_reduce() 0- comms inputs op outputs streams
torch.cuda.nccl.broadcast() 0- comms inputs root streams
torch.cuda.nccl.init_rank() 0- num_ranks rank uid
torch.cuda.nccl.is_available() 0- tensors
torch.cuda.nccl.reduce() 0- comms inputs op output outputs root streams
torch.cuda.nccl.reduce_scatter() 0- comms inputs op outputs streams
torch.cuda.nccl.unique_id() 0-
torch.cuda.nccl.version() 0-
torch.cuda.nvtx 0- contextmanager mark range range_end range_pop range_push range_start
torch.cuda.nvtx.mark() 0- msg
torch.cuda.nvtx.range_end() 0- range_id
torch.cuda.nvtx.range_pop() 0-
torch.cuda.nvtx.range_push() 0- msg
torch.cuda.nvtx.range_start() 0- msg
torch.cuda.power_draw() 2- device
torch.cuda.profiler 0- DEFAULT_FLAGS check_error contextlib cudart init@0-12 profile start stop tempfile@0-12
 torch@2-12
torch.cuda.profiler.check_error() 0- res
torch.cuda.profiler.cudart() 0-
torch.cuda.profiler.init() 0-12 flags output_file output_mode
torch.cuda.profiler.profile() 0-
torch.cuda.profiler.start() 0-
torch.cuda.profiler.stop() 0-
torch.cuda.random 0- Iterable List@0-8 Tensor Union@0-12 cast@0-2 current_device device_count get_rng_state
 get_rng_state_all initial_seed is_initialized@9- manual_seed manual_seed_all seed seed_all set_rng_state
 set_rng_state_all torch
torch.cuda.random.current_device() 0-
torch.cuda.random.device_count() 0-
torch.cuda.random.get_rng_state() 0- device
torch.cuda.random.get_rng_state_all() 0-
torch.cuda.random.initial_seed() 0-
torch.cuda.random.is_initialized() 9-
torch.cuda.random.manual_seed() 0- seed
torch.cuda.random.manual_seed_all() 0- seed
torch.cuda.random.seed() 0-
torch.cuda.random.seed_all() 0-
torch.cuda.random.set_rng_state() 0- device new_state
torch.cuda.random.set_rng_state_all() 0- new_states
torch.cuda.reset_accumulated_host_memory_stats() 8-
torch.cuda.reset_accumulated_memory_stats() 0- device
torch.cuda.reset_max_memory_allocated() 0- device
torch.cuda.reset_max_memory_cached() 0- device
torch.cuda.reset_peak_host_memory_stats() 8-
torch.cuda.reset_peak_memory_stats() 0- device
torch.cuda.seed() 0-
torch.cuda.seed_all() 0-
torch.cuda.set_device() 0- device
torch.cuda.set_per_process_memory_fraction() 0- device fraction
torch.cuda.set_rng_state() 0- device new_state
torch.cuda.set_rng_state_all() 0- new_states
torch.cuda.set_stream() 0- stream
torch.cuda.set_sync_debug_mode() 0- debug_mode
torch.cuda.sparse 0- BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor
 LongTensor ShortTensor
torch.cuda.stream() 0- stream
torch.cuda.streams 0- Event ExternalStream Stream annotations@12- ctypes torch
torch.cuda.synchronize() 0- device
torch.cuda.temperature() 2- device
torch.cuda.tunable 5- Iterator@16- NamedTuple@16- Optional@5-12 Tuple@5-8 concurrent@7-15 contextlib@16-
 dynamic_dims_mask@16- enable get_cublaslt_requested_algo_count@15- get_filename get_max_tuning_duration
 get_max_tuning_iterations get_results get_rotating_buffer_size@8- get_validators glob@7- is_enabled
 mgpu_tune_gemm_in_file@7- mp@7- os@7- read_file record_untuned_enable@7- record_untuned_is_enabled@7-
 set_cublaslt_requested_algo_count@15- set_filename set_max_tuning_duration set_max_tuning_iterations
 set_numerical_check_tolerances@11- set_rotating_buffer_size@8- shutil@7- torch tune_gemm_in_file@7- tuning_enable
 tuning_is_enabled warnings@7- wildcard_fallback_enable@16- wildcard_fallback_is_enabled@16- write_file@5-11
 write_file_on_exit@5-11
torch.cuda.tunable.dynamic_dims_mask() 16- BATCH K M N
torch.cuda.tunable.enable() 5- val
torch.cuda.tunable.get_cublaslt_requested_algo_count() 15-
torch.cuda.tunable.get_filename() 5-
torch.cuda.tunable.get_max_tuning_duration() 5-
torch.cuda.tunable.get_max_tuning_iterations() 5-
torch.cuda.tunable.get_results() 5-
torch.cuda.tunable.get_rotating_buffer_size() 8-
torch.cuda.tunable.get_validators() 5-
torch.cuda.tunable.is_enabled() 5-
torch.cuda.tunable.mgpu_tune_gemm_in_file() 7- filename_pattern num_gpus
torch.cuda.tunable.read_file() 5- filename
torch.cuda.tunable.record_untuned_enable() 7- val
torch.cuda.tunable.record_untuned_is_enabled() 7-
torch.cuda.tunable.set_cublaslt_requested_algo_count() 15- count
torch.cuda.tunable.set_filename() 5- filename insert_device_ordinal
torch.cuda.tunable.set_max_tuning_duration() 5- duration
torch.cuda.tunable.set_max_tuning_iterations() 5- iterations
torch.cuda.tunable.set_numerical_check_tolerances() 11- atol enable rtol
torch.cuda.tunable.set_rotating_buffer_size() 8- buffer_size
torch.cuda.tunable.tune_gemm_in_file() 7- filename
torch.cuda.tunable.tuning_enable() 5- val
torch.cuda.tunable.tuning_is_enabled() 5-
torch.cuda.tunable.wildcard_fallback_enable() 16- val
torch.cuda.tunable.wildcard_fallback_is_enabled() 16-
torch.cuda.tunable.write_file() 5-11 filename
torch.cuda.tunable.write_file_on_exit() 5-11 val
torch.cuda.use_mem_pool() 6- device pool
torch.cuda.utilization() 0- device
torch.cudnn_affine_grid_generator() 0- C H N W theta
torch.cudnn_batch_norm() 0- bias epsilon exponential_average_factor input out@10- running_mean running_var training
 weight
torch.cudnn_convolution() 0- allow_tf32 benchmark deterministic dilation groups input out@4- padding stride weight
torch.cudnn_convolution_add_relu() 0- alpha bias dilation groups input padding stride weight z
torch.cudnn_convolution_relu() 0- bias dilation groups input padding stride weight
torch.cudnn_convolution_transpose() 0- allow_tf32 benchmark deterministic dilation groups input output_padding padding
 stride weight
torch.cudnn_grid_sampler() 0- grid input
torch.cudnn_is_acceptable() 0- input
torch.cummax() 0- dim input out
torch.cummin() 0- dim input out
torch.cumprod() 0- dim dtype input out
torch.cumsum() 0- dim dtype input out
torch.cumulative_trapezoid() 0- dim dx x y
torch.deg2rad() 0- input out
torch.deg2rad_() 0- input
torch.dequantize() 0- input tensor tensors
torch.det() 0- input
torch.detach() 0- input
torch.detach_() 0- input
torch.detach_copy() 0- input out
torch.diag() 0- diagonal input out
torch.diag_embed() 0- dim1 dim2 input offset
torch.diagflat() 0- input offset
torch.diagonal() 0- dim1 dim2 input offset outdim@0-14
torch.diagonal_copy() 0- dim1 dim2 input offset out
torch.diagonal_scatter() 0- dim1 dim2 input offset src
torch.diff() 0- append dim input n out prepend
torch.digamma() 0- input out
torch.dist() 0- input other p
torch.distributed 0- AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig@1-
 BarrierOptions BroadcastOptions BuiltinCommHookType DebugLevel DeviceMesh@5- DistBackendError@1- DistError@3-
 DistNetworkError@3- DistStoreError@3- Enum@0-6 FileStore GatherOptions GradBucket GroupMember GroupName@11- HashStore
 Logger P2POp PrefixStore ProcessGroup ProcessGroupCudaP2P@5-6 ProcessGroupGloo ProcessGroupMPI ProcessGroupNCCL
 ProcessGroupNCCL2@15- ProcessGroupNCCLLazy@15- ProcessGroupUCC ProcessGroupXCCL@7- QueueEmptyError@9- RankType@12-
 ReduceOp ReduceOptions ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work algorithms all_gather
 all_gather_coalesced all_gather_into_tensor all_gather_multigpu@0-3 all_gather_object all_gather_single@14-
 all_reduce all_reduce_coalesced all_reduce_multigpu@0-3 all_to_all all_to_all_single argparse_util autograd barrier
 batch_isend_irecv breakpoint@3- broadcast broadcast_multigpu@0-3 broadcast_object_list c10d_error_logger@1-2
 c10d_logger@2- checkpoint@1- collective_utils@2- config@12- constants contextlib@15- debug@11- default_pg_timeout
 destroy_process_group device_mesh@3- dist_backend@0-2 distributed_c10d elastic exception_handler@1-2
 flight_recorder@11- fsdp gather gather_into_tensor@15- gather_object gather_single@15- get_backend
 get_backend_config@1- get_backend_impl@15- get_debug_level get_default_backend_for_device@7- get_global_rank
 get_group_rank get_node_local_rank@5- get_pg_count@4- get_process_group_ranks get_rank get_world_size group
 init_device_mesh@5- init_process_group io@3-6 irecv is_available is_backend_available@2- is_gloo_available
 is_initialized is_mpi_available is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available@7-
 isend launch launcher log@6- logging@6- logging_handlers@1- monitored_barrier new_group new_subgroups
 new_subgroups_by_enumeration nn optim os@0-6 pdb@3-12 pipeline@0-5 pipelining@5- record_comm@13- recv
 recv_object_list@5- reduce reduce_multigpu@0-3 reduce_op reduce_scatter reduce_scatter_multigpu@0-3
 reduce_scatter_single@14- reduce_scatter_tensor register_rendezvous_handler remote_device rendezvous rpc run scatter
 scatter_object_list send send_object_list@5- set_debug_level set_debug_level_from_env set_timeout@15-
 shrink_group@11- split_group@6- supports_complex sys tensor@1- timedelta@10- torch traceback@6- typing@6- utils
torch.distributed.BackendConfig() 1- backend
torch.distributed.DeviceMesh() 5- _init_backend _layout@11- _rank@11- _rank_map@11- _root_mesh@11-
 backend_override@10- device_type mesh mesh_dim_names preserve_rank_order@16-
torch.distributed.algorithms 0- Join JoinHook Joinable ddp_comm_hooks join model_averaging
torch.distributed.algorithms.Joinable() 0-
torch.distributed.all_gather() 0-1,2- async_op group tensor tensor_list
torch.distributed.all_gather_coalesced() 0-1,2- async_op group input_tensor_list output_tensor_lists
torch.distributed.all_gather_into_tensor() 0-1,2- async_op group input_tensor output_tensor
torch.distributed.all_gather_multigpu() 0-1,2-3 async_op group input_tensor_list output_tensor_lists
torch.distributed.all_gather_object() 0-1,2- group obj object_list weights_only@15-
torch.distributed.all_gather_single() 14- async_op group input_tensor output_tensor
torch.distributed.all_reduce() 0-1,2- async_op group op tensor
torch.distributed.all_reduce_coalesced() 0-1,2- async_op group op tensors
torch.distributed.all_reduce_multigpu() 0-1,2-3 async_op group op tensor_list
torch.distributed.all_to_all() 0-1,2- async_op group input_tensor_list output_tensor_list
torch.distributed.all_to_all_single() 0-1,2- async_op group input input_split_sizes output output_split_sizes
torch.distributed.argparse_util 0- Action check_env env os
torch.distributed.autograd 0- Any@10- DistAutogradContext TYPE_CHECKING@10- TracebackType@10- annotations@10- backward
 context get_gradients is_available sys@0-6 torch
torch.distributed.autograd.is_available() 0-
torch.distributed.barrier() 0- async_op device_ids group timeout@13-
torch.distributed.batch_isend_irecv() 0- p2p_op_list
torch.distributed.breakpoint() 3- rank skip@6- timeout_s@10-
torch.distributed.broadcast() 0-1,2- async_op group group_src@7- src tensor
torch.distributed.broadcast_multigpu() 0-1,2-3 async_op group src src_tensor tensor_list
torch.distributed.broadcast_object_list() 0-1,2- device group group_src@7- object_list src weights_only@15-
torch.distributed.c10d_error_logger 1-2 List Tuple logging
torch.distributed.c10d_logger 2- Any@3- Callable@4- Dict@3-8 List@2-8 ParamSpec@4- Tuple@2-8 TypeVar@4- dist functools
 logging time@2-7 torch@3-
torch.distributed.checkpoint 1- BytesStorageMetadata CheckpointException CheckpointableTensor@15- ChunkStorageMetadata
 DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter FsspecReader@4-5,16- FsspecWriter@4-5,16-
 HuggingFaceStorageReader@9- HuggingFaceStorageWriter@9- LoadPlan LoadPlanner Metadata
 QuantizedHuggingFaceStorageReader@10- ReadItem SavePlan SavePlanner StorageReader StorageWriter TensorStorageMetadata
 WriteItem api async_save@4- default_planner filesystem format_utils@4- fsspec@4-5 fsspec_filesystem@16- hf_storage@9-
 load@3- load_sharded_optimizer_state_dict@2- load_state_dict logger@5- logging_handlers@5- metadata optimizer planner
 planner_helpers protocol@15- quantized_hf_storage@10- resharding save@3- save_state_dict staging@5- state_dict@3-
 state_dict_loader state_dict_saver stateful@3- storage utils
torch.distributed.checkpoint.CheckpointException() 1- failures msg
torch.distributed.checkpoint.DefaultLoadPlanner() 1- allow_partial_load@5- flatten_sharded_tensors flatten_state_dict
torch.distributed.checkpoint.DefaultSavePlanner() 1- dedup_replicated_tensors dedup_save_to_lowest_rank@5-
 enable_plan_caching@8- flatten_sharded_tensors flatten_state_dict
torch.distributed.checkpoint.FileSystemReader() 1- _extension_registry@8- path
torch.distributed.checkpoint.FileSystemWriter() 1- _extensions@8- cache_staged_state_dict@5- overwrite@5- path
 per_thread_copy_ahead serialization_format@9- single_file_per_rank sync_files thread_count
torch.distributed.checkpoint.FsspecReader() 4-5 path
torch.distributed.checkpoint.FsspecWriter() 4-5 path per_thread_copy_ahead single_file_per_rank sync_files
 thread_count
torch.distributed.checkpoint.HuggingFaceStorageReader() 9- path thread_count@10- token@9-10
torch.distributed.checkpoint.HuggingFaceStorageWriter() 9- enable_consolidation@10- fqn_to_index_mapping path
 save_distributed@10- save_sharded@9-10 thread_count@10- thread_count_consolidation@10- token@9-10
torch.distributed.checkpoint.QuantizedHuggingFaceStorageReader() 10- block_size path target_dtype thread_count
torch.distributed.checkpoint.async_save() 4-5 checkpoint_id planner process_group state_dict storage_writer
torch.distributed.checkpoint.load() 3-4 coordinator_rank no_dist planner process_group state_dict storage_reader
torch.distributed.checkpoint.load_sharded_optimizer_state_dict() 2- model_state_dict optimizer_key planner@3-
 storage_reader
torch.distributed.checkpoint.load_state_dict() 1- coordinator_rank no_dist planner process_group state_dict
 storage_reader
torch.distributed.checkpoint.save() 3-4 coordinator_rank no_dist planner process_group state_dict storage_writer
torch.distributed.checkpoint.save_state_dict() 1- coordinator_rank no_dist planner process_group state_dict
 storage_writer
torch.distributed.collective_utils 2- Any Callable Generic Iterable@10- List@2-8 Optional@2-11 SyncPayload T
 TYPE_CHECKING@10- Tuple@2-8 TypeVar Union@2-11 all_gather all_gather_object_enforce_type annotations broadcast cast
 dataclass defaultdict@10- dist importlib@10- logger@10- logging@10- torch@10-
torch.distributed.collective_utils.all_gather() 2- data_or_fn pg stage_name
torch.distributed.collective_utils.all_gather_object_enforce_type() 2- obj object_list pg type_checker
torch.distributed.collective_utils.broadcast() 2- data_or_fn pg rank stage_name success
torch.distributed.constants 0- Optional@3-11 default_pg_nccl_timeout@3- default_pg_timeout timedelta@3-
torch.distributed.debug 11- DebugHandler@12- Literal@12- TYPE_CHECKING@12- get_rank logger logging multiprocessing
 socket start_debug_server stop_debug_server tcpstore_client torch
torch.distributed.debug.get_rank() 11-
torch.distributed.debug.start_debug_server() 11- dump_dir@12- dump_interval@12- enabled_dumps@12- fetch_timeout@13-
 handlers@12- port start_method@12- worker_port
torch.distributed.debug.stop_debug_server() 11-
torch.distributed.debug.tcpstore_client() 11- prefix
torch.distributed.destroy_process_group() 0- group
torch.distributed.device_mesh 3- Any@13- ArrayLike BackendConfig@11- C10dBackend@7- Callable@13- CustomClassBase@15-
 DeviceMesh Dict@3-8 GroupMember@15- GroupName@11- IntLikeType@13- IntTuple@11-14 Iterator@10- List@3-8
 OpaqueBase@13-15 Optional@3-13 ProcessGroup TYPE_CHECKING Tuple@3-8 Union@3-13 chain@6-11 dist_config@12-
 get_backend@6- get_process_group_ranks@5- get_rank get_world_size init_device_mesh init_process_group is_available
 is_initialized is_int@11-14 logger logging math@3-11 new_group not_none@4- os@9- reduce@6-11 split_group@7-
 suffix_product@11-14 sys threading@5- torch warnings@9- zip_longest@10-
torch.distributed.device_mesh.DeviceMesh() 3- _init_backend@5- _init_process_groups@3-4 _layout@11- _rank@11-
 _rank_map@11- _root_mesh@11- backend_override@10- device_type mesh mesh_dim_names preserve_rank_order@16-
torch.distributed.device_mesh.get_backend() 6- group
torch.distributed.device_mesh.get_process_group_ranks() 5- group
torch.distributed.device_mesh.get_rank() 3- group
torch.distributed.device_mesh.get_world_size() 3- group
torch.distributed.device_mesh.init_device_mesh() 3- backend_override@10- device_type mesh_dim_names mesh_shape
torch.distributed.device_mesh.init_process_group() 3- _ranks@11- backend device_id@4- enable_reconfigure@15-
 group_name init_method pg_options rank store timeout world_size
torch.distributed.device_mesh.is_available() 3-
torch.distributed.device_mesh.is_initialized() 3-
torch.distributed.device_mesh.is_int() 11-14 x
torch.distributed.device_mesh.new_group() 3- backend device_id@7- group_desc@5- pg_options ranks sort_ranks@13-
 timeout use_local_synchronization
torch.distributed.device_mesh.not_none() 4- obj
torch.distributed.device_mesh.split_group() 7- backend@14- group_desc parent_pg pg_options split_ranks timeout
torch.distributed.device_mesh.suffix_product() 11-14 a init
torch.distributed.distributed_c10d 1- AllToAllOptions AllgatherOptions@3- AllreduceCoalescedOptions AllreduceOptions
 Any@1-15 Backend BackendConfig BarrierOptions BroadcastOptions C10DBackend@15- Callable@2- DebugLevel Dict@1-8
 DistStoreError@3- Final@15- FlightRecorderHook@13- GatherOptions GroupMember GroupName@11- HealthCheckHook@16-
 List@2-8 Literal@15- NamedTuple@15- NanCheckHook@15- NewType@11- NotRequired@15- Optional@1-11 P2POp
 PG_WRAPPER_STORE_PREFIX PrefixStore ProcessGroup ProcessGroupCudaP2P@5-6 ProcessGroupGloo ProcessGroupMPI
 ProcessGroupNCCL ProcessGroupNCCL2@15- ProcessGroupNCCLLazy@15- ProcessGroupUCC ProcessGroupXCCL@7- Protocol@15-
 ReconfigureOptions@15- ReduceOp ReduceOptions ReduceScatterOptions SHRINK_ABORT@11- SHRINK_DEFAULT@11-
 STORE_BASED_BARRIER_PREFIX ScatterOptions Sequence@15- Store TYPE_CHECKING@5- Tuple@1-8 TypeAlias@15- TypeIs@15-
 TypeVar@15- TypedDict@15- Union@1-11 Window@15- Work all_gather all_gather_coalesced all_gather_into_tensor
 all_gather_multigpu@1-3 all_gather_object all_gather_single@14- all_reduce all_reduce_coalesced
 all_reduce_multigpu@1-3 all_to_all all_to_all_single barrier batch_isend_irecv broadcast broadcast_multigpu@1-3
 broadcast_object_list builtins@15-16 cast@15- collections contextlib copy@11-15 ctypes@7- default_pg_nccl_timeout@3-
 default_pg_timeout deprecated@5- destroy_process_group dist_backend@1-2 dist_config@12-
 dynamo_unsupported_distributed_c10d_ops@2-7 exception_handler@1-2 functools@1-2 gather gather_into_tensor@15-
 gather_object gather_single@15- get_backend get_backend_config get_backend_impl@15- get_debug_level
 get_default_backend_for_device@7- get_global_rank get_group_rank get_node_local_rank@5- get_pg_count@4-
 get_process_group_ranks get_rank get_world_size group handle_torch_function@8- has_torch_function@8- hashlib@2-
 init_process_group io irecv is_backend_available@2- is_gloo_available is_initialized is_mpi_available
 is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available@7- isend itertools logger logging
 monitored_barrier namedtuple@1-15 new_comm@12- new_group new_subgroups new_subgroups_by_enumeration not_none@4-
 operator@15- os overload@15- pickle record_comm@13- record_function@1-2 recv recv_object_list@5- reduce
 reduce_multigpu@1-3 reduce_op reduce_scatter reduce_scatter_multigpu@1-3 reduce_scatter_single@14-
 reduce_scatter_tensor register_rendezvous_handler rendezvous scatter scatter_object_list send send_object_list@5-
 set_pytorch_distributed_envs_from_justknobs@4- set_timeout@15- shrink_group@11- split_group@6- supports_complex
 sys@3- time timedelta torch traceback@15-16 types@15- warnings
torch.distributed.distributed_c10d.BackendConfig() 1- backend
torch.distributed.distributed_c10d.all_gather() 2- async_op group tensor tensor_list
torch.distributed.distributed_c10d.all_gather_coalesced() 2- async_op group input_tensor_list output_tensor_lists
torch.distributed.distributed_c10d.all_gather_into_tensor() 2- async_op group input_tensor output_tensor
torch.distributed.distributed_c10d.all_gather_multigpu() 2-3 async_op group input_tensor_list output_tensor_lists
torch.distributed.distributed_c10d.all_gather_object() 2- group obj object_list weights_only@15-
torch.distributed.distributed_c10d.all_gather_single() 14- async_op group input_tensor output_tensor
torch.distributed.distributed_c10d.all_reduce() 2- async_op group op tensor
torch.distributed.distributed_c10d.all_reduce_coalesced() 2- async_op group op tensors
torch.distributed.distributed_c10d.all_reduce_multigpu() 2-3 async_op group op tensor_list
torch.distributed.distributed_c10d.all_to_all() 2- async_op group input_tensor_list output_tensor_list
torch.distributed.distributed_c10d.all_to_all_single() 2- async_op group input input_split_sizes output
 output_split_sizes
torch.distributed.distributed_c10d.barrier() 1- async_op device_ids group timeout@13-
torch.distributed.distributed_c10d.batch_isend_irecv() 1- p2p_op_list
torch.distributed.distributed_c10d.broadcast() 2- async_op group group_src@7- src tensor
torch.distributed.distributed_c10d.broadcast_multigpu() 2-3 async_op group src src_tensor tensor_list
torch.distributed.distributed_c10d.broadcast_object_list() 2- device group group_src@7- object_list src
 weights_only@15-
torch.distributed.distributed_c10d.destroy_process_group() 1- group
torch.distributed.distributed_c10d.exception_handler() 1-2 func
torch.distributed.distributed_c10d.gather() 2- async_op dst gather_list group group_dst@7- tensor
torch.distributed.distributed_c10d.gather_into_tensor() 15- async_op dst gather_tensor group group_dst tensor
torch.distributed.distributed_c10d.gather_object() 2- dst group group_dst@7- obj object_gather_list weights_only@15-
torch.distributed.distributed_c10d.gather_single() 15- async_op dst gather_tensor group group_dst tensor
torch.distributed.distributed_c10d.get_backend() 1- group
torch.distributed.distributed_c10d.get_backend_config() 1- group
torch.distributed.distributed_c10d.get_backend_impl() 15- device group
torch.distributed.distributed_c10d.get_default_backend_for_device() 7- device
torch.distributed.distributed_c10d.get_global_rank() 1- group group_rank
torch.distributed.distributed_c10d.get_group_rank() 1- global_rank group
torch.distributed.distributed_c10d.get_node_local_rank() 5- fallback_rank
torch.distributed.distributed_c10d.get_pg_count() 4-
torch.distributed.distributed_c10d.get_process_group_ranks() 1- group
torch.distributed.distributed_c10d.get_rank() 1- group
torch.distributed.distributed_c10d.get_world_size() 1- group
torch.distributed.distributed_c10d.init_process_group() 1- _ranks@11- backend device_id@4- enable_reconfigure@15-
 group_name init_method pg_options rank store timeout world_size
torch.distributed.distributed_c10d.irecv() 1- group group_src@7- src tag tensor
torch.distributed.distributed_c10d.is_backend_available() 2- backend
torch.distributed.distributed_c10d.is_gloo_available() 1-
torch.distributed.distributed_c10d.is_initialized() 1-
torch.distributed.distributed_c10d.is_mpi_available() 1-
torch.distributed.distributed_c10d.is_nccl_available() 1-
torch.distributed.distributed_c10d.is_torchelastic_launched() 1-
torch.distributed.distributed_c10d.is_ucc_available() 1-
torch.distributed.distributed_c10d.is_xccl_available() 7-
torch.distributed.distributed_c10d.isend() 1- dst group group_dst@7- tag tensor
torch.distributed.distributed_c10d.monitored_barrier() 1- group timeout wait_all_ranks
torch.distributed.distributed_c10d.new_group() 1- backend device_id@7- group_desc@5- pg_options ranks sort_ranks@13-
 timeout use_local_synchronization@2-
torch.distributed.distributed_c10d.new_subgroups() 1- backend group group_desc@5- group_size pg_options timeout
torch.distributed.distributed_c10d.new_subgroups_by_enumeration() 1- backend group_desc@5- pg_options
 ranks_per_subgroup_list timeout
torch.distributed.distributed_c10d.not_none() 4- obj
torch.distributed.distributed_c10d.record_comm() 13- name
torch.distributed.distributed_c10d.record_function() 1-2 args name
torch.distributed.distributed_c10d.recv() 1- group group_src@7- src tag tensor
torch.distributed.distributed_c10d.recv_object_list() 5- device group group_src@7- object_list src use_batch@10-
 weights_only@15-
torch.distributed.distributed_c10d.reduce() 2- async_op dst group group_dst@7- op tensor
torch.distributed.distributed_c10d.reduce_multigpu() 2-3 async_op dst dst_tensor group op tensor_list
torch.distributed.distributed_c10d.reduce_scatter() 2- async_op group input_list op output
torch.distributed.distributed_c10d.reduce_scatter_multigpu() 2-3 async_op group input_tensor_lists op
 output_tensor_list
torch.distributed.distributed_c10d.reduce_scatter_single() 14- async_op group input op output
torch.distributed.distributed_c10d.reduce_scatter_tensor() 2- async_op group input op output
torch.distributed.distributed_c10d.register_rendezvous_handler() 1- handler scheme
torch.distributed.distributed_c10d.scatter() 2- async_op group group_src@7- scatter_list src tensor
torch.distributed.distributed_c10d.scatter_object_list() 2- group group_src@7- scatter_object_input_list
 scatter_object_output_list src weights_only@15-
torch.distributed.distributed_c10d.send() 1- dst group group_dst@7- tag tensor
torch.distributed.distributed_c10d.send_object_list() 5- device dst group group_dst@7- object_list use_batch@10-
 weights_only@15-
torch.distributed.distributed_c10d.set_pytorch_distributed_envs_from_justknobs() 4-
torch.distributed.distributed_c10d.set_timeout() 15- group timeout
torch.distributed.distributed_c10d.shrink_group() 11- group pg_options ranks_to_exclude shrink_flags
torch.distributed.distributed_c10d.split_group() 6- backend@14- group_desc parent_pg pg_options split_ranks timeout
torch.distributed.distributed_c10d.supports_complex() 1- reduceOp
torch.distributed.elastic 0- agent control_plane@5- events metrics multiprocessing rendezvous timer utils
torch.distributed.exception_handler() 1-2 func
torch.distributed.flight_recorder 11- components fr_trace
torch.distributed.fsdp 0- BackwardPrefetch CPUOffload CPUOffloadPolicy@7- DataParallelMeshDims@13- FSDPModule@7-
 FlatParameter FullOptimStateDictConfig@2- FullStateDictConfig FullyShardedDataParallel GradientReductionHandle@16-
 LocalOptimStateDictConfig@2- LocalStateDictConfig MixedPrecision MixedPrecisionPolicy@7- OffloadPolicy@7-
 OptimStateDictConfig@2- OptimStateKeyType ParamExecOrderWrapPolicy@0-1 ShardedOptimStateDictConfig@2-
 ShardedStateDictConfig@1- ShardingStrategy StateDictConfig@2- StateDictSettings@2- StateDictType UnshardHandle@7-
 api@1- flat_param@0-3 flatten_params_wrapper@0-1 fully_shard@7- fully_sharded_data_parallel
 register_fsdp_forward_method@7- sharded_grad_scaler share_comm_ctx@11- utils@0-1 wrap
torch.distributed.fsdp.FullyShardedDataParallel() 0- auto_wrap_policy backward_prefetch cpu_offload device_id
 device_mesh@3- forward_prefetch ignored_modules ignored_parameters@1-2 ignored_states@2- limit_all_gathers
 mixed_precision module param_init_fn process_group sharding_strategy sync_module_states use_orig_params@1-
torch.distributed.fsdp.register_fsdp_forward_method() 7- method_name module
torch.distributed.fsdp.share_comm_ctx() 11- modules
torch.distributed.gather() 0-1,2- async_op dst gather_list group group_dst@7- tensor
torch.distributed.gather_into_tensor() 15- async_op dst gather_tensor group group_dst tensor
torch.distributed.gather_object() 0-1,2- dst group group_dst@7- obj object_gather_list weights_only@15-
torch.distributed.gather_single() 15- async_op dst gather_tensor group group_dst tensor
torch.distributed.get_backend() 0- group
torch.distributed.get_backend_config() 1- group
torch.distributed.get_backend_impl() 15- device group
torch.distributed.get_default_backend_for_device() 7- device
torch.distributed.get_global_rank() 0- group group_rank
torch.distributed.get_group_rank() 0- global_rank group
torch.distributed.get_node_local_rank() 5- fallback_rank
torch.distributed.get_pg_count() 4-
torch.distributed.get_process_group_ranks() 0- group
torch.distributed.get_rank() 0- group
torch.distributed.get_world_size() 0- group
torch.distributed.init_device_mesh() 5- backend_override@10- device_type mesh_dim_names mesh_shape
torch.distributed.init_process_group() 0- _ranks@11- backend device_id@4- enable_reconfigure@15- group_name
 init_method pg_options rank store timeout world_size
torch.distributed.irecv() 0- group group_src@7- src tag tensor
torch.distributed.is_available() 0-
torch.distributed.is_backend_available() 2- backend
torch.distributed.is_gloo_available() 0-
torch.distributed.is_initialized() 0-
torch.distributed.is_mpi_available() 0-
torch.distributed.is_nccl_available() 0-
torch.distributed.is_torchelastic_launched() 0-
torch.distributed.is_ucc_available() 0-
torch.distributed.is_xccl_available() 7-
torch.distributed.isend() 0- dst group group_dst@7- tag tensor
torch.distributed.launch 0- get_args_parser launch logger@0-5 logging@0-5 main parse_args run warnings@0-5
torch.distributed.launch.get_args_parser() 0-
torch.distributed.launch.launch() 0- args
torch.distributed.launch.main() 0-5 args
torch.distributed.launch.parse_args() 0- args
torch.distributed.launch.run() 0- args
torch.distributed.launcher 0- LaunchConfig api elastic_launch launch_agent
torch.distributed.launcher.elastic_launch() 0- config entrypoint health_check_server@14-
torch.distributed.launcher.launch_agent() 0- args config entrypoint health_check_server@14-
torch.distributed.logging_handlers 1- Dict@1-8 List@1-8 logging
torch.distributed.monitored_barrier() 0- group timeout wait_all_ranks
torch.distributed.new_group() 0- backend device_id@7- group_desc@5- pg_options ranks sort_ranks@13- timeout
 use_local_synchronization@2-
torch.distributed.new_subgroups() 0- backend group group_desc@5- group_size pg_options timeout
torch.distributed.new_subgroups_by_enumeration() 0- backend group_desc@5- pg_options ranks_per_subgroup_list timeout
torch.distributed.nn 0- Function ReduceOp RemoteModule all_gather all_reduce all_to_all all_to_all_single api
 broadcast dist functional gather group jit reduce reduce_scatter scatter torch warnings@13-
torch.distributed.nn.RemoteModule() 0- args kwargs module_cls remote_device
torch.distributed.nn.all_gather() 0- group tensor
torch.distributed.nn.all_reduce() 0- group op tensor
torch.distributed.nn.all_to_all() 0- group input_tensor_list output_tensor_list
torch.distributed.nn.all_to_all_single() 0- group input input_split_sizes output output_split_sizes
torch.distributed.nn.broadcast() 0- group src tensor
torch.distributed.nn.gather() 0- dst group tensor
torch.distributed.nn.reduce() 0- dst group op tensor
torch.distributed.nn.reduce_scatter() 0- group input_list op output
torch.distributed.nn.scatter() 0- group src tensors
torch.distributed.optim 0- DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer
 apply_optimizer_in_backward@1- as_functional_optim functional_adadelta functional_adagrad functional_adam
 functional_adamax functional_adamw functional_rmsprop functional_rprop functional_sgd named_optimizer@1- optim
 optimizer post_localSGD_optimizer torch utils warnings@5- zero_redundancy_optimizer
torch.distributed.optim.PostLocalSGDOptimizer() 0- averager optim
torch.distributed.pipeline 0-5 sync warnings@4-5
torch.distributed.pipelining 5- Pipe PipelineActivationLiveness@16- PipelineStage PipelineStageInfo@16- Schedule1F1B
 ScheduleDualPipeV@10- ScheduleFlexibleInterleaved1F1B@6-7 ScheduleGPipe ScheduleInterleaved1F1B
 ScheduleInterleavedZeroBubble@6- ScheduleLoopedBFS ScheduleZBVZeroBubble@7- SplitPoint
 analyze_pipeline_activation_liveness@16- build_stage microbatch pipe_split pipeline schedules stage
torch.distributed.pipelining.Pipe() 5- has_loss_and_backward loss_spec num_stages split_gm
torch.distributed.pipelining.PipelineStage() 5- device dw_builder@6- get_mesh@13- group input_args input_grads@13-
 num_stages output_args output_grads@13- stage_index submodule
torch.distributed.pipelining.Schedule1F1B() 5- args_chunk_spec kwargs_chunk_spec loss_fn n_microbatches
 output_merge_spec scale_grads@8- stage
torch.distributed.pipelining.ScheduleDualPipeV() 10- args_chunk_spec backward_requires_autograd@11- defer_pp_recv@14-
 defer_reduce_grad_wait@16- kwargs_chunk_spec loss_fn max_active_stages@16- max_outstanding_sends@16- n_microbatches
 output_merge_spec scale_grads stages unshard_lookahead@16-
torch.distributed.pipelining.ScheduleFlexibleInterleaved1F1B() 6-7 args_chunk_spec enable_zero_bubble
 kwargs_chunk_spec loss_fn n_microbatches output_merge_spec stages
torch.distributed.pipelining.ScheduleGPipe() 5- args_chunk_spec kwargs_chunk_spec loss_fn n_microbatches
 output_merge_spec scale_grads@8- stage
torch.distributed.pipelining.ScheduleInterleaved1F1B() 5- args_chunk_spec backward_requires_autograd@11-
 defer_pp_recv@14- defer_reduce_grad_wait@16- kwargs_chunk_spec loss_fn max_active_stages@16-
 max_outstanding_sends@16- n_microbatches output_merge_spec scale_grads@8- stages unshard_lookahead@16-
torch.distributed.pipelining.ScheduleInterleavedZeroBubble() 6- args_chunk_spec backward_requires_autograd@11-
 defer_pp_recv@14- defer_reduce_grad_wait@16- kwargs_chunk_spec loss_fn max_active_stages@16-
 max_outstanding_sends@16- n_microbatches output_merge_spec scale_grads@8- stages unshard_lookahead@16-
torch.distributed.pipelining.ScheduleLoopedBFS() 5- backward_requires_autograd@11- defer_pp_recv@14-
 defer_reduce_grad_wait@16- loss_fn max_active_stages@16- max_outstanding_sends@16- n_microbatches output_merge_spec
 scale_grads@8- stages unshard_lookahead@16-
torch.distributed.pipelining.ScheduleZBVZeroBubble() 7- args_chunk_spec backward_requires_autograd@11-
 defer_pp_recv@14- defer_reduce_grad_wait@16- kwargs_chunk_spec loss_fn max_active_stages@16-
 max_outstanding_sends@16- n_microbatches output_merge_spec scale_grads@8- stage_index_to_group_rank@7-8 stages
 unshard_lookahead@16-
torch.distributed.pipelining.analyze_pipeline_activation_liveness() 16- granularity pp_rank schedule stage_indices
torch.distributed.pipelining.build_stage() 5- device group pipe_info stage_index stage_module
torch.distributed.pipelining.pipe_split() 5-
torch.distributed.pipelining.pipeline() 5- mb_args mb_kwargs module split_policy split_spec
torch.distributed.record_comm() 13- name
torch.distributed.recv() 0- group group_src@7- src tag tensor
torch.distributed.recv_object_list() 5- device group group_src@7- object_list src use_batch@10- weights_only@15-
torch.distributed.reduce() 0-1,2- async_op dst group group_dst@7- op tensor
torch.distributed.reduce_multigpu() 0-1,2-3 async_op dst dst_tensor group op tensor_list
torch.distributed.reduce_scatter() 0-1,2- async_op group input_list op output
torch.distributed.reduce_scatter_multigpu() 0-1,2-3 async_op group input_tensor_lists op output_tensor_list
torch.distributed.reduce_scatter_single() 14- async_op group input op output
torch.distributed.reduce_scatter_tensor() 0-1,2- async_op group input op output
torch.distributed.register_rendezvous_handler() 0- handler scheme
torch.distributed.remote_device 0- Optional@0-11 Union@0-11 torch
torch.distributed.rendezvous 0- Callable@4- Dict@0-8 FileStore Iterator@4- Optional@0-11 PrefixStore@0-7 Store
 TCPStore Tuple@4-8 default_pg_timeout numbers os register_rendezvous_handler rendezvous six@0-1 sys timedelta
 urlparse urlunparse
torch.distributed.rendezvous.register_rendezvous_handler() 0- handler scheme
torch.distributed.rpc 0- AllGatherStates BackendType Generator PyRRef RRef RemoteProfilerManager RpcAgent
 RpcBackendOptions Store TensorPipeAgent TensorPipeRpcBackendOptions Tuple@0-8 WorkerInfo api backend_registry
 constants dist dist_autograd enable_gil_profiling functions get_rpc_timeout get_worker_info init_rpc internal
 is_available logger logging method_factory new_method numbers options os remote rendezvous_iterator rpc_async
 rpc_sync rref_proxy server_process_global_profiler shutdown threading timedelta torch urlparse warnings
torch.distributed.rpc.AllGatherStates() 0-
torch.distributed.rpc.TensorPipeRpcBackendOptions() 0- _channels _transports device_maps devices init_method
 num_worker_threads rpc_timeout
torch.distributed.rpc.init_rpc() 0- backend name rank rpc_backend_options world_size
torch.distributed.rpc.is_available() 0-
torch.distributed.rpc.method_factory() 0- docstring method_name
torch.distributed.run 0- ArgumentParser Callable DefaultLogsSpecs@4- LaunchConfig List@0-8 LogsSpecs@4- Optional@4-11
 REMAINDER Set@4-8 Std Tuple@0-8 Type@4-8 Union@0-11 check_env config_from_args determine_local_world_size
 elastic_launch env get_args_parser get_logger get_rdzv_endpoint get_use_env log@0-5 logger@5- logging@0-7 macros main
 metadata@4- os parse_args parse_min_max_nnodes record run run_script_path sys torch uuid
torch.distributed.run.DefaultLogsSpecs() 4- local_ranks_filter log_dir redirects tee
torch.distributed.run.LogsSpecs() 4- local_ranks_filter log_dir redirects tee
torch.distributed.run.config_from_args() 0- args
torch.distributed.run.determine_local_world_size() 0- nproc_per_node
torch.distributed.run.elastic_launch() 0- config entrypoint health_check_server@14-
torch.distributed.run.get_args_parser() 0-
torch.distributed.run.get_logger() 0- name
torch.distributed.run.get_rdzv_endpoint() 0- args
torch.distributed.run.get_use_env() 0- args
torch.distributed.run.parse_args() 0- args
torch.distributed.run.parse_min_max_nnodes() 0- nnodes
torch.distributed.run.record() 0- error_handler fn
torch.distributed.run.run() 0- args
torch.distributed.run.run_script_path() 0- training_script
torch.distributed.scatter() 0-1,2- async_op group group_src@7- scatter_list src tensor
torch.distributed.scatter_object_list() 0-1,2- group group_src@7- scatter_object_input_list scatter_object_output_list
 src weights_only@15-
torch.distributed.send() 0- dst group group_dst@7- tag tensor
torch.distributed.send_object_list() 5- device dst group group_dst@7- object_list use_batch@10- weights_only@15-
torch.distributed.set_timeout() 15- group timeout
torch.distributed.shrink_group() 11- group pg_options ranks_to_exclude shrink_flags
torch.distributed.split_group() 6- backend@14- group_desc parent_pg pg_options split_ranks timeout
torch.distributed.supports_complex() 0- reduceOp
torch.distributed.tensor 1- DTensor@6- DeviceMesh@6- Partial@6- Placement@6- Replicate@6- Shard@6- debug@6-
 device_mesh@6- distribute_module@6- distribute_tensor@6- empty@6- experimental@6- full@6- init_device_mesh@6-
 linspace@15- logspace@15- ones@6- parallel placement_types@6- rand@6- randn@6- torch@6- zeros@6-
torch.distributed.tensor.DeviceMesh() 6- _init_backend _layout@11- _rank@11- _rank_map@11- _root_mesh@11-
 backend_override@10- device_type mesh mesh_dim_names preserve_rank_order@16-
torch.distributed.tensor.distribute_module() 6- device_mesh input_fn module output_fn partition_fn
torch.distributed.tensor.distribute_tensor() 6- device_mesh placements src_data_rank@8- tensor
torch.distributed.tensor.empty() 6- device_mesh dtype layout placements requires_grad
torch.distributed.tensor.full() 6- device_mesh dtype fill_value layout placements requires_grad size
torch.distributed.tensor.init_device_mesh() 6- backend_override@10- device_type mesh_dim_names mesh_shape
torch.distributed.tensor.linspace() 15- device_mesh dtype end layout placements requires_grad start steps
torch.distributed.tensor.logspace() 15- base device_mesh dtype end layout placements requires_grad start steps
torch.distributed.tensor.ones() 6- device_mesh dtype layout placements requires_grad
torch.distributed.tensor.rand() 6- device_mesh dtype layout placements requires_grad
torch.distributed.tensor.randn() 6- device_mesh dtype layout placements requires_grad
torch.distributed.tensor.zeros() 6- device_mesh dtype layout placements requires_grad
torch.distributed.utils 0- Any Callable@2- Container@2- Dict@0-8 List@0-8 Optional@2- OrderedDict@2- PackedSequence@1-
 Q@2- R@2- S@2- Set@6-8 T@2- Tuple@0-8 TypeVar@2- dataclasses@2- dist nn@2- overload@2- torch traceback@2-
torch.distributions 0- AbsTransform AffineTransform Bernoulli Beta Binomial CatTransform Categorical Cauchy Chi2
 ComposeTransform ContinuousBernoulli CorrCholeskyTransform CumulativeDistributionTransform Dirichlet Distribution
 ExpTransform Exponential ExponentialFamily FisherSnedecor Gamma GeneralizedPareto@9- Geometric Gumbel HalfCauchy
 HalfNormal Independent IndependentTransform InverseGamma@3- Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal
 LowRankMultivariateNormal LowerCholeskyTransform MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial
 Normal OneHotCategorical OneHotCategoricalStraightThrough Pareto Poisson PositiveDefiniteTransform@1- PowerTransform
 RelaxedBernoulli RelaxedOneHotCategorical ReshapeTransform SigmoidTransform SoftmaxTransform SoftplusTransform
 StackTransform StickBreakingTransform StudentT TanhTransform Transform TransformedDistribution Uniform VonMises
 Weibull Wishart bernoulli beta biject_to binomial categorical cauchy chi2 constraint_registry constraints
 continuous_bernoulli dirichlet distribution exp_family exponential fishersnedecor gamma generalized_pareto@9-
 geometric gumbel half_cauchy half_normal identity_transform independent inverse_gamma@3- kl kl_divergence kumaraswamy
 laplace lkj_cholesky log_normal logistic_normal lowrank_multivariate_normal mixture_same_family multinomial
 multivariate_normal negative_binomial normal one_hot_categorical pareto poisson register_kl relaxed_bernoulli
 relaxed_categorical studentT transform_to transformed_distribution transforms uniform utils von_mises weibull wishart
torch.distributions.AbsTransform() 0- cache_size
torch.distributions.AffineTransform() 0- cache_size event_dim loc scale
torch.distributions.Bernoulli() 0- logits probs validate_args
torch.distributions.Beta() 0- concentration0 concentration1 validate_args
torch.distributions.Binomial() 0- logits probs total_count validate_args
torch.distributions.CatTransform() 0- cache_size dim lengths tseq
torch.distributions.Categorical() 0- logits probs validate_args
torch.distributions.Cauchy() 0- loc scale validate_args
torch.distributions.Chi2() 0- df validate_args
torch.distributions.ComposeTransform() 0- cache_size parts
torch.distributions.ContinuousBernoulli() 0- lims logits probs validate_args
torch.distributions.CorrCholeskyTransform() 0- cache_size
torch.distributions.CumulativeDistributionTransform() 0- cache_size distribution
torch.distributions.Dirichlet() 0- concentration validate_args
torch.distributions.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.ExpTransform() 0- cache_size
torch.distributions.Exponential() 0- rate validate_args
torch.distributions.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.FisherSnedecor() 0- df1 df2 validate_args
torch.distributions.Gamma() 0- concentration rate validate_args
torch.distributions.GeneralizedPareto() 9- concentration loc scale validate_args
torch.distributions.Geometric() 0- logits probs validate_args
torch.distributions.Gumbel() 0- loc scale validate_args
torch.distributions.HalfCauchy() 0- scale validate_args
torch.distributions.HalfNormal() 0- scale validate_args
torch.distributions.Independent() 0- base_distribution reinterpreted_batch_ndims validate_args
torch.distributions.IndependentTransform() 0- base_transform cache_size reinterpreted_batch_ndims
torch.distributions.InverseGamma() 3- concentration rate validate_args
torch.distributions.Kumaraswamy() 0- concentration0 concentration1 validate_args
torch.distributions.LKJCholesky() 0- concentration dim validate_args
torch.distributions.Laplace() 0- loc scale validate_args
torch.distributions.LogNormal() 0- loc scale validate_args
torch.distributions.LogisticNormal() 0- loc scale validate_args
torch.distributions.LowRankMultivariateNormal() 0- cov_diag cov_factor loc validate_args
torch.distributions.LowerCholeskyTransform() 0- cache_size
torch.distributions.MixtureSameFamily() 0- component_distribution mixture_distribution validate_args
torch.distributions.Multinomial() 0- logits probs total_count validate_args
torch.distributions.MultivariateNormal() 0- covariance_matrix loc precision_matrix scale_tril validate_args
torch.distributions.NegativeBinomial() 0- logits probs total_count validate_args
torch.distributions.Normal() 0- loc scale validate_args
torch.distributions.OneHotCategorical() 0- logits probs validate_args
torch.distributions.OneHotCategoricalStraightThrough() 0- logits probs validate_args
torch.distributions.Pareto() 0- alpha scale validate_args
torch.distributions.Poisson() 0- rate validate_args
torch.distributions.PositiveDefiniteTransform() 1- cache_size
torch.distributions.PowerTransform() 0- cache_size exponent
torch.distributions.RelaxedBernoulli() 0- logits probs temperature validate_args
torch.distributions.RelaxedOneHotCategorical() 0- logits probs temperature validate_args
torch.distributions.ReshapeTransform() 0- cache_size in_shape out_shape
torch.distributions.SigmoidTransform() 0- cache_size
torch.distributions.SoftmaxTransform() 0- cache_size
torch.distributions.SoftplusTransform() 0- cache_size
torch.distributions.StackTransform() 0- cache_size dim tseq
torch.distributions.StickBreakingTransform() 0- cache_size
torch.distributions.StudentT() 0- df loc scale validate_args
torch.distributions.TanhTransform() 0- cache_size
torch.distributions.Transform() 0- cache_size
torch.distributions.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.Uniform() 0- high low validate_args
torch.distributions.VonMises() 0- concentration loc validate_args
torch.distributions.Weibull() 0- concentration scale validate_args
torch.distributions.Wishart() 0- covariance_matrix df precision_matrix scale_tril validate_args
torch.distributions.bernoulli 0- Bernoulli ExponentialFamily Number@0-8,9- Optional@9-12 Tensor@8- Union@9-12
 binary_cross_entropy_with_logits broadcast_all constraints lazy_property logits_to_probs nan probs_to_logits torch
torch.distributions.bernoulli.Bernoulli() 0- logits probs validate_args
torch.distributions.bernoulli.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.bernoulli.binary_cross_entropy_with_logits() 0- input pos_weight reduce reduction size_average
 target weight
torch.distributions.bernoulli.broadcast_all() 0-
torch.distributions.bernoulli.lazy_property() 0- wrapped
torch.distributions.bernoulli.logits_to_probs() 0- is_binary logits
torch.distributions.bernoulli.probs_to_logits() 0- is_binary probs
torch.distributions.beta 0- Beta Dirichlet ExponentialFamily Number@0-8 Optional@9-12 Real@0-8 Tensor@8- Union@9-12
 broadcast_all constraints torch
torch.distributions.beta.Beta() 0- concentration0 concentration1 validate_args
torch.distributions.beta.Dirichlet() 0- concentration validate_args
torch.distributions.beta.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.beta.broadcast_all() 0-
torch.distributions.binomial 0- Binomial Distribution Optional@9-12 Tensor@8- Union@9-12 broadcast_all constraints
 lazy_property logits_to_probs probs_to_logits torch
torch.distributions.binomial.Binomial() 0- logits probs total_count validate_args
torch.distributions.binomial.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.binomial.broadcast_all() 0-
torch.distributions.binomial.lazy_property() 0- wrapped
torch.distributions.binomial.logits_to_probs() 0- is_binary logits
torch.distributions.binomial.probs_to_logits() 0- is_binary probs
torch.distributions.categorical 0- Categorical Distribution Optional@9-12 Tensor@8- constraints lazy_property
 logits_to_probs nan probs_to_logits torch
torch.distributions.categorical.Categorical() 0- logits probs validate_args
torch.distributions.categorical.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.categorical.lazy_property() 0- wrapped
torch.distributions.categorical.logits_to_probs() 0- is_binary logits
torch.distributions.categorical.probs_to_logits() 0- is_binary probs
torch.distributions.cauchy 0- Cauchy Distribution Number@0-8 Optional@9-12 Tensor@8- Union@9-12 broadcast_all
 constraints inf math nan torch
torch.distributions.cauchy.Cauchy() 0- loc scale validate_args
torch.distributions.cauchy.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.cauchy.broadcast_all() 0-
torch.distributions.chi2 0- Chi2 Gamma Optional@9-12 Tensor@8- Union@9-12 constraints
torch.distributions.chi2.Chi2() 0- df validate_args
torch.distributions.chi2.Gamma() 0- concentration rate validate_args
torch.distributions.constraint_registry 0- ConstraintRegistry biject_to constraints numbers@0-8 transform_to
 transforms
torch.distributions.constraint_registry.ConstraintRegistry() 0-
torch.distributions.constraints 0- Any@8- Callable@8- Constraint MixtureSameFamilyConstraint@9- Optional@8-12 boolean
 cat corr_cholesky dependent dependent_property greater_than greater_than_eq half_open_interval independent
 integer_interval interval is_dependent less_than lower_cholesky lower_triangular multinomial nonnegative
 nonnegative_integer one_hot positive positive_definite positive_integer positive_semidefinite real real_vector
 simplex square stack symmetric torch unit_interval
torch.distributions.constraints.MixtureSameFamilyConstraint() 9- base_constraint
torch.distributions.constraints.is_dependent() 0- constraint
torch.distributions.continuous_bernoulli 0- ContinuousBernoulli ExponentialFamily Number@0-8,9- Optional@9-12
 Tensor@8- Union@9-12 binary_cross_entropy_with_logits broadcast_all clamp_probs constraints lazy_property
 logits_to_probs math probs_to_logits torch
torch.distributions.continuous_bernoulli.ContinuousBernoulli() 0- lims logits probs validate_args
torch.distributions.continuous_bernoulli.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.continuous_bernoulli.binary_cross_entropy_with_logits() 0- input pos_weight reduce reduction
 size_average target weight
torch.distributions.continuous_bernoulli.broadcast_all() 0-
torch.distributions.continuous_bernoulli.clamp_probs() 0- probs
torch.distributions.continuous_bernoulli.lazy_property() 0- wrapped
torch.distributions.continuous_bernoulli.logits_to_probs() 0- is_binary logits
torch.distributions.continuous_bernoulli.probs_to_logits() 0- is_binary probs
torch.distributions.dirichlet 0- Dirichlet ExponentialFamily Function Optional@9-12 Tensor@8- constraints
 once_differentiable torch
torch.distributions.dirichlet.Dirichlet() 0- concentration validate_args
torch.distributions.dirichlet.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.dirichlet.once_differentiable() 0- fn
torch.distributions.distribution 0- Any@0-8 Dict@0-8 Distribution Optional@0-12 Tensor@8- Tuple@1-6 constraints
 deprecated@5- lazy_property torch warnings
torch.distributions.distribution.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.distribution.lazy_property() 0- wrapped
torch.distributions.exp_family 0- Distribution ExponentialFamily Tensor@8- Union@10-12 torch
torch.distributions.exp_family.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.exp_family.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.exponential 0- Exponential ExponentialFamily Number@0-8 Optional@9-12 Tensor@8- Union@9-12
 broadcast_all constraints torch
torch.distributions.exponential.Exponential() 0- rate validate_args
torch.distributions.exponential.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.exponential.broadcast_all() 0-
torch.distributions.fishersnedecor 0- Distribution FisherSnedecor Gamma Number@0-8 Optional@9-12 Tensor@8- Union@9-12
 broadcast_all constraints nan torch
torch.distributions.fishersnedecor.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.fishersnedecor.FisherSnedecor() 0- df1 df2 validate_args
torch.distributions.fishersnedecor.Gamma() 0- concentration rate validate_args
torch.distributions.fishersnedecor.broadcast_all() 0-
torch.distributions.gamma 0- ExponentialFamily Gamma Number@0-8 Optional@9-12 Tensor@8- Union@9-12 broadcast_all
 constraints torch
torch.distributions.gamma.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.gamma.Gamma() 0- concentration rate validate_args
torch.distributions.gamma.broadcast_all() 0-
torch.distributions.generalized_pareto 9- Distribution GeneralizedPareto Number Real broadcast_all constraints inf
 math nan torch
torch.distributions.generalized_pareto.Distribution() 9- batch_shape event_shape validate_args
torch.distributions.generalized_pareto.GeneralizedPareto() 9- concentration loc scale validate_args
torch.distributions.generalized_pareto.broadcast_all() 9-
torch.distributions.geometric 0- Distribution Geometric Number@0-8,9- Optional@9-12 Tensor@8- Union@9-12
 binary_cross_entropy_with_logits broadcast_all constraints lazy_property logits_to_probs probs_to_logits torch
torch.distributions.geometric.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.geometric.Geometric() 0- logits probs validate_args
torch.distributions.geometric.binary_cross_entropy_with_logits() 0- input pos_weight reduce reduction size_average
 target weight
torch.distributions.geometric.broadcast_all() 0-
torch.distributions.geometric.lazy_property() 0- wrapped
torch.distributions.geometric.logits_to_probs() 0- is_binary logits
torch.distributions.geometric.probs_to_logits() 0- is_binary probs
torch.distributions.gumbel 0- AffineTransform ExpTransform Gumbel Number@0-8 Optional@9-12 Tensor@8-
 TransformedDistribution Uniform Union@9-12 broadcast_all constraints euler_constant math torch
torch.distributions.gumbel.AffineTransform() 0- cache_size event_dim loc scale
torch.distributions.gumbel.ExpTransform() 0- cache_size
torch.distributions.gumbel.Gumbel() 0- loc scale validate_args
torch.distributions.gumbel.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.gumbel.Uniform() 0- high low validate_args
torch.distributions.gumbel.broadcast_all() 0-
torch.distributions.half_cauchy 0- AbsTransform Cauchy HalfCauchy Optional@9-12 Tensor@8- TransformedDistribution
 Union@9-12 constraints inf math torch
torch.distributions.half_cauchy.AbsTransform() 0- cache_size
torch.distributions.half_cauchy.Cauchy() 0- loc scale validate_args
torch.distributions.half_cauchy.HalfCauchy() 0- scale validate_args
torch.distributions.half_cauchy.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.half_normal 0- AbsTransform HalfNormal Normal Optional@9-12 Tensor@8- TransformedDistribution
 Union@9-12 constraints inf math torch
torch.distributions.half_normal.AbsTransform() 0- cache_size
torch.distributions.half_normal.HalfNormal() 0- scale validate_args
torch.distributions.half_normal.Normal() 0- loc scale validate_args
torch.distributions.half_normal.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.independent 0- D@9- Dict@0-8 Distribution Generic@9- Independent Optional@9-12 Size@9- Tensor@8-
 TypeVar@9- constraints torch
torch.distributions.independent.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.independent.Independent() 0- base_distribution reinterpreted_batch_ndims validate_args
torch.distributions.inverse_gamma 3- Gamma InverseGamma Optional@9-12 PowerTransform Tensor@8- TransformedDistribution
 Union@9-12 constraints torch
torch.distributions.inverse_gamma.Gamma() 3- concentration rate validate_args
torch.distributions.inverse_gamma.InverseGamma() 3- concentration rate validate_args
torch.distributions.inverse_gamma.PowerTransform() 3- cache_size exponent
torch.distributions.inverse_gamma.TransformedDistribution() 3- base_distribution transforms validate_args
torch.distributions.kl 0- Bernoulli Beta Binomial Callable Categorical Cauchy ContinuousBernoulli Dict@0-8 Dirichlet
 Distribution Exponential ExponentialFamily Gamma Geometric Gumbel HalfNormal Independent Laplace
 LowRankMultivariateNormal MultivariateNormal Normal OneHotCategorical Pareto Poisson Tensor@8-
 TransformedDistribution Tuple@0-8 Type@0-8 Uniform inf kl_divergence math register_kl torch total_ordering warnings
torch.distributions.kl.Bernoulli() 0- logits probs validate_args
torch.distributions.kl.Beta() 0- concentration0 concentration1 validate_args
torch.distributions.kl.Binomial() 0- logits probs total_count validate_args
torch.distributions.kl.Categorical() 0- logits probs validate_args
torch.distributions.kl.Cauchy() 0- loc scale validate_args
torch.distributions.kl.ContinuousBernoulli() 0- lims logits probs validate_args
torch.distributions.kl.Dirichlet() 0- concentration validate_args
torch.distributions.kl.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.kl.Exponential() 0- rate validate_args
torch.distributions.kl.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.kl.Gamma() 0- concentration rate validate_args
torch.distributions.kl.Geometric() 0- logits probs validate_args
torch.distributions.kl.Gumbel() 0- loc scale validate_args
torch.distributions.kl.HalfNormal() 0- scale validate_args
torch.distributions.kl.Independent() 0- base_distribution reinterpreted_batch_ndims validate_args
torch.distributions.kl.Laplace() 0- loc scale validate_args
torch.distributions.kl.LowRankMultivariateNormal() 0- cov_diag cov_factor loc validate_args
torch.distributions.kl.MultivariateNormal() 0- covariance_matrix loc precision_matrix scale_tril validate_args
torch.distributions.kl.Normal() 0- loc scale validate_args
torch.distributions.kl.OneHotCategorical() 0- logits probs validate_args
torch.distributions.kl.Pareto() 0- alpha scale validate_args
torch.distributions.kl.Poisson() 0- rate validate_args
torch.distributions.kl.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.kl.Uniform() 0- high low validate_args
torch.distributions.kl.kl_divergence() 0- p q
torch.distributions.kl.register_kl() 0- type_p type_q
torch.distributions.kl_divergence() 0- p q
torch.distributions.kumaraswamy 0- AffineTransform Kumaraswamy Optional@9-12 PowerTransform Tensor@8-
 TransformedDistribution Uniform Union@9-12 broadcast_all constraints euler_constant nan torch
torch.distributions.kumaraswamy.AffineTransform() 0- cache_size event_dim loc scale
torch.distributions.kumaraswamy.Kumaraswamy() 0- concentration0 concentration1 validate_args
torch.distributions.kumaraswamy.PowerTransform() 0- cache_size exponent
torch.distributions.kumaraswamy.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.kumaraswamy.Uniform() 0- high low validate_args
torch.distributions.kumaraswamy.broadcast_all() 0-
torch.distributions.laplace 0- Distribution Laplace Number@0-8 Optional@9-12 Tensor@8- Union@9-12 broadcast_all
 constraints torch
torch.distributions.laplace.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.laplace.Laplace() 0- loc scale validate_args
torch.distributions.laplace.broadcast_all() 0-
torch.distributions.lkj_cholesky 0- Beta Distribution LKJCholesky Optional@9-12 Tensor@9- Union@9-12 broadcast_all
 constraints math torch
torch.distributions.lkj_cholesky.Beta() 0- concentration0 concentration1 validate_args
torch.distributions.lkj_cholesky.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.lkj_cholesky.LKJCholesky() 0- concentration dim validate_args
torch.distributions.lkj_cholesky.broadcast_all() 0-
torch.distributions.log_normal 0- ExpTransform LogNormal Normal Optional@9-12 Tensor@8- TransformedDistribution
 Union@9-12 constraints
torch.distributions.log_normal.ExpTransform() 0- cache_size
torch.distributions.log_normal.LogNormal() 0- loc scale validate_args
torch.distributions.log_normal.Normal() 0- loc scale validate_args
torch.distributions.log_normal.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.logistic_normal 0- Independent@9- LogisticNormal Normal Optional@9-12 StickBreakingTransform
 Tensor@8- TransformedDistribution Union@9-12 constraints
torch.distributions.logistic_normal.Independent() 9- base_distribution reinterpreted_batch_ndims validate_args
torch.distributions.logistic_normal.LogisticNormal() 0- loc scale validate_args
torch.distributions.logistic_normal.Normal() 0- loc scale validate_args
torch.distributions.logistic_normal.StickBreakingTransform() 0- cache_size
torch.distributions.logistic_normal.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.lowrank_multivariate_normal 0- Distribution LowRankMultivariateNormal Optional@9-12 Tensor@8-
 constraints lazy_property math torch
torch.distributions.lowrank_multivariate_normal.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.lowrank_multivariate_normal.LowRankMultivariateNormal() 0- cov_diag cov_factor loc validate_args
torch.distributions.lowrank_multivariate_normal.lazy_property() 0- wrapped
torch.distributions.mixture_same_family 0- Categorical Dict@0-8 Distribution MixtureSameFamily
 MixtureSameFamilyConstraint@9- Optional@9-12 Tensor@8- constraints torch
torch.distributions.mixture_same_family.Categorical() 0- logits probs validate_args
torch.distributions.mixture_same_family.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.mixture_same_family.MixtureSameFamily() 0- component_distribution mixture_distribution
 validate_args
torch.distributions.mixture_same_family.MixtureSameFamilyConstraint() 9- base_constraint
torch.distributions.multinomial 0- Binomial Categorical Distribution Multinomial Optional@9-12 Tensor@8- broadcast_all
 constraints inf torch
torch.distributions.multinomial.Binomial() 0- logits probs total_count validate_args
torch.distributions.multinomial.Categorical() 0- logits probs validate_args
torch.distributions.multinomial.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.multinomial.Multinomial() 0- logits probs total_count validate_args
torch.distributions.multinomial.broadcast_all() 0-
torch.distributions.multivariate_normal 0- Distribution MultivariateNormal Optional@9-12 Tensor@8- constraints
 lazy_property math torch
torch.distributions.multivariate_normal.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.multivariate_normal.MultivariateNormal() 0- covariance_matrix loc precision_matrix scale_tril
 validate_args
torch.distributions.multivariate_normal.lazy_property() 0- wrapped
torch.distributions.negative_binomial 0- Distribution F Gamma@8- NegativeBinomial Optional@9-12 Tensor@8- Union@9-12
 broadcast_all constraints lazy_property logits_to_probs probs_to_logits torch
torch.distributions.negative_binomial.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.negative_binomial.Gamma() 8- concentration rate validate_args
torch.distributions.negative_binomial.NegativeBinomial() 0- logits probs total_count validate_args
torch.distributions.negative_binomial.broadcast_all() 0-
torch.distributions.negative_binomial.lazy_property() 0- wrapped
torch.distributions.negative_binomial.logits_to_probs() 0- is_binary logits
torch.distributions.negative_binomial.probs_to_logits() 0- is_binary probs
torch.distributions.normal 0- ExponentialFamily Normal Number@0-8 Optional@9-12 Real@0-8 Tensor@8- Union@9-12
 broadcast_all constraints math torch
torch.distributions.normal.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.normal.Normal() 0- loc scale validate_args
torch.distributions.normal.broadcast_all() 0-
torch.distributions.one_hot_categorical 0- Categorical Distribution OneHotCategorical OneHotCategoricalStraightThrough
 Optional@9-12 Tensor@8- constraints torch
torch.distributions.one_hot_categorical.Categorical() 0- logits probs validate_args
torch.distributions.one_hot_categorical.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.one_hot_categorical.OneHotCategorical() 0- logits probs validate_args
torch.distributions.one_hot_categorical.OneHotCategoricalStraightThrough() 0- logits probs validate_args
torch.distributions.pareto 0- AffineTransform ExpTransform Exponential Optional@8- Pareto Tensor@8-
 TransformedDistribution Union@9-12 broadcast_all constraints
torch.distributions.pareto.AffineTransform() 0- cache_size event_dim loc scale
torch.distributions.pareto.ExpTransform() 0- cache_size
torch.distributions.pareto.Exponential() 0- rate validate_args
torch.distributions.pareto.Pareto() 0- alpha scale validate_args
torch.distributions.pareto.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.pareto.broadcast_all() 0-
torch.distributions.poisson 0- ExponentialFamily Number@0-8,9- Optional@9-12 Poisson Tensor@8- Union@9-12
 broadcast_all constraints torch
torch.distributions.poisson.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.poisson.Poisson() 0- rate validate_args
torch.distributions.poisson.broadcast_all() 0-
torch.distributions.register_kl() 0- type_p type_q
torch.distributions.relaxed_bernoulli 0- Distribution LogitRelaxedBernoulli Number@0-8,9- Optional@9-12
 RelaxedBernoulli SigmoidTransform Tensor@8- TransformedDistribution Union@9-12 broadcast_all clamp_probs constraints
 lazy_property logits_to_probs probs_to_logits torch
torch.distributions.relaxed_bernoulli.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli() 0- logits probs temperature validate_args
torch.distributions.relaxed_bernoulli.RelaxedBernoulli() 0- logits probs temperature validate_args
torch.distributions.relaxed_bernoulli.SigmoidTransform() 0- cache_size
torch.distributions.relaxed_bernoulli.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.relaxed_bernoulli.broadcast_all() 0-
torch.distributions.relaxed_bernoulli.clamp_probs() 0- probs
torch.distributions.relaxed_bernoulli.lazy_property() 0- wrapped
torch.distributions.relaxed_bernoulli.logits_to_probs() 0- is_binary logits
torch.distributions.relaxed_bernoulli.probs_to_logits() 0- is_binary probs
torch.distributions.relaxed_categorical 0- Categorical Distribution ExpRelaxedCategorical ExpTransform Optional@9-12
 RelaxedOneHotCategorical Tensor@8- TransformedDistribution broadcast_all clamp_probs constraints torch
torch.distributions.relaxed_categorical.Categorical() 0- logits probs validate_args
torch.distributions.relaxed_categorical.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.relaxed_categorical.ExpRelaxedCategorical() 0- logits probs temperature validate_args
torch.distributions.relaxed_categorical.ExpTransform() 0- cache_size
torch.distributions.relaxed_categorical.RelaxedOneHotCategorical() 0- logits probs temperature validate_args
torch.distributions.relaxed_categorical.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.relaxed_categorical.broadcast_all() 0-
torch.distributions.relaxed_categorical.clamp_probs() 0- probs
torch.distributions.studentT 0- Chi2 Distribution Optional@9-12 StudentT Tensor@8- Union@9-12 broadcast_all
 constraints inf math nan torch
torch.distributions.studentT.Chi2() 0- df validate_args
torch.distributions.studentT.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.studentT.StudentT() 0- df loc scale validate_args
torch.distributions.studentT.broadcast_all() 0-
torch.distributions.transformed_distribution 0- ComposeTransform Dict@0-8 Distribution Independent Optional@9-12
 Tensor@8- Transform TransformedDistribution Union@9-12 constraints torch
torch.distributions.transformed_distribution.ComposeTransform() 0- cache_size parts
torch.distributions.transformed_distribution.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.transformed_distribution.Independent() 0- base_distribution reinterpreted_batch_ndims
 validate_args
torch.distributions.transformed_distribution.Transform() 0- cache_size
torch.distributions.transformed_distribution.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.transforms 0- AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform
 CumulativeDistributionTransform Distribution@9- ExpTransform F IndependentTransform List@0-8 LowerCholeskyTransform
 Optional@8-12 PositiveDefiniteTransform@1- PowerTransform ReshapeTransform Sequence@9- SigmoidTransform
 SoftmaxTransform SoftplusTransform StackTransform StickBreakingTransform TanhTransform Tensor@9- Transform Union@9-12
 broadcast_all constraints functools identity_transform lazy_property math numbers@0-8 operator pad softplus torch
 tril_matrix_to_vec vec_to_tril_matrix weakref@0-14
torch.distributions.transforms.AbsTransform() 0- cache_size
torch.distributions.transforms.AffineTransform() 0- cache_size event_dim loc scale
torch.distributions.transforms.CatTransform() 0- cache_size dim lengths tseq
torch.distributions.transforms.ComposeTransform() 0- cache_size parts
torch.distributions.transforms.CorrCholeskyTransform() 0- cache_size
torch.distributions.transforms.CumulativeDistributionTransform() 0- cache_size distribution
torch.distributions.transforms.Distribution() 9- batch_shape event_shape validate_args
torch.distributions.transforms.ExpTransform() 0- cache_size
torch.distributions.transforms.IndependentTransform() 0- base_transform cache_size reinterpreted_batch_ndims
torch.distributions.transforms.LowerCholeskyTransform() 0- cache_size
torch.distributions.transforms.PositiveDefiniteTransform() 1- cache_size
torch.distributions.transforms.PowerTransform() 0- cache_size exponent
torch.distributions.transforms.ReshapeTransform() 0- cache_size in_shape out_shape
torch.distributions.transforms.SigmoidTransform() 0- cache_size
torch.distributions.transforms.SoftmaxTransform() 0- cache_size
torch.distributions.transforms.SoftplusTransform() 0- cache_size
torch.distributions.transforms.StackTransform() 0- cache_size dim tseq
torch.distributions.transforms.StickBreakingTransform() 0- cache_size
torch.distributions.transforms.TanhTransform() 0- cache_size
torch.distributions.transforms.Transform() 0- cache_size
torch.distributions.transforms.broadcast_all() 0-
torch.distributions.transforms.lazy_property() 0- wrapped
torch.distributions.transforms.pad() 3- input mode pad value
torch.distributions.transforms.tril_matrix_to_vec() 0- diag mat
torch.distributions.transforms.vec_to_tril_matrix() 0- diag vec
torch.distributions.uniform 0- Distribution Number@0-8 Optional@9-12 Tensor@8- Uniform Union@9-12 broadcast_all
 constraints nan torch
torch.distributions.uniform.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.uniform.Uniform() 0- high low validate_args
torch.distributions.uniform.broadcast_all() 0-
torch.distributions.utils 0- Any Callable@8- Device@9- Dict@0-8 F Final@9- Generic@8- Number@0-8,9- Optional@9-12 R@8-
 Sequence@9- SymInt@9- T@8- Tensor@8- TypeVar@8- Union@8-12 broadcast_all clamp_probs euler_constant is_tensor_like
 lazy_property logits_to_probs overload@8- probs_to_logits torch tril_matrix_to_vec update_wrapper vec_to_tril_matrix
torch.distributions.utils.SymInt() 9- node
torch.distributions.utils.broadcast_all() 0-
torch.distributions.utils.clamp_probs() 0- probs
torch.distributions.utils.is_tensor_like() 0- inp
torch.distributions.utils.lazy_property() 0- wrapped
torch.distributions.utils.logits_to_probs() 0- is_binary logits
torch.distributions.utils.probs_to_logits() 0- is_binary probs
torch.distributions.utils.tril_matrix_to_vec() 0- diag mat
torch.distributions.utils.vec_to_tril_matrix() 0- diag vec
torch.distributions.von_mises 0- Distribution Optional@9-12 Tensor@8- VonMises broadcast_all constraints lazy_property
 math torch
torch.distributions.von_mises.Distribution() 0- batch_shape event_shape validate_args
torch.distributions.von_mises.VonMises() 0- concentration loc validate_args
torch.distributions.von_mises.broadcast_all() 0-
torch.distributions.von_mises.lazy_property() 0- wrapped
torch.distributions.weibull 0- AffineTransform Exponential Optional@9-12 PowerTransform Tensor@8-
 TransformedDistribution Union@9-12 Weibull broadcast_all constraints euler_constant torch
torch.distributions.weibull.AffineTransform() 0- cache_size event_dim loc scale
torch.distributions.weibull.Exponential() 0- rate validate_args
torch.distributions.weibull.PowerTransform() 0- cache_size exponent
torch.distributions.weibull.TransformedDistribution() 0- base_distribution transforms validate_args
torch.distributions.weibull.Weibull() 0- concentration scale validate_args
torch.distributions.weibull.broadcast_all() 0-
torch.distributions.wishart 0- ExponentialFamily Number Optional@2-12 Tensor@8- Union@0-12 Wishart constraints
 lazy_property math nan torch warnings
torch.distributions.wishart.ExponentialFamily() 0- batch_shape event_shape validate_args
torch.distributions.wishart.Wishart() 0- covariance_matrix df precision_matrix scale_tril validate_args
torch.distributions.wishart.lazy_property() 0- wrapped
torch.div() 0- input other out rounding_mode
torch.divide() 0- input other out rounding_mode
torch.dot() 0- input other@0-5 out tensor
torch.dropout() 0- input p train
torch.dropout_() 0- input p train
torch.dsmm() 0- input mat2
torch.dsplit() 0- indices indices_or_sections input sections
torch.dstack() 0- out tensors
torch.eig() 0- e eigenvectors input self v
torch.einsum() 0-
torch.embedding() 0- indices padding_idx scale_grad_by_freq sparse weight
torch.embedding_bag() 0- include_last_offset indices mode offsets padding_idx per_sample_weights scale_grad_by_freq
 sparse weight
torch.embedding_renorm_() 0- indices input max_norm norm_type
torch.empty() 0- device dtype layout memory_format names@0-14 out pin_memory requires_grad size
torch.empty_like() 0- device dtype input layout memory_format pin_memory requires_grad
torch.empty_permuted() 2- device dtype layout memory_format physical_layout pin_memory requires_grad size
torch.empty_quantized() 0- device dtype layout memory_format pin_memory qtensor requires_grad size
torch.empty_strided() 0- device dtype layout memory_format pin_memory requires_grad size stride
torch.eq() 0- input other out
torch.equal() 0- input other
torch.erf() 0- input out
torch.erf_() 0- input
torch.erfc() 0- input out
torch.erfc_() 0- input
torch.erfinv() 0- input out
torch.exp() 0- input out
torch.exp2() 0- input out
torch.exp2_() 0- input
torch.exp_() 0- input
torch.expand_copy() 0- implicit input out size
torch.expm1() 0- input out
torch.expm1_() 0- input
torch.export 2- AdditionalInputs@9- Any ArgumentKind@2-3 ArgumentSpec@2-3 Callable Constraint CustomDecompTable@7-
 DEFAULT_PICKLE_PROTOCOL@8- Dict@2-8 Dim@3- Enum@2-10 ExportBackwardSignature ExportGraphSignature ExportedProgram
 FileLike@8- FlatArgsAdapter@4- FlattenFunc@3-10 FromDumpableContextFn@3-10 Iterator@3-10 List@2-8 Mapping@10-
 ModuleCallEntry ModuleCallSignature OpOverload@7-10 Optional@2-11 PassManager@2-10 PassResult PassType
 ShapesCollection@5- StrictMinMaxConstraint@2-10 TYPE_CHECKING@3-10 ToDumpableContextFn@3-10 Tuple@2-8 Type@3-8
 UnflattenFunc@3-10 UnflattenedModule@4- Union@2-11 auto@2-10 builtins@3-10 compatibility@2-10 constrain_as_size@2-3
 constrain_as_value@2-3 copy@2-10 custom_obj@4- custom_ops@8- dataclasses@2-10 decomp_utils@7-
 default_decompositions@7- deprecated@10- dims@3- draft_export@9- dynamic_dim@2-6 dynamic_shapes@4- experimental@6-
 export export_for_inference@7-9 export_for_training@6-12 exported_program@3- fx_pytree@2-4 graph_signature@3-
 inspect@3-10 io@2-8 load log@10- logging@10- math@3-4 os@4- passes@6- pathlib@2-4 pt2_archive@9- pytree
 register_dataclass@3- save sympy@2-3 sys@3-10 torch typing@2-10 unflatten@4- warnings@4- zipfile@6-
torch.export.AdditionalInputs() 9-
torch.export.CustomDecompTable() 7-
torch.export.Dim() 3- max min name
torch.export.ExportedProgram() 2- call_spec@2-3 constants@4- equality_constraints@2-4 example_inputs graph
 graph_signature module_call_graph range_constraints root state_dict tensor_constants@3-6 verifier@3-6 verifiers@6-
torch.export.OpOverload() 7-10 op op_dk overloadpacket schema tags
torch.export.ShapesCollection() 5-
torch.export.UnflattenedModule() 4- export_module flat_args_adapter
torch.export.compatibility() 2-10 is_backward_compatible
torch.export.constrain_as_size() 2-3 max min symbol
torch.export.constrain_as_value() 2-3 max min symbol
torch.export.custom_obj 4- ScriptObjectMeta dataclass
torch.export.custom_ops 8- importlib@10- lib torch
torch.export.decomp_utils 7- Callable CustomDecompTable Dict@7-8 PRESERVED_ATEN_CIA_OPS@8- torch
torch.export.decomp_utils.CustomDecompTable() 7-
torch.export.default_decompositions() 7-
torch.export.dims() 3- max min
torch.export.draft_export() 9- args dynamic_shapes kwargs mod prefer_deferred_runtime_asserts_over_guards@10-
 preserve_module_call_signature strict
torch.export.dynamic_dim() 2-6 debug_name@4-6 index t
torch.export.dynamic_shapes 4- AdditionalInputs@9- Any BUILTIN_TYPES@5- Callable Constraint Dict@4-8 Dim Enum@6-
 ExportedProgram FakeTensor@4-5 KeyPath@11- LeafSpec@6-11 List@4-8 MappingKey@6- Optional@4-11 SUPPORTED_NODES
 SequenceKey@6- Set@4-8 ShapeEnv ShapesCollection@5- Source StrictMinMaxConstraint Symbol TYPE_CHECKING TreeSpec@11-
 Tuple@4-8 Union auto@6- builtins@4-6 dataclasses defaultdict dims dynamic_dim@4-6 inspect keystr@6- log@6- logging@6-
 math@4-5 refine_dynamic_shapes_from_suggested_fixes@5- sys torch tree_flatten@5-11 tree_iter@11- tree_map@5-6,9-
 tree_map_with_path@6- tree_structure@11- weakref@4-6
torch.export.dynamic_shapes.AdditionalInputs() 9-
torch.export.dynamic_shapes.Dim() 4- max min name
torch.export.dynamic_shapes.ExportedProgram() 4- constants example_inputs graph graph_signature module_call_graph
 range_constraints root state_dict tensor_constants@4-6 verifier@4-6 verifiers@6-
torch.export.dynamic_shapes.LeafSpec() 6-8
torch.export.dynamic_shapes.ShapesCollection() 5-
torch.export.dynamic_shapes.dims() 4- max min
torch.export.dynamic_shapes.dynamic_dim() 4-6 debug_name index t
torch.export.dynamic_shapes.keystr() 6- kp
torch.export.dynamic_shapes.refine_dynamic_shapes_from_suggested_fixes() 5- dynamic_shapes msg
torch.export.dynamic_shapes.tree_flatten() 5-11 is_leaf tree
torch.export.dynamic_shapes.tree_iter() 11- is_leaf tree
torch.export.dynamic_shapes.tree_map() 5-6,9- func is_leaf tree
torch.export.dynamic_shapes.tree_map_with_path() 6- func is_leaf tree
torch.export.dynamic_shapes.tree_structure() 11- is_leaf tree
torch.export.experimental 6- OrderedSet@12- Path@10- copy dataclasses@9- functools@9- os@10- torch types@9- typing
 typing_extensions@9- zipfile@10-
torch.export.experimental.OrderedSet() 12- iterable
torch.export.export() 2- args constraints@2-4 dynamic_shapes@3- f@2-4 kwargs mod@4-
 prefer_deferred_runtime_asserts_over_guards@10- preserve_module_call_signature@3- strict@3-
torch.export.export_for_inference() 7-9 args decomp_table dynamic_shapes kwargs mod preserve_module_call_signature
 strict
torch.export.export_for_training() 6-12 args dynamic_shapes kwargs mod
 prefer_deferred_runtime_asserts_over_guards@10-12 preserve_module_call_signature strict
torch.export.exported_program 3- Any ArgumentSpec Callable ConstantArgument CustomDecompTable@7- CustomObjArgument@4-
 Dict@3-8 ExportGraphSignature ExportedProgram FakeScriptObject@6- FakeTensorMode@7- FunctionalTensor@6-7 InputKind
 InputSpec Iterator List@3-8 ModuleCallEntry ModuleCallSignature NamedTuple@10- Optional@3-11 OutputKind OutputSpec
 PassManager PassResult PassType SymBoolArgument@7- SymFloatArgument@7- SymIntArgument TYPE_CHECKING TensorArgument
 TokenArgument@5- TracingContext@9- Tuple@3-8 Type@3-8 Union@3-11 ValueRanges Verifier@6- autograd_not_implemented@6-
 compatibility contextlib@6- contextmanager@6- copy dataclasses default_decompositions@7- defaultdict@9-
 detect_fake_mode@6- final@6- first_call_function_nn_module_stack@5- functools fx_pytree@3-4 immutable_dict@4-
 immutable_list@4- insert_deferred_runtime_asserts@5- is_equivalent@4- maybe_disable_fake_tensor_mode@3-6
 namedtuple@4-10 operator@6- placeholder_naming_pass@8- pytree re@5-6 register_op_impl@7- reorder_kwargs@4- sympy
 torch tracing@9- types@4- unset_fake_temporarily@6- warnings@4-
torch.export.exported_program.CustomDecompTable() 7-
torch.export.exported_program.ExportedProgram() 3- constants@4- equality_constraints@3-4 example_inputs graph
 graph_signature module_call_graph range_constraints root state_dict tensor_constants@3-6 verifier@3-6 verifiers@6-
torch.export.exported_program.FakeScriptObject() 6- script_class_name wrapped_obj x
torch.export.exported_program.FakeTensorMode() 7- allow_fallback_kernels allow_non_fake_inputs export shape_env
 static_shapes
torch.export.exported_program.TracingContext() 9- fake_mode
torch.export.exported_program.autograd_not_implemented() 6- deferred_error op
torch.export.exported_program.compatibility() 3- is_backward_compatible
torch.export.exported_program.default_decompositions() 7-
torch.export.exported_program.detect_fake_mode() 6- inputs
torch.export.exported_program.first_call_function_nn_module_stack() 5- graph
torch.export.exported_program.insert_deferred_runtime_asserts() 5- export gm name shape_env
torch.export.exported_program.is_equivalent() 4- equivalence_fn spec1 spec2
torch.export.exported_program.maybe_disable_fake_tensor_mode() 3-6
torch.export.exported_program.placeholder_naming_pass() 8- constants export_graph_signature fake_args fake_kwargs
 fake_params_buffers gm mod
torch.export.exported_program.register_op_impl() 7- run_impl_check
torch.export.exported_program.reorder_kwargs() 4- spec user_kwargs
torch.export.exported_program.tracing() 9- context
torch.export.exported_program.unset_fake_temporarily() 6-
torch.export.graph_signature 3- ArgumentSpec Collection ConstantArgument CustomObjArgument@4- Dict@3-8 Enum
 ExportBackwardSignature ExportGraphSignature FakeScriptObject@6- GraphSignature@6- InputKind InputSpec List@3-8
 Mapping Optional@3-11 OutputKind OutputSpec Set@3-8 SymBoolArgument@7- SymFloatArgument@7- SymIntArgument
 TYPE_CHECKING@6- TensorArgument TokenArgument@5- Tuple@3-6 Union@3-13 auto dataclasses get_opaque_type_name@11-
 is_custom_class@15- is_fake@8- is_opaque_type@11-15 torch@6-
torch.export.graph_signature.FakeScriptObject() 6- script_class_name wrapped_obj x
torch.export.graph_signature.get_opaque_type_name() 11- cls
torch.export.graph_signature.is_custom_class() 15- cls
torch.export.graph_signature.is_fake() 8- x
torch.export.graph_signature.is_opaque_type() 11-15 cls
torch.export.load() 2- expected_opset_version extra_files f
torch.export.passes 6- Dict@6-8 ExportedProgram Union move_to_device_pass pytree torch
torch.export.passes.ExportedProgram() 6- constants example_inputs graph graph_signature module_call_graph
 range_constraints root state_dict verifiers
torch.export.passes.move_to_device_pass() 6- ep location
torch.export.pt2_archive 9- PT2ArchiveReader PT2ArchiveWriter constants is_pt2_package
torch.export.pt2_archive.PT2ArchiveReader() 9- archive_path_or_buffer
torch.export.pt2_archive.PT2ArchiveWriter() 9- archive_path_or_buffer
torch.export.pt2_archive.is_pt2_package() 9- serialized_model
torch.export.register_dataclass() 3- cls serialized_type_name@4-
torch.export.save() 2- ep extra_files f opset_version pickle_protocol@8-
torch.export.unflatten 4- Any Callable@7- ConstantArgument Dict@4-8 Enum ExportGraphSignature@7- ExportedProgram
 FakeScriptObject@5- FlatArgsAdapter GetAttrKey InputKind@5- InterpreterModule InterpreterModuleDispatcher@7- List@4-8
 ModuleCallSignature Optional@4-11 RUN_WITH_INTERPRETER@6- SequenceKey Set@5-8 SymBoolArgument@7- SymFloatArgument@7-
 SymIntArgument TensorArgument Tuple@5-8 UnflattenedModule Union@4-11 abc cast chain@4-5 contextmanager@6- copy
 dataclass@7- deepcopy defaultdict@5- fx_pytree is_custom_class_obj@15- is_fx_symbolic_tracing@10- is_fx_tracing@4-10
 is_opaque_value@14-15 log@7- logging@7- operator pytree re@7- reorder_kwargs torch unflatten
torch.export.unflatten() 4- flat_args_adapter module
torch.export.unflatten.ExportedProgram() 4- constants example_inputs graph graph_signature module_call_graph
 range_constraints root state_dict tensor_constants@4-6 verifier@4-6 verifiers@6-
torch.export.unflatten.FakeScriptObject() 5- script_class_name wrapped_obj x@6-
torch.export.unflatten.InterpreterModule() 4- graph ty@8-
torch.export.unflatten.InterpreterModuleDispatcher() 7- attrs call_modules
torch.export.unflatten.UnflattenedModule() 4- export_module flat_args_adapter
torch.export.unflatten.is_custom_class_obj() 15- value
torch.export.unflatten.is_fx_symbolic_tracing() 10-
torch.export.unflatten.is_fx_tracing() 4-10
torch.export.unflatten.is_opaque_value() 14-15 value
torch.export.unflatten.reorder_kwargs() 4- spec user_kwargs
torch.export.unflatten.unflatten() 4- flat_args_adapter module
torch.eye() 0- device dtype layout m memory_format n out pin_memory requires_grad
torch.fake_quantize_per_channel_affine() 0- axis input quant_max quant_min scale zero_point
torch.fake_quantize_per_tensor_affine() 0- input quant_max quant_min scale zero_point
torch.fbgemm_linear_fp16_weight() 0- bias input output@10- packed_weight
torch.fbgemm_linear_fp16_weight_fp32_activation() 0- bias input output@10- packed_weight
torch.fbgemm_linear_int8_weight() 0- bias col_offsets input packed weight weight_scale weight_zero_point
torch.fbgemm_linear_int8_weight_fp32_activation() 0- bias col_offsets input packed weight weight_scale
 weight_zero_point
torch.fbgemm_linear_quantize_weight() 0- input
torch.fbgemm_pack_gemm_matrix_fp16() 0- input
torch.fbgemm_pack_quantized_matrix() 0- K N input
torch.feature_alpha_dropout() 0- input p train
torch.feature_alpha_dropout_() 0- input p train
torch.feature_dropout() 0- input p train
torch.feature_dropout_() 0- input p train
torch.fft 0- Tensor common_args factory_common_args fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn
 ifftshift ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn sys@0-8 torch
torch.fill() 0- input value
torch.fill_() 0- input value
torch.fix() 0- input out
torch.fix_() 0- input
torch.flatten() 0- dims@0-14 end_dim input out_dim@0-14 start_dim
torch.flip() 0- dims input
torch.fliplr() 0- input
torch.flipud() 0- input
torch.float_power() 0- exponent input out self
torch.floor() 0- input out
torch.floor_() 0- input
torch.floor_divide() 0- input other out
torch.fmax() 0- input other out
torch.fmin() 0- input other out
torch.fmod() 0- input other out
torch.foreach 16- Any Callable Iterable Number ParamSpec PySymType TYPE_CHECKING Tensor TypeVar abs abs_ acos acos_
 add add_ addcdiv addcdiv_ addcmul addcmul_ annotations asin asin_ atan atan_ ceil ceil_ clamp_max clamp_max_
 clamp_min clamp_min_ clone copy_ cos cos_ cosh cosh_ div div_ erf erf_ erfc erfc_ exp exp_ expm1 expm1_ floor floor_
 frac frac_ lerp lerp_ lgamma lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ max maximum maximum_ minimum
 minimum_ mm mul mul_ neg neg_ norm overload pow pow_ reciprocal reciprocal_ round round_ rsqrt rsqrt_ sigmoid
 sigmoid_ sign sign_ sin sin_ sinh sinh_ sqrt sqrt_ sub sub_ tan tan_ tanh tanh_ torch trunc trunc_ zero_
torch.frac() 0- input out
torch.frac_() 0- input
torch.frexp() 0- input out
torch.frobenius_norm() 0- dim input keepdim out
torch.from_dlpack() 0- copy@10- device@10- ext_tensor
torch.from_file() 0- device dtype filename layout memory_format pin_memory requires_grad shared size
torch.from_numpy() 0- ndarray
torch.frombuffer() 0- buffer count device@0-4 dtype layout@0-4 memory_format@0-4 offset pin_memory@0-4 requires_grad
torch.full() 0- device dtype fill_value layout memory_format names out pin_memory requires_grad size
torch.full_like() 0- device dtype fill_value input layout memory_format pin_memory requires_grad
torch.func 1- debug_unwrap@8- functional_call functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize
 rearrange@14- replace_all_batch_norm_modules_ stack_module_state vjp vmap
torch.func.debug_unwrap() 8- recurse tensor
torch.func.functional_call() 1- args kwargs module parameter_and_buffer_dicts strict tie_weights
torch.func.functionalize() 1- func remove
torch.func.grad() 1- argnums func has_aux
torch.func.grad_and_value() 1- argnums func has_aux
torch.func.hessian() 1- argnums func
torch.func.jacfwd() 1- argnums func has_aux randomness
torch.func.jacrev() 1- _preallocate_and_copy argnums chunk_size func has_aux
torch.func.jvp() 1- func has_aux primals strict tangents
torch.func.linearize() 1- func
torch.func.replace_all_batch_norm_modules_() 1- root
torch.func.stack_module_state() 1- models
torch.func.vjp() 1- func has_aux
torch.func.vmap() 1- chunk_size func in_dims out_dims randomness
torch.functional 0- Any F List@0-8 Optional@0-11 Sequence TYPE_CHECKING Tensor Tuple@0-8 Union@0-11 align_tensors@0-14
 atleast_1d atleast_2d atleast_3d block_diag boolean_dispatch broadcast_shapes broadcast_tensors cartesian_prod cdist
 chain_matmul einsum handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic
 istft itertools@3- lu meshgrid norm operator@3- opt_einsum@0-2 overload pca_lowrank split stft svd_lowrank tensordot
 torch unique unique_consecutive unravel_index@3-
torch.functional.align_tensors() 0-14
torch.functional.atleast_1d() 0-
torch.functional.atleast_2d() 0-
torch.functional.atleast_3d() 0-
torch.functional.block_diag() 0-
torch.functional.boolean_dispatch() 0- arg_index arg_name default func_name if_false if_true module_name
torch.functional.broadcast_shapes() 0-
torch.functional.broadcast_tensors() 0-
torch.functional.cartesian_prod() 0-
torch.functional.cdist() 0- compute_mode p x1 x2
torch.functional.chain_matmul() 0- out
torch.functional.einsum() 0-
torch.functional.lu() 0- A get_infos out pivot
torch.functional.meshgrid() 0- indexing
torch.functional.norm() 0- dim dtype input keepdim out p
torch.functional.overload() 0- func
torch.functional.pca_lowrank() 0- A center niter q
torch.functional.split() 0- dim split_size_or_sections tensor
torch.functional.stft() 0- align_to_window@8- center hop_length input n_fft normalized onesided pad_mode
 return_complex win_length window
torch.functional.svd_lowrank() 0- A M niter q
torch.functional.tensordot() 0- a b dims out
torch.functional.unique() 0- dim input return_counts return_inverse sorted
torch.functional.unique_consecutive() 0- dim input return_counts return_inverse
torch.functional.unravel_index() 3- indices shape
torch.fused_moving_avg_obs_fake_quant() 0- averaging_const ch_axis fake_quant_on input observer_on per_row_fake_quant
 quant_max quant_min running_max running_min scale symmetric_quant zero_point
torch.futures 0- Callable Future Generic List@0-8 Optional@0-13 S T TYPE_CHECKING@11- Type@0-8 TypeVar Union@0-13
 annotations cast collect_all torch wait_all
torch.futures.Future() 10- devices
torch.futures.collect_all() 0- futures
torch.futures.wait_all() 0- futures
torch.fx 0- CodeGen Graph GraphModule Interpreter Node PH Proxy ProxyableClassMeta Tracer Transformer annotate
 config@1- experimental graph graph_module has_side_effect@2- immutable_collections interpreter map_arg node
 operator_schemas passes proxy replace_pattern subgraph_rewriter symbolic_trace tensor_type traceback wrap
torch.fx.annotate 0- Any@13- Proxy annotate compatibility
torch.fx.annotate.annotate() 0- type val
torch.fx.annotate.compatibility() 0- is_backward_compatible
torch.fx.config 1- disable_progress do_not_emit_stack_traces@13- verbose_progress
torch.fx.experimental 0- accelerator_partitioner const_fold debug dynamic_spec@14- graph_gradual_typechecker
 merge_matmul meta_tracer migrate_gradual_types normalize optimization partitioner_utils proxy_tensor recording@3-
 refinement_types rewriter schema_type_annotation sym_node@3- symbolic_shapes unification unify_refinements
 validator@2-
torch.fx.graph 0- Any Argument Callable CodeGen Dict@0-8 FrozenSet@0-8 Generator@14- Graph GraphModule Iterable@5-
 Iterator@9- List@0-8 Literal@8- NamedTuple Node Optional@0-14 PythonCode Sequence@14- Set@0-8 TYPE_CHECKING Target
 TensorType@14- Tracer TransformCodeFunc Tuple@0-8 Type@0-8 TypeVarTuple@16- Unpack@16- annotations@14- builtins
 collections@3-4 compatibility contextlib contextmanager copy dataclass defaultdict@1- dtype_abbrs@1- enum@3-
 functools@7- fx_pytree get_opaque_obj_repr@12- immutable_dict@8- inplace_methods inspect is_opaque_constant_type@15-
 is_opaque_value_type@11-15 keyword log@11- logging@11- magic_methods map_arg math os@5- pprint@11- py_sym_types@14-
 pytree re reflectable_magic_methods sympy@14- torch types@11- typing@8- warnings
torch.fx.graph.compatibility() 0- is_backward_compatible
torch.fx.graph.get_opaque_obj_repr() 12- obj
torch.fx.graph.is_opaque_constant_type() 15- cls
torch.fx.graph.is_opaque_value_type() 11-15 cls
torch.fx.graph.map_arg() 0-8 a fn
torch.fx.graph_module 0- Any Callable@3- Dict@0-8 FX_GRAPH_MODULE_FILE_PREFIX@11- Generator@14- Graph GraphModule
 Importer Iterator@14- List@0-8 Node@14- Optional@0-13 PackageExporter PackageImporter Path PythonCode Self@14-
 Set@0-8 ShapeEnv@14- TYPE_CHECKING@14- Tracer@14- Type@0-8 Union@0-13 annotations@14- base64@11- cast@14-
 compatibility contextlib@4- contextvars@14- copy fx_experimental_config@11- hashlib@11- importlib@15- itertools
 linecache nn os reduce_deploy_graph_module@0-10 reduce_graph_module reduce_package_graph_module sys sys_importer
 torch traceback warnings
torch.fx.graph_module.PackageExporter() 0- debug@1- f importer
torch.fx.graph_module.PackageImporter() 0- file_or_buffer module_allowed
torch.fx.graph_module.compatibility() 0- is_backward_compatible
torch.fx.graph_module.reduce_deploy_graph_module() 0-10 body import_block importer
torch.fx.graph_module.reduce_graph_module() 0- body import_block
torch.fx.graph_module.reduce_package_graph_module() 0- body generated_module_name importer
torch.fx.has_side_effect() 2- fn
torch.fx.immutable_collections 0- Any Context Dict@0-8 Iterable@3- List@0-8 NoReturn@8- Self@8- Tuple@0-8 TypeVar@8-
 compatibility immutable_dict immutable_list register_pytree_node@3-
torch.fx.immutable_collections.compatibility() 0- is_backward_compatible
torch.fx.immutable_collections.register_pytree_node() 3- cls flatten_fn flatten_with_keys_fn@4- from_dumpable_context
 serialized_type_name to_dumpable_context unflatten_fn
torch.fx.interpreter 0- Any Argument Dict@0-8 Graph GraphModule Interpreter Iterator LazyString@11- List@0-8 Node
 Optional@0-13 Proxy TYPE_CHECKING@8-13 Target Tracer Transformer Tuple@0-8 Union@0-13 compatibility config@1-
 contextmanager fx_traceback inspect log@11- logging@11- map_aggregate map_arg torch@2- tqdm@1- trace_structured@10-
torch.fx.interpreter.compatibility() 0- is_backward_compatible
torch.fx.interpreter.map_aggregate() 0- a fn
torch.fx.interpreter.map_arg() 0- a fn
torch.fx.interpreter.trace_structured() 10- compile_id expect_trace_id metadata_fn name payload_fn
 record_logging_overhead suppress_context
torch.fx.map_arg() 0- a fn
torch.fx.node 0- Any ArgsKwargsPair Argument ArgumentT@8- BaseArgumentTypes Callable Dict@0-8 Graph Iterable@10-
 List@0-8 Mapping@7- Node Optional ParamSpec@9- Sequence@7- Set@0-8 TYPE_CHECKING Target Tuple@0-8 TypeAlias@10-
 TypeVar@8- Union base_types builtins compatibility dtype_abbrs@10- has_side_effect@2- immutable_dict@0-8
 immutable_list@0-8 inspect@3- log@8- logging@8- map_aggregate map_arg normalize_function normalize_module operator@8-
 torch types typing@11- warnings@0-8
torch.fx.node.compatibility() 0- is_backward_compatible
torch.fx.node.has_side_effect() 2- fn
torch.fx.node.map_aggregate() 0- a fn
torch.fx.node.map_arg() 0- a fn
torch.fx.node.normalize_function() 0- arg_types args kwarg_types kwargs normalize_to_only_use_kwargs target
torch.fx.node.normalize_module() 0- args kwargs normalize_to_only_use_kwargs root target
torch.fx.operator_schemas 0- Any ArgsKwargsPair Argument Callable Dict@0-8 List@0-8 Literal@13- NamedTuple OpOverload
 OpOverloadPacket Optional@0-13 TYPE_CHECKING Tuple@0-8 boolean_dispatched cast check_for_mutable_operation
 compatibility create_type_hint enum get_signature_for_torch_op inspect k normalize_function normalize_module numbers
 overload@13- torch type_matches types typing warnings
torch.fx.operator_schemas.OpOverload() 0- op op_dk overloadpacket schema tags
torch.fx.operator_schemas.OpOverloadPacket() 0- op op_name overload_names qualified_op_name
torch.fx.operator_schemas.check_for_mutable_operation() 0- args kwargs target
torch.fx.operator_schemas.compatibility() 0- is_backward_compatible
torch.fx.operator_schemas.create_type_hint() 0- x
torch.fx.operator_schemas.get_signature_for_torch_op() 0- op return_schemas
torch.fx.operator_schemas.normalize_function() 0- arg_types args kwarg_types kwargs normalize_to_only_use_kwargs
 target
torch.fx.operator_schemas.normalize_module() 0- args kwargs normalize_to_only_use_kwargs root target
torch.fx.operator_schemas.type_matches() 0- argument_type signature_type
torch.fx.passes 0- annotate_getitem_nodes@1- backends canonicalize@15- dialect fake_tensor_prop graph_drawer
 graph_manipulation graph_transform_observer@5- infra net_min_base operator_support param_fetch pass_manager
 regional_inductor@11- regional_inductor_invoke_subgraph@12- reinplace runtime_assert@5- shape_prop split_module
 split_utils splitter_base tests tools_common utils
torch.fx.proxy 0- Any Argument Attribute Callable CapturedTraceback@5- Dict@0-8 Graph GraphAppendingTracer
 Iterable@0-3 Iterator MetaProxy@7- Never@13- Node Optional@0-13 OrderedDict@1- ParameterProxy Proxy Scope@1-
 ScopeContextManager@1- Target TraceError TracerBase Tuple@0-8 TypeVar@12- annotation_log@11- assert_fn base_types
 cast@13- check_for_mutable_operation collections@1- compatibility copy@1- dis enum@3- fields@2- fx_traceback
 getArtifactLogger@11- immutable_dict@8- immutable_list@8- inspect is_dataclass@2- is_opaque_constant_type@15-
 is_opaque_value_type@11-15 log@6- logging@6- magic_methods map_aggregate@0-12 map_arg@8- method operator
 orig_method_name reflectable_magic_methods sys@1- torch traceback@0-5,9- tree_map_@12- types@13-
torch.fx.proxy.CapturedTraceback() 5- skip tb
torch.fx.proxy.assert_fn() 0- x
torch.fx.proxy.check_for_mutable_operation() 0- args kwargs target
torch.fx.proxy.compatibility() 0- is_backward_compatible
torch.fx.proxy.getArtifactLogger() 11- artifact_name module_qname
torch.fx.proxy.is_opaque_constant_type() 15- cls
torch.fx.proxy.is_opaque_value_type() 11-15 cls
torch.fx.proxy.map_aggregate() 0-8 a fn
torch.fx.proxy.tree_map_() 12- func is_leaf tree
torch.fx.replace_pattern() 0- gm pattern replacement
torch.fx.subgraph_rewriter 0- Any@2- Callable Dict@0-8 Graph GraphModule InternalMatch@4- List@0-8 Match NamedTuple
 Node Optional@0-13 ReplacedPatterns@1- Set@0-8 TYPE_CHECKING@4- Union@1-13 compatibility copy dataclass@1-
 map_arg@16- replace_pattern replace_pattern_with_filters@1- symbolic_trace torch
torch.fx.subgraph_rewriter.compatibility() 0- is_backward_compatible
torch.fx.subgraph_rewriter.map_arg() 16- a fn
torch.fx.subgraph_rewriter.replace_pattern() 0- gm pattern replacement
torch.fx.subgraph_rewriter.replace_pattern_with_filters() 1- gm ignore_literals@2- match_filters node_name_match@10-
 pattern replacement replacement_callback@7-
torch.fx.subgraph_rewriter.symbolic_trace() 0- concrete_args root
torch.fx.symbolic_trace() 0- concrete_args root
torch.fx.tensor_type 0- Any@13- DVar@13- Dyn Sequence@13- TYPE_CHECKING@13- TensorType Var annotations@13-
 compatibility is_consistent is_more_precise
torch.fx.tensor_type.DVar() 13- c
torch.fx.tensor_type.compatibility() 0- is_backward_compatible
torch.fx.tensor_type.is_consistent() 0- t1 t2
torch.fx.tensor_type.is_more_precise() 0- t1 t2
torch.fx.traceback 0- Any@1- Callable@13- Dict@1-8 Enum@7- GRADIENT_ACC_SPECIAL_STACK@11- Graph@7- GraphModule@11-
 Iterator@13- List@0-8 MEMORY_BUDGET_ANNOTATION_KEY@14- Node@7- NodeSource@7- NodeSourceAction@7- Optional@0-1,7-
 ParamSpec@13- TypeVar@13- Union@8- annotate@11- annotate_fn@11- append_stack_trace@0-1 compatibility contextmanager
 copy@7- current_meta@1- current_replay_node@11- current_stack@0-1 defaultdict@12- format_stack get_current_meta@1-
 get_current_replay_node@11- get_graph_provenance_json@7- has_preserved_node_meta@1- is_overridden@0-1
 is_stack_trace_overridden@0-1 json@7-8 log@10- logging@10- override_stack_trace@0-1 preserve_node_meta@1-
 reset_grad_fn_seq_nr@2- set_current_meta@1- set_current_replay_node@11- set_grad_fn_seq_nr@2- set_stack_trace
 should_preserve_node_meta@1- signpost_event@10- threading@14- traceback
torch.fx.traceback.annotate() 11- annotation_dict
torch.fx.traceback.annotate_fn() 11- annotation_dict
torch.fx.traceback.append_stack_trace() 0-1 stack
torch.fx.traceback.compatibility() 0- is_backward_compatible
torch.fx.traceback.format_stack() 0-
torch.fx.traceback.get_current_meta() 1-
torch.fx.traceback.get_current_replay_node() 11-
torch.fx.traceback.get_graph_provenance_json() 7- graph
torch.fx.traceback.has_preserved_node_meta() 1-
torch.fx.traceback.is_stack_trace_overridden() 0-1
torch.fx.traceback.override_stack_trace() 0-1
torch.fx.traceback.preserve_node_meta() 1- enable@8-
torch.fx.traceback.reset_grad_fn_seq_nr() 2-
torch.fx.traceback.set_current_meta() 1- meta@1-2 node@2- pass_name@7-
torch.fx.traceback.set_current_replay_node() 11- node
torch.fx.traceback.set_grad_fn_seq_nr() 2- seq_nr
torch.fx.traceback.set_stack_trace() 0- stack
torch.fx.traceback.signpost_event() 10- category name parameters
torch.fx.wrap() 0- fn_or_name
torch.gather() 0- dim index input out sparse_grad
torch.gcd() 0- input other out
torch.gcd_() 0- input other
torch.ge() 0- input other out
torch.geqrf() 0- input out
torch.ger() 0- input out vec2
torch.get_default_device() 4-
torch.get_deterministic_debug_mode() 0-
torch.get_device_module() 5- device
torch.get_file_path() 0-
torch.get_float32_matmul_precision() 0-
torch.get_num_threads() 0-15
torch.get_rng_state() 0-
torch.gradient() 0- dim edge_order input spacing
torch.greater() 0- input other out
torch.greater_equal() 0- input other out
torch.grid_sampler() 0- align_corners grid input interpolation_mode padding_mode
torch.grid_sampler_2d() 0- align_corners grid input interpolation_mode padding_mode
torch.grid_sampler_3d() 0- align_corners grid input interpolation_mode padding_mode
torch.group_norm() 0- bias cudnn_enabled eps input num_groups weight
torch.gru() 0- batch_first batch_sizes bidirectional data dropout has_biases hx input num_layers params train
torch.gru_cell() 0- b_hh b_ih hx input w_hh w_ih
torch.gt() 0- input other out
torch.hamming_window() 0- alpha beta device dtype layout memory_format periodic pin_memory requires_grad window_length
torch.hann_window() 0- device dtype layout memory_format periodic pin_memory requires_grad window_length
torch.hardshrink() 0- input lambd out
torch.hash_tensor() 10- dim input keepdim mode out
torch.heaviside() 0- input out values
torch.hinge_embedding_loss() 0- input margin reduce@0-2 reduction size_average@0-2 target
torch.histc() 0- bins input max min out
torch.histogram() 0- bins density input out range weight
torch.histogramdd() 0- bins density input out range weight
torch.hsmm() 0- input mat2
torch.hsplit() 0- indices indices_or_sections input sections
torch.hspmm() 0- mat1 mat2 out
torch.hstack() 0- out tensors
torch.hub 0- Any DEFAULT_CACHE_DIR Dict@0-8 ENV_GITHUB_TOKEN ENV_TORCH_HOME ENV_XDG_CACHE_HOME HASH_REGEX HTTPError
 MAP_LOCATION MODULE_HUBCONF Optional@0-11 Path READ_DATA_CHUNK Request URLError@1- Union@7-11 VAR_DEPENDENCY
 contextlib@1- deprecated@5- download_url_to_file errno get_dir hashlib help json list load load_state_dict_from_url
 os re set_dir shutil sys tempfile torch tqdm urlopen urlparse uuid@2- warnings zipfile
torch.hub.download_url_to_file() 0- dst hash_prefix progress url
torch.hub.get_dir() 0-
torch.hub.help() 0- force_reload github model skip_validation trust_repo
torch.hub.list() 0- force_reload github skip_validation trust_repo verbose@4-
torch.hub.load_state_dict_from_url() 0- check_hash file_name map_location model_dir progress url weights_only@2-
torch.hub.set_dir() 0- d
torch.hub.tqdm() 0-1 disable total unit unit_divisor unit_scale
torch.hypot() 0- input other out
torch.i0() 0- input out
torch.i0_() 0- input
torch.igamma() 0- input other out
torch.igammac() 0- input other out
torch.imag() 0- input
torch.index_add() 0- alpha dim index input out source
torch.index_copy() 0- dim index input out source
torch.index_fill() 0- dim index input value
torch.index_put() 0- accumulate indices input values
torch.index_put_() 0- accumulate indices input values
torch.index_reduce() 0- dim include_self index input out reduce source
torch.index_select() 0- dim index input out
torch.indices_copy() 0- input out
torch.inference_mode() 0-2 mode
torch.init_num_threads() 0-
torch.initial_seed() 0-
torch.inner() 0- input other out
torch.instance_norm() 0- bias cudnn_enabled eps input momentum running_mean running_var use_input_stats weight
torch.int_repr() 0- input
torch.inverse() 0- input out
torch.is_complex() 0- input
torch.is_conj() 0- input
torch.is_deterministic_algorithms_warn_only_enabled() 0-
torch.is_distributed() 0- input
torch.is_floating_point() 0- input
torch.is_inference() 0- input
torch.is_neg() 0- input
torch.is_nonzero() 0- input
torch.is_same_size() 0- input other
torch.is_signed() 0- input
torch.is_storage() 0- obj
torch.is_tensor() 0- obj
torch.is_vulkan_available() 0-
torch.is_warn_always_enabled() 0-
torch.isclose() 0- atol equal_nan input other rtol
torch.isfinite() 0- input
torch.isin() 0- assume_unique element elements invert out test_element test_elements
torch.isinf() 0- input
torch.isnan() 0- input
torch.isneginf() 0- input out
torch.isposinf() 0- input out
torch.isreal() 0- input
torch.istft() 0- center hop_length input length n_fft normalized onesided return_complex win_length window
torch.jit 0- Any Attribute CompilationUnit Error Final Future Iterator ONNXTracedModule RecursiveScriptClass
 RecursiveScriptModule ScriptFunction ScriptModule ScriptWarning TopLevelTracedModule TracedModule TracerWarning
 TracingCheckError annotate annotations contextmanager enable_onednn_fusion export export_opnames fork freeze frontend
 fuser generate_bytecode ignore interface is_scripting is_tracing isinstance jit_module_from_flatbuffer
 last_executed_optimized_graph load mobile onednn_fusion_enabled optimize_for_inference optimized_execution quantized
 run_frozen_optimizations save save_jit_module_to_flatbuffer script script_if_tracing script_method
 set_fusion_strategy set_module strict_fusion supported_ops torch trace trace_module unsupported_tensor_ops unused
 wait warnings
torch.jit.Future() 10- devices
torch.jit.ONNXTracedModule() 0- force_outplace inner return_inputs return_inputs_states strict
torch.jit.TopLevelTracedModule() 0- _compilation_unit id_set orig
torch.jit.TracedModule() 0- _compilation_unit id_set orig
torch.jit.TracingCheckError() 0- extra_msg graph_diff_error tensor_compare_error
torch.jit.annotate() 0- the_type the_value
torch.jit.annotations 0- Any AnyType AwaitType@1- BoolType BroadcastingList1 BroadcastingList2 BroadcastingList3
 ComplexType DeviceObjType Dict DictType EnumType EvalEnv FloatType Future FutureType IntType InterfaceType List
 ListType Module NoneType NumberType OpOverloadPacket Optional OptionalType RRef RRefType StreamObjType StringType
 TensorType Tuple TupleType Type@0-8 Union UnionType ann_to_type ast builtins check_fn dedent dis@1- enum
 get_enum_value_type get_param_names get_signature get_source_lines_and_file get_type_line inspect is_await@1- is_dict
 is_function_or_method is_future is_ignored_fn is_list is_optional is_rref is_tensor is_tuple is_union is_vararg
 parse_type_line re split_type_line torch try_ann_to_type try_real_annotations typing@3- warnings
torch.jit.annotations.EvalEnv() 0- rcb
torch.jit.annotations.Future() 10- devices
torch.jit.annotations.Module() 0- members name
torch.jit.annotations.OpOverloadPacket() 0- op op_name overload_names qualified_op_name
torch.jit.annotations.ann_to_type() 0- ann loc rcb@2-
torch.jit.annotations.check_fn() 0- fn loc
torch.jit.annotations.get_enum_value_type() 0- e loc
torch.jit.annotations.get_param_names() 0- fn n_args
torch.jit.annotations.get_signature() 0- fn is_method loc rcb
torch.jit.annotations.get_source_lines_and_file() 0- error_msg obj
torch.jit.annotations.get_type_line() 0- source
torch.jit.annotations.is_await() 1- ann
torch.jit.annotations.is_dict() 0- ann
torch.jit.annotations.is_function_or_method() 0- the_callable
torch.jit.annotations.is_future() 0- ann
torch.jit.annotations.is_ignored_fn() 0- fn
torch.jit.annotations.is_list() 0- ann
torch.jit.annotations.is_optional() 0- ann
torch.jit.annotations.is_rref() 0- ann
torch.jit.annotations.is_tensor() 0- ann
torch.jit.annotations.is_tuple() 0- ann
torch.jit.annotations.is_union() 0- ann
torch.jit.annotations.is_vararg() 0- the_callable
torch.jit.annotations.parse_type_line() 0- loc rcb type_line
torch.jit.annotations.split_type_line() 0- type_line
torch.jit.annotations.try_ann_to_type() 0- ann loc rcb@2-
torch.jit.annotations.try_real_annotations() 0- fn loc
torch.jit.enable_onednn_fusion() 0- enabled
torch.jit.export() 0- fn
torch.jit.export_opnames() 0- m
torch.jit.freeze() 0- mod optimize_numerics preserved_attrs
torch.jit.frontend 0- Apply Assert Assign Attribute AugAssign BinOp Break Builder ClassDef Const Continue
 DATACLASS_MAGIC_METHODS Decl Def Delete DictComp DictLiteral Dots EmptyTypeAnnotation ExprBuilder ExprStmt
 FalseLiteral For FrontendError FrontendTypeError FunctionModifiers Ident If List@0-8 ListComp ListLiteral NoneLiteral
 NotSupportedError Param Pass Property Raise Return Select SliceExpr Starred Stmt StmtBuilder StringLiteral Subscript
 TernaryIf TrueLiteral Tuple@0-8 TupleLiteral UnaryOp UnsupportedNodeError Var While With WithItem WithItemBuilder ast
 astunparse@0-10 build_class_def build_def build_expr build_ignore_context_manager build_param build_param_list
 build_stmt build_stmts build_withitem build_withitems copy@8- dataclasses dedent find_before get_class_assigns
 get_class_properties get_default_args get_default_args_for_class get_jit_class_def get_jit_def get_qualified_name
 get_source_lines_and_file inspect is_reserved_name is_static_fn is_torch_jit_ignore_context_manager
 make_source_context monkeytype_trace namedtuple node_start_tokens parse_def pretty_node_names re should_drop string
 sys@0-8 torch
torch.jit.frontend.FrontendError() 0- msg source_range
torch.jit.frontend.FrontendTypeError() 0- msg source_range
torch.jit.frontend.NotSupportedError() 0- msg source_range
torch.jit.frontend.UnsupportedNodeError() 0- ctx offending_node reason
torch.jit.frontend.build_class_def() 0- assigns ctx methods properties py_def self_name
torch.jit.frontend.build_def() 0- ctx def_name pdt_arg_types py_def self_name type_line
torch.jit.frontend.build_ignore_context_manager() 0- ctx stmt
torch.jit.frontend.build_param() 0- ctx kwarg_only pdt_arg_type py_arg self_name
torch.jit.frontend.build_param_list() 0- ctx pdt_arg_types py_args self_name
torch.jit.frontend.build_stmts() 0- ctx stmts
torch.jit.frontend.build_withitems() 0- ctx items
torch.jit.frontend.find_before() 0- ctx offsets pos substr
torch.jit.frontend.get_class_assigns() 0- cls_ast ctx
torch.jit.frontend.get_class_properties() 0- cls self_name
torch.jit.frontend.get_default_args() 0- fn
torch.jit.frontend.get_default_args_for_class() 0- cls
torch.jit.frontend.get_jit_class_def() 0- cls self_name
torch.jit.frontend.get_jit_def() 0- def_name fn is_classmethod self_name
torch.jit.frontend.get_qualified_name() 0- func
torch.jit.frontend.get_source_lines_and_file() 0- error_msg obj
torch.jit.frontend.is_reserved_name() 0- name
torch.jit.frontend.is_static_fn() 0- cls fn
torch.jit.frontend.is_torch_jit_ignore_context_manager() 0- stmt
torch.jit.frontend.make_source_context() 0-
torch.jit.frontend.parse_def() 0- fn
torch.jit.frontend.should_drop() 0- fn
torch.jit.fuser() 0- name
torch.jit.generate_bytecode 0- List@0-8 format_bytecode generate_upgraders_bytecode
torch.jit.generate_bytecode.format_bytecode() 0- table
torch.jit.generate_bytecode.generate_upgraders_bytecode() 0-
torch.jit.interface() 0- obj
torch.jit.is_scripting() 0-
torch.jit.is_tracing() 0-
torch.jit.isinstance() 0- obj target_type
torch.jit.jit_module_from_flatbuffer() 0- f
torch.jit.load() 0- _extra_files _restore_shapes@1- f map_location
torch.jit.mobile 0- LiteScriptModule os pathlib@0-4 torch validate_map_location
torch.jit.mobile.LiteScriptModule() 0- cpp_module
torch.jit.mobile.validate_map_location() 0- map_location
torch.jit.onednn_fusion_enabled() 0-
torch.jit.optimize_for_inference() 0- mod other_methods
torch.jit.optimized_execution() 0- should_optimize
torch.jit.quantized 0- List@0-4 Optional@0-4 PackedSequence@0-4 QuantizedGRU QuantizedGRUCell QuantizedLSTM
 QuantizedLSTMCell QuantizedLinear QuantizedLinearFP16 QuantizedRNNBase QuantizedRNNCell QuantizedRNNCellBase
 Tensor@0-4 Tuple@0-4 apply_permutation@0-4 quantize_linear_modules quantize_rnn_cell_modules quantize_rnn_modules
 torch warnings@0-4
torch.jit.quantized.QuantizedGRUCell() 0- other
torch.jit.quantized.QuantizedLSTM() 0- dtype other
torch.jit.quantized.QuantizedLSTMCell() 0- other
torch.jit.quantized.QuantizedLinear() 0- other
torch.jit.quantized.QuantizedLinearFP16() 0- other
torch.jit.quantized.QuantizedRNNBase() 0- dtype other
torch.jit.quantized.QuantizedRNNCell() 0- other
torch.jit.quantized.QuantizedRNNCellBase() 0- other
torch.jit.quantized.apply_permutation() 0-4 dim permutation tensor
torch.jit.quantized.quantize_linear_modules() 0- dtype module
torch.jit.quantized.quantize_rnn_cell_modules() 0- module
torch.jit.quantized.quantize_rnn_modules() 0- dtype module
torch.jit.run_frozen_optimizations() 0- mod optimize_numerics preserved_methods
torch.jit.save() 0- _extra_files f m
torch.jit.save_jit_module_to_flatbuffer() 0- _extra_files f m
torch.jit.script() 0- _frames_up _rcb example_inputs obj optimize
torch.jit.script_if_tracing() 0- fn
torch.jit.script_method() 0- fn
torch.jit.set_fusion_strategy() 0- strategy
torch.jit.set_module() 0- mod obj
torch.jit.strict_fusion() 0-
torch.jit.supported_ops 0- inspect textwrap torch
torch.jit.trace() 0- _compilation_unit _force_outplace _module_class _store_inputs@1- check_inputs check_tolerance
 check_trace example_inputs example_kwarg_inputs@1- func optimize strict
torch.jit.trace_module() 0- _compilation_unit _force_outplace _module_class _store_inputs@1- check_inputs
 check_tolerance check_trace example_inputs_is_kwarg@1- inputs mod optimize strict
torch.jit.unsupported_tensor_ops 0- Any Dict@0-8 dedent execWrapper torch
torch.jit.unsupported_tensor_ops.execWrapper() 0- code glob loc
torch.jit.unused() 0- fn
torch.jit.wait() 0- future
torch.kaiser_window() 0- beta device dtype layout memory_format periodic pin_memory requires_grad window_length
torch.kl_div() 0- input log_target reduce@0-2 reduction size_average@0-2 target
torch.kron() 0- input other out
torch.kthvalue() 0- dim input k keepdim out
torch.layer_norm() 0- bias cudnn_enable eps input normalized_shape weight
torch.lcm() 0- input other out
torch.lcm_() 0- input other
torch.ldexp() 0- input other out
torch.ldexp_() 0- input other
torch.le() 0- input other out
torch.lerp() 0- end input out weight
torch.less() 0- input other out
torch.less_equal() 0- input other out
torch.lgamma() 0- input out
torch.library 0- Any@3- Callable@5- CustomOpDef@5- Dict@5-8 EffectType@11- Library List@3-8 Literal@8-11
 NAMELESS_SCHEMA@3- OpOverload Optional@3-11 ParamSpec@8- Sequence@5- Set@0-8 TYPE_CHECKING@8- Tuple@5-8 TypeVar@8-
 Union@5- contextlib@4- custom_op@5- define deprecated@5- device_types_t@5- fallthrough_kernel@2- functools@3-
 get_ctx@3- get_kernel@10- impl impl_abstract@3- infer_schema@6- inspect@3- opcheck@5- os@0-1 overload@8- re@3-
 register_autocast@8- register_autograd@5- register_fake@5- register_kernel@5- register_torch_dispatch@6-
 register_vmap@6- sys@3- torch traceback@0-13 triton_op@7- weakref@2- wrap_triton@7-
torch.library.CustomOpDef() 5- fn name namespace schema tags@9-
torch.library.Library() 0- dispatch_key kind ns
torch.library.OpOverload() 0- op op_dk overloadpacket schema tags
torch.library.custom_op() 5- device_types fn mutates_args name schema tags@9-
torch.library.define() 0-3 alias_analysis lib schema
torch.library.fallthrough_kernel() 2-
torch.library.get_ctx() 3-
torch.library.get_kernel() 10- dispatch_key op
torch.library.impl() 0-3 dispatch_key lib name
torch.library.impl_abstract() 3- _stacklevel func lib qualname
torch.library.infer_schema() 6- mutates_args op_name prototype_function tags@14-
torch.library.opcheck() 5- args atol@8- kwargs op raise_exception rtol@8- test_utils
torch.library.register_autocast() 8- cast_inputs device_type lib op
torch.library.register_autograd() 5- backward lib op setup_context
torch.library.register_fake() 5- _stacklevel allow_override@9- func lib op
torch.library.register_kernel() 5- device_types func lib op
torch.library.register_torch_dispatch() 6- func lib op torch_dispatch_class
torch.library.register_vmap() 6- func lib op
torch.library.triton_op() 7- fn mutates_args name schema
torch.library.wrap_triton() 7- triton_kernel
torch.linalg 0- LinAlgError Tensor@0-8 cholesky cholesky_ex common_notes cond cross det diagonal eig eigh eigvals
 eigvalsh householder_product inv inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve
 matmul matrix_exp matrix_norm matrix_power matrix_rank matrix_sqrth@15- multi_dot norm pinv polar@15- qr slogdet
 solve solve_ex solve_triangular svd svdvals sys@0-6 tensorinv tensorsolve torch@0-8 vander vecdot vector_norm
torch.linspace() 0- device dtype end layout memory_format out pin_memory requires_grad start steps
torch.lobpcg() 0- A B X iK k largest method n niter ortho_bparams ortho_fparams ortho_iparams tol tracker
torch.log() 0- input out
torch.log10() 0- input out
torch.log10_() 0- input
torch.log1p() 0- input out
torch.log1p_() 0- input
torch.log2() 0- input out
torch.log2_() 0- input
torch.log_() 0- input
torch.log_softmax() 0- dim dtype input out
torch.logaddexp() 0- input other out
torch.logaddexp2() 0- input other out
torch.logcumsumexp() 0- dim input out
torch.logdet() 0- input
torch.logical_and() 0- input other out
torch.logical_not() 0- input out
torch.logical_or() 0- input other out
torch.logical_xor() 0- input other out
torch.logit() 0- eps input out
torch.logit_() 0- eps input
torch.logspace() 0- base device dtype end layout memory_format out pin_memory requires_grad start steps
torch.logsumexp() 0- dim input keepdim out
torch.lstm() 0- batch_first batch_sizes bidirectional data dropout has_biases hx input num_layers params train
torch.lstm_cell() 0- b_hh b_ih hx input w_hh w_ih
torch.lstsq() 0- A input out
torch.lt() 0- input other out
torch.lu() 0- A get_infos out pivot
torch.lu_solve() 0- LU_data LU_pivots b input out
torch.lu_unpack() 0- LU_data LU_pivots out unpack_data unpack_pivots
torch.manager_path() 0-5
torch.manual_seed() 0- seed
torch.margin_ranking_loss() 0- input1 input2 margin reduce@0-2 reduction size_average@0-2 target
torch.masked 0- MaskedTensor amax amin argmax argmin as_masked_tensor cumprod cumsum is_masked_tensor log_softmax
 logaddexp logsumexp masked_tensor maskedtensor mean median norm normalize prod softmax softmin std sum var
torch.masked.as_masked_tensor() 0- data mask
torch.masked.is_masked_tensor() 0- a@0-6 obj@6-
torch.masked.logaddexp() 0- dtype input input_mask other other_mask
torch.masked.masked_tensor() 0- data mask requires_grad
torch.masked.maskedtensor 0- MaskedTensor binary core creation is_masked_tensor passthrough reductions unary
torch.masked.maskedtensor.is_masked_tensor() 0- a@0-6 obj@6-
torch.masked_fill() 0- input mask value
torch.masked_scatter() 0- input mask source
torch.masked_select() 0- input mask out
torch.matmul() 0- input other out
torch.matrix_exp() 0- input
torch.matrix_power() 0- input n out
torch.matrix_rank() 0- input out symmetric tol
torch.max() 0- dim input keepdim other out
torch.max_pool1d() 0- ceil_mode dilation input kernel_size padding stride
torch.max_pool1d_with_indices() 0- ceil_mode dilation input kernel_size padding stride
torch.max_pool2d() 0- ceil_mode dilation input kernel_size padding stride
torch.max_pool3d() 0- ceil_mode dilation input kernel_size padding stride
torch.maximum() 0- input other out
torch.mean() 0- dim dtype input keepdim out
torch.median() 0- dim input keepdim out
torch.meshgrid() 0- indexing
torch.min() 0- dim input keepdim other out
torch.minimum() 0- input other out
torch.miopen_batch_norm() 0- bias epsilon exponential_average_factor input running_mean running_var training weight
torch.miopen_convolution() 0- benchmark bias deterministic dilation groups input padding stride weight
torch.miopen_convolution_add_relu() 0- alpha bias dilation groups input padding stride weight z
torch.miopen_convolution_relu() 0- bias dilation groups input padding stride weight
torch.miopen_convolution_transpose() 0- benchmark bias deterministic dilation groups input output_padding padding
 stride weight
torch.miopen_ctc_loss() 12- blank deterministic input_lengths log_probs target_lengths targets zero_infinity
torch.miopen_depthwise_convolution() 0- benchmark bias deterministic dilation groups input padding stride weight
torch.miopen_rnn() 0- batch_first batch_sizes bidirectional cx dropout dropout_state hidden_size hx input mode
 num_layers train weight weight_stride0
torch.mkldnn_adaptive_avg_pool2d() 0- input out output_size
torch.mkldnn_convolution() 0- bias dilation groups input padding stride weight
torch.mkldnn_linear_backward_weights() 0- bias_defined grad_output input weight
torch.mkldnn_max_pool2d() 0- ceil_mode dilation input kernel_size padding stride
torch.mkldnn_max_pool3d() 0- ceil_mode dilation input kernel_size padding stride
torch.mkldnn_rnn_layer() 1- batch_first batch_sizes bidirectional cx_ has_biases hidden_size hx_ input mode num_layers
 reverse train weight0 weight1 weight2 weight3
torch.mm() 0- input mat2 out out_dtype@9-
torch.mode() 0- dim input keepdim out
torch.monitor 0- Aggregation Callable Dict@0-6 Enum Event EventHandlerHandle List@0-6 Optional@8-9 STAT_EVENT Stat
 SummaryWriter TYPE_CHECKING TensorboardEventHandler TracebackType@8- Union@0-6 datetime log_event
 register_event_handler unregister_event_handler
torch.monitor.SummaryWriter() 0- comment filename_suffix flush_secs log_dir max_queue purge_step
torch.monitor.TensorboardEventHandler() 0- writer
torch.moveaxis() 0- destination input source
torch.movedim() 0- destination input source
torch.mps 1- BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor Event@2- FloatTensor HalfTensor IntTensor
 LongTensor ShortTensor Stream@16- Tensor Union@5-12 compile_shader@8- current_allocated_memory current_stream@16-
 default_stream@16- device_count@5- driver_allocated_memory empty_cache event@2- get_rng_state is_available@6-
 load_metallib@14- manual_seed profiler@2- recommended_max_memory@6- seed set_per_process_memory_fraction
 set_rng_state set_stream@16- stream@16- streams@16- synchronize torch
torch.mps.Event() 2- enable_timing
torch.mps.compile_shader() 8- source
torch.mps.current_allocated_memory() 1-
torch.mps.current_stream() 16-
torch.mps.default_stream() 16-
torch.mps.device_count() 5-
torch.mps.driver_allocated_memory() 1-
torch.mps.empty_cache() 1-
torch.mps.event 2- Event torch
torch.mps.event.Event() 2- enable_timing
torch.mps.get_rng_state() 1- device@5-
torch.mps.is_available() 6-
torch.mps.load_metallib() 14- source
torch.mps.manual_seed() 1- seed
torch.mps.profiler 2- Iterator@11- Literal@11- ProfilerMode@11- contextlib is_capturing_metal@8-
 is_metal_capture_enabled@8- metal_capture@8- profile start stop torch
torch.mps.profiler.is_capturing_metal() 8-
torch.mps.profiler.is_metal_capture_enabled() 8-
torch.mps.profiler.metal_capture() 8- fname
torch.mps.profiler.profile() 2- mode wait_until_completed
torch.mps.profiler.start() 2- mode wait_until_completed
torch.mps.profiler.stop() 2-
torch.mps.recommended_max_memory() 6-
torch.mps.seed() 1-
torch.mps.set_per_process_memory_fraction() 1- fraction
torch.mps.set_rng_state() 1- device@5- new_state
torch.mps.set_stream() 16- stream
torch.mps.stream() 16- stream
torch.mps.streams 16- Stream contextmanager current_stream default_stream set_stream stream torch
torch.mps.streams.current_stream() 16-
torch.mps.streams.default_stream() 16-
torch.mps.streams.set_stream() 16- stream
torch.mps.streams.stream() 16- stream
torch.mps.synchronize() 1-
torch.msort() 0- input out
torch.mtia 5- Any BFloat16Tensor BoolTensor ByteTensor Callable CharTensor DeferredMtiaCallError Device Dict@5-8
 DoubleTensor Event FloatTensor HalfTensor IntTensor List@5-8 LongTensor MTIAGraph@11- Optional@5-12 ShortTensor
 Stream StreamContext Tensor Tuple@5-8 Union@5-12 attach_out_of_memory_observer@9- classproperty@5-12 current_device
 current_stream default_generators@11- default_stream device device_count empty_cache@7- get_device_capability@7-
 get_device_properties@9- get_rng_state@6- get_rng_state_all@12- graph@11- graph_pool_handle@11- init initial_seed@12-
 is_available is_bf16_supported@10- is_current_stream_capturing@16- is_fbcode@12- is_initialized is_prod@12-
 manual_seed@12- manual_seed_all@12- max_memory_allocated@7- memory@7- memory_allocated@10- memory_stats@6-
 mtia_graph@11- record_memory_history@8- reset_peak_memory_stats@8- seed@12- seed_all@12- set_device@6-
 set_rng_state@6- set_rng_state_all@12- set_stream snapshot@8- stream synchronize threading torch traceback@12-
 warnings@6-12
torch.mtia.StreamContext() 5- stream
torch.mtia.attach_out_of_memory_observer() 9- observer
torch.mtia.classproperty() 5-12 func
torch.mtia.current_device() 5-
torch.mtia.current_stream() 5- device
torch.mtia.default_stream() 5- device
torch.mtia.device() 5- device
torch.mtia.device_count() 5-
torch.mtia.empty_cache() 7-
torch.mtia.get_device_capability() 7- device
torch.mtia.get_device_properties() 9- device
torch.mtia.get_rng_state() 6- device
torch.mtia.get_rng_state_all() 12-
torch.mtia.graph() 11- mtia_graph pool stream
torch.mtia.graph_pool_handle() 11-
torch.mtia.init() 5-
torch.mtia.initial_seed() 12-
torch.mtia.is_available() 5-
torch.mtia.is_bf16_supported() 10- including_emulation
torch.mtia.is_current_stream_capturing() 16-
torch.mtia.is_fbcode() 12-
torch.mtia.is_initialized() 5-
torch.mtia.is_prod() 12-
torch.mtia.manual_seed() 12- seed
torch.mtia.manual_seed_all() 12- seed
torch.mtia.max_memory_allocated() 7- device
torch.mtia.memory 7- Any Device@12- Dict@7-8 Optional@7-12 is_initialized max_memory_allocated memory_allocated@10-
 memory_stats reset_peak_memory_stats@8- torch
torch.mtia.memory.is_initialized() 7-
torch.mtia.memory.max_memory_allocated() 7- device
torch.mtia.memory.memory_allocated() 10- device
torch.mtia.memory.memory_stats() 7- device
torch.mtia.memory.reset_peak_memory_stats() 8- device
torch.mtia.memory_allocated() 10- device
torch.mtia.memory_stats() 6- device
torch.mtia.mtia_graph 11- MTIAGraph Optional@11-12 Self Union@11-12 annotations graph graph_pool_handle
 is_current_stream_capturing@16- torch
torch.mtia.mtia_graph.graph() 11- mtia_graph pool stream
torch.mtia.mtia_graph.graph_pool_handle() 11-
torch.mtia.mtia_graph.is_current_stream_capturing() 16-
torch.mtia.record_memory_history() 8- enabled max_entries stacks
torch.mtia.reset_peak_memory_stats() 8- device
torch.mtia.seed() 12-
torch.mtia.seed_all() 12-
torch.mtia.set_device() 6- device
torch.mtia.set_rng_state() 6- device new_state
torch.mtia.set_rng_state_all() 12- new_states
torch.mtia.set_stream() 5- stream
torch.mtia.snapshot() 8-
torch.mtia.stream() 5- stream
torch.mtia.synchronize() 5- device@6-
torch.mul() 0- input other out
torch.multinomial() 0- generator input num_samples out replacement
torch.multiply() 0- input other out
torch.multiprocessing 0- Array AuthenticationError Barrier BoundedSemaphore BufferTooShort Condition
 ENV_VAR_PARALLEL_START@6- Event JoinableQueue Lock Manager Pipe Pool Process ProcessContext ProcessError
 ProcessExitedException ProcessRaisedException Queue RLock RawArray RawValue SUBDEBUG SUBWARNING Semaphore SimpleQueue
 SpawnContext TimeoutError Value active_children allow_connection_pickling atexit@9- context cpu_count current_process
 freeze_support get_all_sharing_strategies get_all_start_methods get_context get_logger get_sharing_strategy
 get_start_method init_reductions log_to_stderr multiprocessing parent_process pool process queue reducer reduction
 reductions set_executable set_forkserver_preload set_sharing_strategy set_start_method spawn start_processes sys
 torch
torch.multiprocessing.ProcessContext() 0- error_files@4- error_queues@0-4 processes
torch.multiprocessing.ProcessExitedException() 0- error_index error_pid exit_code msg signal_name
torch.multiprocessing.ProcessRaisedException() 0- error_index error_pid msg
torch.multiprocessing.SpawnContext() 0- error_files@4- error_queues@0-4 processes
torch.multiprocessing.get_all_sharing_strategies() 0-
torch.multiprocessing.get_sharing_strategy() 0-
torch.multiprocessing.init_reductions() 0-
torch.multiprocessing.pool 0- Pool SimpleQueue clean_worker multiprocessing util
torch.multiprocessing.queue 0- ConnectionWrapper ForkingPickler Queue SimpleQueue io multiprocessing pickle
torch.multiprocessing.queue.ConnectionWrapper() 0- conn
torch.multiprocessing.reductions 0- ForkingPickler@0-7 SharedCache StorageWeakRef Union@0-11
 check_serializing_named_tensor@0-14 fd_id init_reductions multiprocessing os rebuild_cuda_tensor rebuild_event
 rebuild_meta_tensor@6- rebuild_nested_tensor@3- rebuild_sparse_compressed_tensor@3- rebuild_sparse_coo_tensor@3-
 rebuild_storage_empty rebuild_storage_fd rebuild_storage_filename rebuild_tensor rebuild_typed_storage
 rebuild_typed_storage_child reduce_event@0-16 reduce_nested_tensor@3- reduce_sparse_tensor@3- reduce_storage
 reduce_tensor reduce_typed_storage reduce_typed_storage_child reduction@7- register_after_fork shared_cache
 storage_from_cache threading torch
torch.multiprocessing.reductions.SharedCache() 0-
torch.multiprocessing.reductions.StorageWeakRef() 0- storage
torch.multiprocessing.reductions.check_serializing_named_tensor() 0-14 tensor
torch.multiprocessing.reductions.fd_id() 0- fd
torch.multiprocessing.reductions.init_reductions() 0-
torch.multiprocessing.reductions.rebuild_cuda_tensor() 0- dtype event_handle event_sync_required ref_counter_handle
 ref_counter_offset requires_grad storage_cls storage_device storage_handle storage_offset_bytes storage_size_bytes
 tensor_cls tensor_offset tensor_size tensor_stride
torch.multiprocessing.reductions.rebuild_event() 0- device handle
torch.multiprocessing.reductions.rebuild_meta_tensor() 6- dtype requires_grad storage_size_bytes tensor_cls
 tensor_offset tensor_size tensor_stride
torch.multiprocessing.reductions.rebuild_nested_tensor() 3- rebuild_buffer_args rebuild_buffer_func
 rebuild_offsets_args rebuild_offsets_func rebuild_sizes_args rebuild_sizes_func rebuild_strides_args
 rebuild_strides_func
torch.multiprocessing.reductions.rebuild_sparse_compressed_tensor() 3- layout rebuild_compressed_indices_args
 rebuild_compressed_indices_func rebuild_plain_indices_args rebuild_plain_indices_func rebuild_values_args
 rebuild_values_func shape
torch.multiprocessing.reductions.rebuild_sparse_coo_tensor() 3- is_coalesced rebuild_indices_args rebuild_indices_func
 rebuild_values_args rebuild_values_func shape
torch.multiprocessing.reductions.rebuild_storage_empty() 0- cls
torch.multiprocessing.reductions.rebuild_storage_fd() 0- cls df size
torch.multiprocessing.reductions.rebuild_storage_filename() 0- cls dtype handle manager size
torch.multiprocessing.reductions.rebuild_tensor() 0- cls metadata storage
torch.multiprocessing.reductions.rebuild_typed_storage() 0- dtype storage
torch.multiprocessing.reductions.rebuild_typed_storage_child() 0- storage storage_type
torch.multiprocessing.reductions.reduce_event() 0-16 event
torch.multiprocessing.reductions.reduce_nested_tensor() 3- nt
torch.multiprocessing.reductions.reduce_sparse_tensor() 3- sparse
torch.multiprocessing.reductions.reduce_storage() 0- storage
torch.multiprocessing.reductions.reduce_tensor() 0- tensor
torch.multiprocessing.reductions.reduce_typed_storage() 0- storage
torch.multiprocessing.reductions.reduce_typed_storage_child() 0- storage
torch.multiprocessing.reductions.storage_from_cache() 0- cls key
torch.multiprocessing.set_sharing_strategy() 0- new_strategy
torch.multiprocessing.spawn 0- ENV_VAR_PARALLEL_START@6- NumaOptions@10-11 Optional@0-11 ProcessContext
 ProcessException ProcessExitedException ProcessRaisedException SpawnContext ThreadPoolExecutor@6- as_completed@6-
 log@4- logging@4- maybe_temporarily_apply_numa_binding_to_current_thread@10-11 multiprocessing os@4- pickle@4- signal
 spawn start_processes sys tempfile@4- time@4- warnings
torch.multiprocessing.spawn() 0- args daemon fn join nprocs start_method
torch.multiprocessing.spawn.ProcessContext() 0- error_files@4- error_queues@0-4 processes
torch.multiprocessing.spawn.ProcessException() 0- error_index error_pid@11- msg pid@0-11
torch.multiprocessing.spawn.ProcessExitedException() 0- error_index error_pid exit_code msg signal_name
torch.multiprocessing.spawn.ProcessRaisedException() 0- error_index error_pid msg
torch.multiprocessing.spawn.SpawnContext() 0- error_files@4- error_queues@0-4 processes
torch.multiprocessing.spawn.maybe_temporarily_apply_numa_binding_to_current_thread() 10-11 gpu_index numa_options
torch.multiprocessing.spawn.spawn() 0- args daemon fn join nprocs start_method
torch.multiprocessing.spawn.start_processes() 0- args daemon fn join nprocs numa_options@10-11 start_method
torch.multiprocessing.start_processes() 0- args daemon fn join nprocs numa_options@10-11 start_method
torch.mv() 0- input out vec
torch.mvlgamma() 0- input out p
torch.nan_to_num() 0- input nan neginf out posinf
torch.nan_to_num_() 0- input nan neginf posinf
torch.nanmean() 0- dim dtype input keepdim out
torch.nanmedian() 0- dim input keepdim out
torch.nanquantile() 0- dim input interpolation keepdim out q
torch.nansum() 0- dim dtype input keepdim out
torch.narrow() 0- dim input length start
torch.narrow_copy() 0- dim input length out start
torch.native_batch_norm() 0- bias eps input momentum out running_mean running_var training weight
torch.native_channel_shuffle() 0- groups input
torch.native_dropout() 0- input p train
torch.native_group_norm() 0- C HxW N bias eps group input weight
torch.native_layer_norm() 0- bias eps input normalized_shape weight
torch.native_norm() 0- dim dtype input keepdim p
torch.nativert 11- backends
torch.nativert.backends 11-
torch.ne() 0- input other out
torch.neg() 0- input out
torch.neg_() 0- input
torch.negative() 0- input out
torch.negative_() 0- input
torch.nested 0- DType Device F@5- List@0-8 Optional Sequence@4-5 SymInt@3- Tensor Tuple@5-8 Union@3- as_nested_tensor
 masked_select@6- narrow@3- nested_tensor nested_tensor_from_jagged@5- to_padded_tensor torch
torch.nested.SymInt() 3- node
torch.nested.as_nested_tensor() 0- device dtype layout@3- tensor_list@0-5 ts@5-
torch.nested.masked_select() 6- mask tensor
torch.nested.narrow() 3- dim layout length start tensor
torch.nested.nested_tensor() 0-1,3- device dtype layout memory_format pin_memory requires_grad tensor_list
torch.nested.nested_tensor_from_jagged() 5- jagged_dim lengths max_seqlen@6- min_seqlen@6- offsets values
torch.nextafter() 0- input other out
torch.nn 0- AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d
 AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d
 BatchNorm2d BatchNorm3d Bilinear Buffer@6- CELU CTCLoss ChannelShuffle CircularPad1d@2- CircularPad2d@2-
 CircularPad3d@2- ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d
 ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d DataParallel
 Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d
 FractionalMaxPool3d GELU GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh
 HingeEmbeddingLoss HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d
 LPPool3d@4- LSTM LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d
 LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d
 LazyLinear LeakyReLU Linear LinearCrossEntropyLoss@14- LinearCrossEntropyOptions@14- LocalResponseNorm LogSigmoid
 LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module
 ModuleDict ModuleList MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss
 NLLLoss2d PReLU PairwiseDistance Parameter ParameterDict ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss
 RMSNorm@5- RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d
 ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax
 Softmax2d Softmin Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder
 TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss
 Unflatten Unfold UninitializedBuffer UninitializedParameter Upsample UpsamplingBilinear2d UpsamplingNearest2d
 ZeroPad1d@2- ZeroPad2d ZeroPad3d@2- attention@4- backends common_types cpp factory_kwargs functional grad init
 intrinsic modules parallel parameter qat quantizable quantized utils
torch.nn.AdaptiveAvgPool1d() 0- output_size
torch.nn.AdaptiveAvgPool2d() 0- output_size
torch.nn.AdaptiveAvgPool3d() 0- output_size
torch.nn.AdaptiveLogSoftmaxWithLoss() 0- cutoffs device div_value dtype head_bias in_features n_classes
torch.nn.AdaptiveMaxPool1d() 0- output_size return_indices
torch.nn.AdaptiveMaxPool2d() 0- output_size return_indices
torch.nn.AdaptiveMaxPool3d() 0- output_size return_indices
torch.nn.AlphaDropout() 0- inplace p
torch.nn.AvgPool1d() 0- ceil_mode count_include_pad kernel_size padding stride
torch.nn.AvgPool2d() 0- ceil_mode count_include_pad divisor_override kernel_size padding stride
torch.nn.AvgPool3d() 0- ceil_mode count_include_pad divisor_override kernel_size padding stride
torch.nn.BCELoss() 0- reduce reduction size_average weight
torch.nn.BCEWithLogitsLoss() 0- pos_weight reduce reduction size_average weight
torch.nn.BatchNorm1d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.BatchNorm2d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.BatchNorm3d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.Bilinear() 0- bias device dtype in1_features in2_features out_features
torch.nn.CELU() 0- alpha inplace
torch.nn.CTCLoss() 0- blank reduction zero_infinity
torch.nn.ChannelShuffle() 0- groups
torch.nn.CircularPad1d() 2- padding
torch.nn.CircularPad2d() 2- padding
torch.nn.CircularPad3d() 2- padding
torch.nn.ConstantPad1d() 0- padding value
torch.nn.ConstantPad2d() 0- padding value
torch.nn.ConstantPad3d() 0- padding value
torch.nn.Conv1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding padding_mode
 stride
torch.nn.Conv2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding padding_mode
 stride
torch.nn.Conv3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding padding_mode
 stride
torch.nn.ConvTranspose1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels output_padding
 padding padding_mode stride
torch.nn.ConvTranspose2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels output_padding
 padding padding_mode stride
torch.nn.ConvTranspose3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels output_padding
 padding padding_mode stride
torch.nn.CosineEmbeddingLoss() 0- margin reduce reduction size_average
torch.nn.CosineSimilarity() 0- dim eps
torch.nn.CrossEntropyLoss() 0- ignore_index label_smoothing reduce reduction size_average weight
torch.nn.CrossMapLRN2d() 0- alpha beta k size
torch.nn.DataParallel() 2- device_ids dim module output_device
torch.nn.Dropout() 0- inplace p
torch.nn.Dropout1d() 0- inplace p
torch.nn.Dropout2d() 0- inplace p
torch.nn.Dropout3d() 0- inplace p
torch.nn.ELU() 0- alpha inplace
torch.nn.Embedding() 0- _freeze@1- _weight device dtype embedding_dim max_norm norm_type num_embeddings padding_idx
 scale_grad_by_freq sparse
torch.nn.EmbeddingBag() 0- _weight device dtype embedding_dim include_last_offset max_norm mode norm_type
 num_embeddings padding_idx scale_grad_by_freq sparse
torch.nn.FeatureAlphaDropout() 0- inplace p
torch.nn.Flatten() 0- end_dim start_dim
torch.nn.Fold() 0- dilation kernel_size output_size padding stride
torch.nn.FractionalMaxPool2d() 0- _random_samples kernel_size output_ratio output_size return_indices
torch.nn.FractionalMaxPool3d() 0- _random_samples kernel_size output_ratio output_size return_indices
torch.nn.GELU() 0- approximate
torch.nn.GLU() 0- dim
torch.nn.GRUCell() 0- bias device dtype hidden_size input_size
torch.nn.GaussianNLLLoss() 0- eps full reduction
torch.nn.GroupNorm() 0- affine bias@13- device dtype eps num_channels num_groups
torch.nn.Hardshrink() 0- lambd
torch.nn.Hardsigmoid() 0- inplace
torch.nn.Hardswish() 0- inplace
torch.nn.Hardtanh() 0- inplace max_val max_value min_val min_value
torch.nn.HingeEmbeddingLoss() 0- margin reduce reduction size_average
torch.nn.HuberLoss() 0- delta reduction
torch.nn.InstanceNorm1d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.InstanceNorm2d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.InstanceNorm3d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.KLDivLoss() 0- log_target reduce reduction size_average
torch.nn.L1Loss() 0- reduce reduction size_average
torch.nn.LPPool1d() 0- ceil_mode kernel_size norm_type stride
torch.nn.LPPool2d() 0- ceil_mode kernel_size norm_type stride
torch.nn.LPPool3d() 4- ceil_mode kernel_size norm_type stride
torch.nn.LSTMCell() 0- bias device dtype hidden_size input_size
torch.nn.LayerNorm() 0- bias@2- device dtype elementwise_affine eps normalized_shape
torch.nn.LazyBatchNorm1d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.LazyBatchNorm2d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.LazyBatchNorm3d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.LazyConv1d() 0- bias device dilation dtype groups kernel_size out_channels padding padding_mode stride
torch.nn.LazyConv2d() 0- bias device dilation dtype groups kernel_size out_channels padding padding_mode stride
torch.nn.LazyConv3d() 0- bias device dilation dtype groups kernel_size out_channels padding padding_mode stride
torch.nn.LazyConvTranspose1d() 0- bias device dilation dtype groups kernel_size out_channels output_padding padding
 padding_mode stride
torch.nn.LazyConvTranspose2d() 0- bias device dilation dtype groups kernel_size out_channels output_padding padding
 padding_mode stride
torch.nn.LazyConvTranspose3d() 0- bias device dilation dtype groups kernel_size out_channels output_padding padding
 padding_mode stride
torch.nn.LazyInstanceNorm1d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.LazyInstanceNorm2d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.LazyInstanceNorm3d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.LazyLinear() 0- bias device dtype out_features
torch.nn.LeakyReLU() 0- inplace negative_slope
torch.nn.Linear() 0- bias device dtype in_features out_features
torch.nn.LinearCrossEntropyLoss() 14- bias device dtype ignore_index in_features label_smoothing num_classes options
 out_features reduction weight
torch.nn.LocalResponseNorm() 0- alpha beta k size
torch.nn.LogSigmoid() 0-1
torch.nn.LogSoftmax() 0- dim
torch.nn.MSELoss() 0- reduce reduction size_average
torch.nn.MarginRankingLoss() 0- margin reduce reduction size_average
torch.nn.MaxPool1d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.MaxPool2d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.MaxPool3d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.MaxUnpool1d() 0- kernel_size padding stride
torch.nn.MaxUnpool2d() 0- kernel_size padding stride
torch.nn.MaxUnpool3d() 0- kernel_size padding stride
torch.nn.Mish() 0- inplace
torch.nn.Module() 0-1
torch.nn.ModuleDict() 0- modules
torch.nn.ModuleList() 0- modules
torch.nn.MultiLabelMarginLoss() 0- reduce reduction size_average
torch.nn.MultiLabelSoftMarginLoss() 0- reduce reduction size_average weight
torch.nn.MultiMarginLoss() 0- margin p reduce reduction size_average weight
torch.nn.MultiheadAttention() 0- add_bias_kv add_zero_attn batch_first bias device dropout dtype embed_dim kdim
 num_heads vdim
torch.nn.NLLLoss() 0- ignore_index reduce reduction size_average weight
torch.nn.NLLLoss2d() 0-5 ignore_index reduce reduction size_average weight
torch.nn.PReLU() 0- device dtype init num_parameters
torch.nn.PairwiseDistance() 0- eps keepdim p
torch.nn.ParameterDict() 0- parameters
torch.nn.ParameterList() 0- values
torch.nn.PixelShuffle() 0- upscale_factor
torch.nn.PixelUnshuffle() 0- downscale_factor
torch.nn.PoissonNLLLoss() 0- eps full log_input reduce reduction size_average
torch.nn.RMSNorm() 5- device dtype elementwise_affine eps normalized_shape
torch.nn.RNNBase() 0- batch_first bias bidirectional device dropout dtype hidden_size input_size mode num_layers
 proj_size
torch.nn.RNNCell() 0- bias device dtype hidden_size input_size nonlinearity
torch.nn.RNNCellBase() 0- bias device dtype hidden_size input_size num_chunks
torch.nn.RReLU() 0- inplace lower upper
torch.nn.ReLU() 0- inplace
torch.nn.ReLU6() 0- inplace
torch.nn.ReflectionPad1d() 0- padding
torch.nn.ReflectionPad2d() 0- padding
torch.nn.ReflectionPad3d() 0- padding
torch.nn.ReplicationPad1d() 0- padding
torch.nn.ReplicationPad2d() 0- padding
torch.nn.ReplicationPad3d() 0- padding
torch.nn.SELU() 0- inplace
torch.nn.Sequential() 0- arg
torch.nn.SiLU() 0- inplace
torch.nn.Sigmoid() 0-1
torch.nn.SmoothL1Loss() 0- beta reduce reduction size_average
torch.nn.SoftMarginLoss() 0- reduce reduction size_average
torch.nn.Softmax() 0- dim
torch.nn.Softmax2d() 0-1
torch.nn.Softmin() 0- dim
torch.nn.Softplus() 0- beta threshold
torch.nn.Softshrink() 0- lambd
torch.nn.Softsign() 0-1
torch.nn.SyncBatchNorm() 0- affine bias@13- device dtype eps momentum num_features process_group track_running_stats
torch.nn.Tanh() 0-1
torch.nn.Tanhshrink() 0-1
torch.nn.Threshold() 0- inplace threshold value
torch.nn.Transformer() 0- activation batch_first bias@2- custom_decoder custom_encoder d_model device dim_feedforward
 dropout dtype layer_norm_eps nhead norm_first num_decoder_layers num_encoder_layers
torch.nn.TransformerDecoder() 0- decoder_layer norm num_layers
torch.nn.TransformerDecoderLayer() 0- activation batch_first bias@2- d_model device dim_feedforward dropout dtype
 layer_norm_eps nhead norm_first
torch.nn.TransformerEncoder() 0- enable_nested_tensor encoder_layer mask_check norm num_layers
torch.nn.TransformerEncoderLayer() 0- activation batch_first bias@2- d_model device dim_feedforward dropout dtype
 layer_norm_eps nhead norm_first
torch.nn.TripletMarginLoss() 0- eps margin p reduce reduction size_average swap
torch.nn.TripletMarginWithDistanceLoss() 0- distance_function margin reduction swap
torch.nn.Unflatten() 0- dim unflattened_size
torch.nn.Unfold() 0- dilation kernel_size padding stride
torch.nn.Upsample() 0- align_corners mode recompute_scale_factor scale_factor size
torch.nn.UpsamplingBilinear2d() 0- scale_factor size
torch.nn.UpsamplingNearest2d() 0- scale_factor size
torch.nn.ZeroPad1d() 2- padding
torch.nn.ZeroPad2d() 0- padding
torch.nn.ZeroPad3d() 2- padding
torch.nn.attention 4- ContextVar@16- Iterable@7- List@4-8 SDPAParams SDPBackend Union WARN_FOR_UNFUSED_KERNELS
 activate_flash_attention_impl@11- bias can_use_efficient_attention can_use_flash_attention contextlib
 cudnn_sdp_enabled@5-7 current_flash_attention_impl@11- enable_cudnn_sdp@5-7 enable_flash_sdp@4-7 enable_math_sdp@4-7
 enable_mem_efficient_sdp@4-7 experimental@7- flash_sdp_enabled@4-7 flex_attention@6- list_flash_attention_impls@11-
 math_sdp_enabled@4-7 mem_efficient_sdp_enabled@4-7 register_flash_attention_impl@11- restore_flash_attention_impl@12-
 sdpa_kernel torch@7- varlen@11- warn
torch.nn.attention.can_use_efficient_attention() 4- debug params
torch.nn.attention.can_use_flash_attention() 4- debug params
torch.nn.attention.cudnn_sdp_enabled() 5-7
torch.nn.attention.enable_cudnn_sdp() 5-7 enabled
torch.nn.attention.enable_flash_sdp() 4-7 enabled
torch.nn.attention.enable_math_sdp() 4-7 enabled
torch.nn.attention.enable_mem_efficient_sdp() 4-7 enabled
torch.nn.attention.flash_sdp_enabled() 4-7
torch.nn.attention.math_sdp_enabled() 4-7
torch.nn.attention.mem_efficient_sdp_enabled() 4-7
torch.nn.attention.sdpa_kernel() 4- backends set_priority@7-
torch.nn.backends 0- thnn
torch.nn.common_types 0- Optional@0-11 T Tensor Tuple@0-8 TypeVar Union@0-11
torch.nn.cpp 0- ModuleWrapper OrderedDictWrapper nn
torch.nn.cpp.ModuleWrapper() 0- cpp_module
torch.nn.cpp.OrderedDictWrapper() 0- attr cpp_module
torch.nn.factory_kwargs() 0- kwargs
torch.nn.functional 0- Any BroadcastingList1 BroadcastingList2 BroadcastingList3 Callable DType Dict@0-8 Enum@11-
 GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES LinearCrossEntropyOptions@14- List@0-8 Literal@2- Optional
 ScalingType@11- Sequence SwizzleType@11- TYPE_CHECKING Tensor Tuple@0-8 TypeAlias@9- Union@0-11 adaptive_avg_pool1d
 adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices adaptive_max_pool2d
 adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout
 assert_int_or_pair avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy
 binary_cross_entropy_with_logits boolean_dispatch celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc
 conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss
 dataclasses@14- dropout dropout1d dropout2d dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout fold
 fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices
 gaussian_nll_loss gelu glu grad grid_sample group_norm grouped_mm@11- gumbel_softmax handle_torch_function hardshrink
 hardsigmoid hardswish hardtanh hardtanh_ has_torch_function has_torch_function_unary has_torch_function_variadic
 hinge_embedding_loss huber_loss importlib@2- instance_norm interpolate kl_div l1_loss layer_norm leaky_relu
 leaky_relu_ linear linear_cross_entropy@14- local_response_norm log_sigmoid@2-9 log_softmax logsigmoid lp_pool1d
 lp_pool2d lp_pool3d@4- margin_ranking_loss math max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices
 max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward
 multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss native_channel_shuffle nll_loss normalize np@3-
 one_hot overload@2- pad pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_
 reproducibility_notes rms_norm@5- rrelu rrelu_ scaled_addmm@16- scaled_addmm_@16- scaled_dot_product_attention@1-
 scaled_grouped_mm@11- scaled_mm@11- selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softplus
 softshrink softsign sparse_support_notes tanh tanhshrink tf32_notes threshold threshold_ torch triplet_margin_loss
 triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest utils@0-6 warnings
torch.nn.functional.adaptive_avg_pool2d() 0- input output_size
torch.nn.functional.adaptive_avg_pool3d() 0- input output_size
torch.nn.functional.adaptive_max_pool1d_with_indices() 0- input output_size return_indices
torch.nn.functional.adaptive_max_pool2d_with_indices() 0- input output_size return_indices
torch.nn.functional.adaptive_max_pool3d_with_indices() 0- input output_size return_indices
torch.nn.functional.affine_grid() 0- align_corners size theta
torch.nn.functional.alpha_dropout() 0- inplace input p training
torch.nn.functional.assert_int_or_pair() 0- arg arg_name message
torch.nn.functional.batch_norm() 0- bias eps input momentum running_mean running_var training weight
torch.nn.functional.binary_cross_entropy() 0- input reduce reduction size_average target weight
torch.nn.functional.binary_cross_entropy_with_logits() 0- input pos_weight reduce reduction size_average target weight
torch.nn.functional.boolean_dispatch() 0- arg_index arg_name default func_name if_false if_true module_name
torch.nn.functional.celu() 0- alpha inplace input
torch.nn.functional.cosine_embedding_loss() 0- input1 input2 margin reduce reduction size_average target
torch.nn.functional.cross_entropy() 0- ignore_index input label_smoothing reduce reduction size_average target weight
torch.nn.functional.ctc_loss() 0- blank input_lengths log_probs reduction target_lengths targets zero_infinity
torch.nn.functional.dropout() 0- inplace input p training
torch.nn.functional.dropout1d() 0- inplace input p training
torch.nn.functional.dropout2d() 0- inplace input p training
torch.nn.functional.dropout3d() 0- inplace input p training
torch.nn.functional.elu() 0- alpha inplace input
torch.nn.functional.embedding() 0- input max_norm norm_type padding_idx scale_grad_by_freq sparse weight
torch.nn.functional.embedding_bag() 0- include_last_offset input max_norm mode norm_type offsets padding_idx
 per_sample_weights scale_grad_by_freq sparse weight
torch.nn.functional.feature_alpha_dropout() 0- inplace input p training
torch.nn.functional.fold() 0- dilation input kernel_size output_size padding stride
torch.nn.functional.fractional_max_pool2d_with_indices() 0- _random_samples input kernel_size output_ratio output_size
 return_indices
torch.nn.functional.fractional_max_pool3d_with_indices() 0- _random_samples input kernel_size output_ratio output_size
 return_indices
torch.nn.functional.gaussian_nll_loss() 0- eps full input reduction target var
torch.nn.functional.glu() 0- dim input
torch.nn.functional.grid_sample() 0- align_corners grid input mode padding_mode
torch.nn.functional.group_norm() 0- bias eps input num_groups weight
torch.nn.functional.grouped_mm() 11- bias mat_a mat_b offs out_dtype
torch.nn.functional.gumbel_softmax() 0- dim eps hard logits tau
torch.nn.functional.hardsigmoid() 0- inplace input
torch.nn.functional.hardswish() 0- inplace input
torch.nn.functional.hardtanh() 0- inplace input max_val min_val
torch.nn.functional.hinge_embedding_loss() 0- input margin reduce reduction size_average target
torch.nn.functional.huber_loss() 0- delta input reduction target weight@7-
torch.nn.functional.instance_norm() 0- bias eps input momentum running_mean running_var use_input_stats weight
torch.nn.functional.kl_div() 0- input log_target reduce reduction size_average target
torch.nn.functional.l1_loss() 0- input reduce reduction size_average target weight@7-
torch.nn.functional.layer_norm() 0- bias eps input normalized_shape weight
torch.nn.functional.leaky_relu() 0- inplace input negative_slope
torch.nn.functional.linear_cross_entropy() 14- ignore_index input label_smoothing linear_bias linear_weight options
 reduction target weight
torch.nn.functional.local_response_norm() 0- alpha beta input k size
torch.nn.functional.log_sigmoid() 2-9 input
torch.nn.functional.log_softmax() 0- _stacklevel dim dtype input
torch.nn.functional.lp_pool1d() 0- ceil_mode input kernel_size norm_type stride
torch.nn.functional.lp_pool2d() 0- ceil_mode input kernel_size norm_type stride
torch.nn.functional.lp_pool3d() 4- ceil_mode input kernel_size norm_type stride
torch.nn.functional.margin_ranking_loss() 0- input1 input2 margin reduce reduction size_average target
torch.nn.functional.max_pool1d_with_indices() 0- ceil_mode dilation input kernel_size padding return_indices stride
torch.nn.functional.max_pool2d_with_indices() 0- ceil_mode dilation input kernel_size padding return_indices stride
torch.nn.functional.max_pool3d_with_indices() 0- ceil_mode dilation input kernel_size padding return_indices stride
torch.nn.functional.max_unpool1d() 0- indices input kernel_size output_size padding stride
torch.nn.functional.max_unpool2d() 0- indices input kernel_size output_size padding stride
torch.nn.functional.max_unpool3d() 0- indices input kernel_size output_size padding stride
torch.nn.functional.mish() 0- inplace input
torch.nn.functional.mse_loss() 0- input reduce reduction size_average target weight@7-
torch.nn.functional.multi_head_attention_forward() 0- add_zero_attn attn_mask average_attn_weights bias_k bias_v
 dropout_p embed_dim_to_check in_proj_bias in_proj_weight is_causal@1- k_proj_weight key key_padding_mask need_weights
 num_heads out_proj_bias out_proj_weight q_proj_weight query static_k static_v training use_separate_proj_weight
 v_proj_weight value
torch.nn.functional.multi_margin_loss() 0- input margin p reduce reduction size_average target weight
torch.nn.functional.multilabel_margin_loss() 0- input reduce reduction size_average target
torch.nn.functional.multilabel_soft_margin_loss() 0- input reduce reduction size_average target weight
torch.nn.functional.nll_loss() 0- ignore_index input reduce reduction size_average target weight
torch.nn.functional.normalize() 0- dim eps input out p
torch.nn.functional.pad() 3- input mode pad value
torch.nn.functional.poisson_nll_loss() 0- eps full input log_input reduce reduction size_average target
torch.nn.functional.relu() 0- inplace input
torch.nn.functional.relu6() 0- inplace input
torch.nn.functional.rms_norm() 5- eps input normalized_shape weight
torch.nn.functional.rrelu() 0- inplace input lower training upper
torch.nn.functional.scaled_addmm() 16- alpha beta contraction_dim input mat1 mat2 scale_a scale_b scale_recipe_a
 scale_recipe_b swizzle_a swizzle_b use_fast_accum
torch.nn.functional.scaled_addmm_() 16- alpha beta contraction_dim input mat1 mat2 scale_a scale_b scale_recipe_a
 scale_recipe_b swizzle_a swizzle_b use_fast_accum
torch.nn.functional.scaled_grouped_mm() 11- bias contraction_dim mat_a mat_b offs output_dtype scale_a scale_b
 scale_recipe_a scale_recipe_b swizzle_a swizzle_b use_fast_accum
torch.nn.functional.scaled_mm() 11- bias contraction_dim mat_a mat_b output_dtype scale_a scale_b scale_recipe_a
 scale_recipe_b swizzle_a swizzle_b use_fast_accum
torch.nn.functional.selu() 0- inplace input
torch.nn.functional.sigmoid() 0- input
torch.nn.functional.silu() 0- inplace input
torch.nn.functional.smooth_l1_loss() 0- beta input reduce reduction size_average target
torch.nn.functional.soft_margin_loss() 0- input reduce reduction size_average target
torch.nn.functional.softmax() 0- _stacklevel dim dtype input
torch.nn.functional.softmin() 0- _stacklevel dim dtype input
torch.nn.functional.softsign() 0- input
torch.nn.functional.tanh() 0- input
torch.nn.functional.tanhshrink() 0- input
torch.nn.functional.triplet_margin_loss() 0- anchor eps margin negative p positive reduce reduction size_average swap
torch.nn.functional.triplet_margin_with_distance_loss() 0- anchor distance_function margin negative positive reduction
 swap
torch.nn.functional.unfold() 0- dilation input kernel_size padding stride
torch.nn.grad 0- conv1d_input conv1d_weight conv2d_input conv2d_weight conv3d_input conv3d_weight torch
torch.nn.grad.conv1d_input() 0- dilation grad_output groups input_size padding stride weight
torch.nn.grad.conv1d_weight() 0- dilation grad_output groups input padding stride weight_size
torch.nn.grad.conv2d_input() 0- dilation grad_output groups input_size padding stride weight
torch.nn.grad.conv2d_weight() 0- dilation grad_output groups input padding stride weight_size
torch.nn.grad.conv3d_input() 0- dilation grad_output groups input_size padding stride weight
torch.nn.grad.conv3d_weight() 0- dilation grad_output groups input padding stride weight_size
torch.nn.init 0- Callable@9- Literal@9- ParamSpec@9- Tensor TypeVar@9- Union@9-11 calculate_gain constant constant_
 dirac dirac_ eye eye_ kaiming_normal kaiming_normal_ kaiming_uniform kaiming_uniform_ math normal normal_ ones_
 orthogonal orthogonal_ sparse sparse_ torch trunc_normal_ uniform uniform_ warnings xavier_normal xavier_normal_
 xavier_uniform xavier_uniform_ zeros_
torch.nn.init.calculate_gain() 0- nonlinearity param
torch.nn.init.constant_() 0- tensor val
torch.nn.init.dirac_() 0- groups tensor
torch.nn.init.eye_() 0- tensor
torch.nn.init.kaiming_normal_() 0- a generator@3- mode nonlinearity tensor
torch.nn.init.kaiming_uniform_() 0- a generator@3- mode nonlinearity tensor
torch.nn.init.normal_() 0- generator@3- mean std tensor
torch.nn.init.ones_() 0- tensor
torch.nn.init.orthogonal_() 0- gain generator@3- tensor
torch.nn.init.sparse_() 0- generator@3- sparsity std tensor
torch.nn.init.trunc_normal_() 0- a b generator@2- mean std tensor
torch.nn.init.uniform_() 0- a b generator@3- tensor
torch.nn.init.xavier_normal_() 0- gain generator@3- tensor
torch.nn.init.xavier_uniform_() 0- gain generator@3- tensor
torch.nn.init.zeros_() 0- tensor
torch.nn.intrinsic 0- BNReLU2d BNReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d
 ConvReLU2d ConvReLU3d LinearBn1d LinearReLU modules qat quantized
torch.nn.intrinsic.BNReLU2d() 0- batch_norm relu
torch.nn.intrinsic.BNReLU3d() 0- batch_norm relu
torch.nn.intrinsic.ConvBn1d() 0- bn conv
torch.nn.intrinsic.ConvBn2d() 0- bn conv
torch.nn.intrinsic.ConvBn3d() 0- bn conv
torch.nn.intrinsic.ConvBnReLU1d() 0- bn conv relu
torch.nn.intrinsic.ConvBnReLU2d() 0- bn conv relu
torch.nn.intrinsic.ConvBnReLU3d() 0- bn conv relu
torch.nn.intrinsic.ConvReLU1d() 0- conv relu
torch.nn.intrinsic.ConvReLU2d() 0- conv relu
torch.nn.intrinsic.ConvReLU3d() 0- conv relu
torch.nn.intrinsic.LinearBn1d() 0- bn linear
torch.nn.intrinsic.LinearReLU() 0- linear relu
torch.nn.modules 0- AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d
 AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss BatchNorm1d
 BatchNorm2d BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle CircularPad1d@2- CircularPad2d@2- CircularPad3d@2-
 ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
 ConvTranspose3d CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d
 Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU
 GLU GRU GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss
 Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d@4- LSTM LSTMCell
 LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d
 LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU
 Linear LinearCrossEntropyLoss@14- LinearCrossEntropyOptions@14- LocalResponseNorm LogSigmoid LogSoftmax MSELoss
 MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList
 MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d PReLU
 PairwiseDistance ParameterDict ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm@5- RNN RNNBase
 RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d
 ReplicationPad2d ReplicationPad3d SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin
 Softplus Softshrink Softsign SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder
 TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss
 Unflatten Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d@2- ZeroPad2d ZeroPad3d@2- activation
 adaptive batchnorm channelshuffle container conv distance dropout flatten fold instancenorm lazy linear
 linear_cross_entropy@14- linear_cross_entropy_options@14- loss module normalization padding pixelshuffle pooling rnn
 sparse transformer upsampling utils
torch.nn.modules.AdaptiveAvgPool1d() 0- output_size
torch.nn.modules.AdaptiveAvgPool2d() 0- output_size
torch.nn.modules.AdaptiveAvgPool3d() 0- output_size
torch.nn.modules.AdaptiveLogSoftmaxWithLoss() 0- cutoffs device div_value dtype head_bias in_features n_classes
torch.nn.modules.AdaptiveMaxPool1d() 0- output_size return_indices
torch.nn.modules.AdaptiveMaxPool2d() 0- output_size return_indices
torch.nn.modules.AdaptiveMaxPool3d() 0- output_size return_indices
torch.nn.modules.AlphaDropout() 0- inplace p
torch.nn.modules.AvgPool1d() 0- ceil_mode count_include_pad kernel_size padding stride
torch.nn.modules.AvgPool2d() 0- ceil_mode count_include_pad divisor_override kernel_size padding stride
torch.nn.modules.AvgPool3d() 0- ceil_mode count_include_pad divisor_override kernel_size padding stride
torch.nn.modules.BCELoss() 0- reduce reduction size_average weight
torch.nn.modules.BCEWithLogitsLoss() 0- pos_weight reduce reduction size_average weight
torch.nn.modules.BatchNorm1d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.modules.BatchNorm2d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.modules.BatchNorm3d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.modules.Bilinear() 0- bias device dtype in1_features in2_features out_features
torch.nn.modules.CELU() 0- alpha inplace
torch.nn.modules.CTCLoss() 0- blank reduction zero_infinity
torch.nn.modules.ChannelShuffle() 0- groups
torch.nn.modules.CircularPad1d() 2- padding
torch.nn.modules.CircularPad2d() 2- padding
torch.nn.modules.CircularPad3d() 2- padding
torch.nn.modules.ConstantPad1d() 0- padding value
torch.nn.modules.ConstantPad2d() 0- padding value
torch.nn.modules.ConstantPad3d() 0- padding value
torch.nn.modules.Conv1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding
 padding_mode stride
torch.nn.modules.Conv2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding
 padding_mode stride
torch.nn.modules.Conv3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding
 padding_mode stride
torch.nn.modules.ConvTranspose1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels
 output_padding padding padding_mode stride
torch.nn.modules.ConvTranspose2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels
 output_padding padding padding_mode stride
torch.nn.modules.ConvTranspose3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels
 output_padding padding padding_mode stride
torch.nn.modules.CosineEmbeddingLoss() 0- margin reduce reduction size_average
torch.nn.modules.CosineSimilarity() 0- dim eps
torch.nn.modules.CrossEntropyLoss() 0- ignore_index label_smoothing reduce reduction size_average weight
torch.nn.modules.CrossMapLRN2d() 0- alpha beta k size
torch.nn.modules.Dropout() 0- inplace p
torch.nn.modules.Dropout1d() 0- inplace p
torch.nn.modules.Dropout2d() 0- inplace p
torch.nn.modules.Dropout3d() 0- inplace p
torch.nn.modules.ELU() 0- alpha inplace
torch.nn.modules.Embedding() 0- _freeze@1- _weight device dtype embedding_dim max_norm norm_type num_embeddings
 padding_idx scale_grad_by_freq sparse
torch.nn.modules.EmbeddingBag() 0- _weight device dtype embedding_dim include_last_offset max_norm mode norm_type
 num_embeddings padding_idx scale_grad_by_freq sparse
torch.nn.modules.FeatureAlphaDropout() 0- inplace p
torch.nn.modules.Flatten() 0- end_dim start_dim
torch.nn.modules.Fold() 0- dilation kernel_size output_size padding stride
torch.nn.modules.FractionalMaxPool2d() 0- _random_samples kernel_size output_ratio output_size return_indices
torch.nn.modules.FractionalMaxPool3d() 0- _random_samples kernel_size output_ratio output_size return_indices
torch.nn.modules.GELU() 0- approximate
torch.nn.modules.GLU() 0- dim
torch.nn.modules.GRUCell() 0- bias device dtype hidden_size input_size
torch.nn.modules.GaussianNLLLoss() 0- eps full reduction
torch.nn.modules.GroupNorm() 0- affine bias@13- device dtype eps num_channels num_groups
torch.nn.modules.Hardshrink() 0- lambd
torch.nn.modules.Hardsigmoid() 0- inplace
torch.nn.modules.Hardswish() 0- inplace
torch.nn.modules.Hardtanh() 0- inplace max_val max_value min_val min_value
torch.nn.modules.HingeEmbeddingLoss() 0- margin reduce reduction size_average
torch.nn.modules.HuberLoss() 0- delta reduction
torch.nn.modules.InstanceNorm1d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.modules.InstanceNorm2d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.modules.InstanceNorm3d() 0- affine bias@13- device dtype eps momentum num_features track_running_stats
torch.nn.modules.KLDivLoss() 0- log_target reduce reduction size_average
torch.nn.modules.L1Loss() 0- reduce reduction size_average
torch.nn.modules.LPPool1d() 0- ceil_mode kernel_size norm_type stride
torch.nn.modules.LPPool2d() 0- ceil_mode kernel_size norm_type stride
torch.nn.modules.LPPool3d() 4- ceil_mode kernel_size norm_type stride
torch.nn.modules.LSTMCell() 0- bias device dtype hidden_size input_size
torch.nn.modules.LayerNorm() 0- bias@2- device dtype elementwise_affine eps normalized_shape
torch.nn.modules.LazyBatchNorm1d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.modules.LazyBatchNorm2d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.modules.LazyBatchNorm3d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.modules.LazyConv1d() 0- bias device dilation dtype groups kernel_size out_channels padding padding_mode
 stride
torch.nn.modules.LazyConv2d() 0- bias device dilation dtype groups kernel_size out_channels padding padding_mode
 stride
torch.nn.modules.LazyConv3d() 0- bias device dilation dtype groups kernel_size out_channels padding padding_mode
 stride
torch.nn.modules.LazyConvTranspose1d() 0- bias device dilation dtype groups kernel_size out_channels output_padding
 padding padding_mode stride
torch.nn.modules.LazyConvTranspose2d() 0- bias device dilation dtype groups kernel_size out_channels output_padding
 padding padding_mode stride
torch.nn.modules.LazyConvTranspose3d() 0- bias device dilation dtype groups kernel_size out_channels output_padding
 padding padding_mode stride
torch.nn.modules.LazyInstanceNorm1d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.modules.LazyInstanceNorm2d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.modules.LazyInstanceNorm3d() 0- affine bias@13- device dtype eps momentum track_running_stats
torch.nn.modules.LazyLinear() 0- bias device dtype out_features
torch.nn.modules.LeakyReLU() 0- inplace negative_slope
torch.nn.modules.Linear() 0- bias device dtype in_features out_features
torch.nn.modules.LinearCrossEntropyLoss() 14- bias device dtype ignore_index in_features label_smoothing num_classes
 options out_features reduction weight
torch.nn.modules.LocalResponseNorm() 0- alpha beta k size
torch.nn.modules.LogSigmoid() 0-1
torch.nn.modules.LogSoftmax() 0- dim
torch.nn.modules.MSELoss() 0- reduce reduction size_average
torch.nn.modules.MarginRankingLoss() 0- margin reduce reduction size_average
torch.nn.modules.MaxPool1d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.modules.MaxPool2d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.modules.MaxPool3d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.modules.MaxUnpool1d() 0- kernel_size padding stride
torch.nn.modules.MaxUnpool2d() 0- kernel_size padding stride
torch.nn.modules.MaxUnpool3d() 0- kernel_size padding stride
torch.nn.modules.Mish() 0- inplace
torch.nn.modules.Module() 0-1
torch.nn.modules.ModuleDict() 0- modules
torch.nn.modules.ModuleList() 0- modules
torch.nn.modules.MultiLabelMarginLoss() 0- reduce reduction size_average
torch.nn.modules.MultiLabelSoftMarginLoss() 0- reduce reduction size_average weight
torch.nn.modules.MultiMarginLoss() 0- margin p reduce reduction size_average weight
torch.nn.modules.MultiheadAttention() 0- add_bias_kv add_zero_attn batch_first bias device dropout dtype embed_dim
 kdim num_heads vdim
torch.nn.modules.NLLLoss() 0- ignore_index reduce reduction size_average weight
torch.nn.modules.NLLLoss2d() 0-5 ignore_index reduce reduction size_average weight
torch.nn.modules.PReLU() 0- device dtype init num_parameters
torch.nn.modules.PairwiseDistance() 0- eps keepdim p
torch.nn.modules.ParameterDict() 0- parameters
torch.nn.modules.ParameterList() 0- values
torch.nn.modules.PixelShuffle() 0- upscale_factor
torch.nn.modules.PixelUnshuffle() 0- downscale_factor
torch.nn.modules.PoissonNLLLoss() 0- eps full log_input reduce reduction size_average
torch.nn.modules.RMSNorm() 5- device dtype elementwise_affine eps normalized_shape
torch.nn.modules.RNNBase() 0- batch_first bias bidirectional device dropout dtype hidden_size input_size mode
 num_layers proj_size
torch.nn.modules.RNNCell() 0- bias device dtype hidden_size input_size nonlinearity
torch.nn.modules.RNNCellBase() 0- bias device dtype hidden_size input_size num_chunks
torch.nn.modules.RReLU() 0- inplace lower upper
torch.nn.modules.ReLU() 0- inplace
torch.nn.modules.ReLU6() 0- inplace
torch.nn.modules.ReflectionPad1d() 0- padding
torch.nn.modules.ReflectionPad2d() 0- padding
torch.nn.modules.ReflectionPad3d() 0- padding
torch.nn.modules.ReplicationPad1d() 0- padding
torch.nn.modules.ReplicationPad2d() 0- padding
torch.nn.modules.ReplicationPad3d() 0- padding
torch.nn.modules.SELU() 0- inplace
torch.nn.modules.Sequential() 0- arg
torch.nn.modules.SiLU() 0- inplace
torch.nn.modules.Sigmoid() 0-1
torch.nn.modules.SmoothL1Loss() 0- beta reduce reduction size_average
torch.nn.modules.SoftMarginLoss() 0- reduce reduction size_average
torch.nn.modules.Softmax() 0- dim
torch.nn.modules.Softmax2d() 0-1
torch.nn.modules.Softmin() 0- dim
torch.nn.modules.Softplus() 0- beta threshold
torch.nn.modules.Softshrink() 0- lambd
torch.nn.modules.Softsign() 0-1
torch.nn.modules.SyncBatchNorm() 0- affine bias@13- device dtype eps momentum num_features process_group
 track_running_stats
torch.nn.modules.Tanh() 0-1
torch.nn.modules.Tanhshrink() 0-1
torch.nn.modules.Threshold() 0- inplace threshold value
torch.nn.modules.Transformer() 0- activation batch_first bias@2- custom_decoder custom_encoder d_model device
 dim_feedforward dropout dtype layer_norm_eps nhead norm_first num_decoder_layers num_encoder_layers
torch.nn.modules.TransformerDecoder() 0- decoder_layer norm num_layers
torch.nn.modules.TransformerDecoderLayer() 0- activation batch_first bias@2- d_model device dim_feedforward dropout
 dtype layer_norm_eps nhead norm_first
torch.nn.modules.TransformerEncoder() 0- enable_nested_tensor encoder_layer mask_check norm num_layers
torch.nn.modules.TransformerEncoderLayer() 0- activation batch_first bias@2- d_model device dim_feedforward dropout
 dtype layer_norm_eps nhead norm_first
torch.nn.modules.TripletMarginLoss() 0- eps margin p reduce reduction size_average swap
torch.nn.modules.TripletMarginWithDistanceLoss() 0- distance_function margin reduction swap
torch.nn.modules.Unflatten() 0- dim unflattened_size
torch.nn.modules.Unfold() 0- dilation kernel_size padding stride
torch.nn.modules.Upsample() 0- align_corners mode recompute_scale_factor scale_factor size
torch.nn.modules.UpsamplingBilinear2d() 0- scale_factor size
torch.nn.modules.UpsamplingNearest2d() 0- scale_factor size
torch.nn.modules.ZeroPad1d() 2- padding
torch.nn.modules.ZeroPad2d() 0- padding
torch.nn.modules.ZeroPad3d() 2- padding
torch.nn.parallel 0- DataParallel DistributedDataParallel DistributedDataParallelCPU comm common_types@0-2
 data_parallel deprecated@5- distributed gather parallel_apply replicate scatter scatter_gather
torch.nn.parallel.DataParallel() 2- device_ids dim module output_device
torch.nn.parallel.DistributedDataParallel() 1- batched_grad_copy@13- broadcast_buffers bucket_cap_mb
 bucket_cap_mb_list@12- check_reduction delay_all_reduce_named_params@2- device_ids device_mesh@3- dim
 find_unused_parameters forward_sync_buffers@14- gradient_as_bucket_view init_sync@8- lazy_bucket_allocation@16-
 mixed_precision@2- module output_device param_to_hook_all_reduce@2- process_group skip_all_reduce_unused_params@9-
 static_graph
torch.nn.parallel.data_parallel() 0- device_ids dim inputs module module_kwargs output_device
torch.nn.parallel.gather() 0- dim outputs target_device
torch.nn.parallel.parallel_apply() 0- devices inputs kwargs_tup modules
torch.nn.parallel.replicate() 0- detach devices network
torch.nn.parallel.scatter() 0- dim inputs target_gpus
torch.nn.parameter 0- Any@10- Buffer@6- Optional@0-6 OrderedDict Parameter Tensor Tuple@0-6 TypeGuard@6-7 TypeIs@7-
 UninitializedBuffer UninitializedParameter UninitializedTensorMixin builtins@0-6 device@6- dtype@6- is_lazy torch
torch.nn.parameter.is_lazy() 0- param
torch.nn.qat 0- Conv1d Conv2d Conv3d Embedding EmbeddingBag Linear dynamic modules
torch.nn.qat.Conv1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding padding_mode
 qconfig stride
torch.nn.qat.Conv2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding padding_mode
 qconfig stride
torch.nn.qat.Conv3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding padding_mode
 qconfig stride
torch.nn.qat.Embedding() 0- _weight device dtype embedding_dim max_norm norm_type num_embeddings padding_idx qconfig
 scale_grad_by_freq sparse
torch.nn.qat.EmbeddingBag() 0- _weight device dtype embedding_dim include_last_offset max_norm mode norm_type
 num_embeddings padding_idx qconfig scale_grad_by_freq sparse
torch.nn.qat.Linear() 0- bias device dtype in_features out_features qconfig
torch.nn.quantizable 0- LSTM LSTMCell MultiheadAttention modules
torch.nn.quantizable.LSTM() 0- batch_first bias bidirectional device dropout dtype hidden_size input_size num_layers
 split_gates@7-
torch.nn.quantizable.LSTMCell() 0- bias device dtype hidden_dim input_dim split_gates@7-
torch.nn.quantizable.MultiheadAttention() 0- add_bias_kv add_zero_attn batch_first bias device dropout dtype embed_dim
 kdim num_heads vdim
torch.nn.quantized 0- BatchNorm2d BatchNorm3d Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d
 DeQuantize Dropout ELU Embedding EmbeddingBag FXFloatFunctional FloatFunctional GroupNorm Hardswish InstanceNorm1d
 InstanceNorm2d InstanceNorm3d LSTM LayerNorm LeakyReLU Linear MaxPool2d MultiheadAttention PReLU QFunctional Quantize
 ReLU6 Sigmoid Softmax dynamic functional modules
torch.nn.quantized.BatchNorm2d() 0- device dtype eps momentum num_features
torch.nn.quantized.BatchNorm3d() 0- device dtype eps momentum num_features
torch.nn.quantized.Conv1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding
 padding_mode stride
torch.nn.quantized.Conv2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding
 padding_mode stride
torch.nn.quantized.Conv3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels padding
 padding_mode stride
torch.nn.quantized.ConvTranspose1d() 0- bias device dilation dtype groups in_channels kernel_size out_channels
 output_padding padding padding_mode stride
torch.nn.quantized.ConvTranspose2d() 0- bias device dilation dtype groups in_channels kernel_size out_channels
 output_padding padding padding_mode stride
torch.nn.quantized.ConvTranspose3d() 0- bias device dilation dtype groups in_channels kernel_size out_channels
 output_padding padding padding_mode stride
torch.nn.quantized.DeQuantize() 0-1
torch.nn.quantized.ELU() 0- alpha scale zero_point
torch.nn.quantized.Embedding() 0- _weight dtype embedding_dim max_norm norm_type num_embeddings padding_idx
 scale_grad_by_freq sparse
torch.nn.quantized.EmbeddingBag() 0- _weight dtype embedding_dim include_last_offset max_norm mode norm_type
 num_embeddings scale_grad_by_freq sparse
torch.nn.quantized.FloatFunctional() 0-
torch.nn.quantized.GroupNorm() 0- affine bias device dtype eps num_channels num_groups scale weight zero_point
torch.nn.quantized.Hardswish() 0- device@2- dtype@2- scale zero_point
torch.nn.quantized.InstanceNorm1d() 0- affine bias device dtype eps momentum num_features scale track_running_stats
 weight zero_point
torch.nn.quantized.InstanceNorm2d() 0- affine bias device dtype eps momentum num_features scale track_running_stats
 weight zero_point
torch.nn.quantized.InstanceNorm3d() 0- affine bias device dtype eps momentum num_features scale track_running_stats
 weight zero_point
torch.nn.quantized.LayerNorm() 0- bias device dtype elementwise_affine eps normalized_shape scale weight zero_point
torch.nn.quantized.LeakyReLU() 0- device dtype inplace negative_slope scale zero_point
torch.nn.quantized.Linear() 0- bias_ dtype in_features out_features
torch.nn.quantized.MaxPool2d() 0- ceil_mode dilation kernel_size padding return_indices stride
torch.nn.quantized.PReLU() 0- num_parameters output_scale output_zero_point
torch.nn.quantized.QFunctional() 0-
torch.nn.quantized.Quantize() 0- dtype factory_kwargs scale zero_point
torch.nn.quantized.ReLU6() 0- inplace
torch.nn.quantized.Sigmoid() 0- output_scale output_zero_point
torch.nn.quantized.Softmax() 0- dim scale zero_point
torch.nn.utils 0- clip_grad clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_@7-
 convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format@4- convert_parameters fuse_conv_bn_eval
 fuse_conv_bn_weights fuse_linear_bn_eval@3- fuse_linear_bn_weights@3- fusion get_total_norm@7- init memory_format
 parameters_to_vector parametrizations parametrize prune remove_spectral_norm remove_weight_norm rnn skip_init
 spectral_norm stateless vector_to_parameters weight_norm
torch.nn.utils.clip_grad_norm() 0- error_if_nonfinite foreach@1- max_norm norm_type parameters
torch.nn.utils.clip_grad_norm_() 0-4 error_if_nonfinite foreach@1-4 max_norm norm_type parameters
torch.nn.utils.clip_grad_value_() 0-4 clip_value foreach@1-4 parameters
torch.nn.utils.convert_conv2d_weight_memory_format() 0- memory_format module
torch.nn.utils.convert_conv3d_weight_memory_format() 4- memory_format module
torch.nn.utils.fuse_conv_bn_eval() 0- bn conv transpose
torch.nn.utils.fuse_conv_bn_weights() 0- bn_b bn_eps bn_rm bn_rv bn_w conv_b conv_w transpose
torch.nn.utils.fuse_linear_bn_eval() 3- bn linear
torch.nn.utils.fuse_linear_bn_weights() 3- bn_b bn_eps bn_rm bn_rv bn_w linear_b linear_w
torch.nn.utils.parameters_to_vector() 0- parameters
torch.nn.utils.remove_spectral_norm() 0- module name
torch.nn.utils.remove_weight_norm() 0- module name
torch.nn.utils.spectral_norm() 0- dim eps module n_power_iterations name
torch.nn.utils.vector_to_parameters() 0- parameters vec
torch.nn.utils.weight_norm() 0- dim module name
torch.no_grad() 0-
torch.nonzero() 0- as_tuple input out
torch.nonzero_static() 2- fill_value input out size
torch.norm() 0- dim dtype input keepdim out p
torch.norm_except_dim() 0- dim pow v
torch.normal() 0- device dtype generator layout mean memory_format out pin_memory requires_grad size std
torch.not_equal() 0- input other out
torch.nuclear_norm() 0- dim input keepdim out
torch.numa 10- binding
torch.numa.binding 10- AffinityMode Callable Enum Iterable Iterator@10-11 K NumaOptions Optional@10-11 ParamSpec@11-
 TypeVar V asdict contextmanager@10-11 dataclass defaultdict getLogger logger
 maybe_temporarily_apply_numa_binding_to_current_thread@10-11 maybe_wrap_command_args_with_numa_binding@11-12
 maybe_wrap_with_numa_binding@11-12 os shutil@11- signpost_event torch traceback wraps@11-
torch.numa.binding.maybe_temporarily_apply_numa_binding_to_current_thread() 10-11 gpu_index numa_options
torch.numa.binding.maybe_wrap_command_args_with_numa_binding() 11-12 command_args gpu_index numa_options
torch.numa.binding.maybe_wrap_with_numa_binding() 11-12 func gpu_index numa_options
torch.numa.binding.signpost_event() 10- category name parameters
torch.numel() 0- input self
torch.ones() 0- device dtype layout memory_format names@0-14 out pin_memory requires_grad size
torch.ones_like() 0- device dtype input layout memory_format pin_memory requires_grad
torch.onnx 0- Any@6- Callable@6- CheckerError@0-6 Collection@6- DiagnosticOptions@2-9 ExportOptions@2-10
 ExportOutput@2-3 ExportOutputSerializer@2-3 ExportTypes@0-7 ExportableModule@12- InputObserver@12-
 InvalidExportOptionsError@3-6 JitScalarType Mapping@6- ONNXProgram@3- ONNXProgramSerializer@3-6
 ONNXRuntimeOptions@3-9 OnnxExporterError@2- OnnxRegistry@2-9 OperatorExportTypes Sequence@6- SymbolicContext@0-6
 TYPE_CHECKING@6- TensorProtoDataType TrainingMode annotations@6- deprecated@8-10 disable_log@0-7 dynamo_export@2-10
 enable_fake_mode@2-10 enable_log@0-7 errors export export_to_pretty_string@0-7 is_in_onnx_export
 is_onnx_log_enabled@0-7 is_onnxrt_backend_supported@2-10 log@0-7 operators ops@9- os@6- producer_name
 producer_version register_custom_op_symbolic select_model_mode_for_export set_log_stream@0-7 symbolic_caffe2@0-10
 symbolic_helper symbolic_opset10 symbolic_opset11 symbolic_opset12 symbolic_opset13 symbolic_opset14 symbolic_opset15
 symbolic_opset16 symbolic_opset17 symbolic_opset18@1- symbolic_opset19@5- symbolic_opset20@5- symbolic_opset7
 symbolic_opset8 symbolic_opset9 testing@11- torch@6- unregister_custom_op_symbolic utils verification
torch.onnx.ExportOptions() 6-8 diagnostic_options dynamic_shapes fake_context onnx_registry
torch.onnx.InputObserver() 12- value_if_missing
torch.onnx.ONNXProgram() 6- diagnostic_context@6-7 export_exception@6-7 exported_program@7- fake_context@6-7
 input_adapter@6-7 model@7- model_proto@6-7 model_torch@6-7 output_adapter@6-7
torch.onnx.ONNXRuntimeOptions() 6-8 execution_provider_options execution_providers session_options
torch.onnx.OnnxExporterError() 2-6 export_output@2-3 message onnx_program@3-6
torch.onnx.OnnxRegistry() 2-8
torch.onnx.SymbolicContext() 0-6 cur_node env onnx_block params_dict
torch.onnx.disable_log() 0-7
torch.onnx.enable_fake_mode() 2-10
torch.onnx.enable_log() 0-7
torch.onnx.errors 0- CallHintViolationWarning@0-2 CheckerError@0-6 OnnxExporterError OnnxExporterWarning Optional@0-6
 SymbolicValueError TYPE_CHECKING@6- UnsupportedOperatorError annotations diagnostics@0-6 textwrap
torch.onnx.errors.SymbolicValueError() 0- msg value
torch.onnx.errors.UnsupportedOperatorError() 0- domain@0-1 name@1- op_name@0-1 supported_version version
torch.onnx.export() 5-6,8- args artifacts_dir@8- autograd_inlining custom_opsets custom_translation_table@8-
 do_constant_folding dump_exported_program@8- dynamic_axes dynamic_shapes@8- dynamo export_modules_as_functions
 export_params external_data@8- f fallback@8-12 input_names keep_initializers_as_inputs kwargs@8- model
 operator_export_type opset_version optimize@8- output_names profile@8- report@8- training verbose verify@8-
torch.onnx.export_to_pretty_string() 6-7 add_node_names args custom_opsets do_constant_folding dynamic_axes
 export_params export_type google_printer input_names keep_initializers_as_inputs model operator_export_type
 opset_version output_names training verbose
torch.onnx.is_in_onnx_export() 0-
torch.onnx.is_onnxrt_backend_supported() 2-10
torch.onnx.operators 0- annotations@7- reshape_from_tensor_shape shape_as_tensor torch
torch.onnx.operators.reshape_from_tensor_shape() 0-7 shape x
torch.onnx.operators.shape_as_tensor() 0-7 x
torch.onnx.ops 9- Callable Sequence TYPE_CHECKING annotations aten_decompositions attention rotary_embedding symbolic
 symbolic_multi_out torch
torch.onnx.ops.aten_decompositions() 9-
torch.onnx.ops.attention() 9- K Q V attn_mask is_causal kv_num_heads past_key past_value q_num_heads
 qk_matmul_output_mode scale softcap softmax_precision
torch.onnx.ops.rotary_embedding() 9- X cos_cache interleaved num_heads position_ids rotary_embedding_dim sin_cache
torch.onnx.ops.symbolic() 9- attrs domain_op dtype inputs metadata_props shape version
torch.onnx.ops.symbolic_multi_out() 9- attrs domain_op dtypes inputs metadata_props shapes version
torch.onnx.register_custom_op_symbolic() 6- opset_version symbolic_fn symbolic_name
torch.onnx.select_model_mode_for_export() 6- mode model
torch.onnx.symbolic_caffe2 0-10 add avg_pool2d cat conv2d conv2d_relu conv_prepack dequantize importlib inspect
 jit_utils linear linear_prepack max_pool2d nchw2nhwc nhwc2nchw opset9 quantize_per_tensor register_quantized_ops
 registration relu reshape sigmoid slice symbolic_helper upsample_nearest2d
torch.onnx.symbolic_caffe2.cat() 0-10 dim g scale tensor_list zero_point
torch.onnx.symbolic_caffe2.conv_prepack() 0-10 bias dilation g groups input padding stride weight
torch.onnx.symbolic_caffe2.linear_prepack() 0-10 bias g weight
torch.onnx.symbolic_caffe2.nchw2nhwc() 0-10 g input
torch.onnx.symbolic_caffe2.nhwc2nchw() 0-10 g input
torch.onnx.symbolic_caffe2.register_quantized_ops() 0-10 domain version
torch.onnx.symbolic_caffe2.reshape() 0-10 g input shape
torch.onnx.symbolic_caffe2.upsample_nearest2d() 0-10 align_corners g input output_size scales_h scales_w
torch.onnx.symbolic_helper 0- Any@0-10 Callable@0-10 GLOBALS@0-10 List@0-6 Literal@0-10 NoReturn@0-10 Number@0-10
 Optional@0-6 Sequence@0-10 Set@0-6 Tuple@0-6 Union@0-6 annotations args_have_same_dtype cast_pytorch_to_onnx
 check_training_mode dequantize_helper errors@0-10 functools@0-10 inspect@0-10 is_caffe2_aten_fallback@0-6
 is_complex_value jit_utils@0-10 math@5-10 parse_args pytorch_name_to_type quantize_helper quantized_args
 requantize_bias_helper scalar_name_to_pytorch scalar_type_to_onnx scalar_type_to_pytorch_type sys@0-10 torch@0-10
 typing@0-10 utils@5-10 warnings@0-10
torch.onnx.symbolic_helper.args_have_same_dtype() 6- args
torch.onnx.symbolic_helper.check_training_mode() 6- op_name op_train_mode
torch.onnx.symbolic_helper.dequantize_helper() 6- g qdtype qtensor
torch.onnx.symbolic_helper.is_complex_value() 6- x
torch.onnx.symbolic_helper.parse_args() 6-
torch.onnx.symbolic_helper.quantize_helper() 6- axis g scale tensor zero_point
torch.onnx.symbolic_helper.quantized_args() 6- quantize_output scale zero_point
torch.onnx.symbolic_helper.requantize_bias_helper() 6- axis bias g input_scale weight_scale
torch.onnx.symbolic_opset10 0- Callable@0-3 GLOBALS@0-10 List@2-6 Optional@2-6 Sequence@0-1,2-10 TYPE_CHECKING@8-10
 Tuple@2-6 Union@2-6 annotations@2- dequantize div embedding_bag errors@0-10 fake_quantize_per_tensor_affine flip fmod
 functools@0-10 isfinite isinf jit_utils@0-10 nan_to_num opset9@0-10 quantize_per_tensor quantized_add
 quantized_add_relu quantized_cat quantized_conv1d@2- quantized_conv1d_relu@1- quantized_conv2d quantized_conv2d_relu
 quantized_conv3d@2- quantized_conv3d_relu@2- quantized_conv_transpose1d@2- quantized_conv_transpose2d@2-
 quantized_conv_transpose3d@2- quantized_group_norm quantized_hardswish quantized_instance_norm quantized_layer_norm
 quantized_leaky_relu quantized_linear quantized_linear_relu@3- quantized_mul quantized_sigmoid registration@0-10
 slice sort symbolic_helper@0-10 sys@0-10 topk torch@0-10 warnings@0-10
torch.onnx.symbolic_opset11 0- Delete GLOBALS@0-5 Optional@0-6 Sequence@0-10 TYPE_CHECKING@8-10 Union@0-2 add
 annotations@1- append arange argsort atleast_1d@2- atleast_2d@2- atleast_3d@2- cat chunk clamp clamp_max clamp_min
 constant_pad_nd cumsum embedding_bag embedding_renorm errors@0-10 flatten functools@0-10 gather hardtanh hstack@2-
 im2col index index_copy index_fill index_put insert jit_utils@0-10 linalg_det linalg_vector_norm logdet
 masked_scatter masked_select mm narrow normal opset10@0-10 opset9@0-10 pad pixel_shuffle pop prim_constant_chunk
 reflection_pad registration@0-10 relu6 remainder replication_pad round scatter select size sort split
 split_with_sizes squeeze stack symbolic_helper@0-10 sys@0-10 topk torch@0-10 unbind unique_dim unsqueeze utils@0-10
 vstack@2- warnings@0-10
torch.onnx.symbolic_opset12 0- Optional@0-6 Tuple@0-6 annotations@2- argmax argmin binary_cross_entropy_with_logits
 celu cross_entropy_loss dropout einsum errors@0-10 functools@0-10 ge jit_utils@0-10 le native_dropout nll_loss
 nll_loss2d nll_loss_nd opset9@0-10 outer pow registration@0-10 symbolic_helper@0-10 sys@0-10 tensordot torch@0-10
 unfold utils@0-10
torch.onnx.symbolic_opset13 0- annotations@10- diagonal errors fake_quantize_per_channel_affine
 fake_quantize_per_tensor_affine frobenius_norm functools jit_utils log_softmax nonzero_numpy opset11 opset9
 quantized_conv1d@2- quantized_conv1d_relu@2- quantized_conv2d quantized_conv2d_relu quantized_conv3d@2-
 quantized_conv3d_relu@2- quantized_conv_transpose1d@2- quantized_conv_transpose2d@2- quantized_conv_transpose3d@2-
 quantized_linear quantized_linear_relu@3- registration repeat_interleave softmax split split_with_sizes
 symbolic_helper tensor_split tile@2- torch unbind unflatten@2- unsafe_chunk unsafe_split unsafe_split_with_sizes
 utils where
torch.onnx.symbolic_opset14 0- GLOBALS@0-10 Optional@2-6 annotations@2- batch_norm functools@0-10 hardswish
 jit_utils@0-10 quantized_hardswish registration@0-10 reshape scaled_dot_product_attention@2- symbolic_helper@0-10
 torch@0-10 tril triu
torch.onnx.symbolic_opset15 0- annotations@10- aten__is_ aten__isnot_ bernoulli@1- functools jit_utils opset9
 prim_unchecked_cast registration symbolic_helper torch
torch.onnx.symbolic_opset16 0- GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES annotations@10- errors@2-
 functools grid_sampler jit_utils registration scatter_add scatter_reduce@2- symbolic_helper torch@1- utils@2-
torch.onnx.symbolic_opset17 0- Optional@2-10 Sequence@0-10 annotations@10- errors@2-10 functools@0-10 jit_utils@0-10
 layer_norm quantized_layer_norm@5- registration@0-10 stft@2- symbolic_helper@0-10 torch@2-10
torch.onnx.symbolic_opset18 1- List@5-8 Optional@5-10 Sequence@1-10 Tuple@5-8 amax@5-10 amin@5-10 aminmax@5-10
 annotations@10- col2im embedding_bag@5-10 functools@1-10 jit_utils@5-10 linalg_vector_norm@5-10 max@5-10 maximum@5-10
 min@5-10 minimum@5-10 opset9@5-10 registration@1-10 symbolic_helper@1-10 torch@5-10
torch.onnx.symbolic_opset19 5- List@5-8 annotations@10-
torch.onnx.symbolic_opset20 5- F@5-10 annotations@10- convert_grid_sample_mode@5-10 functools@5-10 gelu@6-
 jit_utils@5-10 registration@5-10 symbolic_helper@5-10
torch.onnx.symbolic_opset20.convert_grid_sample_mode() 5-10 mode_s
torch.onnx.symbolic_opset7 0- annotations@10- block_listed_op block_listed_operators functools jit_utils max min
 opset9 registration symbolic_helper warnings
torch.onnx.symbolic_opset8 0- addmm annotations@10- block_listed_op block_listed_operators bmm empty empty_like errors
 flatten full full_like functools gt jit_utils lt matmul mm ones ones_like opset9 prelu registration repeat
 symbolic_helper torch warnings zeros zeros_like
torch.onnx.symbolic_opset9 1- Callable@1-10 GLOBALS@1-10 List@1-6 Number@1-10 Optional@1-6 Sequence@1-10
 TYPE_CHECKING@6-10 Tuple@1-6 Union@1-6 abs acos add addcmul addmm alias amax amin aminmax annotations@2- arange
 argmax argmin as_strided as_tensor asin atan atan2@2- baddbmm batch_norm bernoulli bitwise_not bitwise_or bmm
 broadcast_tensors broadcast_to@2- bucketize builtins@1-10 cat cdist ceil clamp clamp_max clamp_min clone
 constant_pad_nd contiguous conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
 convert_element_type convolution cos cosine_similarity cross cumsum deprecated@8-10 detach dim div dot dropout elu
 embedding embedding_bag empty empty_like eq erf errors@1-10 exp expand expand_as eye fill flatten floor floor_divide
 floordiv frobenius_norm full full_like functools@1-10 gather ge gelu get_pool_ceil_padding glu group_norm gt
 hann_window hardshrink hardsigmoid hardswish hardtanh index index_add index_copy index_fill index_put index_select
 instance_norm is_floating_point is_pinned isnan item jit_utils@1-10 kl_div layer_norm le leaky_relu lerp lift
 linalg_cross linalg_matrix_norm linalg_norm linalg_vector_norm linear linspace log log10 log1p log2 log_sigmoid
 log_softmax logical_and logical_not@2- logical_or logical_xor logit@2- logsumexp lstm lstm_cell lt masked_fill
 masked_fill_ math@1-10 matmul max max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices maximum
 meshgrid min minimum mish mm movedim mse_loss mul multinomial mv narrow native_layer_norm ne neg new_empty new_full
 new_ones new_zeros nonzero nonzero_numpy noop_complex_operators norm numel numpy_T one_hot ones ones_like
 onnx_placeholder overload_by_arg_count@1-5 pad pairwise_distance permute pixel_shuffle pixel_unshuffle pow prelu
 prim_constant prim_constant_chunk prim_constant_split prim_data prim_device prim_dtype prim_if prim_layout
 prim_list_construct prim_list_unpack prim_loop prim_max prim_min prim_shape prim_tolist prim_tuple_construct
 prim_type prim_unchecked_cast prim_uninitialized rand rand_like randint@2- randint_like@2- randn randn_like
 reciprocal reflection_pad registration@1-10 relu relu6 remainder repeat repeat_interleave replication_pad reshape
 reshape_as roll rrelu rsqrt rsub scalar_tensor scatter scatter_add select selu sigmoid sign silu sin size slice
 softmax softplus softshrink sort split split_with_sizes sqrt square squeeze stack std std_mean sub
 symbolic_helper@1-10 sys@1-10 t take tan tanh tanhshrink tensor threshold to topk torch@1-10 transpose true_divide
 type_as unbind unfold unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsupported_complex_operators
 unused var var_mean view view_as warnings@1-10 where wrap_logical_op_with_cast_to wrap_logical_op_with_negation zero
 zeros zeros_like
torch.onnx.symbolic_opset9.unused() 6- g
torch.onnx.symbolic_opset9.wrap_logical_op_with_cast_to() 6- to_type
torch.onnx.symbolic_opset9.wrap_logical_op_with_negation() 6- func
torch.onnx.testing 11- assert_onnx_program
torch.onnx.testing.assert_onnx_program() 11- args atol backend kwargs program rtol strategy
torch.onnx.unregister_custom_op_symbolic() 6- opset_version symbolic_name
torch.onnx.utils 0- Any@0-10 Callable@0-10 Collection@0-10 Dict@0-6 GLOBALS@0-10 List@0-6 Mapping@0-10 Optional@0-6
 Sequence@0-10 Set@0-6 Tuple@0-6 Type@0-6 Union@0-6 annotations cast@0-10 contextlib@0-10 copy@0-10 deprecated@8-10
 diagnostics@0-9 disable_apex_o2_state_dict_hook errors@0-10 export export_to_pretty_string@0-7 exporter_context
 inspect@0-10 io@0-6 is_in_onnx_export@0-9 jit_utils@0-10 model_signature@2- onnx_proto_utils@1-10 os@0-1 re@0-10
 register_custom_op_symbolic registration@0-10 select_model_mode_for_export setup_onnx_logging symbolic_caffe2@0-6
 symbolic_helper@0-10 textwrap@0-6 torch@0-10 typing@0-10 unconvertible_ops unpack_quantized_tensor
 unregister_custom_op_symbolic warn_on_static_input_change warnings@0-10 zipfile@0-1
torch.onnx.utils.disable_apex_o2_state_dict_hook() 6- model
torch.onnx.utils.export() 5- args autograd_inlining custom_opsets do_constant_folding dynamic_axes dynamo@5-6
 export_modules_as_functions export_params f input_names keep_initializers_as_inputs kwargs@6- model
 operator_export_type opset_version output_names training verbose
torch.onnx.utils.export_to_pretty_string() 6-7 add_node_names args custom_opsets do_constant_folding dynamic_axes
 export_params export_type google_printer input_names keep_initializers_as_inputs model operator_export_type
 opset_version output_names training verbose
torch.onnx.utils.exporter_context() 6- mode model verbose
torch.onnx.utils.is_in_onnx_export() 0-9
torch.onnx.utils.model_signature() 2- model
torch.onnx.utils.register_custom_op_symbolic() 6- opset_version symbolic_fn symbolic_name
torch.onnx.utils.select_model_mode_for_export() 6- mode model
torch.onnx.utils.setup_onnx_logging() 6- verbose
torch.onnx.utils.unconvertible_ops() 6- args model opset_version training
torch.onnx.utils.unpack_quantized_tensor() 6- cast_onnx_accepted value
torch.onnx.utils.unregister_custom_op_symbolic() 6- opset_version symbolic_name
torch.onnx.utils.warn_on_static_input_change() 6- input_states
torch.onnx.verification 0- Any@0-10 Callable@0-10 Collection@1-10 Dict@0-6 FrozenSet@1-6 GLOBALS@0-10 GraphInfo@1-10
 GraphInfoPrettyPrinter@1-10 List@1-6 Mapping@0-10 Number@0-10 OnnxBackend@1-10 OnnxTestCaseRepro@1-10 Optional@0-6
 Sequence@0-10 Set@1-6 Tuple@0-8 Union@0-10 VerificationInfo@8- VerificationOptions@1-10 annotations@0-10
 check_export_model_diff@0-10 contextlib@0-10 copy@0-10 dataclasses@1-10 datetime@1-10 difflib@0-10 enum@1-10
 find_mismatch@1-10 functools@1-10 io@0-10 itertools@0-10 np@0-10 npt@7-10 onnx_proto_utils@1-10 os@0-10 tempfile@0-10
 torch@0-10 typing_extensions@8-10 utils@0-10 verify@0-10 verify_aten_graph@1-10 verify_onnx_program@8- warnings@0-10
torch.onnx.verification.GraphInfoPrettyPrinter() 1-10 graph_info
torch.onnx.verification.OnnxTestCaseRepro() 1-10 repro_dir
torch.onnx.verification.check_export_model_diff() 6-10 export_options model test_input_groups
torch.onnx.verification.find_mismatch() 6-10 do_constant_folding input_args keep_initializers_as_inputs model
 opset_version options training verbose
torch.onnx.verification.verify() 6-10 additional_test_inputs do_constant_folding dynamic_axes fixed_batch_size
 input_args input_kwargs input_names keep_initializers_as_inputs model opset_version options output_names training
 use_external_data verbose
torch.onnx.verification.verify_aten_graph() 6-10 export_options graph input_args params_dict verification_options
torch.onnx.verification.verify_onnx_program() 8- args compare_intermediates kwargs onnx_program
torch.optim 0- ASGD Adadelta Adafactor@6- Adagrad Adam AdamW Adamax LBFGS Muon@10- NAdam Optimizer RAdam RMSprop Rprop
 SGD SparseAdam adadelta adagrad adam adamax adamw asgd functional@16- lbfgs lr_scheduler nadam optimizer radam
 rmsprop rprop sgd sparse_adam swa_utils swap_in_optimizer_params_and_state@14-
torch.optim.ASGD() 5- alpha capturable differentiable foreach lambd lr maximize params t0 weight_decay
torch.optim.Adadelta() 5- capturable differentiable eps foreach lr maximize params rho weight_decay
torch.optim.Adafactor() 6- beta2_decay d eps foreach lr maximize params weight_decay
torch.optim.Adagrad() 5- differentiable eps foreach fused initial_accumulator_value lr lr_decay maximize params
 weight_decay
torch.optim.Adam() 5- amsgrad betas capturable decoupled_weight_decay@8- differentiable eps foreach fused lr maximize
 params weight_decay
torch.optim.AdamW() 5- amsgrad betas capturable differentiable eps foreach fused lr maximize params weight_decay
torch.optim.Adamax() 5- betas capturable differentiable eps foreach lr maximize params weight_decay
torch.optim.LBFGS() 5- history_size line_search_fn lr max_eval max_iter maximize@15- params tolerance_change
 tolerance_grad
torch.optim.Muon() 10- adjust_lr_fn eps lr momentum nesterov ns_coefficients ns_steps params weight_decay
torch.optim.NAdam() 5- betas capturable decoupled_weight_decay differentiable eps foreach lr maximize momentum_decay
 params weight_decay
torch.optim.Optimizer() 2- defaults params
torch.optim.RAdam() 5- betas capturable decoupled_weight_decay differentiable eps foreach lr maximize params
 weight_decay
torch.optim.RMSprop() 5- alpha capturable centered differentiable eps foreach lr maximize momentum params weight_decay
torch.optim.Rprop() 5- capturable differentiable etas foreach lr maximize params step_sizes
torch.optim.SGD() 5- dampening differentiable foreach fused lr maximize momentum nesterov params weight_decay
torch.optim.SparseAdam() 5- betas eps lr maximize params
torch.optim.adadelta 0- Adadelta Any@5- Dict@5-8 List@0-8 Optimizer Optional@0-11 ParamsT@3- Tensor Tuple@0-2
 Union@6-11 adadelta cast@6- params_t@2-3 torch
torch.optim.adadelta.Adadelta() 5- capturable differentiable eps foreach lr maximize params rho weight_decay
torch.optim.adadelta.Optimizer() 2- defaults params
torch.optim.adadelta.adadelta() 0-5 acc_deltas differentiable@1-5 eps foreach grads has_complex@3-5 lr maximize params
 rho square_avgs weight_decay
torch.optim.adagrad 0- Adagrad DeviceDict@13- List@0-8 Optimizer Optional@0-11 ParamsT@3- Tensor Tuple@0-2 Union@6-11
 adagrad cast@6- params_t@2-3 torch
torch.optim.adagrad.Adagrad() 5- differentiable eps foreach fused initial_accumulator_value lr lr_decay maximize
 params weight_decay
torch.optim.adagrad.Optimizer() 2- defaults params
torch.optim.adagrad.adagrad() 0- differentiable@1- eps foreach found_inf@5- fused@5- grad_scale@5- grads
 has_complex@3- has_sparse_grad lr lr_decay maximize params state_steps state_sums weight_decay
torch.optim.adam 0- Adam DeviceDict@5- DeviceDtypeDict@7- Dict@0-1 List@0-8 Optimizer Optional@0-11 ParamsT@3- Tensor
 Tuple@0-8 Union@2-11 adam cast@0-1,6- defaultdict@0-1 math@0-1 params_t@2-3 torch
torch.optim.adam.Adam() 5- amsgrad betas capturable decoupled_weight_decay@8- differentiable eps foreach fused lr
 maximize params weight_decay
torch.optim.adam.Optimizer() 2- defaults params
torch.optim.adam.adam() 0-5 amsgrad beta1 beta2 capturable differentiable eps exp_avg_sqs exp_avgs foreach found_inf
 fused grad_scale grads has_complex@3-5 lr max_exp_avg_sqs maximize params state_steps weight_decay
torch.optim.adamax 0- Adamax List@0-8 Optimizer Optional@0-11 ParamsT@3- Tensor Tuple@0-8 Union@5-11 adamax cast@6-
 params_t@2-3 torch
torch.optim.adamax.Adamax() 5- betas capturable differentiable eps foreach lr maximize params weight_decay
torch.optim.adamax.Optimizer() 2- defaults params
torch.optim.adamax.adamax() 0-5 beta1 beta2 capturable@4-5 differentiable@1-5 eps exp_avgs exp_infs foreach grads
 has_complex@3-5 lr maximize params state_steps weight_decay
torch.optim.adamw 0- Adam@8- AdamW DeviceDict@5-8 DeviceDtypeDict@7-8 List@0-8 Optimizer@0-8 Optional@0-11 ParamsT@3-
 StateDict@15- Tensor Tuple@0-8 Union@2-11 adam@8- adamw cast@5-8 math@0-1 params_t@2-3 torch@0-8
torch.optim.adamw.Adam() 8- amsgrad betas capturable decoupled_weight_decay differentiable eps foreach fused lr
 maximize params weight_decay
torch.optim.adamw.AdamW() 5- amsgrad betas capturable differentiable eps foreach fused lr maximize params weight_decay
torch.optim.adamw.Optimizer() 2-8 defaults params
torch.optim.adamw.adamw() 0-5,8- amsgrad beta1 beta2 capturable differentiable@1-5,8- eps exp_avg_sqs exp_avgs foreach
 found_inf@1-5,8- fused@1-5,8- grad_scale@1-5,8- grads has_complex@3-5,8- lr max_exp_avg_sqs maximize params
 state_steps weight_decay
torch.optim.asgd 0- ASGD List@0-8 Optimizer Optional@0-11 ParamsT@3- Tensor Tuple@0-2,5-8 Union@5-11 asgd cast@6-
 is_compiling@1-4 math@0-1 params_t@2-3 torch
torch.optim.asgd.ASGD() 5- alpha capturable differentiable foreach lambd lr maximize params t0 weight_decay
torch.optim.asgd.Optimizer() 2- defaults params
torch.optim.asgd.asgd() 0-5 alpha axs capturable@3-5 differentiable@1-5 etas foreach grads has_complex@3-5 lambd lr
 maximize mus params state_steps t0 weight_decay
torch.optim.asgd.is_compiling() 1-4
torch.optim.functional 16- adadelta adafactor adagrad adam adamax adamw asgd muon nadam radam rmsprop rprop sgd
 sparse_adam
torch.optim.lbfgs 0- LBFGS Optimizer Optional@0-11 ParamsT@3- Tensor@6- Tuple@0-2 Union@6-11 params_t@2-3 reduce@0-4
 torch
torch.optim.lbfgs.LBFGS() 5- history_size line_search_fn lr max_eval max_iter maximize@15- params tolerance_change
 tolerance_grad
torch.optim.lbfgs.Optimizer() 2- defaults params
torch.optim.lr_scheduler 0- Any Callable ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts
 Counter CyclicLR Dict@1-8 EPOCH_DEPRECATION_WARNING ExponentialLR Iterable LRScheduler@1- LambdaLR LinearLR List@0-8
 Literal@5- MultiStepLR MultiplicativeLR OneCycleLR Optimizer Optional@0-11 PolynomialLR ReduceLROnPlateau Self@9-
 Sequence@5- SequentialLR StepLR SupportsFloat@5- TYPE_CHECKING@9- Tensor@5- TypedDict@5- Union@0-11 annotations@9-
 bisect_right cast@5- inf math override@9- partial@2- ref@5- types warnings weakref@0-5 wraps@0-5,6-
torch.optim.lr_scheduler.ChainedScheduler() 5- optimizer schedulers
torch.optim.lr_scheduler.ConstantLR() 5- factor last_epoch optimizer total_iters verbose@5-8
torch.optim.lr_scheduler.CosineAnnealingLR() 5- T_max eta_min last_epoch optimizer verbose@5-8
torch.optim.lr_scheduler.CosineAnnealingWarmRestarts() 5- T_0 T_mult eta_min last_epoch optimizer verbose@5-8
torch.optim.lr_scheduler.CyclicLR() 5- base_lr base_momentum cycle_momentum gamma last_epoch max_lr max_momentum mode
 optimizer scale_fn scale_mode step_size_down step_size_up verbose@5-8
torch.optim.lr_scheduler.ExponentialLR() 5- gamma last_epoch optimizer verbose@5-8
torch.optim.lr_scheduler.LRScheduler() 5- last_epoch optimizer verbose@5-8
torch.optim.lr_scheduler.LambdaLR() 5- last_epoch lr_lambda optimizer verbose@5-8
torch.optim.lr_scheduler.LinearLR() 5- end_factor last_epoch optimizer start_factor total_iters verbose@5-8
torch.optim.lr_scheduler.MultiStepLR() 5- gamma last_epoch milestones optimizer verbose@5-8
torch.optim.lr_scheduler.MultiplicativeLR() 5- last_epoch lr_lambda optimizer verbose@5-8
torch.optim.lr_scheduler.OneCycleLR() 5- anneal_strategy base_momentum cycle_momentum div_factor epochs
 final_div_factor last_epoch max_lr max_momentum optimizer pct_start steps_per_epoch three_phase total_steps
 verbose@5-8
torch.optim.lr_scheduler.Optimizer() 2- defaults params
torch.optim.lr_scheduler.PolynomialLR() 5- last_epoch optimizer power total_iters verbose@5-8
torch.optim.lr_scheduler.ReduceLROnPlateau() 5- cooldown eps factor min_lr mode optimizer patience threshold
 threshold_mode verbose@5-8
torch.optim.lr_scheduler.SequentialLR() 5- last_epoch milestones optimizer schedulers verbose@5-8
torch.optim.lr_scheduler.StepLR() 5- gamma last_epoch optimizer step_size verbose@5-8
torch.optim.nadam 0- List@0-8 NAdam Optimizer Optional@0-11 ParamsT@3- Tensor Tuple@0-8 Union@5-11 cast@5- math@0-1
 nadam params_t@2-3 torch
torch.optim.nadam.NAdam() 5- betas capturable decoupled_weight_decay differentiable eps foreach lr maximize
 momentum_decay params weight_decay
torch.optim.nadam.Optimizer() 2- defaults params
torch.optim.nadam.nadam() 0-5 beta1 beta2 capturable@2-5 decoupled_weight_decay@2-5 differentiable@1-5 eps exp_avg_sqs
 exp_avgs foreach grads has_complex@3-5 lr momentum_decay mu_products params state_steps weight_decay
torch.optim.optimizer 0- Any@1- Args@2- Callable DefaultDict@2-8 DeviceDict@5- DeviceDtypeDict@7- Dict@1-8
 GlobalOptimizerPostHook@2- GlobalOptimizerPreHook@2- Hashable@2-15 Indices@2- Iterable Kwargs@2- List@0-8 Optimizer
 Optional@0-11 OrderedDict@1- ParamSpec@2- ParamsT@3- R@2- RemovableHandle@1- Self@2- Sequence@8- Set@2-8 StateDict@2-
 T@2- Tensor@0-2 TensorListList@2- Tuple@1-8 TypeAlias@2- TypeVar@2- Union@0-11 cast@2- chain container_abcs@0-2
 deepcopy defaultdict deprecated@13- functools hooks@1- is_compiling@1-7 math@1-6 overload@2- params_t@2-3
 register_optimizer_step_post_hook@1- register_optimizer_step_pre_hook@1- required torch warnings
torch.optim.optimizer.Optimizer() 2- defaults params
torch.optim.optimizer.RemovableHandle() 1- extra_dict hooks_dict
torch.optim.optimizer.is_compiling() 1-7
torch.optim.optimizer.register_optimizer_step_post_hook() 1- hook
torch.optim.optimizer.register_optimizer_step_pre_hook() 1- hook
torch.optim.radam 0- List@0-8 Optimizer Optional@0-11 ParamsT@3- RAdam Tensor Tuple@0-8 Union@5-11 cast@5- math@0-4
 params_t@2-3 radam torch
torch.optim.radam.Optimizer() 2- defaults params
torch.optim.radam.RAdam() 5- betas capturable decoupled_weight_decay differentiable eps foreach lr maximize params
 weight_decay
torch.optim.radam.radam() 0-5 beta1 beta2 capturable@4-5 decoupled_weight_decay@3-5 differentiable@1-5 eps exp_avg_sqs
 exp_avgs foreach grads has_complex@3-5 lr params state_steps weight_decay
torch.optim.rmsprop 0- List@0-8 Optimizer Optional@0-11 ParamsT@3- RMSprop Tensor Tuple@0-2 Union@6-11 cast@6-
 params_t@2-3 rmsprop torch
torch.optim.rmsprop.Optimizer() 2- defaults params
torch.optim.rmsprop.RMSprop() 5- alpha capturable centered differentiable eps foreach lr maximize momentum params
 weight_decay
torch.optim.rmsprop.rmsprop() 0-5 alpha centered differentiable eps foreach grad_avgs grads has_complex@3-5 lr
 maximize momentum momentum_buffer_list params square_avgs weight_decay
torch.optim.rprop 0- List@0-8 Optimizer Optional@0-11 ParamsT@3- Rprop Tensor Tuple@0-8 Union@6-11 cast@6-
 params_t@2-3 rprop torch
torch.optim.rprop.Optimizer() 2- defaults params
torch.optim.rprop.Rprop() 5- capturable differentiable etas foreach lr maximize params step_sizes
torch.optim.rprop.rprop() 0-5 differentiable@1-5 etaminus etaplus foreach grads has_complex@3-5 maximize params prevs
 step_size_max step_size_min step_sizes
torch.optim.sgd 0- DeviceDict@5- List@0-8 Optimizer Optional@0-11 ParamsT@3-5,7- SGD Tensor Union@6-11 cast@6-
 params_t@2-3 required@0-3 sgd torch
torch.optim.sgd.Optimizer() 2- defaults params
torch.optim.sgd.SGD() 5- dampening differentiable foreach fused lr maximize momentum nesterov params weight_decay
torch.optim.sgd.sgd() 0- d_p_list dampening foreach found_inf@4- fused@4- grad_scale@4- has_sparse_grad lr maximize
 momentum momentum_buffer_list nesterov params weight_decay
torch.optim.sparse_adam 0- F List@5-8 Optimizer ParamsT@3- SparseAdam Tensor@5- Tuple@0-8 Union@6-11 params_t@2-3
 torch
torch.optim.sparse_adam.Optimizer() 2- defaults params
torch.optim.sparse_adam.SparseAdam() 5- betas eps lr maximize params
torch.optim.swa_utils 0- Any AveragedModel Callable Iterable LRScheduler@1- List@0-2,5-8 Literal@5- Module Optimizer
 Optional@0-2,5-11 PARAM_LIST@5- SWALR TYPE_CHECKING@13- Tensor Tuple@5-8 Union@0-13 annotations@13- cast@10- deepcopy
 device@0-5 get_ema_avg_fn@2- get_ema_multi_avg_fn@2- get_swa_avg_fn@2- get_swa_multi_avg_fn@2- itertools math
 override@11- torch update_bn warnings
torch.optim.swa_utils.AveragedModel() 5- avg_fn device model multi_avg_fn use_buffers
torch.optim.swa_utils.LRScheduler() 5- last_epoch optimizer verbose@5-8
torch.optim.swa_utils.Module() 0-1
torch.optim.swa_utils.Optimizer() 2- defaults params
torch.optim.swa_utils.SWALR() 5- anneal_epochs anneal_strategy last_epoch optimizer swa_lr
torch.optim.swa_utils.get_ema_avg_fn() 2- decay
torch.optim.swa_utils.get_ema_multi_avg_fn() 2- decay
torch.optim.swa_utils.get_swa_avg_fn() 2-
torch.optim.swa_utils.get_swa_multi_avg_fn() 2-
torch.optim.swa_utils.update_bn() 0- device loader model
torch.optim.swap_in_optimizer_params_and_state() 14- optimizer swapin_optim_state swapin_parameters
torch.orgqr() 0- input input2 out tau
torch.ormqr() 0- input input2 input3 left other out tau transpose
torch.outer() 0- input out vec2
torch.overload() 0- func
torch.overrides 0- Any BaseTorchFunctionMode Callable Dict@0-8 Iterable Iterator@0-1 List@0-8 Optional@7-11
 ParamSpec@9- Set@0-8 TorchFunctionMode Tuple@0-8 Type@0-8 TypeVar@9- cast@13- collections contextlib
 enable_reentrant_dispatch functools get_buffer@0-2 get_default_nowrap_functions get_ignored_functions
 get_overridable_functions get_testing_overrides handle_torch_function has_torch_function has_torch_function_unary
 has_torch_function_variadic is_tensor_like is_tensor_method_or_property redispatch_function@14- resolve_name sys@11-
 torch types warnings wrap_torch_function wraps@3-
torch.overrides.BaseTorchFunctionMode() 0-
torch.overrides.TorchFunctionMode() 0-
torch.overrides.enable_reentrant_dispatch() 2-
torch.overrides.get_buffer() 0-2 data prefix tensor_subclass
torch.overrides.get_default_nowrap_functions() 0-
torch.overrides.get_ignored_functions() 0-3
torch.overrides.get_overridable_functions() 0-3
torch.overrides.get_testing_overrides() 0-3
torch.overrides.is_tensor_like() 0- inp
torch.overrides.is_tensor_method_or_property() 0-3 func
torch.overrides.redispatch_function() 14- args func kwargs types
torch.overrides.resolve_name() 0-3 f
torch.overrides.wrap_torch_function() 0- dispatcher
torch.package 0- Directory EmptyMatchError GlobGroup Importer ObjMismatchError ObjNotFoundError OrderedImporter
 PackageExporter PackageImporter PackagingError analyze file_structure_representation find_file_dependencies
 glob_group importer is_from_package package_exporter package_importer sys_importer
torch.package.Directory() 0- is_dir name
torch.package.GlobGroup() 0- exclude include separator
torch.package.OrderedImporter() 0-
torch.package.PackageExporter() 0- debug@1- f importer
torch.package.PackageImporter() 0- file_or_buffer module_allowed
torch.package.PackagingError() 0- debug@1- dependency_graph
torch.package.analyze 0- find_first_use_of_broken_modules is_from_package trace_dependencies
torch.package.analyze.find_first_use_of_broken_modules() 0- exc
torch.package.analyze.trace_dependencies() 0- callable inputs
torch.package.file_structure_representation 0- Dict@0-8 Directory GlobGroup GlobPattern List@0-8
torch.package.file_structure_representation.Directory() 0- is_dir name
torch.package.file_structure_representation.GlobGroup() 0- exclude include separator
torch.package.find_file_dependencies 0- List@0-8 Optional@0-11 Tuple@0-8 ast find_files_source_depends_on sys@0-1
torch.package.glob_group 0- GlobGroup GlobPattern Iterable Union@0-13 annotations@13- re
torch.package.glob_group.GlobGroup() 0- exclude include separator
torch.package.importer 0- ABC Any Dict@0-8 Importer List@0-8 ModuleType ObjMismatchError ObjNotFoundError
 Optional@0-11 OrderedImporter Tuple@0-8 abstractmethod demangle get_mangle_prefix importlib is_mangled log@10-
 logging@10- sys@11- sys_importer
torch.package.importer.OrderedImporter() 0-
torch.package.importer.demangle() 0- name
torch.package.importer.get_mangle_prefix() 0- name
torch.package.importer.is_mangled() 0- name
torch.package.is_from_package() 0- obj
torch.package.package_exporter 0- ActionHook Any BinaryIO@0-8 Callable DefaultDict@0-8 DiGraph Dict@0-8
 EmptyMatchError Enum FileLike@8- GlobGroup GlobPattern IO@8- Importer List@0-8 Optional@0-11 OrderedDict
 OrderedImporter PackageExporter PackagingError PackagingErrorReason Path RemovableHandle Sequence Set@0-8
 SourceFileLoader@1- Storage Union@0-11 cast collections create_pickler dataclass defaultdict demangle
 find_files_source_depends_on importlib io is_mangled is_stdlib_module linecache location_tag normalize_storage_type
 os@8- pickletools platform sys_importer torch types
torch.package.package_exporter.DiGraph() 0-
torch.package.package_exporter.GlobGroup() 0- exclude include separator
torch.package.package_exporter.OrderedImporter() 0-
torch.package.package_exporter.PackageExporter() 0- debug@1- f importer
torch.package.package_exporter.PackagingError() 0- debug@1- dependency_graph
torch.package.package_exporter.RemovableHandle() 0- extra_dict@1- hooks_dict
torch.package.package_exporter.create_pickler() 0- data_buf importer protocol
torch.package.package_exporter.demangle() 0- name
torch.package.package_exporter.is_mangled() 0- name
torch.package.package_exporter.is_stdlib_module() 0- module
torch.package.package_exporter.location_tag() 0- storage
torch.package.package_exporter.normalize_storage_type() 0- storage_type
torch.package.package_importer 0- Any BinaryIO@0-8 Callable Dict@0-8 Directory DirectoryReader
 EXTERN_IMPORT_COMPAT_NAME_MAPPING@6- FileLike@8- GlobPattern IMPLICIT_IMPORT_ALLOWLIST Importer Iterable List@0-8
 Optional@0-11 PackageImporter PackageMangler PackageUnpickler Path@0-4 TYPE_CHECKING@5- Union@0-11
 WeakValueDictionary builtins cast contextmanager demangle importlib inspect io linecache os sys@7- torch types
torch.package.package_importer.Directory() 0- is_dir name
torch.package.package_importer.DirectoryReader() 0- directory
torch.package.package_importer.PackageImporter() 0- file_or_buffer module_allowed
torch.package.package_importer.PackageMangler() 0-
torch.package.package_importer.demangle() 0- name
torch.pairwise_distance() 0- eps keepdim p x1 x2
torch.pca_lowrank() 0- A center niter q
torch.pdist() 0- input p
torch.permute() 0- dims input
torch.permute_copy() 0- dims input out
torch.pinverse() 0- input rcond
torch.pixel_shuffle() 0- input upscale_factor
torch.pixel_unshuffle() 0- downscale_factor input
torch.poisson() 0- generator input
torch.poisson_nll_loss() 0- eps full input log_input reduction target
torch.polar() 0- abs angle out
torch.polygamma() 0- input n out
torch.positive() 0- input
torch.pow() 0- exponent input out self
torch.prelu() 0- input weight
torch.prepare_multiprocessing_environment() 0- path
torch.prod() 0- dim dtype input keepdim out
torch.profiler 0- Any@10- CuspyConfig@16- DeviceType ExecutionGraphObserver@0-2 ExecutionTraceObserver@2-
 KinetoStepTracker@1- Optimizer@10- PerformanceMetricsConfig@16- ProfilerAction ProfilerActivity
 ProfilerActivityConfig@16- RecordScope TypeVarTuple@10- Unpack@10- is_fbcode@8- itt kineto_available os@1- profile
 profiler python_tracer record_function register_optimizer_step_post_hook@1- schedule supported_activities
 tensorboard_trace_handler
torch.profiler.ExecutionGraphObserver() 0-2
torch.profiler.ExecutionTraceObserver() 2-
torch.profiler.Optimizer() 10- defaults params
torch.profiler.is_fbcode() 8-
torch.profiler.itt 0- NoReturn@10- contextmanager is_available mark range range_pop range_push
torch.profiler.itt.is_available() 0-
torch.profiler.itt.mark() 0- msg
torch.profiler.itt.range_pop() 0-
torch.profiler.itt.range_push() 0- msg
torch.profiler.profile() 0- acc_events@6- activities custom_trace_id_callback@7- execution_trace_observer@4-
 experimental_config on_trace_ready post_processing_timeout_s@12- profile_memory record_shapes schedule use_cuda@0-15
 with_flops with_modules with_stack
torch.profiler.profiler 0- ABC@4- Any Callable CuspyConfig@16- Dict@0-8 Enum ExecutionGraphObserver@0-2
 ExecutionTraceObserver@2- Iterable List@0-8 Mapping@16- MemoryProfile@2- MemoryProfileTimeline@2- Optional@0-13
 PROFILER_STEP_NAME@1- PerformanceMetricsConfig@16- ProfilerAction ProfilerActivity ProfilerActivityConfig@16- Self@4-
 TYPE_CHECKING@13- Tuple@0-8 TypeVar@16- abstractmethod@4- annotations@13- dataclass@16- deprecated@11- field@16- gzip
 is_fbcode@8- json kineto_available os partial prof profile profiler_allow_cudagraph_cupti_lazy_reinit_cuda12@9-
 schedule shutil@5- supported_activities tempfile tensorboard_trace_handler torch warn
torch.profiler.profiler.ExecutionGraphObserver() 0-2
torch.profiler.profiler.ExecutionTraceObserver() 2-
torch.profiler.profiler.MemoryProfile() 2- result
torch.profiler.profiler.MemoryProfileTimeline() 2- memory_profile
torch.profiler.profiler.is_fbcode() 8-
torch.profiler.profiler.profile() 0- acc_events@6- activities custom_trace_id_callback@7- execution_trace_observer@4-
 experimental_config on_trace_ready post_processing_timeout_s@12- profile_memory record_shapes schedule use_cuda@0-15
 with_flops with_modules with_stack
torch.profiler.profiler.profiler_allow_cudagraph_cupti_lazy_reinit_cuda12() 9-
torch.profiler.profiler.schedule() 0- active repeat skip_first skip_first_wait@7- wait warmup
torch.profiler.profiler.supported_activities() 0-
torch.profiler.profiler.tensorboard_trace_handler() 0- dir_name use_gzip use_python_export@14- worker_name
torch.profiler.python_tracer 0- os site sys torch typing@0-8
torch.profiler.record_function() 0- args name
torch.profiler.register_optimizer_step_post_hook() 1- hook
torch.profiler.schedule() 0- active repeat skip_first skip_first_wait@7- wait warmup
torch.profiler.supported_activities() 0-
torch.profiler.tensorboard_trace_handler() 0- dir_name use_gzip use_python_export@14- worker_name
torch.profiler_allow_cudagraph_cupti_lazy_reinit_cuda12() 9-
torch.promote_types() 0- type1 type2
torch.put() 0- accumulate index input source
torch.q_per_channel_axis() 0- input
torch.q_per_channel_scales() 0- input
torch.q_per_channel_zero_points() 0- input
torch.q_scale() 0- input
torch.q_zero_point() 0- input
torch.qr() 0- input out some
torch.quantile() 0- dim input interpolation keepdim out q
torch.quantization 0- ABC DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS
 DEFAULT_MODULE_TO_ACT_POST_PROCESS DEFAULT_OP_LIST_TO_FUSER_METHOD@0-1 DEFAULT_QAT_MODULE_MAPPINGS
 DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS DEFAULT_STATIC_QUANT_MODULE_MAPPINGS DeQuantStub FakeQuantize
 FakeQuantizeBase FixedQParamsFakeQuantize FusedMovingAvgObsFakeQuantize HistogramObserver MinMaxObserver
 MovingAverageMinMaxObserver MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase PerChannelMinMaxObserver
 PlaceholderObserver QConfig QConfigAny QConfigDynamic QuantStub QuantType QuantWrapper RecordingObserver
 add_module_to_qconfig_obs_ctr@0-1 add_observer_@0-1 add_quant_dequant assert_valid_qconfig@0-1 convert
 convert_dynamic_jit convert_jit default_activation_only_qconfig default_debug_observer default_debug_qconfig
 default_dynamic_qconfig default_dynamic_quant_observer default_eval_fn default_fake_quant
 default_fixed_qparams_range_0to1_fake_quant default_fixed_qparams_range_neg1to1_fake_quant
 default_float_qparams_observer default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant
 default_fused_wt_fake_quant default_histogram_fake_quant default_histogram_observer default_observer
 default_per_channel_qconfig default_per_channel_weight_fake_quant default_per_channel_weight_observer
 default_placeholder_observer default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_weight_fake_quant
 default_weight_observer default_weight_only_qconfig disable_fake_quant disable_observer enable_fake_quant
 enable_observer fake_quantize float16_dynamic_qconfig float16_static_qconfig float_qparams_weight_only_qconfig
 fuse_conv_bn fuse_conv_bn_jit fuse_conv_bn_relu fuse_linear_bn fuse_modules fuser_method_mappings fx
 get_default_compare_output_module_list get_default_dynamic_quant_module_mappings
 get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings get_default_qat_qconfig
 get_default_qconfig get_default_qconfig_propagation_list get_default_static_quant_module_mappings
 get_dynamic_quant_module_class get_fuser_method get_observer_dict@0-1 get_observer_state_dict get_quantized_operator
 get_static_quant_module_class get_unique_devices_@0-1 is_activation_post_process@0-1 load_observer_state_dict
 no_observer_set observer per_channel_dynamic_qconfig prepare prepare_dynamic_jit prepare_jit prepare_qat
 propagate_qconfig_ qconfig qconfig_equals quant_type quant_type_to_str@0-1 quantization_mappings quantize
 quantize_dynamic quantize_dynamic_jit quantize_fx quantize_jit quantize_qat register_activation_post_process_hook@0-1
 script_qconfig script_qconfig_dict stubs swap_module utils
torch.quantization.DeQuantStub() 0- qconfig
torch.quantization.FakeQuantizeBase() 0-
torch.quantization.FixedQParamsFakeQuantize() 0- observer
torch.quantization.HistogramObserver() 0-3 bins dtype eps factory_kwargs qscheme quant_max quant_min reduce_range
 upsample_rate
torch.quantization.MinMaxObserver() 0-3 dtype eps factory_kwargs qscheme quant_max quant_min reduce_range
torch.quantization.NoopObserver() 0- custom_op_name dtype
torch.quantization.ObserverBase() 0- dtype is_dynamic@3-
torch.quantization.PerChannelMinMaxObserver() 0-3 ch_axis dtype eps factory_kwargs qscheme quant_max quant_min
 reduce_range
torch.quantization.PlaceholderObserver() 0- compute_dtype custom_op_name dtype eps@2- is_dynamic@1- qscheme@2-
 quant_max@1- quant_min@1-
torch.quantization.QuantStub() 0- qconfig
torch.quantization.QuantWrapper() 0- module
torch.quantization.RecordingObserver() 3- dtype
torch.quantization.add_module_to_qconfig_obs_ctr() 0-1 module qconfig
torch.quantization.add_observer_() 0-1 custom_module_class_mapping device module non_leaf_module_list
 qconfig_propagation_list
torch.quantization.add_quant_dequant() 0- module
torch.quantization.assert_valid_qconfig() 0-1 mod qconfig
torch.quantization.convert() 0- convert_custom_config_dict inplace is_reference mapping module remove_qconfig
 use_precomputed_fake_quant@5-
torch.quantization.convert_dynamic_jit() 0- debug inplace model preserved_attrs
torch.quantization.convert_jit() 0- debug inplace model preserved_attrs
torch.quantization.default_eval_fn() 0- calib_data model
torch.quantization.disable_fake_quant() 0- mod
torch.quantization.disable_observer() 0- mod
torch.quantization.enable_fake_quant() 0- mod
torch.quantization.enable_observer() 0- mod
torch.quantization.fake_quantize 0- FakeQuantize FakeQuantizeBase FixedQParamsFakeQuantize
 FusedMovingAvgObsFakeQuantize default_fake_quant default_fixed_qparams_range_0to1_fake_quant
 default_fixed_qparams_range_neg1to1_fake_quant default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant
 default_fused_wt_fake_quant default_histogram_fake_quant default_per_channel_weight_fake_quant
 default_weight_fake_quant disable_fake_quant disable_observer enable_fake_quant enable_observer
torch.quantization.fake_quantize.FakeQuantizeBase() 0-
torch.quantization.fake_quantize.FixedQParamsFakeQuantize() 0- observer
torch.quantization.fake_quantize.disable_fake_quant() 0- mod
torch.quantization.fake_quantize.disable_observer() 0- mod
torch.quantization.fake_quantize.enable_fake_quant() 0- mod
torch.quantization.fake_quantize.enable_observer() 0- mod
torch.quantization.fuse_conv_bn() 0- bn conv is_qat
torch.quantization.fuse_conv_bn_jit() 0- inplace model
torch.quantization.fuse_conv_bn_relu() 0- bn conv is_qat relu
torch.quantization.fuse_linear_bn() 0- bn is_qat linear
torch.quantization.fuse_modules 0- fuse_conv_bn fuse_conv_bn_relu fuse_known_modules fuse_modules get_fuser_method
torch.quantization.fuse_modules() 0- fuse_custom_config_dict fuser_func inplace model modules_to_fuse
torch.quantization.fuse_modules.fuse_conv_bn() 0- bn conv is_qat
torch.quantization.fuse_modules.fuse_conv_bn_relu() 0- bn conv is_qat relu
torch.quantization.fuse_modules.fuse_known_modules() 0- additional_fuser_method_mapping is_qat mod_list
torch.quantization.fuse_modules.fuse_modules() 0- fuse_custom_config_dict fuser_func inplace model modules_to_fuse
torch.quantization.fuse_modules.get_fuser_method() 0- additional_fuser_method_mapping op_list
torch.quantization.fuser_method_mappings 0- DEFAULT_OP_LIST_TO_FUSER_METHOD@0-1 fuse_conv_bn fuse_conv_bn_relu
 fuse_linear_bn get_fuser_method
torch.quantization.fuser_method_mappings.fuse_conv_bn() 0- bn conv is_qat
torch.quantization.fuser_method_mappings.fuse_conv_bn_relu() 0- bn conv is_qat relu
torch.quantization.fuser_method_mappings.fuse_linear_bn() 0- bn is_qat linear
torch.quantization.fuser_method_mappings.get_fuser_method() 0- additional_fuser_method_mapping op_list
torch.quantization.fx 0- convert fuse fusion_patterns graph_module match_utils pattern_utils prepare
 quantization_patterns quantization_types utils
torch.quantization.fx.convert() 0- _remove_qconfig_flag backend_config convert_custom_config is_decomposed@1-
 is_reference is_standalone_module keep_original_weights@8- model qconfig_mapping
torch.quantization.fx.fuse() 0- backend_config fuse_custom_config is_qat model
torch.quantization.fx.prepare() 0- _equalization_config backend_config example_inputs is_qat is_standalone_module
 model node_name_to_scope prepare_custom_config qconfig_mapping
torch.quantization.get_default_compare_output_module_list() 0-
torch.quantization.get_default_dynamic_quant_module_mappings() 0-
torch.quantization.get_default_float_to_quantized_operator_mappings() 0-
torch.quantization.get_default_qat_module_mappings() 0-
torch.quantization.get_default_qat_qconfig() 0- backend version
torch.quantization.get_default_qconfig() 0- backend version
torch.quantization.get_default_qconfig_propagation_list() 0-
torch.quantization.get_default_static_quant_module_mappings() 0-
torch.quantization.get_dynamic_quant_module_class() 0- additional_dynamic_quant_mapping float_module_class
torch.quantization.get_fuser_method() 0- additional_fuser_method_mapping op_list
torch.quantization.get_observer_dict() 0-1 mod prefix target_dict
torch.quantization.get_observer_state_dict() 0- mod
torch.quantization.get_quantized_operator() 0- float_op
torch.quantization.get_static_quant_module_class() 0- additional_static_quant_mapping float_module_class is_reference
torch.quantization.get_unique_devices_() 0-1 module
torch.quantization.is_activation_post_process() 0-1 module
torch.quantization.load_observer_state_dict() 0- mod obs_dict
torch.quantization.no_observer_set() 0-
torch.quantization.observer 0- ABC HistogramObserver MinMaxObserver MovingAverageMinMaxObserver
 MovingAveragePerChannelMinMaxObserver NoopObserver ObserverBase PerChannelMinMaxObserver PlaceholderObserver
 RecordingObserver default_debug_observer default_dynamic_quant_observer default_float_qparams_observer
 default_histogram_observer default_observer default_per_channel_weight_observer default_placeholder_observer
 default_weight_observer get_observer_state_dict load_observer_state_dict
torch.quantization.observer.HistogramObserver() 0-3 bins dtype eps factory_kwargs qscheme quant_max quant_min
 reduce_range upsample_rate
torch.quantization.observer.MinMaxObserver() 0-3 dtype eps factory_kwargs qscheme quant_max quant_min reduce_range
torch.quantization.observer.NoopObserver() 0- custom_op_name dtype
torch.quantization.observer.ObserverBase() 0- dtype is_dynamic@3-
torch.quantization.observer.PerChannelMinMaxObserver() 0-3 ch_axis dtype eps factory_kwargs qscheme quant_max
 quant_min reduce_range
torch.quantization.observer.PlaceholderObserver() 0- compute_dtype custom_op_name dtype eps@2- is_dynamic@1-
 qscheme@2- quant_max@1- quant_min@1-
torch.quantization.observer.RecordingObserver() 3- dtype
torch.quantization.observer.get_observer_state_dict() 0- mod
torch.quantization.observer.load_observer_state_dict() 0- mod obs_dict
torch.quantization.prepare() 0- allow_list inplace model observer_non_leaf_module_list prepare_custom_config_dict
torch.quantization.prepare_dynamic_jit() 0- inplace model qconfig_dict
torch.quantization.prepare_jit() 0- inplace model qconfig_dict
torch.quantization.prepare_qat() 0- inplace mapping model
torch.quantization.propagate_qconfig_() 0- module prepare_custom_config_dict qconfig_dict
torch.quantization.qconfig 0- QConfig QConfigAny QConfigDynamic add_module_to_qconfig_obs_ctr@0-1
 assert_valid_qconfig@0-1 default_activation_only_qconfig default_debug_qconfig default_dynamic_qconfig
 default_per_channel_qconfig default_qat_qconfig default_qat_qconfig_v2 default_qconfig default_weight_only_qconfig
 float16_dynamic_qconfig float16_static_qconfig float_qparams_weight_only_qconfig get_default_qat_qconfig
 get_default_qconfig per_channel_dynamic_qconfig qconfig_equals
torch.quantization.qconfig.add_module_to_qconfig_obs_ctr() 0-1 module qconfig
torch.quantization.qconfig.assert_valid_qconfig() 0-1 mod qconfig
torch.quantization.qconfig.get_default_qat_qconfig() 0- backend version
torch.quantization.qconfig.get_default_qconfig() 0- backend version
torch.quantization.qconfig.qconfig_equals() 0- q1 q2
torch.quantization.qconfig_equals() 0- q1 q2
torch.quantization.quant_type 0- QuantType quant_type_to_str@0-1
torch.quantization.quant_type.quant_type_to_str() 0-1 quant_type
torch.quantization.quant_type_to_str() 0-1 quant_type
torch.quantization.quantization_mappings 0- DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS
 DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS DEFAULT_MODULE_TO_ACT_POST_PROCESS DEFAULT_QAT_MODULE_MAPPINGS
 DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
 get_default_compare_output_module_list get_default_dynamic_quant_module_mappings
 get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings get_default_qconfig_propagation_list
 get_default_static_quant_module_mappings get_dynamic_quant_module_class get_quantized_operator
 get_static_quant_module_class no_observer_set
torch.quantization.quantization_mappings.get_default_compare_output_module_list() 0-
torch.quantization.quantization_mappings.get_default_dynamic_quant_module_mappings() 0-
torch.quantization.quantization_mappings.get_default_float_to_quantized_operator_mappings() 0-
torch.quantization.quantization_mappings.get_default_qat_module_mappings() 0-
torch.quantization.quantization_mappings.get_default_qconfig_propagation_list() 0-
torch.quantization.quantization_mappings.get_default_static_quant_module_mappings() 0-
torch.quantization.quantization_mappings.get_dynamic_quant_module_class() 0- additional_dynamic_quant_mapping
 float_module_class
torch.quantization.quantization_mappings.get_quantized_operator() 0- float_op
torch.quantization.quantization_mappings.get_static_quant_module_class() 0- additional_static_quant_mapping
 float_module_class is_reference
torch.quantization.quantization_mappings.no_observer_set() 0-
torch.quantization.quantize 0- add_observer_@0-1 add_quant_dequant convert get_observer_dict@0-1
 get_unique_devices_@0-1 is_activation_post_process@0-1 prepare prepare_qat propagate_qconfig_ quantize
 quantize_dynamic quantize_qat register_activation_post_process_hook@0-1 swap_module
torch.quantization.quantize() 0- inplace mapping model run_args run_fn
torch.quantization.quantize.add_observer_() 0-1 custom_module_class_mapping device module non_leaf_module_list
 qconfig_propagation_list
torch.quantization.quantize.add_quant_dequant() 0- module
torch.quantization.quantize.convert() 0- convert_custom_config_dict inplace is_reference mapping module remove_qconfig
 use_precomputed_fake_quant@5-
torch.quantization.quantize.get_observer_dict() 0-1 mod prefix target_dict
torch.quantization.quantize.get_unique_devices_() 0-1 module
torch.quantization.quantize.is_activation_post_process() 0-1 module
torch.quantization.quantize.prepare() 0- allow_list inplace model observer_non_leaf_module_list
 prepare_custom_config_dict
torch.quantization.quantize.prepare_qat() 0- inplace mapping model
torch.quantization.quantize.propagate_qconfig_() 0- module prepare_custom_config_dict qconfig_dict
torch.quantization.quantize.quantize() 0- inplace mapping model run_args run_fn
torch.quantization.quantize.quantize_dynamic() 0- dtype inplace mapping model qconfig_spec
torch.quantization.quantize.quantize_qat() 0- inplace model run_args run_fn
torch.quantization.quantize.register_activation_post_process_hook() 0-1 module pre_hook
torch.quantization.quantize.swap_module() 0- custom_module_class_mapping mapping mod use_precomputed_fake_quant@5-
torch.quantization.quantize_dynamic() 0- dtype inplace mapping model qconfig_spec
torch.quantization.quantize_dynamic_jit() 0- debug inplace model qconfig_dict
torch.quantization.quantize_fx 0- ObservedGraphModule QuantizationTracer Scope ScopeContextManager convert_fx fuse_fx
 prepare_fx prepare_qat_fx
torch.quantization.quantize_fx.ObservedGraphModule() 0- graph preserved_attr_names root
torch.quantization.quantize_fx.QuantizationTracer() 0- skipped_module_classes skipped_module_names
torch.quantization.quantize_fx.Scope() 0-1 module_path module_type
torch.quantization.quantize_fx.ScopeContextManager() 0- current_module current_module_path scope
torch.quantization.quantize_fx.convert_fx() 0- _remove_qconfig backend_config convert_custom_config graph_module
 keep_original_weights@8- qconfig_mapping
torch.quantization.quantize_fx.fuse_fx() 0- backend_config fuse_custom_config model
torch.quantization.quantize_fx.prepare_fx() 0- _equalization_config backend_config example_inputs model
 prepare_custom_config qconfig_mapping
torch.quantization.quantize_fx.prepare_qat_fx() 0- backend_config example_inputs model prepare_custom_config
 qconfig_mapping
torch.quantization.quantize_jit 0- convert_dynamic_jit convert_jit fuse_conv_bn_jit prepare_dynamic_jit prepare_jit
 quantize_dynamic_jit quantize_jit script_qconfig script_qconfig_dict
torch.quantization.quantize_jit() 0- debug inplace model qconfig_dict run_args run_fn
torch.quantization.quantize_jit.convert_dynamic_jit() 0- debug inplace model preserved_attrs
torch.quantization.quantize_jit.convert_jit() 0- debug inplace model preserved_attrs
torch.quantization.quantize_jit.fuse_conv_bn_jit() 0- inplace model
torch.quantization.quantize_jit.prepare_dynamic_jit() 0- inplace model qconfig_dict
torch.quantization.quantize_jit.prepare_jit() 0- inplace model qconfig_dict
torch.quantization.quantize_jit.quantize_dynamic_jit() 0- debug inplace model qconfig_dict
torch.quantization.quantize_jit.quantize_jit() 0- debug inplace model qconfig_dict run_args run_fn
torch.quantization.quantize_jit.script_qconfig() 0- qconfig
torch.quantization.quantize_jit.script_qconfig_dict() 0- qconfig_dict
torch.quantization.quantize_qat() 0- inplace model run_args run_fn
torch.quantization.register_activation_post_process_hook() 0-1 module pre_hook
torch.quantization.script_qconfig() 0- qconfig
torch.quantization.script_qconfig_dict() 0- qconfig_dict
torch.quantization.stubs 0- DeQuantStub QuantStub QuantWrapper
torch.quantization.stubs.DeQuantStub() 0- qconfig
torch.quantization.stubs.QuantStub() 0- qconfig
torch.quantization.stubs.QuantWrapper() 0- module
torch.quantization.swap_module() 0- custom_module_class_mapping mapping mod use_precomputed_fake_quant@5-
torch.quantization.utils 0- activation_dtype activation_is_int8_quantized activation_is_statically_quantized
 calculate_qmin_qmax check_min_max_valid get_combined_dict get_qconfig_dtypes get_qparam_dict get_quant_type
 get_swapped_custom_module_class getattr_from_fqn is_per_channel is_per_tensor weight_dtype weight_is_quantized
 weight_is_statically_quantized
torch.quantization.utils.activation_dtype() 0- qconfig
torch.quantization.utils.activation_is_int8_quantized() 0- qconfig
torch.quantization.utils.activation_is_statically_quantized() 0- qconfig
torch.quantization.utils.calculate_qmin_qmax() 0- dtype has_customized_qrange quant_max quant_min reduce_range
torch.quantization.utils.check_min_max_valid() 0- max_val min_val
torch.quantization.utils.get_combined_dict() 0- additional_dict default_dict
torch.quantization.utils.get_qconfig_dtypes() 0- qconfig
torch.quantization.utils.get_qparam_dict() 0- observer_or_fake_quant
torch.quantization.utils.get_quant_type() 0- qconfig
torch.quantization.utils.get_swapped_custom_module_class() 0- custom_module custom_module_class_mapping qconfig
torch.quantization.utils.getattr_from_fqn() 0- fqn obj
torch.quantization.utils.is_per_channel() 0- qscheme
torch.quantization.utils.is_per_tensor() 0- qscheme
torch.quantization.utils.weight_dtype() 0- qconfig
torch.quantization.utils.weight_is_quantized() 0- qconfig
torch.quantization.utils.weight_is_statically_quantized() 0- qconfig
torch.quantize_per_channel() 0- axis dtype input scales zero_points
torch.quantize_per_tensor() 0- dtype input scale scales tensors zero_point zero_points
torch.quantize_per_tensor_dynamic() 0- dtype input reduce_range
torch.quantized_batch_norm() 0- bias eps input mean output_scale output_zero_point var weight
torch.quantized_gru_cell() 0- b_hh b_ih col_offsets_hh col_offsets_ih hx input packed_hh packed_ih scale_hh scale_ih
 w_hh w_ih zero_point_hh zero_point_ih
torch.quantized_lstm_cell() 0- b_hh b_ih col_offsets_hh col_offsets_ih hx input packed_hh packed_ih scale_hh scale_ih
 w_hh w_ih zero_point_hh zero_point_ih
torch.quantized_max_pool1d() 0- ceil_mode dilation input kernel_size padding stride
torch.quantized_max_pool2d() 0- ceil_mode dilation input kernel_size padding stride
torch.quantized_max_pool3d() 2- ceil_mode dilation input kernel_size padding stride
torch.quantized_rnn_relu_cell() 0- b_hh b_ih col_offsets_hh col_offsets_ih hx input packed_hh packed_ih scale_hh
 scale_ih w_hh w_ih zero_point_hh zero_point_ih
torch.quantized_rnn_tanh_cell() 0- b_hh b_ih col_offsets_hh col_offsets_ih hx input packed_hh packed_ih scale_hh
 scale_ih w_hh w_ih zero_point_hh zero_point_ih
torch.quasirandom 0- Optional@0-11 SobolEngine torch
torch.quasirandom.SobolEngine() 0- dimension scramble seed
torch.rad2deg() 0- input out
torch.rad2deg_() 0- input
torch.rand() 0- device dtype generator layout memory_format names@0-14 out pin_memory requires_grad size
torch.rand_like() 0- device dtype generator@11- input layout memory_format pin_memory requires_grad
torch.randint() 0- device dtype generator high layout low memory_format out pin_memory requires_grad size
torch.randint_like() 0- device dtype generator@11- high input layout low memory_format pin_memory requires_grad
torch.randn() 0- device dtype generator layout memory_format names@0-14 out pin_memory requires_grad size
torch.randn_like() 0- device dtype generator@11- input layout memory_format pin_memory requires_grad
torch.random 0- Generator TYPE_CHECKING@13- WorkerInfo@13- contextlib default_generator fork_rng get_rng_state
 initial_seed manual_seed seed set_rng_state thread_safe_generator@13- torch warnings
torch.random.fork_rng() 0- _caller _devices_kw device_type@2- devices enabled
torch.random.get_rng_state() 0-
torch.random.initial_seed() 0-
torch.random.manual_seed() 0- seed
torch.random.seed() 0-
torch.random.set_rng_state() 0- new_state
torch.random.thread_safe_generator() 13-
torch.randperm() 0- device dtype generator layout memory_format n out pin_memory requires_grad
torch.range() 0- device dtype end layout memory_format out pin_memory requires_grad start step
torch.ravel() 0- input
torch.real() 0- input
torch.reciprocal() 0- input out
torch.reciprocal_() 0- input
torch.register_after_fork() 0- func
torch.relu() 0- input
torch.relu_() 0- input
torch.remainder() 0- input other out self
torch.renorm() 0- dim input maxnorm out p
torch.repeat_interleave() 0- dim input output_size repeats
torch.reshape() 0- input shape
torch.resize_as_() 0- input memory_format the_template
torch.resize_as_sparse_() 0- input the_template
torch.resolve_conj() 0- input
torch.resolve_neg() 0- input
torch.result_type() 0- other scalar scalar1 scalar2 tensor tensor1 tensor2
torch.rms_norm() 5- eps input normalized_shape weight
torch.rnn_relu() 0- batch_first batch_sizes bidirectional data dropout has_biases hx input num_layers params train
torch.rnn_relu_cell() 0- b_hh b_ih hx input w_hh w_ih
torch.rnn_tanh() 0- batch_first batch_sizes bidirectional data dropout has_biases hx input num_layers params train
torch.rnn_tanh_cell() 0- b_hh b_ih hx input w_hh w_ih
torch.roll() 0- dims input shifts
torch.rot90() 0- dims input k
torch.round() 0- decimals input out
torch.round_() 0- decimals input
torch.row_indices_copy() 0- input out@1-
torch.row_stack() 0- out tensors
torch.rrelu() 0- generator input lower training upper
torch.rrelu_() 0- generator input lower training upper
torch.rsqrt() 0- input out
torch.rsqrt_() 0- input
torch.rsub() 0- alpha input other
torch.saddmm() 0- alpha beta input mat1 mat2 out
torch.save() 0- _disable_byteorder_record@2- _use_new_zipfile_serialization f obj pickle_module pickle_protocol
torch.scalar_tensor() 0- device dtype layout memory_format pin_memory requires_grad s
torch.scatter() 0- dim index input out reduce src value
torch.scatter_add() 0- dim index input out src
torch.scatter_reduce() 0- dim include_self index input out reduce src
torch.searchsorted() 0- input out out_int32 right self side sorted_sequence sorter values
torch.seed() 0-
torch.segment_reduce() 0- axis data indices initial lengths offsets reduce unsafe
torch.select() 0- dim index input
torch.select_copy() 0- dim index input out
torch.select_scatter() 0- dim index input src
torch.selu() 0- input
torch.selu_() 0- input
torch.serialization 0- Any BinaryIO@0-8 Callable DEFAULT_PROTOCOL Dict@0-8 Enum@2- FILE_LIKE@0-8 FileLike@8-
 Generic@8- INT_SIZE IO IS_WINDOWS@5- LONG_SIZE List@4-8 LoadEndianness@2- MAGIC_NUMBER MAP_LOCATION MAP_PRIVATE@5-
 MAP_SHARED@5- Optional@0-11 PROTOCOL_VERSION SHORT_SIZE STORAGE@2- STORAGE_KEY_SEPARATOR SourceChangeWarning Storage
 StorageType T@8- Tuple@0-8 Type@0-8 TypeAlias TypeGuard@4-7 TypeIs@7- TypeVar@8- UNSAFE_MESSAGE@7- Union@0-11
 add_safe_globals@5- cast check_module_version_greater_or_equal clear_safe_globals@5- closing contextmanager copyreg
 default_restore_location difflib functools@5- get_crc32_options@7- get_default_load_endianness@2-
 get_default_mmap_options@5- get_safe_globals@5- get_source_lines_and_file get_unsafe_globals_in_checkpoint@7- io load
 location_tag mkdtemp normalize_storage_type os pathlib@0-4 pickle re@5- register_package safe_globals@6- save
 set_crc32_options@7- set_default_load_endianness@2- set_default_mmap_options@5- shutil skip_data@6-
 storage_to_tensor_type struct sys tarfile tempfile threading@6- torch validate_cuda_device validate_hpu_device@2-
 warnings
torch.serialization.StorageType() 0- name
torch.serialization.add_safe_globals() 5- safe_globals
torch.serialization.check_module_version_greater_or_equal() 0- error_if_malformed module req_version_tuple
torch.serialization.clear_safe_globals() 5-
torch.serialization.default_restore_location() 0- location storage
torch.serialization.get_crc32_options() 7-
torch.serialization.get_default_load_endianness() 2-
torch.serialization.get_default_mmap_options() 5-
torch.serialization.get_safe_globals() 5-
torch.serialization.get_source_lines_and_file() 0- error_msg obj
torch.serialization.get_unsafe_globals_in_checkpoint() 7- f
torch.serialization.location_tag() 0- storage
torch.serialization.mkdtemp() 0-
torch.serialization.normalize_storage_type() 0- storage_type
torch.serialization.register_package() 0- deserializer priority tagger
torch.serialization.save() 0- _disable_byteorder_record@2- _use_new_zipfile_serialization f obj pickle_module
 pickle_protocol
torch.serialization.set_crc32_options() 7- compute_crc32
torch.serialization.set_default_load_endianness() 2- endianness
torch.serialization.set_default_mmap_options() 5- flags
torch.serialization.skip_data() 6- materialize_fake_tensors
torch.serialization.storage_to_tensor_type() 0- storage
torch.serialization.validate_cuda_device() 0- location
torch.serialization.validate_hpu_device() 2- location
torch.set_default_device() 1- device
torch.set_default_dtype() 0- d
torch.set_default_tensor_type() 0- t
torch.set_deterministic_debug_mode() 0- debug_mode
torch.set_float32_matmul_precision() 0- precision
torch.set_grad_enabled() 0- mode
torch.set_printoptions() 0- edgeitems linewidth precision profile sci_mode threshold
torch.set_rng_state() 0- new_state
torch.set_warn_always() 0- b
torch.sgn() 0- input out
torch.sigmoid() 0- input out
torch.sigmoid_() 0- input
torch.sign() 0- input out
torch.signal 1- windows
torch.signal.windows 1- bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann
 kaiser nuttall windows
torch.signbit() 0- input out
torch.sin() 0- input out
torch.sin_() 0- input
torch.sinc() 0- input out
torch.sinc_() 0- input
torch.sinh() 0- input out
torch.sinh_() 0- input
torch.slice_copy() 0- dim end input out start step
torch.slice_inverse() 4- dim end input src start step
torch.slice_scatter() 0- dim end input out@4- src start step
torch.slogdet() 0- input out
torch.smm() 0- input mat mat2
torch.softmax() 0- dim dtype input out
torch.solve() 0- A input out
torch.sort() 0- descending dim input out stable
torch.sparse 0- Any@2- BFloat16Tensor BoolTensor ByteTensor CharTensor DType DimOrDims DoubleTensor FloatTensor
 HalfTensor IntTensor List@0-8 LongTensor Optional@0-13 ShortTensor SparseSemiStructuredTensor@2-
 SparseSemiStructuredTensorCUSPARSELT@4- SparseSemiStructuredTensorCUTLASS@4- TYPE_CHECKING Tensor Tuple@0-8
 Union@0-13 addmm as_sparse_gradcheck@2- check_sparse_tensor_invariants@1- log_softmax mm sampled_addmm
 semi_structured@2- softmax spdiags spsolve@6- sum to_sparse_semi_structured@2- torch
torch.sparse.as_sparse_gradcheck() 2- gradcheck
torch.sparse.check_sparse_tensor_invariants() 1- enable
torch.sparse.semi_structured 2- Any Callable@4- Dict@4-8 List@4-8 Optional@2-11 SparseSemiStructuredTensor
 SparseSemiStructuredTensorCUSPARSELT@4- SparseSemiStructuredTensorCUTLASS@4- Tuple@4-8 fallback_dispatcher@4-
 namedtuple semi_sparse_addmm@4- semi_sparse_clone@13- semi_sparse_detach@4- semi_sparse_indices@4-
 semi_sparse_linear@4- semi_sparse_mm@4- semi_sparse_scaled_mm@7- semi_sparse_t@4- semi_sparse_to@13-
 semi_sparse_to_copy@13- semi_sparse_values@4- semi_sparse_view@4- sparse_semi_structured_from_dense_cutlass@4-
 sparse_semi_structured_to_dense_cutlass@4- to_sparse_semi_structured torch warnings
torch.sparse.semi_structured.fallback_dispatcher() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_addmm() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_clone() 13- args func kwargs types
torch.sparse.semi_structured.semi_sparse_detach() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_indices() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_linear() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_mm() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_scaled_mm() 7- args func kwargs types
torch.sparse.semi_structured.semi_sparse_t() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_to() 13- args func kwargs types
torch.sparse.semi_structured.semi_sparse_to_copy() 13- args func kwargs types
torch.sparse.semi_structured.semi_sparse_values() 4- args func kwargs types
torch.sparse.semi_structured.semi_sparse_view() 4- args func kwargs types
torch.sparse.semi_structured.sparse_semi_structured_from_dense_cutlass() 4- dense
torch.sparse.semi_structured.sparse_semi_structured_to_dense_cutlass() 4- meta_reordered sparse
torch.sparse.semi_structured.to_sparse_semi_structured() 2- alg_id@13- original_tensor transposed
torch.sparse.sum() 0- dim dtype input
torch.sparse.to_sparse_semi_structured() 2- alg_id@13- original_tensor transposed
torch.sparse_bsc_tensor() 0- ccol_indices check_invariants@1- device dtype layout memory_format pin_memory
 requires_grad row_indices size values
torch.sparse_bsr_tensor() 0- check_invariants@1- col_indices crow_indices device dtype layout memory_format pin_memory
 requires_grad size values
torch.sparse_compressed_tensor() 0- check_invariants@1- compressed_indices device dtype layout memory_format
 pin_memory plain_indices requires_grad size values
torch.sparse_coo_tensor() 0- check_invariants@1- device dtype indices is_coalesced@2- layout memory_format pin_memory
 requires_grad size values
torch.sparse_csc_tensor() 0- ccol_indices check_invariants@1- device dtype layout memory_format pin_memory
 requires_grad row_indices size values
torch.sparse_csr_tensor() 0- check_invariants@1- col_indices crow_indices device dtype layout memory_format pin_memory
 requires_grad size values
torch.special 0- Tensor airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
 chebyshev_polynomial_v chebyshev_polynomial_w common_args digamma entr erf erfc erfcx erfinv exp2 expit expm1
 gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e laguerre_polynomial_l
 legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp modified_bessel_i0 modified_bessel_i1
 modified_bessel_k0 modified_bessel_k1 multi_dim_common multigammaln ndtr ndtri polygamma psi round
 scaled_modified_bessel_k0 scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
 shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0 torch xlog1py xlogy
 zeta
torch.split() 0- dim split_size_or_sections tensor
torch.split_copy() 0- dim input out split_size
torch.split_with_sizes() 0- dim input split_sizes
torch.split_with_sizes_copy() 0- dim input out split_sizes
torch.spmm() 0- input mat2
torch.sqrt() 0- input out
torch.sqrt_() 0- input
torch.square() 0- input out
torch.square_() 0- input
torch.squeeze() 0- dim input
torch.squeeze_copy() 0- dim input out
torch.sspaddmm() 0- alpha beta input mat1 mat2 out self
torch.stack() 0- dim out tensors
torch.std() 0- correction dim input keepdim out unbiased
torch.std_mean() 0- correction dim input keepdim out unbiased
torch.stft() 0- align_to_window@8- center hop_length input n_fft normalized onesided pad_mode return_complex
 win_length window
torch.storage 0- Any DeviceLikeType@7- HAS_NUMPY Self@6- Storage T TYPE_CHECKING@7- Type@0-8 TypeVar TypedStorage
 Union@0-11 UntypedStorage annotations@6- cast collections copy functools@2- io lru_cache@0-6 np threading@2- torch
 warnings@1-
torch.sub() 0- alpha input other out self
torch.subtract() 0- alpha input other out
torch.sum() 0- dim dtype input keepdim out
torch.svd() 0- compute_uv input out some
torch.svd_lowrank() 0- A M niter q
torch.swapaxes() 0- axis0 axis1 input
torch.swapdims() 0- dim0 dim1 input
torch.sym_constrain_range() 2- max min size
torch.sym_constrain_range_for_size() 2- max min size
torch.sym_float() 1-15 a
torch.sym_fresh_size() 7- expr
torch.sym_int() 1-15 a
torch.sym_ite() 3- b f t
torch.sym_max() 1-15 a b
torch.sym_min() 1-15 a b
torch.sym_not() 1-15 a
torch.sym_sqrt() 3-4 a
torch.sym_sum() 7- args@7-13
torch.symeig() 0- eigenvectors input out upper
torch.t() 0- input
torch.t_copy() 0- input out
torch.take() 0- index input out
torch.take_along_dim() 0- dim indices input out
torch.tan() 0- input out
torch.tan_() 0- input
torch.tanh() 0- input out
torch.tanh_() 0- input
torch.tensor() 0- data device dtype layout memory_format pin_memory requires_grad
torch.tensor_split() 0- dim indices indices_or_sections input sections tensor_indices_or_sections
torch.tensordot() 0- a b dims out
torch.testing 1- FileCheck assert_allclose assert_close make_tensor
torch.testing.assert_allclose() 1- actual atol equal_nan expected msg rtol
torch.testing.assert_close() 1- actual allow_subclasses atol check_device check_dtype check_layout check_stride
 equal_nan expected msg rtol
torch.testing.make_tensor() 1- device dtype exclude_zero high layout low memory_format noncontiguous pin_memory
 requires_grad
torch.thread_safe_generator() 13-
torch.threshold() 0- input out threshold value
torch.threshold_() 0- input threshold value
torch.tile() 0- dims input
torch.topk() 0- dim input k largest out sorted
torch.trace() 0- input
torch.transpose() 0- dim0 dim1 input
torch.transpose_copy() 0- dim0 dim1 input out
torch.trapezoid() 0- dim dx x y
torch.trapz() 0- dim dx x y
torch.triangular_solve() 0- A b input out transpose unitriangular upper
torch.tril() 0- diagonal input out
torch.tril_indices() 0- col device dtype layout memory_format offset pin_memory requires_grad row
torch.triplet_margin_loss() 0- anchor eps margin negative p positive reduce@0-2 reduction size_average@0-2 swap
torch.triu() 0- diagonal input out
torch.triu_indices() 0- col device dtype layout memory_format offset pin_memory requires_grad row
torch.true_divide() 0- dividend divisor input other out
torch.trunc() 0- input out
torch.trunc_() 0- input
torch.typename() 0- o@0-6 obj@6-
torch.types 0- Any BoolLikeType@6- Device Dict@6-8 DispatchKey@6- FileLike@8- FloatLikeType@6- GradientEdge@6- IO@8-
 IntLikeType@6- List@0-8 Number Optional@3-6,12-13 PySymType@6- Self@8- Sequence Size@6- Storage SymBool@6-
 SymFloat@6- SymInt@0-3,6- TYPE_CHECKING@6- Tensor@6- Tuple@0-8 TypeAlias@6- Union builtins@0-6 os@8- py_sym_types@6-
 torch@0-6
torch.types.SymBool() 6- node
torch.types.SymFloat() 6- node
torch.types.SymInt() 6- node
torch.unbind() 0- dim input
torch.unbind_copy() 0- dim input out
torch.unflatten() 0- dim input names@0-14 sizes
torch.unfold_copy() 0- dimension input out size step
torch.unique() 0- dim input return_counts return_inverse sorted
torch.unique_consecutive() 0- dim input return_counts return_inverse
torch.unique_dim() 0- dim input return_counts return_inverse sorted
torch.unravel_index() 3- indices shape
torch.unsafe_chunk() 0- chunks dim input
torch.unsafe_split() 0- dim input split_size split_size_or_sections tensor
torch.unsafe_split_with_sizes() 0- dim input split_sizes
torch.unsqueeze() 0- dim input
torch.unsqueeze_copy() 0- dim input out
torch.use_deterministic_algorithms() 0- mode warn_only
torch.utils 0- ThroughputBenchmark backcompat backend_registration@1- benchmark bottleneck@0-11 bundled_inputs
 checkpoint cmake_prefix_path collect_env copyreg@4- cpp_backtrace cpp_extension data debug_log@14- deterministic@3-
 disable_minidumps@0-2 dlpack enable_minidumps@0-2 enable_minidumps_on_exceptions@0-2 file_baton flop_counter@2-
 generate_methods_for_privateuse1_backend@2- get_cpp_backtrace hipify hooks jit mkldnn mobile_optimizer model_dump
 model_zoo module_tracker@5- rename_privateuse1_backend@1- serialization@8- set_module show_pickle swap_tensors@4-
 sys@0-2 tensorboard throughput_benchmark torch@2- viz@2- weak@1- weakref@4-
torch.utils.ThroughputBenchmark() 0- module
torch.utils.backcompat 0- Warning broadcast_warning keepdim_warning
torch.utils.backcompat.Warning() 0- getter setter
torch.utils.backend_registration 1- List@2-8 Optional@2-11 Union@2-11 generate_methods_for_privateuse1_backend@2-
 handle_torch_function@5- has_torch_function_unary@5- rename_privateuse1_backend torch@2-
torch.utils.backend_registration.generate_methods_for_privateuse1_backend() 2- for_module for_packed_sequence@5-
 for_storage for_tensor unsupported_dtype
torch.utils.backend_registration.rename_privateuse1_backend() 1- backend_name
torch.utils.benchmark 0- CallgrindStats Colorize Compare CopyIfCallgrind FunctionCount FunctionCounts FuzzedParameter
 FuzzedSparseTensor FuzzedTensor Fuzzer Language Measurement Number Optional@0-11 ParameterAlias TaskSpec Timer
 Tuple@0-8 Union@0-11 examples math op_fuzzers ordered_unique select_unit set_torch_threads timer torch trim_sigfig
 unit_to_english utils
torch.utils.benchmark.Compare() 0- results
torch.utils.benchmark.CopyIfCallgrind() 0- setup value
torch.utils.benchmark.FuzzedParameter() 0- distribution maxval minval name strict
torch.utils.benchmark.FuzzedSparseTensor() 0- coalesced cuda density dim_parameter dtype max_elements min_elements
 name nnz size sparse_dim
torch.utils.benchmark.FuzzedTensor() 0- cuda dim_parameter dtype max_allocation_bytes max_elements min_elements name
 probability_contiguous roll_parameter size steps tensor_constructor
torch.utils.benchmark.Fuzzer() 0- constraints parameters seed tensors
torch.utils.benchmark.ParameterAlias() 0- alias_to
torch.utils.benchmark.Timer() 0- description env global_setup globals label language num_threads setup stmt sub_label
 timer
torch.utils.benchmark.ordered_unique() 0- elements
torch.utils.benchmark.select_unit() 0- t
torch.utils.benchmark.set_torch_threads() 0- n
torch.utils.benchmark.timer() 14-
torch.utils.benchmark.trim_sigfig() 0- n x
torch.utils.benchmark.unit_to_english() 0- u
torch.utils.bottleneck 0-11
torch.utils.bundled_inputs 0- Any Callable Dict@0-8 InflatableArg List@0-8 ListType MAX_RAW_TENSOR_SIZE NamedTuple
 Optional@0-11 Sequence T Tuple@0-8 TupleType TypeVar Union@0-11 augment_many_model_functions_with_bundled_inputs
 augment_model_with_bundled_inputs bundle_inputs bundle_large_tensor bundle_randn textwrap torch wrap_cpp_module
torch.utils.bundled_inputs.augment_many_model_functions_with_bundled_inputs() 0- _receive_inflate_expr info inputs
 model skip_size_check
torch.utils.bundled_inputs.augment_model_with_bundled_inputs() 0- _receive_inflate_expr info inputs model
 skip_size_check
torch.utils.bundled_inputs.bundle_inputs() 0- _receive_inflate_expr info inputs model
torch.utils.bundled_inputs.bundle_large_tensor() 0- t
torch.utils.bundled_inputs.bundle_randn() 0- dtype
torch.utils.bundled_inputs.wrap_cpp_module() 0- cpp_module
torch.utils.checkpoint 0- ABCMeta@6- AbstractSet@6- Annotated@6- Any AnyStr@6- AsyncContextManager@6-
 AsyncGenerator@6- AsyncIterable@6- AsyncIterator@6- Awaitable@6- BinaryIO@6- ByteString@6- CT_co@6- Callable@2-
 ChainMap@6- CheckpointError@2- CheckpointFunction CheckpointPolicy@6- ClassVar@6- Collection@6- Concatenate@6-
 Container@6- ContextManager@2- Coroutine@6- Counter@6- DefaultDeviceType@2- DefaultDict@2- Deque@6- Dict@2-
 EXCLUDED_ATTRIBUTES@6- Final@6- ForwardRef@6- FrozenSet@6- Generator@6- Generic@6- GenericAlias@6- GraphExecGroup@11-
 Hashable@6- IO@6- ItemsView@6- Iterable Iterator@6- KT@6- KeysView@6- List Literal@6- LiteralString@6-
 LoggingTensorMode@2- Mapping@6- MappingView@6- Match@6- MethodDescriptorType@6- MethodWrapperType@6-
 MutableMapping@6- MutableSequence@6- MutableSet@6- NamedTuple@6- NamedTupleMeta@6- Never@6- NewType@6- NoReturn@6-
 NotRequired@6- Optional@2- OrderedDict@6- ParamSpec@6- ParamSpecArgs@6- ParamSpecKwargs@6- Pattern@6- Protocol@6-
 ReferenceType@2- Required@6- Reversible@6- SAC_IGNORED_OPS@6- SavedTensor@13- SelectiveCheckpointContext@6- Self@6-
 Sequence@6- Set@6- Sized@6- SupportsAbs@6- SupportsBytes@6- SupportsComplex@6- SupportsFloat@6- SupportsIndex@6-
 SupportsInt@6- SupportsRound@6- T@6- TYPE_CHECKING@6- T_co@6- T_contra@6- Text@6- TextIO@6- TorchDispatchMode@3-
 Tuple Type@6- TypeAlias@6- TypeGuard@6- TypeVar@6- TypeVarTuple@6- TypedDict@6- Union@6- Unpack@6- VT@6- VT_co@6-
 V_co@6- ValuesView@6- WrapperDescriptorType@6- abstractmethod@6- annotations@13- assert_never@6- assert_type@6-
 capture_logs@2- cast@6- check_backward_validity checkpoint checkpoint_sequential clear_overloads@6- collections@6-
 contextlib@2- count@3-6 create_selective_checkpoint_contexts@6- dataclass_transform@6- defaultdict@2- detach_variable
 enum@6- final@6- functools@6- fx_traceback@3- get_args@6- get_device_states get_origin@6- get_overloads@6-
 get_type_hints@6- io@6- is_fun@4-9 is_typeddict@6- itertools@13- no_type_check@6- no_type_check_decorator@6-
 noop_context_fn@2- operator@6- overload@6- platform@2- re@6- reveal_type@6- runtime_checkable@6-
 set_checkpoint_debug_enabled@3- set_checkpoint_early_stop@2- set_device_states stdlib_re@6- sys@6- torch tree_map@3-
 types@6- uid@3-6 uuid@2- warnings weakref
torch.utils.checkpoint.SelectiveCheckpointContext() 6- is_recompute op_output@13-
torch.utils.checkpoint.TorchDispatchMode() 3- _dispatch_key
torch.utils.checkpoint.check_backward_validity() 0- inputs
torch.utils.checkpoint.create_selective_checkpoint_contexts() 6- allow_cache_entry_mutation policy_fn_or_list
torch.utils.checkpoint.detach_variable() 0- inputs
torch.utils.checkpoint.get_device_states() 0-
torch.utils.checkpoint.is_fun() 4-9 t
torch.utils.checkpoint.noop_context_fn() 2-
torch.utils.checkpoint.set_checkpoint_debug_enabled() 3- enabled
torch.utils.checkpoint.set_checkpoint_early_stop() 2- enable
torch.utils.checkpoint.set_device_states() 0- device_type@6- devices states
torch.utils.checkpoint.tree_map() 3- func is_leaf@4- tree
torch.utils.collect_env 0- COMMON_PATTERNS@7- CONDA_PATTERNS@7- DEFAULT_CONDA_PATTERNS@3-7 DEFAULT_PIP_PATTERNS@3-7
 NVIDIA_PATTERNS@7- ONEAPI_PATTERNS@10- PIP_PATTERNS@7- SystemEnv TORCH_AVAILABLE check_release_file datetime
 env_info_fmt get_cachingallocator_config get_clang_version get_cmake_version get_conda_packages get_cpu_info@1-
 get_cuda_module_loading_config get_cudnn_version get_env_info get_gcc_version get_gpu_info get_intel_gpu_detected@10-
 get_intel_gpu_driver_version@10- get_intel_gpu_onboard@10- get_libc_version get_linux_pkg_version@10- get_lsb_version
 get_mac_version get_nvidia_driver_version get_nvidia_smi get_os get_pip_packages get_platform get_pretty_env_info
 get_python_platform get_running_cuda_version get_windows_version is_xnnpack_available json@7- locale main namedtuple
 os pretty_str print_function@0-1 re run run_and_parse_first_match run_and_read_all run_and_return_first_line
 subprocess sys torch
torch.utils.collect_env.check_release_file() 0- run_lambda
torch.utils.collect_env.get_cachingallocator_config() 0-
torch.utils.collect_env.get_clang_version() 0- run_lambda
torch.utils.collect_env.get_cmake_version() 0- run_lambda
torch.utils.collect_env.get_conda_packages() 0- patterns@3- run_lambda
torch.utils.collect_env.get_cpu_info() 1- run_lambda
torch.utils.collect_env.get_cuda_module_loading_config() 0-
torch.utils.collect_env.get_cudnn_version() 0- run_lambda
torch.utils.collect_env.get_env_info() 0-
torch.utils.collect_env.get_gcc_version() 0- run_lambda
torch.utils.collect_env.get_gpu_info() 0- run_lambda
torch.utils.collect_env.get_intel_gpu_detected() 10- run_lambda
torch.utils.collect_env.get_intel_gpu_driver_version() 10- run_lambda
torch.utils.collect_env.get_intel_gpu_onboard() 10- run_lambda
torch.utils.collect_env.get_libc_version() 0-
torch.utils.collect_env.get_linux_pkg_version() 10- pkg_name run_lambda
torch.utils.collect_env.get_lsb_version() 0- run_lambda
torch.utils.collect_env.get_mac_version() 0- run_lambda
torch.utils.collect_env.get_nvidia_driver_version() 0- run_lambda
torch.utils.collect_env.get_nvidia_smi() 0-
torch.utils.collect_env.get_os() 0- run_lambda
torch.utils.collect_env.get_pip_packages() 0- patterns@3- run_lambda
torch.utils.collect_env.get_platform() 0-
torch.utils.collect_env.get_pretty_env_info() 0-
torch.utils.collect_env.get_python_platform() 0-
torch.utils.collect_env.get_running_cuda_version() 0- run_lambda
torch.utils.collect_env.get_windows_version() 0- run_lambda
torch.utils.collect_env.is_xnnpack_available() 0-
torch.utils.collect_env.main() 0-
torch.utils.collect_env.pretty_str() 0- envinfo
torch.utils.collect_env.run() 0- command
torch.utils.collect_env.run_and_parse_first_match() 0- command regex run_lambda
torch.utils.collect_env.run_and_read_all() 0- command run_lambda
torch.utils.collect_env.run_and_return_first_line() 0- command run_lambda
torch.utils.cpp_backtrace 0- get_cpp_backtrace
torch.utils.cpp_backtrace.get_cpp_backtrace() 0- frames_to_skip maximum_number_of_frames
torch.utils.cpp_extension 0-14 ABI_INCOMPATIBILITY_WARNING BUILD_SPLIT_CUDA@0-1 BUILT_FROM_SOURCE_VERSION_PATTERN
 BuildExtension CLIB_EXT CLIB_PREFIX COMMON_HIPCC_FLAGS COMMON_HIP_FLAGS COMMON_MSVC_FLAGS COMMON_NVCC_FLAGS
 CUDAExtension CUDA_CLANG_VERSIONS CUDA_GCC_VERSIONS CUDA_HOME CUDA_MISMATCH_MESSAGE CUDA_MISMATCH_WARN
 CUDA_NOT_FOUND_MESSAGE CUDNN_HOME CppExtension Dict@1-8 EXEC_EXT ExtensionVersioner FileBaton
 GeneratedFileCleaner@0-10 HIP_HOME IS_HIP_EXTENSION IS_LINUX IS_MACOS IS_WINDOWS JIT_EXTENSION_VERSIONER LIB_EXT
 List@0-8 MINIMUM_CLANG_VERSION@1-14 MINIMUM_GCC_VERSION MINIMUM_MSVC_VERSION MIOPEN_HOME@0-2
 MSVC_IGNORE_CUDAFE_WARNINGS Optional@0-11 PLAT_TO_VCVARS Path@2-14 ROCM_HOME ROCM_VERSION SHARED_FLAG
 SUBPROCESS_DECODE_ARGS SYCL_HOME@7-14 SyclExtension@8-14 TORCH_LIB_PATH TorchVersion Tuple@0-8 Union@0-11
 Version@3-14 VersionMap@1-14 VersionRange@1-14 WINDOWS_CUDA_HOME@11-14 WRONG_COMPILER_WARNING build_ext
 check_compiler_is_gcc@2-14 check_compiler_ok_for_platform collections copy deprecated@10-14 errno@2-14
 get_compiler_abi_compatibility_and_version get_cxx_compiler@2-14 get_default_build_root glob hipify_python@0-10
 importlib include_paths is_ninja_available library_paths load load_inline logger@9-14 logging@9-14
 min_supported_cpython@8-14 os packaging@0-3 platform@7-8 re remove_extension_h_precompiler_headers@2-14 setuptools
 shlex shutil@2-14 subprocess sys sysconfig torch types@11-14 verify_ninja_availability warnings@0-9
torch.utils.cpp_extension.ExtensionVersioner() 0-14
torch.utils.cpp_extension.FileBaton() 0-14 lock_file_path wait_seconds warn_after_seconds@9-14
torch.utils.cpp_extension.GeneratedFileCleaner() 0-10 keep_intermediates
torch.utils.cpp_extension.check_compiler_is_gcc() 2-14 compiler
torch.utils.cpp_extension.check_compiler_ok_for_platform() 0-14 compiler
torch.utils.cpp_extension.get_compiler_abi_compatibility_and_version() 0-14 compiler
torch.utils.cpp_extension.get_cxx_compiler() 2-14
torch.utils.cpp_extension.get_default_build_root() 0-14
torch.utils.cpp_extension.include_paths() 0-14 cuda@0-7 device_type@7-14 torch_include_dirs@11-14
torch.utils.cpp_extension.is_ninja_available() 0-14
torch.utils.cpp_extension.library_paths() 0-14 cross_target_platform@11-14 cuda@0-7 device_type@7-14
 torch_include_dirs@11-14
torch.utils.cpp_extension.load() 0-14 build_directory extra_cflags extra_cuda_cflags extra_include_paths extra_ldflags
 extra_sycl_cflags@8-14 is_python_module is_standalone keep_intermediates name sources verbose with_cuda
 with_sycl@8-14
torch.utils.cpp_extension.load_inline() 0-14 build_directory cpp_sources cuda_sources extra_cflags extra_cuda_cflags
 extra_include_paths extra_ldflags extra_sycl_cflags@8-14 functions is_python_module keep_intermediates name
 no_implicit_headers@9-14 sycl_sources@8-14 use_pch@2-14 verbose with_cuda with_pytorch_error_handling with_sycl@8-14
torch.utils.cpp_extension.remove_extension_h_precompiler_headers() 2-14
torch.utils.cpp_extension.verify_ninja_availability() 0-14
torch.utils.data 0- BatchSampler ChainDataset ConcatDataset DFIterDataPipe DataChunk DataLoader DataLoader2@0-1
 Dataset DistributedSampler IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler SequentialSampler
 StackDataset@2- Subset SubsetRandomSampler TensorDataset WeightedRandomSampler argument_validation
 backward_compatibility communication@0-1 dataloader dataloader_experimental@0-1 datapipes dataset default_collate
 default_convert distributed functional_datapipe get_worker_info graph graph_settings guaranteed_datapipes_determinism
 non_deterministic random_split runtime_validation runtime_validation_disabled sampler
torch.utils.data.BatchSampler() 0- batch_size drop_last sampler
torch.utils.data.ChainDataset() 0- datasets
torch.utils.data.ConcatDataset() 0- datasets
torch.utils.data.DataLoader() 0- batch_sampler batch_size collate_fn dataset drop_last generator in_order@7-
 multiprocessing_context num_workers persistent_workers pin_memory pin_memory_device prefetch_factor sampler shuffle
 timeout worker_init_fn
torch.utils.data.DistributedSampler() 0- dataset drop_last num_replicas rank seed shuffle
torch.utils.data.RandomSampler() 0- data_source generator num_samples replacement
torch.utils.data.Sampler() 0-11 data_source
torch.utils.data.SequentialSampler() 0- data_source
torch.utils.data.Subset() 0- dataset indices
torch.utils.data.SubsetRandomSampler() 0- generator indices
torch.utils.data.TensorDataset() 0-
torch.utils.data.WeightedRandomSampler() 0- generator num_samples replacement weights
torch.utils.data.argument_validation() 0- f
torch.utils.data.functional_datapipe() 0- enable_df_api_tracing name
torch.utils.data.guaranteed_datapipes_determinism() 0-
torch.utils.data.non_deterministic() 0- arg
torch.utils.data.random_split() 0- dataset generator lengths
torch.utils.data.runtime_validation() 0- f
torch.utils.data.runtime_validation_disabled() 0-
torch.utils.debug_log 14- debug_grad_log leaf_function log logging torch
torch.utils.debug_log.debug_grad_log() 14-
torch.utils.deterministic 3- sys torch types
torch.utils.disable_minidumps() 0-2
torch.utils.dlpack 0- Any DLDeviceType Optional@10-11 ReadOnlyTensorWrapper@15- enum from_dlpack to_dlpack torch
torch.utils.dlpack.from_dlpack() 0- copy@10- device@10- ext_tensor
torch.utils.enable_minidumps() 0-2 directory
torch.utils.enable_minidumps_on_exceptions() 0-2
torch.utils.file_baton 0- FileBaton os time warnings@9-
torch.utils.file_baton.FileBaton() 0- lock_file_path wait_seconds warn_after_seconds@9-
torch.utils.flop_counter 2- Any Callable@8- Counter@16- Dict@2-8 FlopCounterMode Iterator@5- List@2-8 ModuleTracker@5-
 NamedTuple@2-5 NoneType@12- Optional@2-11 ParamSpec@8- RemovableHandle@2-5 TorchDispatchMode Tuple@5-8 TypeVar@8-
 Union@2-11 addmm_flop aten baddbmm_flop bmm_flop conv_backward_flop conv_flop conv_flop_count convert_num_with_suffix
 convert_to_percent_str@3- defaultdict flop_mapping@2-3 flop_registry@3- get_shape get_suffix_str log@12- logging@12-
 mm_flop nn@2-5 normalize_tuple prod register_decomposition@3-6 register_flop_formula@3- sdpa_backward_flop
 sdpa_backward_flop_count sdpa_flop sdpa_flop_count shape_wrapper@3- suffixes torch transpose_shape@2-4
 tree_flatten@3- tree_map tree_unflatten@3- warnings@5- wraps@3-
torch.utils.flop_counter.FlopCounterMode() 2- custom_mapping depth display mods skip_unsupported@16-
torch.utils.flop_counter.ModuleTracker() 5-
torch.utils.flop_counter.RemovableHandle() 2-5 extra_dict hooks_dict
torch.utils.flop_counter.TorchDispatchMode() 2- _dispatch_key
torch.utils.flop_counter.conv_backward_flop() 2-3 _bias _dilation _groups _output_padding _padding _stride
 grad_out_shape out_shape output_mask transposed w_shape x_shape
torch.utils.flop_counter.conv_flop_count() 2- out_shape transposed w_shape x_shape
torch.utils.flop_counter.convert_num_with_suffix() 2- number suffix
torch.utils.flop_counter.convert_to_percent_str() 3- denom num
torch.utils.flop_counter.get_shape() 2- i
torch.utils.flop_counter.get_suffix_str() 2- number
torch.utils.flop_counter.normalize_tuple() 2- x
torch.utils.flop_counter.register_decomposition() 3-6 aten_op registry type unsafe
torch.utils.flop_counter.register_flop_formula() 3- get_raw targets
torch.utils.flop_counter.sdpa_backward_flop_count() 2- grad_out_shape key_shape query_shape value_shape
torch.utils.flop_counter.sdpa_flop_count() 2- key_shape query_shape value_shape
torch.utils.flop_counter.shape_wrapper() 3- f
torch.utils.flop_counter.transpose_shape() 2-4 shape
torch.utils.flop_counter.tree_flatten() 3- is_leaf@4- tree
torch.utils.flop_counter.tree_map() 2- fn@2-3 func@3- is_leaf@4- pytree@2-3 tree@3-
torch.utils.flop_counter.tree_unflatten() 3- leaves treespec
torch.utils.generate_methods_for_privateuse1_backend() 2- for_module for_packed_sequence@5- for_storage for_tensor
 unsupported_dtype
torch.utils.get_cpp_backtrace() 0- frames_to_skip maximum_number_of_frames
torch.utils.hipify 0- constants cuda_to_hip_mappings hipify_python version
torch.utils.hooks 0- Any BackwardHook OrderedDict RemovableHandle Tuple@2-8 torch unserializable_hook
 warn_if_has_hooks warnings weakref
torch.utils.hooks.BackwardHook() 0- module user_hooks user_pre_hooks@1-
torch.utils.hooks.RemovableHandle() 0- extra_dict@1- hooks_dict
torch.utils.hooks.unserializable_hook() 0- f
torch.utils.hooks.warn_if_has_hooks() 0- tensor
torch.utils.jit 0- log_extract
torch.utils.mkldnn 0-15 MkldnnBatchNorm MkldnnConv1d MkldnnConv2d MkldnnConv3d MkldnnLinear MkldnnPrelu to_mkldnn
 torch
torch.utils.mkldnn.MkldnnBatchNorm() 0-15 dense_module
torch.utils.mkldnn.MkldnnConv1d() 0-15 dense_module dtype
torch.utils.mkldnn.MkldnnConv2d() 0-15 dense_module dtype
torch.utils.mkldnn.MkldnnConv3d() 0-15 dense_module dtype
torch.utils.mkldnn.MkldnnLinear() 0-15 dense_module dtype
torch.utils.mkldnn.MkldnnPrelu() 0-15 dense_module dtype
torch.utils.mkldnn.to_mkldnn() 0-15 dtype module
torch.utils.mobile_optimizer 0- AnyStr Enum LintCode List@0-8 MobileOptimizerType Optional@0-11 Set@0-8
 generate_mobile_module_lints optimize_for_mobile torch
torch.utils.mobile_optimizer.generate_mobile_module_lints() 0- script_module
torch.utils.mobile_optimizer.optimize_for_mobile() 0- backend optimization_blocklist preserved_methods script_module
torch.utils.model_dump 0- DEFAULT_EXTRA_FILE_SIZE_LIMIT Dict@0-8 Path@6- argparse burn_in_info
 get_info_and_burn_skeleton get_inline_skeleton get_model_info get_storage_info hierarchical_pickle io itertools@11-
 json main os pathlib@0-6 pickle pprint re sys torch urllib warnings@7- zipfile
torch.utils.model_dump.burn_in_info() 0- info skeleton
torch.utils.model_dump.get_inline_skeleton() 0-
torch.utils.model_dump.get_model_info() 0- extra_file_size_limit path_or_file title
torch.utils.model_dump.get_storage_info() 0- storage
torch.utils.model_dump.hierarchical_pickle() 0- data
torch.utils.model_dump.main() 0- argv stdout
torch.utils.model_zoo 0- load_url tqdm
torch.utils.model_zoo.load_url() 0- check_hash file_name map_location model_dir progress url weights_only@2-
torch.utils.model_zoo.tqdm() 0-1 disable total unit unit_divisor unit_scale
torch.utils.module_tracker 5- List@7-8 ModuleTracker RemovableHandle@7- Set@5-8 TYPE_CHECKING@7- logger@6- logging@6-
 register_module_forward_hook register_module_forward_pre_hook register_multi_grad_hook torch tree_flatten weakref
torch.utils.module_tracker.ModuleTracker() 5-
torch.utils.module_tracker.RemovableHandle() 7- extra_dict hooks_dict
torch.utils.module_tracker.register_module_forward_hook() 5- always_call hook with_kwargs@7-
torch.utils.module_tracker.register_module_forward_pre_hook() 5- hook
torch.utils.module_tracker.register_multi_grad_hook() 5- fn mode tensors
torch.utils.module_tracker.tree_flatten() 5- is_leaf tree
torch.utils.rename_privateuse1_backend() 1- backend_name
torch.utils.serialization 8- config
torch.utils.set_module() 0- mod obj
torch.utils.show_pickle 0- Any BinaryIO@0-8 DumpUnpickler FakeClass FakeObject IO Union@0-8 fnmatch main pickle pprint
 struct sys zipfile
torch.utils.show_pickle.FakeClass() 0- module name
torch.utils.show_pickle.FakeObject() 0- args module name
torch.utils.show_pickle.main() 0- argv output_stream
torch.utils.swap_tensors() 4- t1 t2
torch.utils.tensorboard 0- FileWriter LooseVersion@0-2 RecordWriter SummaryWriter Version@2- summary tensorboard
 writer
torch.utils.tensorboard.FileWriter() 0- filename_suffix flush_secs log_dir max_queue
torch.utils.tensorboard.SummaryWriter() 0- comment filename_suffix flush_secs log_dir max_queue purge_step
torch.utils.throughput_benchmark 0- ExecutionStats ThroughputBenchmark format_time torch
torch.utils.throughput_benchmark.ExecutionStats() 0- benchmark_config c_stats
torch.utils.throughput_benchmark.ThroughputBenchmark() 0- module
torch.utils.throughput_benchmark.format_time() 0- time_ms time_s time_us
torch.utils.viz 2-
torch.utils.weak 1- Dict@1-2 Mapping MutableMapping Tensor@2- TensorWeakRef@2- WeakIdKeyDictionary WeakIdRef
 WeakRef@2- WeakTensorKeyDictionary annotations@2- ref weakref
torch.utils.weak.TensorWeakRef() 2- tensor
torch.utils.weak.WeakIdKeyDictionary() 1- dict ref_type@4-
torch.utils.weak.WeakIdRef() 1- callback key
torch.values_copy() 0- input out
torch.vander() 0- N increasing x
torch.var() 0- correction dim input keepdim out unbiased
torch.var_mean() 0- correction dim input keepdim out unbiased
torch.vdot() 0- input other out
torch.version 0- Optional@3- cuda debug git_version hip rocm@11- xpu@7-
torch.view_as_complex() 0- input
torch.view_as_complex_copy() 0- input out
torch.view_as_real() 0- input
torch.view_as_real_copy() 0- input out
torch.view_copy() 0- dtype input out size
torch.vmap() 1- chunk_size func in_dims out_dims randomness
torch.vsplit() 0- indices indices_or_sections input sections
torch.vstack() 0- out tensors
torch.where() 0- condition input other out self x@0-1 y@0-1
torch.while_loop() 6- body_fn carried_inputs cond_fn
torch.xlogy() 0- input other out self
torch.xlogy_() 0- input other
torch.xpu 4- Any BFloat16Tensor BoolTensor ByteTensor Callable CharTensor Device@12- Dict@4-8 DoubleTensor Event
 FloatTensor HalfTensor IntTensor List@4-8 LongTensor MemPool@12- NewType@12- Optional@4-13 ShortTensor Stream
 StreamContext TYPE_CHECKING@13- Tuple@4-8 Union@4-12 XPUGraph@12- XPUPluggableAllocator@11- annotations@13- byref@14-
 c_double@14- c_uint32@14- c_void_p@14- can_device_access_peer@11- cast@14- change_current_allocator@11-
 clock_rate@14- current_device current_stream dataclasses@14- default_generators device device_count
 device_memory_used@14- device_of empty_cache get_arch_list@7- get_device_capability get_device_name
 get_device_properties get_gencode_flags@7- get_per_process_memory_fraction@11- get_rng_state get_rng_state_all
 get_stream_from_external@8- graph@12- graph_pool_handle@12- graphs@12- init initial_seed is_available
 is_bf16_supported is_current_stream_capturing@12- is_initialized is_tf32_supported@11- list_gpu_processes@15-
 lru_cache make_graphed_callables@12- manual_seed manual_seed_all max_memory_allocated@6- max_memory_reserved@6-
 mem_get_info@7- memory@6- memory_allocated@6- memory_reserved@6- memory_snapshot@12- memory_stats@6-
 memory_stats_as_nested_dict@6- memory_usage@14- os@14- pointer@14- power_draw@14- random
 reset_accumulated_memory_stats@6- reset_peak_memory_stats@6- seed seed_all set_device
 set_per_process_memory_fraction@11- set_rng_state set_rng_state_all set_stream stream streams synchronize
 temperature@14- threading torch traceback use_mem_pool@12- utilization@14- warnings@14-
torch.xpu.MemPool() 12- allocator no_split@16- use_on_oom
torch.xpu.StreamContext() 4- stream
torch.xpu.XPUPluggableAllocator() 11- alloc_fn_name free_fn_name path_to_lib_file
torch.xpu.can_device_access_peer() 11- device peer
torch.xpu.change_current_allocator() 11- allocator
torch.xpu.clock_rate() 14- device
torch.xpu.current_device() 4-
torch.xpu.current_stream() 4- device
torch.xpu.device() 4- device
torch.xpu.device_count() 4-
torch.xpu.device_memory_used() 14- device
torch.xpu.device_of() 4- obj
torch.xpu.empty_cache() 4-
torch.xpu.get_arch_list() 7-
torch.xpu.get_device_capability() 4- device
torch.xpu.get_device_name() 4- device
torch.xpu.get_device_properties() 4- device
torch.xpu.get_gencode_flags() 7-
torch.xpu.get_per_process_memory_fraction() 11- device
torch.xpu.get_rng_state() 4- device
torch.xpu.get_rng_state_all() 4-
torch.xpu.get_stream_from_external() 8- data_ptr device
torch.xpu.graph() 12- pool stream xpu_graph
torch.xpu.graph_pool_handle() 12-
torch.xpu.graphs 12- Callable Optional@12-13 ParamSpec Self TYPE_CHECKING Tensor TypeAlias TypeVar Union@12-13
 XPUGraph annotations graph graph_pool_handle is_current_stream_capturing make_graphed_callables overload torch typing
torch.xpu.graphs.graph() 12- pool stream xpu_graph
torch.xpu.graphs.graph_pool_handle() 12-
torch.xpu.graphs.is_current_stream_capturing() 12-
torch.xpu.graphs.make_graphed_callables() 12- allow_unused_input callables num_warmup_iters pool sample_args
torch.xpu.init() 4-
torch.xpu.initial_seed() 4-
torch.xpu.is_available() 4-
torch.xpu.is_bf16_supported() 4- including_emulation@9-
torch.xpu.is_current_stream_capturing() 12-
torch.xpu.is_initialized() 4-
torch.xpu.is_tf32_supported() 11-
torch.xpu.list_gpu_processes() 15- device
torch.xpu.make_graphed_callables() 12- allow_unused_input callables num_warmup_iters pool sample_args
torch.xpu.manual_seed() 4- seed
torch.xpu.manual_seed_all() 4- seed
torch.xpu.max_memory_allocated() 6- device
torch.xpu.max_memory_reserved() 6- device
torch.xpu.mem_get_info() 7- device
torch.xpu.memory 6- Any Device Dict@6-8 Literal@12- MemPool@12- Tuple@7-8 Union@6-12 XPUPluggableAllocator@11-
 change_current_allocator@11- collections contextlib@12- ctypes@11- empty_cache get_per_process_memory_fraction@11-
 is_initialized list_gpu_processes@15- max_memory_allocated max_memory_reserved mem_get_info@7- memory_allocated
 memory_reserved memory_snapshot@12- memory_stats memory_stats_as_nested_dict pickle@12-
 reset_accumulated_memory_stats reset_peak_memory_stats set_per_process_memory_fraction@11- sys@12- torch
 use_mem_pool@12-
torch.xpu.memory.MemPool() 12- allocator no_split@16- use_on_oom
torch.xpu.memory.XPUPluggableAllocator() 11- alloc_fn_name free_fn_name path_to_lib_file
torch.xpu.memory.change_current_allocator() 11- allocator
torch.xpu.memory.empty_cache() 6-
torch.xpu.memory.get_per_process_memory_fraction() 11- device
torch.xpu.memory.is_initialized() 6-
torch.xpu.memory.list_gpu_processes() 15- device
torch.xpu.memory.max_memory_allocated() 6- device
torch.xpu.memory.max_memory_reserved() 6- device
torch.xpu.memory.mem_get_info() 7- device
torch.xpu.memory.memory_allocated() 6- device
torch.xpu.memory.memory_reserved() 6- device
torch.xpu.memory.memory_snapshot() 12- mempool_id
torch.xpu.memory.memory_stats() 6- device
torch.xpu.memory.memory_stats_as_nested_dict() 6- device
torch.xpu.memory.reset_accumulated_memory_stats() 6- device
torch.xpu.memory.reset_peak_memory_stats() 6- device
torch.xpu.memory.set_per_process_memory_fraction() 11- device fraction
torch.xpu.memory.use_mem_pool() 12- device pool
torch.xpu.memory_allocated() 6- device
torch.xpu.memory_reserved() 6- device
torch.xpu.memory_snapshot() 12- mempool_id
torch.xpu.memory_stats() 6- device
torch.xpu.memory_stats_as_nested_dict() 6- device
torch.xpu.memory_usage() 14- device
torch.xpu.power_draw() 14- device
torch.xpu.random 4- Iterable List@4-8 Tensor Union@4-11 current_device device_count get_rng_state get_rng_state_all
 initial_seed is_initialized@11- manual_seed manual_seed_all seed seed_all set_rng_state set_rng_state_all torch
torch.xpu.random.current_device() 4-
torch.xpu.random.device_count() 4-
torch.xpu.random.get_rng_state() 4- device
torch.xpu.random.get_rng_state_all() 4-
torch.xpu.random.initial_seed() 4-
torch.xpu.random.is_initialized() 11-
torch.xpu.random.manual_seed() 4- seed
torch.xpu.random.manual_seed_all() 4- seed
torch.xpu.random.seed() 4-
torch.xpu.random.seed_all() 4-
torch.xpu.random.set_rng_state() 4- device new_state
torch.xpu.random.set_rng_state_all() 4- new_states
torch.xpu.reset_accumulated_memory_stats() 6- device
torch.xpu.reset_peak_memory_stats() 6- device
torch.xpu.seed() 4-
torch.xpu.seed_all() 4-
torch.xpu.set_device() 4- device
torch.xpu.set_per_process_memory_fraction() 11- device fraction
torch.xpu.set_rng_state() 4- device new_state
torch.xpu.set_rng_state_all() 4- new_states
torch.xpu.set_stream() 4- stream
torch.xpu.stream() 4- stream
torch.xpu.streams 4- Event Stream annotations@12- ctypes torch
torch.xpu.synchronize() 4- device
torch.xpu.temperature() 14- device
torch.xpu.use_mem_pool() 12- device pool
torch.xpu.utilization() 14- device
torch.zero_() 0- input
torch.zeros() 0- device dtype layout memory_format names@0-14 out pin_memory requires_grad size
torch.zeros_like() 0- device dtype input layout memory_format pin_memory requires_grad
"""
