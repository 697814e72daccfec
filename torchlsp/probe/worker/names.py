"""Lists the reviewed names that a probe's program may use.

How they were reviewed: the public names of torch 2.13.0 and NumPy 2, and of the objects that a program can get hold of, were listed and
gone through family by family. Left out is what touches files, processes, code, pickles or settings that outlive the program, gives a
module, or reaches an attribute by a string that the program chose; for that last point torch's Python was searched for `getattr`,
`setattr`, `__dict__` and imports. It excludes `nn.ParameterDict` (its subscript is `getattr`), `RNNBase.all_weights` and the state of
callables that `CyclicLR` saves. Raw memory (`data_ptr`, `set_`, `storage`, `Tensor(cdata=…)`) and kernels that trust the indices given to
them (sparse tensors, `lu_solve`) are left out, as is `obj`, by which an AttributeError carries the module that lacked a name.
`tests/probe/test_gate.py` looks again for modules, classes and frames behind what is let in, and `python -m torchlsp.dev gate-names`
shows what a newer torch brings. Names that an older or newer torch lacks do no harm.

Long because it is lists, which are read one by one.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Modules: to be imported and followed by a name, never to be values. The worker imports them before it locks itself up.
MODULES = _words(
    """
    math torch torch.amp torch.autograd torch.autograd.functional torch.backends torch.backends.cuda
    torch.backends.cudnn torch.backends.mps torch.cpu torch.cpu.amp torch.cuda torch.cuda.amp
    torch.distributed torch.distributions torch.fft torch.linalg torch.nn torch.nn.functional
    torch.nn.init torch.nn.parallel torch.nn.parameter torch.nn.utils torch.nn.utils.rnn torch.optim
    torch.optim.lr_scheduler torch.special torch.testing torch.utils torch.utils.data
    """
)

# math.*, without what takes very long on small numbers (`factorial`, `comb`, `perm`).
MATH = _words(
    """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh degrees dist e erf erfc exp
    exp2 expm1 fabs floor fma fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt
    lcm ldexp lgamma log log10 log1p log2 modf nan nextafter pi pow prod radians remainder sin sinh
    sqrt sumprod tan tanh tau trunc ulp
    """
)

# torch.*: functions.
TORCH = _words(
    """
    abs abs_ absolute acos acos_ acosh acosh_ adaptive_avg_pool1d adaptive_max_pool1d add addbmm
    addcdiv addcmul addmm addmv addmv_ addr adjoint all allclose alpha_dropout alpha_dropout_ amax
    amin aminmax angle any arange arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_
    arctan arctan2 arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_tensor asarray asin
    asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ atleast_1d atleast_2d atleast_3d avg_pool1d
    baddbmm bartlett_window batch_norm bernoulli bilinear binary_cross_entropy_with_logits bincount
    binomial bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
    blackman_window block_diag bmm broadcast_shapes broadcast_tensors broadcast_to bucketize can_cast
    cartesian_prod cat cdist ceil ceil_ celu celu_ chain_matmul channel_shuffle cholesky
    cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip
    clip_ clone column_stack combinations complex concat concatenate conj conj_physical conj_physical_
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d copysign corrcoef cos cos_
    cosh cosh_ cosine_embedding_loss cosine_similarity count_nonzero cov cross ctc_loss cummax cummin
    cumprod cumsum cumulative_trapezoid deg2rad deg2rad_ det detach detach_ diag diag_embed diagflat
    diagonal diagonal_scatter diff digamma dist div divide dot dropout dropout_ dsplit dstack eig
    einsum embedding embedding_bag empty empty_like empty_permuted eq equal erf erf_ erfc erfc_ erfinv
    exp exp2 exp2_ exp_ expm1 expm1_ eye feature_alpha_dropout feature_alpha_dropout_ feature_dropout
    feature_dropout_ fill fill_ fix fix_ flatten flip fliplr flipud float_power floor floor_
    floor_divide fmax fmin fmod frac frac_ frexp from_numpy full full_like gather gcd gcd_ ge ger
    get_default_dtype gradient greater greater_equal group_norm gt hamming_window hann_window
    hardshrink heaviside hinge_embedding_loss histc histogram histogramdd hsplit hstack hypot i0 i0_
    igamma igammac imag index_add index_copy index_fill index_put index_put_ index_reduce index_select
    inner instance_norm inverse is_autocast_cpu_enabled is_autocast_enabled is_complex is_conj
    is_floating_point is_grad_enabled is_inference is_inference_mode_enabled is_neg is_nonzero
    is_same_size is_signed is_tensor isclose isfinite isin isinf isnan isneginf isposinf isreal istft
    kaiser_window kl_div kron kthvalue layer_norm lcm lcm_ ldexp ldexp_ le lerp less less_equal lgamma
    linspace log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2
    logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logspace logsumexp
    lstsq lt lu manual_seed margin_ranking_loss masked_fill masked_scatter masked_select matmul
    matrix_exp matrix_power matrix_rank max max_pool1d max_pool1d_with_indices max_pool2d max_pool3d maximum mean
    median meshgrid min minimum mm mode moveaxis movedim msort mul multinomial multiply mv mvlgamma
    nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow ne neg neg_ negative negative_
    nextafter nonzero norm normal not_equal numel ones ones_like outer pairwise_distance pca_lowrank
    pdist permute pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar polygamma
    positive pow prelu prod promote_types qr quantile rad2deg rad2deg_ rand rand_like randint
    randint_like randn randn_like randperm range ravel real reciprocal reciprocal_ relu relu_
    remainder renorm repeat_interleave reshape resolve_conj resolve_neg result_type rms_norm roll
    rot90 round round_ row_stack rrelu rrelu_ rsqrt rsqrt_ scalar_tensor scatter scatter_add
    scatter_reduce searchsorted select select_scatter selu selu_ sgn sigmoid sigmoid_ sign signbit sin
    sin_ sinc sinc_ sinh sinh_ slice_scatter slogdet softmax solve sort split split_with_sizes sqrt
    sqrt_ square square_ squeeze stack std std_mean stft sub subtract sum svd svd_lowrank swapaxes
    swapdims symeig t take take_along_dim tan tan_ tanh tanh_ tensor tensor_split tensordot threshold
    threshold_ tile topk trace transpose trapezoid trapz tril tril_indices triplet_margin_loss triu
    triu_indices true_divide trunc trunc_ typename unbind unflatten unique unique_consecutive
    unravel_index unsqueeze vander var var_mean vdot view_as_complex view_as_real vsplit vstack where
    xlogy xlogy_ zero_ zeros zeros_like
    """
)

# torch.*: dtypes, layouts, memory formats, numbers.
CONSTANT = _words(
    """
    __version__ bfloat16 bool cdouble cfloat chalf channels_last channels_last_3d complex128 complex32
    complex64 contiguous_format double e float float16 float32 float64 float8_e4m3fn float8_e4m3fnuz
    float8_e5m2 float8_e5m2fnuz half inf int int16 int32 int64 int8 long nan newaxis pi
    preserve_format short sparse_coo strided uint16 uint32 uint64 uint8
    """
)

# torch.nn.functional.*
FUNCTIONAL = _words(
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices
    adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout avg_pool1d
    avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits
    celu celu_ channel_shuffle conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dropout dropout1d dropout2d
    dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout fold fractional_max_pool2d
    fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices
    gaussian_nll_loss gelu glu grid_sample group_norm gumbel_softmax hardshrink hardsigmoid hardswish
    hardtanh hardtanh_ hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss
    layer_norm leaky_relu leaky_relu_ linear linear_cross_entropy local_response_norm log_softmax
    logsigmoid lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_pool1d max_pool1d_with_indices
    max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool1d max_unpool2d
    max_unpool3d mish mse_loss multi_head_attention_forward multi_margin_loss multilabel_margin_loss
    multilabel_soft_margin_loss nll_loss normalize one_hot pad pairwise_distance pdist pixel_shuffle
    pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ rms_norm rrelu rrelu_
    scaled_dot_product_attention selu selu_ sigmoid silu smooth_l1_loss soft_margin_loss softmax
    softmin softplus softshrink softsign tanh tanhshrink threshold threshold_ triplet_margin_loss
    triplet_margin_with_distance_loss unfold upsample upsample_bilinear upsample_nearest
    """
)

# torch.nn.init.*
INIT = _words(
    """
    calculate_gain constant constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_
    kaiming_uniform kaiming_uniform_ normal normal_ ones_ orthogonal orthogonal_ sparse sparse_
    trunc_normal_ uniform uniform_ xavier_normal xavier_normal_ xavier_uniform xavier_uniform_ zeros_
    """
)

# torch.linalg.*
LINALG = _words(
    """
    cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh householder_product inv
    inv_ex lstsq lu lu_factor lu_factor_ex matmul matrix_exp matrix_norm matrix_power matrix_rank
    multi_dot norm pinv qr slogdet solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve
    vander vecdot vector_norm
    """
)

# torch.fft.*
FFT = _words(
    """
    fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn
    irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """
)

# torch.special.*
SPECIAL = _words(
    """
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
    chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc erfcx erfinv exp2 expit expm1
    gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
    laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp
    modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr
    ndtri polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
    shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0 xlog1py xlogy zeta
    """
)

# Functions and constants of other modules, with their paths.
OTHER_FUNCTION = _words(
    """
    torch.autograd.backward torch.autograd.functional.hessian torch.autograd.functional.hvp
    torch.autograd.functional.jacobian torch.autograd.functional.jvp torch.autograd.functional.vhp
    torch.autograd.functional.vjp torch.autograd.grad torch.backends.cuda.is_built
    torch.backends.cudnn.is_available torch.backends.mps.is_available torch.backends.mps.is_built
    torch.cuda.current_device torch.cuda.device_count torch.cuda.empty_cache
    torch.cuda.get_device_capability torch.cuda.get_device_name torch.cuda.is_available
    torch.cuda.is_bf16_supported torch.cuda.is_initialized torch.cuda.manual_seed
    torch.cuda.manual_seed_all torch.cuda.max_memory_allocated torch.cuda.memory_allocated
    torch.cuda.memory_reserved torch.cuda.reset_peak_memory_stats torch.cuda.set_device
    torch.cuda.synchronize torch.distributed.ReduceOp.AVG torch.distributed.ReduceOp.BAND
    torch.distributed.ReduceOp.BOR torch.distributed.ReduceOp.BXOR torch.distributed.ReduceOp.MAX
    torch.distributed.ReduceOp.MIN torch.distributed.ReduceOp.PRODUCT torch.distributed.ReduceOp.SUM
    torch.distributed.all_gather torch.distributed.all_gather_into_tensor
    torch.distributed.all_gather_object torch.distributed.all_reduce torch.distributed.all_to_all
    torch.distributed.all_to_all_single torch.distributed.barrier torch.distributed.broadcast
    torch.distributed.broadcast_object_list torch.distributed.destroy_process_group
    torch.distributed.gather torch.distributed.gather_object torch.distributed.get_backend
    torch.distributed.get_rank torch.distributed.get_world_size torch.distributed.group.WORLD
    torch.distributed.irecv torch.distributed.is_available torch.distributed.is_initialized
    torch.distributed.isend torch.distributed.monitored_barrier torch.distributed.new_group
    torch.distributed.recv torch.distributed.reduce torch.distributed.reduce_scatter
    torch.distributed.reduce_scatter_tensor torch.distributed.scatter
    torch.distributed.scatter_object_list torch.distributed.send torch.distributions.kl_divergence
    torch.nn.Embedding.from_pretrained torch.nn.EmbeddingBag.from_pretrained
    torch.nn.Transformer.generate_square_subsequent_mask torch.nn.utils.clip_grad_norm
    torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_value_
    torch.nn.utils.clip_grads_with_norm_ torch.nn.utils.get_total_norm
    torch.nn.utils.parameters_to_vector torch.nn.utils.rnn.pack_padded_sequence
    torch.nn.utils.rnn.pack_sequence torch.nn.utils.rnn.pad_packed_sequence
    torch.nn.utils.rnn.pad_sequence torch.nn.utils.rnn.unpack_sequence
    torch.nn.utils.rnn.unpad_sequence torch.nn.utils.vector_to_parameters torch.testing.assert_close
    torch.utils.data.default_collate torch.utils.data.random_split
    """
)

# torch.nn.*: layers, losses and containers. Only these classes may be handed around (`activation=nn.ReLU`).
LAYER_CLASS = _words(
    """
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d
    AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss
    BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CELU CTCLoss ChannelShuffle
    CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d
    Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity
    CrossEntropyLoss Dropout Dropout1d Dropout2d Dropout3d ELU Embedding EmbeddingBag
    FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU GRUCell
    GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss
    Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d LPPool3d
    LSTM LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d
    LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d
    LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss
    LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d MaxPool3d
    MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish ModuleDict ModuleList MultiLabelMarginLoss
    MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss PReLU PairwiseDistance
    ParameterList PixelShuffle PixelUnshuffle PoissonNLLLoss RMSNorm RNN RNNCell RReLU ReLU ReLU6
    ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
    SELU Sequential SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus
    Softshrink Softsign Tanh Tanhshrink Threshold Transformer TransformerDecoder
    TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer TripletMarginLoss
    TripletMarginWithDistanceLoss Unflatten Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d
    ZeroPad1d ZeroPad2d ZeroPad3d
    """
)

# torch.optim.*
OPTIMIZER_CLASS = _words(
    """
    ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop Rprop
    SGD SparseAdam
    """
)

# torch.optim.lr_scheduler.*
SCHEDULER_CLASS = _words(
    """
    ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR
    LRScheduler LinearLR MultiStepLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR
    """
)

# Other classes, with their paths: to be called, named in annotations and asked for by `isinstance`.
OTHER_CLASS = _words(
    """
    torch.Generator torch.OutOfMemoryError torch.Size torch.amp.GradScaler torch.autograd.Function
    torch.cuda.OutOfMemoryError torch.cuda.amp.GradScaler torch.device torch.distributed.ReduceOp
    torch.distributions.Bernoulli torch.distributions.Beta torch.distributions.Categorical
    torch.distributions.Dirichlet torch.distributions.Exponential torch.distributions.Gamma
    torch.distributions.Laplace torch.distributions.MultivariateNormal torch.distributions.Normal
    torch.distributions.OneHotCategorical torch.distributions.Poisson torch.distributions.Uniform
    torch.dtype torch.finfo torch.iinfo torch.layout torch.linalg.LinAlgError torch.memory_format
    torch.nn.Buffer torch.nn.Module torch.nn.Parameter torch.nn.parallel.DistributedDataParallel
    torch.nn.parameter.Parameter torch.utils.data.BatchSampler torch.utils.data.ConcatDataset
    torch.utils.data.Dataset torch.utils.data.DistributedSampler torch.utils.data.IterableDataset
    torch.utils.data.RandomSampler torch.utils.data.Sampler torch.utils.data.SequentialSampler
    torch.utils.data.Subset torch.utils.data.SubsetRandomSampler torch.utils.data.TensorDataset
    torch.utils.data.WeightedRandomSampler
    """
)

# Classes that a program may derive from; none of them looks an attribute up by a name kept in an attribute.
BASE_CLASS = _words(
    """
    torch.autograd.Function torch.nn.Conv1d torch.nn.Conv2d torch.nn.Conv3d torch.nn.Embedding
    torch.nn.LayerNorm torch.nn.Linear torch.nn.Module torch.nn.ModuleList torch.nn.Sequential
    torch.utils.data.Dataset torch.utils.data.IterableDataset
    """
)

# Constructors that would take an address by a keyword: called with plain arguments or not at all.
LEGACY_TENSOR = _words(
    """
    torch.BFloat16Tensor torch.BoolTensor torch.ByteTensor torch.CharTensor torch.DoubleTensor
    torch.FloatTensor torch.HalfTensor torch.IntTensor torch.LongTensor torch.ShortTensor torch.Tensor
    torch.autograd.Variable torch.cuda.BFloat16Tensor torch.cuda.BoolTensor torch.cuda.ByteTensor
    torch.cuda.CharTensor torch.cuda.DoubleTensor torch.cuda.FloatTensor torch.cuda.HalfTensor
    torch.cuda.IntTensor torch.cuda.LongTensor torch.cuda.ShortTensor
    """
)

# Settings that `with` puts back, if the context is not kept: entered twice, `no_grad` and `autocast` leave theirs behind.
SCOPED = _words(
    """
    torch.amp.autocast torch.autocast torch.autograd.detect_anomaly torch.autograd.enable_grad
    torch.autograd.inference_mode torch.autograd.no_grad torch.autograd.set_detect_anomaly
    torch.autograd.set_grad_enabled torch.cpu.amp.autocast torch.cuda.amp.autocast torch.enable_grad
    torch.inference_mode torch.no_grad torch.set_grad_enabled
    """
)

# Those that are decorators, too; `autocast` is not, because a function that calls itself would enter it twice.
DECORATOR = _words(
    """
    torch.autograd.enable_grad torch.autograd.inference_mode torch.autograd.no_grad torch.enable_grad
    torch.inference_mode torch.no_grad
    """
)

# Attributes and methods. Tensors and parameters.
TENSOR_ATTRIBUTES = _words(
    """
    H T abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_
    addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ adjoint all allclose amax amin aminmax angle
    any arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_
    arctan_ arctanh arctanh_ argmax argmin argsort argwhere asin asin_ asinh asinh_ atan atan2 atan2_
    atan_ atanh atanh_ backward baddbmm baddbmm_ bernoulli bernoulli_ bfloat16 bincount bitwise_and
    bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or
    bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm bool
    broadcast_to byte cauchy_ cdouble ceil ceil_ cfloat chalf char cholesky cholesky_inverse
    cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ clone conj
    conj_physical conj_physical_ contiguous copy_ copysign copysign_ corrcoef cos cos_ cosh cosh_
    count_nonzero cov cpu cross cuda cummax cummin cumprod cumprod_ cumsum cumsum_ data deg2rad
    deg2rad_ det detach detach_ device diag diag_embed diagflat diagonal diagonal_scatter diff digamma
    digamma_ dim dim_order dist div div_ divide divide_ dot double dsplit dtype eig element_size eq
    eq_ equal erf erf_ erfc erfc_ erfinv erfinv_ exp exp2 exp2_ exp_ expand expand_as expm1 expm1_
    exponential_ fill_ fill_diagonal_ fix fix_ flatten flip fliplr flipud float float_power
    float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gather
    gcd gcd_ ge ge_ geometric_ ger get_device grad grad_fn greater greater_ greater_equal
    greater_equal_ gt gt_ half hardshrink heaviside heaviside_ histc histogram hsplit hypot hypot_ i0
    i0_ igamma igamma_ igammac igammac_ imag index index_add index_add_ index_copy index_copy_
    index_fill index_fill_ index_put index_put_ index_reduce index_reduce_ index_select indices inner
    int inverse is_complex is_conj is_contiguous is_cpu is_cuda is_floating_point is_inference is_leaf
    is_meta is_mps is_neg is_nested is_nonzero is_pinned is_quantized is_same_size is_signed is_sparse
    is_sparse_csr isclose isfinite isinf isnan isneginf isposinf isreal istft item itemsize kron
    kthvalue layout lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma
    lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal_ log_softmax logaddexp logaddexp2
    logcumsumexp logdet logical_and logical_and_ logical_not logical_not_ logical_or logical_or_
    logical_xor logical_xor_ logit logit_ logsumexp long lstsq lt lt_ lu mH mT masked_fill
    masked_fill_ masked_scatter masked_scatter_ masked_select matmul matrix_exp matrix_power max
    maximum mean median min minimum mm mode moveaxis movedim msort mul mul_ multinomial multiply
    multiply_ mv mvlgamma mvlgamma_ name nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum
    narrow narrow_copy nbytes ndim ndimension ne ne_ neg neg_ negative negative_ nelement new_empty
    new_full new_ones new_tensor new_zeros nextafter nextafter_ nonzero nonzero_static norm normal_
    not_equal not_equal_ numel numpy outer permute pin_memory pinverse polygamma polygamma_ positive
    pow pow_ prelu prod put put_ qr quantile rad2deg rad2deg_ random_ ravel real reciprocal
    reciprocal_ register_hook register_post_accumulate_grad_hook relu relu_ remainder remainder_
    renorm renorm_ repeat repeat_interleave requires_grad requires_grad_ reshape reshape_as
    resolve_conj resolve_neg retain_grad retains_grad roll rot90 round round_ rsqrt rsqrt_ scatter
    scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select select_scatter sgn sgn_
    shape short sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ size slice_scatter
    slogdet softmax solve sort split split_with_sizes sqrt sqrt_ square square_ squeeze squeeze_ std
    stft storage_offset stride sub sub_ subtract subtract_ sum sum_to_size svd swapaxes swapaxes_
    swapdims swapdims_ symeig t t_ take take_along_dim tan tan_ tanh tanh_ tensor_split tile to tolist
    topk trace transpose transpose_ tril tril_ triu triu_ true_divide true_divide_ trunc trunc_ type
    type_as unbind unflatten unfold uniform_ unique unique_consecutive unsqueeze unsqueeze_ values var
    vdot view view_as vsplit where xlogy xlogy_ zero_
    """
)

# Attributes and methods. Modules.
MODULE_ATTRIBUTES = _words(
    """
    add_module apply buffers children eval extra_repr forward get_buffer get_parameter get_submodule
    load_state_dict modules named_buffers named_children named_modules named_parameters parameters
    register_backward_hook register_buffer register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook register_module register_parameter
    state_dict to_empty train training zero_grad
    """
)

# Attributes and methods. What layers and losses keep, and methods of containers.
LAYER_ATTRIBUTES = _words(
    """
    activation activation_relu_or_gelu add_zero_attn affine align_corners alpha append approximate
    batch_first beta bias bias_hh bias_hh_l0 bias_hh_l0_reverse bias_hh_l1 bias_hh_l1_reverse
    bias_hh_l2 bias_hh_l2_reverse bias_ih bias_ih_l0 bias_ih_l0_reverse bias_ih_l1 bias_ih_l1_reverse
    bias_ih_l2 bias_ih_l2_reverse bias_k bias_v bidirectional blank ceil_mode clear copy
    count_include_pad d_model decoder delta device_ids dilation distance_function divisor_override
    downscale_factor dropout dropout1 dropout2 dropout3 elementwise_affine embed_dim embedding_dim
    enable_nested_tensor encoder end_dim eps extend flatten_parameters from_pretrained fromkeys full
    generate_square_subsequent_mask get groups head_dim hidden_size ignore_index in1_features
    in2_features in_channels in_features in_proj_bias in_proj_weight include_last_offset init inplace
    input_size insert items k k_proj_weight kdim keepdim kernel_size keys label_smoothing lambd layers
    linear linear1 linear2 log_input log_prob log_target lower margin max_norm max_val min_val module
    momentum multihead_attn negative_slope nhead nonlinearity norm1 norm2 norm3 norm_first norm_type
    normalized_shape num_batches_tracked num_channels num_classes num_embeddings num_features
    num_groups num_heads num_layers options out_channels out_features out_proj output_padding
    output_ratio output_size p padding padding_idx padding_mode pop popitem pos_weight predict
    proj_size q_proj_weight recompute_scale_factor reduction reset_parameters reset_running_stats
    return_indices running_mean running_var scale_factor scale_grad_by_freq self_attn setdefault
    sparse start_dim swap threshold track_running_stats transposed update upper upscale_factor
    use_nested_tensor v_proj_weight value vdim weight weight_hh weight_hh_l0 weight_hh_l0_reverse
    weight_hh_l1 weight_hh_l1_reverse weight_hh_l2 weight_hh_l2_reverse weight_ih weight_ih_l0
    weight_ih_l0_reverse weight_ih_l1 weight_ih_l1_reverse weight_ih_l2 weight_ih_l2_reverse
    zero_infinity
    """
)

# Attributes and methods. Optimizers, schedulers and gradient scalers.
OPTIMIZER_ATTRIBUTES = _words(
    """
    T_0 T_cur T_i T_max T_mult add_param_group base_lrs base_momentums best cooldown cooldown_counter
    cycle_momentum default_min_lr defaults end_factor eta_min factor gamma get_backoff_factor
    get_growth_factor get_growth_interval get_last_lr get_lr get_scale in_cooldown is_enabled
    last_epoch max_lrs max_momentums milestones min_lrs mode_worse num_bad_epochs optimizer
    param_groups patience power scale scale_mode set_backoff_factor set_growth_factor
    set_growth_interval start_factor state step step_ratio step_size threshold_mode total_iters
    total_size total_steps unscale_
    """
)

# Attributes and methods. Datasets, samplers and loaders, to be read.
DATA_ATTRIBUTES = _words(
    """
    batch_sampler batch_size collate_fn cumulative_sizes data_source dataset datasets drop_last
    generator num_samples num_workers replacement sampler tensors timeout weights
    """
)

# Attributes and methods. dtypes, devices, generators and numeric limits.
SMALL_ATTRIBUTES = _words(
    """
    abbr bits clone_state count get_state initial_seed manual_seed prev resolution seed set_state
    smallest_normal tiny to_complex to_real
    """
)

# Attributes and methods. The context of a Function, and handles of hooks.
AUTOGRAD_ATTRIBUTES = _words(
    """
    id mark_dirty mark_non_differentiable metadata needs_input_grad remove save_for_backward
    saved_tensors set_materialize_grads
    """
)

# Attributes and methods. Named results, and packed sequences.
RESULT_ATTRIBUTES = _words(
    """
    LU Q R S U Vh batch_sizes bin_edges eigenvalues eigenvectors exponent hist logabsdet loss mantissa
    missing_keys output pivots rank residuals singular_values solution sorted_indices unexpected_keys
    unsorted_indices
    """
)

# Attributes and methods. NumPy arrays.
ARRAY_ATTRIBUTES = _words(
    """
    alignment argpartition as_integer_ratio astype base byteorder choose compress conjugate coords
    fields fill flat hex is_integer kind names num partition searchsorted str strides tobytes
    """
)

# Attributes and methods. Numbers, strings, containers, slices, generators and exceptions.
PYTHON_ATTRIBUTES = _words(
    """
    args bit_count bit_length c_contiguous capitalize casefold cast center close decode denominator
    difference difference_update discard encode endswith expandtabs f_contiguous filename find
    intersection intersection_update isalnum isalpha isascii isdecimal isdigit isdisjoint isidentifier
    islower isnumeric isspace issubset issuperset istitle isupper join lineno ljust lstrip mapping msg
    numerator offset path removeprefix removesuffix replace reverse rfind rindex rjust rpartition
    rsplit rstrip send splitlines start startswith stop strip swapcase symmetric_difference
    symmetric_difference_update text throw title translate union zfill
    """
)

# Attributes and methods. Distributions.
DISTRIBUTION_ATTRIBUTES = _words(
    """
    base_dist batch_shape cdf concentration concentration0 concentration1 covariance_matrix df entropy
    event_shape has_rsample high icdf loc logits low perplexity precision_matrix probs rate rsample
    sample sample_n scale_tril stddev total_count variance
    """
)

# Attributes and methods. Handles and groups of collectives.
WORK_ATTRIBUTES = _words(
    """
    AVG BAND BOR BXOR MAX MIN PRODUCT SUM WORLD barrier broadcast is_completed op reduce result
    synchronize wait
    """
)

METHODS = frozenset().union(
    TENSOR_ATTRIBUTES,
    MODULE_ATTRIBUTES,
    LAYER_ATTRIBUTES,
    OPTIMIZER_ATTRIBUTES,
    DATA_ATTRIBUTES,
    SMALL_ATTRIBUTES,
    AUTOGRAD_ATTRIBUTES,
    RESULT_ATTRIBUTES,
    ARRAY_ATTRIBUTES,
    PYTHON_ATTRIBUTES,
    DISTRIBUTION_ATTRIBUTES,
    WORK_ATTRIBUTES,
)

# Attributes and methods of the same objects that were read and not let in; a program may not even define them.
REFUSED_NAMES = _words(
    """
    BackendType CUSTOM GLOO MPI NCCL OptimizerPostHook OptimizerPreHook PREMUL_SUM RedOpType
    T_destination UCC UNDEFINED XCCL abort add_note ag_await ag_code ag_frame ag_running aligned
    all_gather_single all_gather_single_coalesced all_to_all_single all_weights allgather
    allgather_coalesced allgather_into_tensor_coalesced allreduce allreduce_coalesced alltoall
    alltoall_base apply_ apply_boxed apply_jvp arg_constraints as_strided as_strided_
    as_strided_scatter as_subclass behaved block_current_stream bound_device_id boxed boxed_grads_call
    byteswap call_super_init carray ccol_indices characters_written check_forward_args
    check_hidden_size check_input check_worker_number_rationality clear_saved_tensors_on_access
    cls_to_become co_argcount co_cellvars co_code co_consts co_exceptiontable co_filename
    co_firstlineno co_flags co_freevars co_kwonlyargcount co_lines co_linetable co_lnotab co_name
    co_names co_nlocals co_positions co_posonlyargcount co_qualname co_stacksize co_varnames coalesce
    col_indices compile const_data_ptr convert_sync_batchnorm cr_await cr_code cr_frame cr_origin
    cr_running cr_suspended crow_indices ctypes cummulative_sizes custom_backend_name data_ptr
    default_factory deleter dense_dim dequantize descr dirty_tensors dump dump_patches dumps
    end_lineno end_offset enumerate_support errno exception extra_dict_ref f_back f_builtins f_code
    f_generator f_globals f_lasti f_lineno f_locals f_trace f_trace_lines f_trace_opcodes farray
    fast_dtype fdel fget filename2 flags fnc forc format format_map fortran from_bytes fromhex fset
    func_code func_globals generate_vmap_rule geqrf get_expected_cell_size get_expected_hidden_size
    get_extra_state get_future get_future_result get_group_store get_offset getfield getter gi_code
    gi_frame gi_running gi_suspended gi_yieldfrom grad_dtype graphsafe_get_state graphsafe_set_state
    group_desc group_name has_enumerate_support has_uninitialized_params hash_tensor hasobject
    hooks_dict_ref in_order initialize_parameters int_repr ipu is_coalesced is_distributed is_ipu
    is_maia is_mkldnn is_mtia is_set_to is_shared is_success is_vulkan is_xla is_xpu isalignedstruct
    isbuiltin isnative isprintable itemset jvp lr_lambdas lu_solve maketrans map2_ map_
    mark_shared_storage mask_check materialize_grads maybe_clear_saved_tensors merge_masks
    merge_remote_group module_load monitored_barrier move_to_end mro mtia multiprocessing_context
    n_fields n_sequence_fields n_unnamed_fields new new_empty_strided newbyteorder next_functions
    next_id non_differentiable num_parameters obj orgqr ormqr output_nr owndata parallel_apply
    param_shape permute_hidden persistent_workers pin_memory_device prefetch_factor prev_check_nan
    print_file_and_line process_group profile_hook_step q_per_channel_axis q_per_channel_scales
    q_per_channel_zero_points q_scale q_zero_point qscheme readonly record_stream recursive_undo recv
    recv_anysource reduce_scatter reduce_scatter_single reduce_scatter_single_coalesced
    reduce_scatter_tensor_coalesced register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_prehook register_state_dict_post_hook
    register_state_dict_pre_hook register_step_post_hook register_step_pre_hook reinforce release
    replicate resize resize_ resize_as resize_as_ resize_as_sparse_ row_indices save_for_forward
    saved_for_forward saved_variables scale_fn set_ set_default_validate_args set_extra_state
    set_offset set_submodule set_timeout setfield setflags setter setup_context share_memory
    share_memory_ shutdown slice_inverse smm source_rank sparse_dim sparse_mask sparse_resize_
    sparse_resize_and_clear_ split_group sspaddmm start_method storage storage_type strerror subdtype
    suboffsets support tb_frame tb_lasti tb_lineno tb_next to_bytes to_dense to_device to_mkldnn
    to_padded_tensor to_save to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
    to_sparse_csr tofile toreadonly tostring triangular_solve unbox unsafe_chunk unsafe_split
    unsafe_split_with_sizes untyped_storage use_beta1 use_pg_for_symm_mem_rendezvous vjp vmap volatile
    with_traceback worker_init_fn writeable writebackifcopy xpu
    """
)

# Modules of Python and ways to start things: should an object of another kind be reached after all, it leads no further.
NEVER = _words(
    """
    builtins copyreg ctypes environ exec fork gc glob import_module importlib io marshal mmap
    multiprocessing os pickle popen runpy shutil socket spawn subprocess sys system tempfile threading
    torch traceback urllib zipfile
    """
)

# Private attributes of `nn.Module` and its bases, which a program's own private attributes must not replace.
MODULE_PRIVATE = _words(
    """
    _all_weights _apply _backward_cls _backward_hooks _backward_pre_hooks _buffers _call_impl
    _compiled_call_impl _conv_forward _dynamo_forward _flat_weights _flat_weights_names _forward_cls
    _forward_hooks _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks
    _forward_pre_hooks_with_kwargs _fsdp_wrapped_module _get_abs_string_index _get_backward_hooks
    _get_backward_pre_hooks _get_item_by_idx _get_name _grad_fn _infer_parameters
    _is_fsdp_managed_module _is_full_backward_hook _is_hf_initialized _is_replica _lazy_load_hook
    _load_from_state_dict _load_state_dict_post_hooks _load_state_dict_pre_hooks
    _materialize_non_diff_grads _maybe_warn_non_full_backward_hook _modules _named_members
    _non_persistent_buffers_set _parameters _raw_saved_tensors _register_load_state_dict_pre_hook
    _register_state_dict_hook _replicate_for_data_parallel _reversed_padding_repeated_twice
    _save_to_state_dict _sequence_nr _slow_forward _state_dict_hooks _state_dict_pre_hooks _version
    _wrapped_call_impl
    """
)

# Attributes that must not be set on an object of torch: a loader would start processes, an array change its bounds.
DELICATE = _words(
    """
    T base batch_sampler collate_fn data_source dataset device dtype flat generator imag num_workers
    real sampler shape strides timeout
    """
)


def _under(prefix: str, names: frozenset[str]) -> frozenset[str]:
    return frozenset(prefix + name for name in names)


VALUES = frozenset().union(
    _under("math.", MATH),
    _under("torch.", TORCH | CONSTANT),
    _under("torch.nn.functional.", FUNCTIONAL),
    _under("torch.nn.init.", INIT),
    _under("torch.linalg.", LINALG),
    _under("torch.fft.", FFT),
    _under("torch.special.", SPECIAL),
    OTHER_FUNCTION,
)
LAYERS = _under("torch.nn.", LAYER_CLASS)
CLASSES = frozenset().union(
    LAYERS,
    _under("torch.optim.", OPTIMIZER_CLASS),
    _under("torch.optim.lr_scheduler.", SCHEDULER_CLASS),
    OTHER_CLASS,
)
