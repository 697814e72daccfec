"""Parameters of Python functions of torch 2.13.0, written by `python -m torchlsp.dev signatures`; see `signatures`.

Long because it names all that can be called.
"""

TABLE = """\
torch.GradScaler: device? init_scale? growth_factor? backoff_factor? growth_interval? enabled?
torch.SymBool: node
torch.SymFloat: node
torch.SymInt: node
torch.are_deterministic_algorithms_enabled:
torch.autocast: device_type dtype? enabled? cache_enabled?
torch.cdist: x1 x2 p? compute_mode?
torch.compile: model? * fullgraph? dynamic? backend? mode? options? name? disable? recompile_limit? isolate_recompiles? shapes_spec?
torch.cond: pred true_fn false_fn operands?
torch.get_default_device:
torch.get_deterministic_debug_mode:
torch.get_float32_matmul_precision:
torch.get_rng_state:
torch.initial_seed:
torch.is_deterministic_algorithms_warn_only_enabled:
torch.is_storage: obj
torch.is_tensor: obj
torch.is_warn_always_enabled:
torch.lobpcg: A k? B? X? n? iK? niter? tol? largest? method? tracker? ortho_iparams? ortho_fparams? ortho_bparams?
torch.manual_seed: seed
torch.norm: input p? dim? keepdim? out? dtype?
torch.save: obj f pickle_module? pickle_protocol? _use_new_zipfile_serialization? _disable_byteorder_record?
torch.seed:
torch.set_default_device: device
torch.set_default_tensor_type: t
torch.set_deterministic_debug_mode: debug_mode
torch.set_float32_matmul_precision: precision
torch.set_printoptions: precision? threshold? edgeitems? linewidth? profile? sci_mode?
torch.set_rng_state: new_state
torch.set_warn_always: b
torch.split: tensor split_size_or_sections dim?
torch.split: tensor split_size_or_sections dim?
torch.stft: input n_fft hop_length? win_length? window? center? pad_mode? normalized? onesided? return_complex? align_to_window?
torch.sym_float: a
torch.sym_fresh_size: expr
torch.sym_int: a
torch.sym_ite: b t f
torch.sym_max: a b
torch.sym_min: a b
torch.sym_not: a
torch.sym_sqrt: a
torch.tensordot: a b dims? out?
torch.thread_safe_generator:
torch.typename: obj
torch.unravel_index: indices shape
torch.use_deterministic_algorithms: mode * warn_only?
torch.vmap: func in_dims? out_dims? randomness? * chunk_size?
torch.nn.AdaptiveAvgPool1d: output_size
torch.nn.AdaptiveAvgPool1d.forward: input
torch.nn.AdaptiveAvgPool2d: output_size
torch.nn.AdaptiveAvgPool2d.forward: input
torch.nn.AdaptiveAvgPool3d: output_size
torch.nn.AdaptiveAvgPool3d.forward: input
torch.nn.AdaptiveLogSoftmaxWithLoss: in_features n_classes cutoffs div_value? head_bias? device? dtype?
torch.nn.AdaptiveLogSoftmaxWithLoss.forward: input_ target_
torch.nn.AdaptiveMaxPool1d: output_size return_indices?
torch.nn.AdaptiveMaxPool1d.forward: input
torch.nn.AdaptiveMaxPool2d: output_size return_indices?
torch.nn.AdaptiveMaxPool2d.forward: input
torch.nn.AdaptiveMaxPool3d: output_size return_indices?
torch.nn.AdaptiveMaxPool3d.forward: input
torch.nn.AlphaDropout: p? inplace?
torch.nn.AlphaDropout.forward: input
torch.nn.AvgPool1d: kernel_size stride? padding? ceil_mode? count_include_pad?
torch.nn.AvgPool1d.forward: input
torch.nn.AvgPool2d: kernel_size stride? padding? ceil_mode? count_include_pad? divisor_override?
torch.nn.AvgPool2d.forward: input
torch.nn.AvgPool3d: kernel_size stride? padding? ceil_mode? count_include_pad? divisor_override?
torch.nn.AvgPool3d.forward: input
torch.nn.BCELoss: weight? size_average? reduce? reduction?
torch.nn.BCELoss.forward: input target
torch.nn.BCEWithLogitsLoss: weight? size_average? reduce? reduction? pos_weight?
torch.nn.BCEWithLogitsLoss.forward: input target
torch.nn.BatchNorm1d: num_features eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.BatchNorm1d.forward: input
torch.nn.BatchNorm2d: num_features eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.BatchNorm2d.forward: input
torch.nn.BatchNorm3d: num_features eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.BatchNorm3d.forward: input
torch.nn.Bilinear: in1_features in2_features out_features bias? device? dtype?
torch.nn.Bilinear.forward: input1 input2
torch.nn.CELU: alpha? inplace?
torch.nn.CELU.forward: input
torch.nn.CTCLoss: blank? reduction? zero_infinity?
torch.nn.CTCLoss.forward: log_probs targets input_lengths target_lengths
torch.nn.ChannelShuffle: groups
torch.nn.ChannelShuffle.forward: input
torch.nn.CircularPad1d: padding
torch.nn.CircularPad1d.forward: input
torch.nn.CircularPad2d: padding
torch.nn.CircularPad2d.forward: input
torch.nn.CircularPad3d: padding
torch.nn.CircularPad3d.forward: input
torch.nn.ConstantPad1d: padding value
torch.nn.ConstantPad1d.forward: input
torch.nn.ConstantPad2d: padding value
torch.nn.ConstantPad2d.forward: input
torch.nn.ConstantPad3d: padding value
torch.nn.ConstantPad3d.forward: input
torch.nn.Conv1d: in_channels out_channels kernel_size stride? padding? dilation? groups? bias? padding_mode? device? dtype?
torch.nn.Conv1d.forward: input
torch.nn.Conv2d: in_channels out_channels kernel_size stride? padding? dilation? groups? bias? padding_mode? device? dtype?
torch.nn.Conv2d.forward: input
torch.nn.Conv3d: in_channels out_channels kernel_size stride? padding? dilation? groups? bias? padding_mode? device? dtype?
torch.nn.Conv3d.forward: input
torch.nn.ConvTranspose1d: in_channels out_channels kernel_size stride? padding? output_padding? groups? bias? dilation? padding_mode? device? dtype?
torch.nn.ConvTranspose1d.forward: input output_size?
torch.nn.ConvTranspose2d: in_channels out_channels kernel_size stride? padding? output_padding? groups? bias? dilation? padding_mode? device? dtype?
torch.nn.ConvTranspose2d.forward: input output_size?
torch.nn.ConvTranspose3d: in_channels out_channels kernel_size stride? padding? output_padding? groups? bias? dilation? padding_mode? device? dtype?
torch.nn.ConvTranspose3d.forward: input output_size?
torch.nn.CosineEmbeddingLoss: margin? size_average? reduce? reduction?
torch.nn.CosineEmbeddingLoss.forward: input1 input2 target
torch.nn.CosineSimilarity: dim? eps?
torch.nn.CosineSimilarity.forward: x1 x2
torch.nn.CrossEntropyLoss: weight? size_average? ignore_index? reduce? reduction? label_smoothing?
torch.nn.CrossEntropyLoss.forward: input target
torch.nn.CrossMapLRN2d: size alpha? beta? k?
torch.nn.CrossMapLRN2d.forward: input
torch.nn.DataParallel: module device_ids? output_device? dim?
torch.nn.Dropout: p? inplace?
torch.nn.Dropout.forward: input
torch.nn.Dropout1d: p? inplace?
torch.nn.Dropout1d.forward: input
torch.nn.Dropout2d: p? inplace?
torch.nn.Dropout2d.forward: input
torch.nn.Dropout3d: p? inplace?
torch.nn.Dropout3d.forward: input
torch.nn.ELU: alpha? inplace?
torch.nn.ELU.forward: input
torch.nn.Embedding: num_embeddings embedding_dim padding_idx? max_norm? norm_type? scale_grad_by_freq? sparse? _weight? _freeze? device? dtype?
torch.nn.Embedding.forward: input
torch.nn.EmbeddingBag: num_embeddings embedding_dim max_norm? norm_type? scale_grad_by_freq? mode? sparse? _weight? include_last_offset? padding_idx? device? dtype?
torch.nn.EmbeddingBag.forward: input offsets? per_sample_weights?
torch.nn.FeatureAlphaDropout: p? inplace?
torch.nn.FeatureAlphaDropout.forward: input
torch.nn.Flatten: start_dim? end_dim?
torch.nn.Flatten.forward: input
torch.nn.Fold: output_size kernel_size dilation? padding? stride?
torch.nn.Fold.forward: input
torch.nn.FractionalMaxPool2d: kernel_size output_size? output_ratio? return_indices? _random_samples?
torch.nn.FractionalMaxPool2d.forward: input
torch.nn.FractionalMaxPool3d: kernel_size output_size? output_ratio? return_indices? _random_samples?
torch.nn.FractionalMaxPool3d.forward: input
torch.nn.GELU: approximate?
torch.nn.GELU.forward: input
torch.nn.GLU: dim?
torch.nn.GLU.forward: input
torch.nn.GRU.forward: input hx?
torch.nn.GRUCell: input_size hidden_size bias? device? dtype?
torch.nn.GRUCell.forward: input hx?
torch.nn.GaussianNLLLoss: * full? eps? reduction?
torch.nn.GaussianNLLLoss.forward: input target var
torch.nn.GroupNorm: num_groups num_channels eps? affine? device? dtype? * bias?
torch.nn.GroupNorm.forward: input
torch.nn.Hardshrink: lambd?
torch.nn.Hardshrink.forward: input
torch.nn.Hardsigmoid: inplace?
torch.nn.Hardsigmoid.forward: input
torch.nn.Hardswish: inplace?
torch.nn.Hardswish.forward: input
torch.nn.Hardtanh: min_val? max_val? inplace? min_value? max_value?
torch.nn.Hardtanh.forward: input
torch.nn.HingeEmbeddingLoss: margin? size_average? reduce? reduction?
torch.nn.HingeEmbeddingLoss.forward: input target
torch.nn.HuberLoss: reduction? delta?
torch.nn.HuberLoss.forward: input target
torch.nn.Identity.forward: input
torch.nn.InstanceNorm1d: num_features eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.InstanceNorm1d.forward: input
torch.nn.InstanceNorm2d: num_features eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.InstanceNorm2d.forward: input
torch.nn.InstanceNorm3d: num_features eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.InstanceNorm3d.forward: input
torch.nn.KLDivLoss: size_average? reduce? reduction? log_target?
torch.nn.KLDivLoss.forward: input target
torch.nn.L1Loss: size_average? reduce? reduction?
torch.nn.L1Loss.forward: input target
torch.nn.LPPool1d: norm_type kernel_size stride? ceil_mode?
torch.nn.LPPool1d.forward: input
torch.nn.LPPool2d: norm_type kernel_size stride? ceil_mode?
torch.nn.LPPool2d.forward: input
torch.nn.LPPool3d: norm_type kernel_size stride? ceil_mode?
torch.nn.LPPool3d.forward: input
torch.nn.LSTM.forward: input hx?
torch.nn.LSTMCell: input_size hidden_size bias? device? dtype?
torch.nn.LSTMCell.forward: input hx?
torch.nn.LayerNorm: normalized_shape eps? elementwise_affine? bias? device? dtype?
torch.nn.LayerNorm.forward: input
torch.nn.LazyBatchNorm1d: eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.LazyBatchNorm1d.forward: input
torch.nn.LazyBatchNorm2d: eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.LazyBatchNorm2d.forward: input
torch.nn.LazyBatchNorm3d: eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.LazyBatchNorm3d.forward: input
torch.nn.LazyConv1d: out_channels kernel_size stride? padding? dilation? groups? bias? padding_mode? device? dtype?
torch.nn.LazyConv1d.forward: input
torch.nn.LazyConv2d: out_channels kernel_size stride? padding? dilation? groups? bias? padding_mode? device? dtype?
torch.nn.LazyConv2d.forward: input
torch.nn.LazyConv3d: out_channels kernel_size stride? padding? dilation? groups? bias? padding_mode? device? dtype?
torch.nn.LazyConv3d.forward: input
torch.nn.LazyConvTranspose1d: out_channels kernel_size stride? padding? output_padding? groups? bias? dilation? padding_mode? device? dtype?
torch.nn.LazyConvTranspose1d.forward: input output_size?
torch.nn.LazyConvTranspose2d: out_channels kernel_size stride? padding? output_padding? groups? bias? dilation? padding_mode? device? dtype?
torch.nn.LazyConvTranspose2d.forward: input output_size?
torch.nn.LazyConvTranspose3d: out_channels kernel_size stride? padding? output_padding? groups? bias? dilation? padding_mode? device? dtype?
torch.nn.LazyConvTranspose3d.forward: input output_size?
torch.nn.LazyInstanceNorm1d: eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.LazyInstanceNorm1d.forward: input
torch.nn.LazyInstanceNorm2d: eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.LazyInstanceNorm2d.forward: input
torch.nn.LazyInstanceNorm3d: eps? momentum? affine? track_running_stats? device? dtype? * bias?
torch.nn.LazyInstanceNorm3d.forward: input
torch.nn.LazyLinear: out_features bias? device? dtype?
torch.nn.LazyLinear.forward: input
torch.nn.LeakyReLU: negative_slope? inplace?
torch.nn.LeakyReLU.forward: input
torch.nn.Linear: in_features out_features bias? device? dtype?
torch.nn.Linear.forward: input
torch.nn.LinearCrossEntropyLoss: in_features num_classes * out_features? bias? device? dtype? reduction? weight? ignore_index? label_smoothing? options?
torch.nn.LinearCrossEntropyLoss.forward: input target
torch.nn.LinearCrossEntropyOptions: allow_retain_graph? batch_chunk_size? chunking_method? acc_policy? acc_dtype?
torch.nn.LocalResponseNorm: size alpha? beta? k?
torch.nn.LocalResponseNorm.forward: input
torch.nn.LogSigmoid.forward: input
torch.nn.LogSoftmax: dim?
torch.nn.LogSoftmax.forward: input
torch.nn.MSELoss: size_average? reduce? reduction?
torch.nn.MSELoss.forward: input target
torch.nn.MarginRankingLoss: margin? size_average? reduce? reduction?
torch.nn.MarginRankingLoss.forward: input1 input2 target
torch.nn.MaxPool1d: kernel_size stride? padding? dilation? return_indices? ceil_mode?
torch.nn.MaxPool1d.forward: input
torch.nn.MaxPool2d: kernel_size stride? padding? dilation? return_indices? ceil_mode?
torch.nn.MaxPool2d.forward: input
torch.nn.MaxPool3d: kernel_size stride? padding? dilation? return_indices? ceil_mode?
torch.nn.MaxPool3d.forward: input
torch.nn.MaxUnpool1d: kernel_size stride? padding?
torch.nn.MaxUnpool1d.forward: input indices output_size?
torch.nn.MaxUnpool2d: kernel_size stride? padding?
torch.nn.MaxUnpool2d.forward: input indices output_size?
torch.nn.MaxUnpool3d: kernel_size stride? padding?
torch.nn.MaxUnpool3d.forward: input indices output_size?
torch.nn.Mish: inplace?
torch.nn.Mish.forward: input
torch.nn.ModuleDict: modules?
torch.nn.ModuleList: modules?
torch.nn.MultiLabelMarginLoss: size_average? reduce? reduction?
torch.nn.MultiLabelMarginLoss.forward: input target
torch.nn.MultiLabelSoftMarginLoss: weight? size_average? reduce? reduction?
torch.nn.MultiLabelSoftMarginLoss.forward: input target
torch.nn.MultiMarginLoss: p? margin? weight? size_average? reduce? reduction?
torch.nn.MultiMarginLoss.forward: input target
torch.nn.MultiheadAttention: embed_dim num_heads dropout? bias? add_bias_kv? add_zero_attn? kdim? vdim? batch_first? device? dtype?
torch.nn.MultiheadAttention.forward: query key value key_padding_mask? need_weights? attn_mask? average_attn_weights? is_causal?
torch.nn.NLLLoss: weight? size_average? ignore_index? reduce? reduction?
torch.nn.NLLLoss.forward: input target
torch.nn.NLLLoss2d.forward: input target
torch.nn.PReLU: num_parameters? init? device? dtype?
torch.nn.PReLU.forward: input
torch.nn.PairwiseDistance: p? eps? keepdim?
torch.nn.PairwiseDistance.forward: x1 x2
torch.nn.ParameterDict: parameters?
torch.nn.ParameterList: values?
torch.nn.PixelShuffle: upscale_factor
torch.nn.PixelShuffle.forward: input
torch.nn.PixelUnshuffle: downscale_factor
torch.nn.PixelUnshuffle.forward: input
torch.nn.PoissonNLLLoss: log_input? full? size_average? eps? reduce? reduction?
torch.nn.PoissonNLLLoss.forward: log_input target
torch.nn.RMSNorm: normalized_shape eps? elementwise_affine? device? dtype?
torch.nn.RMSNorm.forward: x
torch.nn.RNN.forward: input hx?
torch.nn.RNNBase: mode input_size hidden_size num_layers? bias? batch_first? dropout? bidirectional? proj_size? device? dtype?
torch.nn.RNNCell: input_size hidden_size bias? nonlinearity? device? dtype?
torch.nn.RNNCell.forward: input hx?
torch.nn.RNNCellBase: input_size hidden_size bias num_chunks device? dtype?
torch.nn.RReLU: lower? upper? inplace?
torch.nn.RReLU.forward: input
torch.nn.ReLU: inplace?
torch.nn.ReLU.forward: input
torch.nn.ReLU6: inplace?
torch.nn.ReLU6.forward: input
torch.nn.ReflectionPad1d: padding
torch.nn.ReflectionPad1d.forward: input
torch.nn.ReflectionPad2d: padding
torch.nn.ReflectionPad2d.forward: input
torch.nn.ReflectionPad3d: padding
torch.nn.ReflectionPad3d.forward: input
torch.nn.ReplicationPad1d: padding
torch.nn.ReplicationPad1d.forward: input
torch.nn.ReplicationPad2d: padding
torch.nn.ReplicationPad2d.forward: input
torch.nn.ReplicationPad3d: padding
torch.nn.ReplicationPad3d.forward: input
torch.nn.SELU: inplace?
torch.nn.SELU.forward: input
torch.nn.Sequential.forward: input
torch.nn.SiLU: inplace?
torch.nn.SiLU.forward: input
torch.nn.Sigmoid.forward: input
torch.nn.SmoothL1Loss: size_average? reduce? reduction? beta?
torch.nn.SmoothL1Loss.forward: input target
torch.nn.SoftMarginLoss: size_average? reduce? reduction?
torch.nn.SoftMarginLoss.forward: input target
torch.nn.Softmax: dim?
torch.nn.Softmax.forward: input
torch.nn.Softmax2d.forward: input
torch.nn.Softmin: dim?
torch.nn.Softmin.forward: input
torch.nn.Softplus: beta? threshold?
torch.nn.Softplus.forward: input
torch.nn.Softshrink: lambd?
torch.nn.Softshrink.forward: input
torch.nn.Softsign.forward: input
torch.nn.SyncBatchNorm: num_features eps? momentum? affine? track_running_stats? process_group? device? dtype? * bias?
torch.nn.SyncBatchNorm.forward: input
torch.nn.Tanh.forward: input
torch.nn.Tanhshrink.forward: input
torch.nn.Threshold: threshold value inplace?
torch.nn.Threshold.forward: input
torch.nn.Transformer: d_model? nhead? num_encoder_layers? num_decoder_layers? dim_feedforward? dropout? activation? custom_encoder? custom_decoder? layer_norm_eps? batch_first? norm_first? bias? device? dtype?
torch.nn.Transformer.forward: src tgt src_mask? tgt_mask? memory_mask? src_key_padding_mask? tgt_key_padding_mask? memory_key_padding_mask? src_is_causal? tgt_is_causal? memory_is_causal?
torch.nn.TransformerDecoder: decoder_layer num_layers norm?
torch.nn.TransformerDecoder.forward: tgt memory tgt_mask? memory_mask? tgt_key_padding_mask? memory_key_padding_mask? tgt_is_causal? memory_is_causal?
torch.nn.TransformerDecoderLayer: d_model nhead dim_feedforward? dropout? activation? layer_norm_eps? batch_first? norm_first? bias? device? dtype?
torch.nn.TransformerDecoderLayer.forward: tgt memory tgt_mask? memory_mask? tgt_key_padding_mask? memory_key_padding_mask? tgt_is_causal? memory_is_causal?
torch.nn.TransformerEncoder: encoder_layer num_layers norm? enable_nested_tensor? mask_check?
torch.nn.TransformerEncoder.forward: src mask? src_key_padding_mask? is_causal?
torch.nn.TransformerEncoderLayer: d_model nhead dim_feedforward? dropout? activation? layer_norm_eps? batch_first? norm_first? bias? device? dtype?
torch.nn.TransformerEncoderLayer.forward: src src_mask? src_key_padding_mask? is_causal?
torch.nn.TripletMarginLoss: margin? p? eps? swap? size_average? reduce? reduction?
torch.nn.TripletMarginLoss.forward: anchor positive negative
torch.nn.TripletMarginWithDistanceLoss: * distance_function? margin? swap? reduction?
torch.nn.TripletMarginWithDistanceLoss.forward: anchor positive negative
torch.nn.Unflatten: dim unflattened_size
torch.nn.Unflatten.forward: input
torch.nn.Unfold: kernel_size dilation? padding? stride?
torch.nn.Unfold.forward: input
torch.nn.Upsample: size? scale_factor? mode? align_corners? recompute_scale_factor?
torch.nn.Upsample.forward: input
torch.nn.UpsamplingBilinear2d: size? scale_factor?
torch.nn.UpsamplingBilinear2d.forward: input
torch.nn.UpsamplingNearest2d: size? scale_factor?
torch.nn.UpsamplingNearest2d.forward: input
torch.nn.ZeroPad1d: padding
torch.nn.ZeroPad1d.forward: input
torch.nn.ZeroPad2d: padding
torch.nn.ZeroPad2d.forward: input
torch.nn.ZeroPad3d: padding
torch.nn.ZeroPad3d.forward: input
torch.nn.factory_kwargs: kwargs
torch.nn.functional.adaptive_avg_pool2d: input output_size
torch.nn.functional.adaptive_avg_pool3d: input output_size
torch.nn.functional.adaptive_max_pool1d_with_indices: input output_size return_indices?
torch.nn.functional.adaptive_max_pool2d_with_indices: input output_size return_indices?
torch.nn.functional.adaptive_max_pool3d_with_indices: input output_size return_indices?
torch.nn.functional.affine_grid: theta size align_corners?
torch.nn.functional.alpha_dropout: input p? training? inplace?
torch.nn.functional.assert_int_or_pair: arg arg_name message
torch.nn.functional.batch_norm: input running_mean running_var weight? bias? training? momentum? eps?
torch.nn.functional.binary_cross_entropy: input target weight? size_average? reduce? reduction?
torch.nn.functional.binary_cross_entropy_with_logits: input target weight? size_average? reduce? reduction? pos_weight?
torch.nn.functional.boolean_dispatch: arg_name arg_index default if_true if_false module_name func_name
torch.nn.functional.celu: input alpha? inplace?
torch.nn.functional.cosine_embedding_loss: input1 input2 target margin? size_average? reduce? reduction?
torch.nn.functional.cross_entropy: input target weight? size_average? ignore_index? reduce? reduction? label_smoothing?
torch.nn.functional.ctc_loss: log_probs targets input_lengths target_lengths blank? reduction? zero_infinity?
torch.nn.functional.dropout: input p? training? inplace?
torch.nn.functional.dropout1d: input p? training? inplace?
torch.nn.functional.dropout2d: input p? training? inplace?
torch.nn.functional.dropout3d: input p? training? inplace?
torch.nn.functional.elu: input alpha? inplace?
torch.nn.functional.embedding: input weight padding_idx? max_norm? norm_type? scale_grad_by_freq? sparse?
torch.nn.functional.embedding_bag: input weight offsets? max_norm? norm_type? scale_grad_by_freq? mode? sparse? per_sample_weights? include_last_offset? padding_idx?
torch.nn.functional.feature_alpha_dropout: input p? training? inplace?
torch.nn.functional.fold: input output_size kernel_size dilation? padding? stride?
torch.nn.functional.fractional_max_pool2d_with_indices: input kernel_size output_size? output_ratio? return_indices? _random_samples?
torch.nn.functional.fractional_max_pool3d_with_indices: input kernel_size output_size? output_ratio? return_indices? _random_samples?
torch.nn.functional.gaussian_nll_loss: input target var full? eps? reduction?
torch.nn.functional.glu: input dim?
torch.nn.functional.grid_sample: input grid mode? padding_mode? align_corners?
torch.nn.functional.group_norm: input num_groups weight? bias? eps?
torch.nn.functional.grouped_mm: mat_a mat_b * offs? bias? out_dtype?
torch.nn.functional.gumbel_softmax: logits tau? hard? eps? dim?
torch.nn.functional.hardsigmoid: input inplace?
torch.nn.functional.hardswish: input inplace?
torch.nn.functional.hardtanh: input min_val? max_val? inplace?
torch.nn.functional.hinge_embedding_loss: input target margin? size_average? reduce? reduction?
torch.nn.functional.huber_loss: input target reduction? delta? weight?
torch.nn.functional.instance_norm: input running_mean? running_var? weight? bias? use_input_stats? momentum? eps?
torch.nn.functional.interpolate: input size? scale_factor? mode? align_corners? recompute_scale_factor? antialias?
torch.nn.functional.kl_div: input target size_average? reduce? reduction? log_target?
torch.nn.functional.l1_loss: input target size_average? reduce? reduction? weight?
torch.nn.functional.layer_norm: input normalized_shape weight? bias? eps?
torch.nn.functional.leaky_relu: input negative_slope? inplace?
torch.nn.functional.linear_cross_entropy: input linear_weight target * linear_bias? weight? reduction? ignore_index? label_smoothing? options?
torch.nn.functional.local_response_norm: input size alpha? beta? k?
torch.nn.functional.log_softmax: input dim? _stacklevel? dtype?
torch.nn.functional.lp_pool1d: input norm_type kernel_size stride? ceil_mode?
torch.nn.functional.lp_pool2d: input norm_type kernel_size stride? ceil_mode?
torch.nn.functional.lp_pool3d: input norm_type kernel_size stride? ceil_mode?
torch.nn.functional.margin_ranking_loss: input1 input2 target margin? size_average? reduce? reduction?
torch.nn.functional.max_pool1d_with_indices: input kernel_size stride? padding? dilation? ceil_mode? return_indices?
torch.nn.functional.max_pool2d_with_indices: input kernel_size stride? padding? dilation? ceil_mode? return_indices?
torch.nn.functional.max_pool3d_with_indices: input kernel_size stride? padding? dilation? ceil_mode? return_indices?
torch.nn.functional.max_unpool1d: input indices kernel_size stride? padding? output_size?
torch.nn.functional.max_unpool2d: input indices kernel_size stride? padding? output_size?
torch.nn.functional.max_unpool3d: input indices kernel_size stride? padding? output_size?
torch.nn.functional.mish: input inplace?
torch.nn.functional.mse_loss: input target size_average? reduce? reduction? weight?
torch.nn.functional.multi_head_attention_forward: query key value embed_dim_to_check num_heads in_proj_weight in_proj_bias bias_k bias_v add_zero_attn dropout_p out_proj_weight out_proj_bias training? key_padding_mask? need_weights? attn_mask? use_separate_proj_weight? q_proj_weight? k_proj_weight? v_proj_weight? static_k? static_v? average_attn_weights? is_causal?
torch.nn.functional.multi_margin_loss: input target p? margin? weight? size_average? reduce? reduction?
torch.nn.functional.multilabel_margin_loss: input target size_average? reduce? reduction?
torch.nn.functional.multilabel_soft_margin_loss: input target weight? size_average? reduce? reduction?
torch.nn.functional.nll_loss: input target weight? size_average? ignore_index? reduce? reduction?
torch.nn.functional.normalize: input p? dim? eps? out?
torch.nn.functional.pad: input pad mode? value?
torch.nn.functional.poisson_nll_loss: input target log_input? full? size_average? eps? reduce? reduction?
torch.nn.functional.relu: input inplace?
torch.nn.functional.relu6: input inplace?
torch.nn.functional.rms_norm: input normalized_shape weight? eps?
torch.nn.functional.rrelu: input lower? upper? training? inplace?
torch.nn.functional.scaled_grouped_mm: mat_a mat_b scale_a scale_recipe_a scale_b scale_recipe_b swizzle_a? swizzle_b? bias? offs? output_dtype? contraction_dim? use_fast_accum?
torch.nn.functional.scaled_mm: mat_a mat_b scale_a scale_recipe_a scale_b scale_recipe_b swizzle_a? swizzle_b? bias? output_dtype? contraction_dim? use_fast_accum?
torch.nn.functional.selu: input inplace?
torch.nn.functional.sigmoid: input
torch.nn.functional.silu: input inplace?
torch.nn.functional.smooth_l1_loss: input target size_average? reduce? reduction? beta?
torch.nn.functional.soft_margin_loss: input target size_average? reduce? reduction?
torch.nn.functional.softmax: input dim? _stacklevel? dtype?
torch.nn.functional.softmin: input dim? _stacklevel? dtype?
torch.nn.functional.softsign: input
torch.nn.functional.tanh: input
torch.nn.functional.tanhshrink: input
torch.nn.functional.threshold: input threshold value inplace?
torch.nn.functional.triplet_margin_loss: anchor positive negative margin? p? eps? swap? size_average? reduce? reduction?
torch.nn.functional.triplet_margin_with_distance_loss: anchor positive negative * distance_function? margin? swap? reduction?
torch.nn.functional.unfold: input kernel_size dilation? padding? stride?
torch.nn.functional.upsample: input size? scale_factor? mode? align_corners?
torch.nn.functional.upsample_bilinear: input size? scale_factor?
torch.nn.functional.upsample_nearest: input size? scale_factor?
torch.nn.init.calculate_gain: nonlinearity param?
torch.nn.init.constant_: tensor val
torch.nn.init.dirac_: tensor groups?
torch.nn.init.eye_: tensor
torch.nn.init.kaiming_normal_: tensor a? mode? nonlinearity? generator?
torch.nn.init.kaiming_uniform_: tensor a? mode? nonlinearity? generator?
torch.nn.init.normal_: tensor mean? std? generator?
torch.nn.init.ones_: tensor
torch.nn.init.orthogonal_: tensor gain? generator?
torch.nn.init.sparse_: tensor sparsity std? generator?
torch.nn.init.trunc_normal_: tensor mean? std? a? b? generator?
torch.nn.init.uniform_: tensor a? b? generator?
torch.nn.init.xavier_normal_: tensor gain? generator?
torch.nn.init.xavier_uniform_: tensor gain? generator?
torch.nn.init.zeros_: tensor
torch.nn.utils.clip_grad_norm: parameters max_norm norm_type? error_if_nonfinite? foreach?
torch.nn.utils.clip_grad_norm_: parameters max_norm norm_type? error_if_nonfinite? foreach?
torch.nn.utils.clip_grad_value_: parameters clip_value foreach?
torch.nn.utils.clip_grads_with_norm_: parameters max_norm total_norm foreach?
torch.nn.utils.convert_conv2d_weight_memory_format: module memory_format
torch.nn.utils.convert_conv3d_weight_memory_format: module memory_format
torch.nn.utils.fuse_conv_bn_eval: conv bn transpose?
torch.nn.utils.fuse_conv_bn_weights: conv_w conv_b bn_rm bn_rv bn_eps bn_w bn_b transpose?
torch.nn.utils.fuse_linear_bn_eval: linear bn
torch.nn.utils.fuse_linear_bn_weights: linear_w linear_b bn_rm bn_rv bn_eps bn_w bn_b
torch.nn.utils.get_total_norm: tensors norm_type? error_if_nonfinite? foreach?
torch.nn.utils.parameters_to_vector: parameters
torch.nn.utils.remove_spectral_norm: module name?
torch.nn.utils.remove_weight_norm: module name?
torch.nn.utils.spectral_norm: module name? n_power_iterations? eps? dim?
torch.nn.utils.vector_to_parameters: vec parameters
torch.nn.utils.weight_norm: module name? dim?
torch.nn.utils.rnn.invert_permutation: permutation
torch.nn.utils.rnn.pack_padded_sequence: input lengths batch_first? enforce_sorted?
torch.nn.utils.rnn.pack_sequence: sequences enforce_sorted?
torch.nn.utils.rnn.pad_packed_sequence: sequence batch_first? padding_value? total_length?
torch.nn.utils.rnn.pad_sequence: sequences batch_first? padding_value? padding_side?
torch.nn.utils.rnn.unpack_sequence: packed_sequences
torch.nn.utils.rnn.unpad_sequence: padded_sequences lengths batch_first?
torch.nn.parallel.DataParallel: module device_ids? output_device? dim?
torch.nn.parallel.data_parallel: module inputs device_ids? output_device? dim? module_kwargs?
torch.nn.parallel.gather: outputs target_device dim?
torch.nn.parallel.parallel_apply: modules inputs kwargs_tup? devices?
torch.nn.parallel.replicate: network devices detach?
torch.nn.parallel.scatter: inputs target_gpus dim?
torch.optim.ASGD: params lr? lambd? alpha? t0? weight_decay? foreach? maximize? differentiable? capturable?
torch.optim.Adadelta: params lr? rho? eps? weight_decay? foreach? * capturable? maximize? differentiable?
torch.optim.Adafactor: params lr? beta2_decay? eps? d? weight_decay? * foreach? maximize?
torch.optim.Adagrad: params lr? lr_decay? weight_decay? initial_accumulator_value? eps? foreach? * maximize? differentiable? fused?
torch.optim.Adam: params lr? betas? eps? weight_decay? amsgrad? * foreach? maximize? capturable? differentiable? fused? decoupled_weight_decay?
torch.optim.AdamW: params lr? betas? eps? weight_decay? amsgrad? * maximize? foreach? capturable? differentiable? fused?
torch.optim.Adamax: params lr? betas? eps? weight_decay? foreach? * maximize? differentiable? capturable?
torch.optim.LBFGS: params lr? max_iter? max_eval? tolerance_grad? tolerance_change? history_size? line_search_fn?
torch.optim.Muon: params lr? weight_decay? momentum? nesterov? ns_coefficients? eps? ns_steps? adjust_lr_fn?
torch.optim.NAdam: params lr? betas? eps? weight_decay? momentum_decay? decoupled_weight_decay? * foreach? maximize? capturable? differentiable?
torch.optim.Optimizer: params defaults
torch.optim.RAdam: params lr? betas? eps? weight_decay? decoupled_weight_decay? * foreach? maximize? capturable? differentiable?
torch.optim.RMSprop: params lr? alpha? eps? weight_decay? momentum? centered? capturable? foreach? maximize? differentiable?
torch.optim.Rprop: params lr? etas? step_sizes? * capturable? foreach? maximize? differentiable?
torch.optim.SGD: params lr? momentum? dampening? weight_decay? nesterov? * maximize? foreach? differentiable? fused?
torch.optim.SparseAdam: params lr? betas? eps? maximize?
torch.optim.swap_in_optimizer_params_and_state: optimizer swapin_parameters swapin_optim_state
torch.optim.lr_scheduler.ChainedScheduler: schedulers optimizer?
torch.optim.lr_scheduler.ConstantLR: optimizer factor? total_iters? last_epoch?
torch.optim.lr_scheduler.CosineAnnealingLR: optimizer T_max eta_min? last_epoch?
torch.optim.lr_scheduler.CosineAnnealingWarmRestarts: optimizer T_0 T_mult? eta_min? last_epoch?
torch.optim.lr_scheduler.CyclicLR: optimizer base_lr max_lr step_size_up? step_size_down? mode? gamma? scale_fn? scale_mode? cycle_momentum? base_momentum? max_momentum? last_epoch?
torch.optim.lr_scheduler.ExponentialLR: optimizer gamma last_epoch?
torch.optim.lr_scheduler.LRScheduler: optimizer last_epoch?
torch.optim.lr_scheduler.LambdaLR: optimizer lr_lambda last_epoch?
torch.optim.lr_scheduler.LinearLR: optimizer start_factor? end_factor? total_iters? last_epoch?
torch.optim.lr_scheduler.MultiStepLR: optimizer milestones gamma? last_epoch?
torch.optim.lr_scheduler.MultiplicativeLR: optimizer lr_lambda last_epoch?
torch.optim.lr_scheduler.OneCycleLR: optimizer max_lr total_steps? epochs? steps_per_epoch? pct_start? anneal_strategy? cycle_momentum? base_momentum? max_momentum? div_factor? final_div_factor? three_phase? last_epoch?
torch.optim.lr_scheduler.PolynomialLR: optimizer total_iters? power? last_epoch?
torch.optim.lr_scheduler.ReduceLROnPlateau: optimizer mode? factor? patience? threshold? threshold_mode? cooldown? min_lr? eps?
torch.optim.lr_scheduler.SequentialLR: optimizer schedulers milestones last_epoch?
torch.optim.lr_scheduler.StepLR: optimizer step_size gamma? last_epoch?
torch.optim.swa_utils.AveragedModel: model device? avg_fn? multi_avg_fn? use_buffers?
torch.optim.swa_utils.SWALR: optimizer swa_lr anneal_epochs? anneal_strategy? last_epoch?
torch.optim.swa_utils.get_ema_avg_fn: decay?
torch.optim.swa_utils.get_ema_multi_avg_fn: decay?
torch.optim.swa_utils.get_swa_avg_fn:
torch.optim.swa_utils.get_swa_multi_avg_fn:
torch.optim.swa_utils.update_bn: loader model device?
torch.utils.data.BatchSampler: sampler batch_size drop_last
torch.utils.data.ConcatDataset: datasets
torch.utils.data.DataLoader: dataset batch_size? shuffle? sampler? batch_sampler? num_workers? collate_fn? pin_memory? drop_last? timeout? worker_init_fn? multiprocessing_context? generator? * prefetch_factor? persistent_workers? pin_memory_device? in_order?
torch.utils.data.DistributedSampler: dataset num_replicas? rank? shuffle? seed? drop_last?
torch.utils.data.RandomSampler: data_source replacement? num_samples? generator?
torch.utils.data.SequentialSampler: data_source
torch.utils.data.Subset: dataset indices
torch.utils.data.SubsetRandomSampler: indices generator?
torch.utils.data.WeightedRandomSampler: weights num_samples replacement? generator?
torch.utils.data.argument_validation: f
torch.utils.data.default_collate: batch
torch.utils.data.default_convert: data
torch.utils.data.functional_datapipe: name enable_df_api_tracing?
torch.utils.data.get_worker_info:
torch.utils.data.guaranteed_datapipes_determinism:
torch.utils.data.non_deterministic: arg
torch.utils.data.random_split: dataset lengths generator?
torch.utils.data.runtime_validation: f
torch.utils.data.runtime_validation_disabled:
torch.utils.checkpoint.SelectiveCheckpointContext: * is_recompute op_output?
torch.utils.checkpoint.check_backward_validity: inputs
torch.utils.checkpoint.create_selective_checkpoint_contexts: policy_fn_or_list allow_cache_entry_mutation?
torch.utils.checkpoint.detach_variable: inputs
torch.utils.checkpoint.noop_context_fn:
torch.utils.checkpoint.set_checkpoint_debug_enabled: enabled
torch.utils.checkpoint.set_checkpoint_early_stop: enable
torch.utils.checkpoint.set_device_states: devices states * device_type?
torch.distributed.BackendConfig: backend
torch.distributed.all_gather: tensor_list tensor group? async_op?
torch.distributed.all_gather_coalesced: output_tensor_lists input_tensor_list group? async_op?
torch.distributed.all_gather_into_tensor: output_tensor input_tensor group? async_op?
torch.distributed.all_gather_object: object_list obj group?
torch.distributed.all_gather_single: output_tensor input_tensor group? async_op?
torch.distributed.all_reduce: tensor op? group? async_op?
torch.distributed.all_reduce_coalesced: tensors op? group? async_op?
torch.distributed.all_to_all: output_tensor_list input_tensor_list group? async_op?
torch.distributed.all_to_all_single: output input output_split_sizes? input_split_sizes? group? async_op?
torch.distributed.barrier: group? async_op? device_ids? timeout?
torch.distributed.batch_isend_irecv: p2p_op_list
torch.distributed.breakpoint: rank? skip? timeout_s?
torch.distributed.broadcast: tensor src? group? async_op? group_src?
torch.distributed.broadcast_object_list: object_list src? group? device? group_src?
torch.distributed.destroy_process_group: group?
torch.distributed.gather: tensor gather_list? dst? group? async_op? group_dst?
torch.distributed.gather_object: obj object_gather_list? dst? group? group_dst?
torch.distributed.get_backend: group?
torch.distributed.get_backend_config: group?
torch.distributed.get_default_backend_for_device: device
torch.distributed.get_global_rank: group group_rank
torch.distributed.get_group_rank: group global_rank
torch.distributed.get_node_local_rank: fallback_rank?
torch.distributed.get_pg_count:
torch.distributed.get_process_group_ranks: group
torch.distributed.get_rank: group?
torch.distributed.get_world_size: group?
torch.distributed.init_device_mesh: device_type mesh_shape * mesh_dim_names? backend_override?
torch.distributed.init_process_group: backend? init_method? timeout? world_size? rank? store? group_name? pg_options? device_id? _ranks?
torch.distributed.irecv: tensor src? group? tag? group_src?
torch.distributed.is_available:
torch.distributed.is_backend_available: backend
torch.distributed.is_gloo_available:
torch.distributed.is_initialized:
torch.distributed.is_mpi_available:
torch.distributed.is_nccl_available:
torch.distributed.is_torchelastic_launched:
torch.distributed.is_ucc_available:
torch.distributed.is_xccl_available:
torch.distributed.isend: tensor dst? group? tag? group_dst?
torch.distributed.monitored_barrier: group? timeout? wait_all_ranks?
torch.distributed.new_group: ranks? timeout? backend? pg_options? use_local_synchronization? group_desc? device_id? sort_ranks?
torch.distributed.new_subgroups: group_size? group? timeout? backend? pg_options? group_desc?
torch.distributed.new_subgroups_by_enumeration: ranks_per_subgroup_list timeout? backend? pg_options? group_desc?
torch.distributed.record_comm: name
torch.distributed.recv: tensor src? group? tag? group_src?
torch.distributed.recv_object_list: object_list src? group? device? group_src? use_batch?
torch.distributed.reduce: tensor dst? op? group? async_op? group_dst?
torch.distributed.reduce_scatter: output input_list op? group? async_op?
torch.distributed.reduce_scatter_single: output input op? group? async_op?
torch.distributed.reduce_scatter_tensor: output input op? group? async_op?
torch.distributed.register_rendezvous_handler: scheme handler
torch.distributed.scatter: tensor scatter_list? src? group? async_op? group_src?
torch.distributed.scatter_object_list: scatter_object_output_list scatter_object_input_list? src? group? group_src?
torch.distributed.send: tensor dst? group? tag? group_dst?
torch.distributed.send_object_list: object_list dst? group? device? group_dst? use_batch?
torch.distributed.shrink_group: ranks_to_exclude group? shrink_flags? pg_options?
torch.distributed.split_group: parent_pg? split_ranks? timeout? pg_options? group_desc? backend?
torch.distributed.supports_complex: reduceOp
torch.autograd.backward: tensors grad_tensors? retain_graph? create_graph? grad_variables? inputs?
torch.autograd.detect_anomaly: check_nan?
torch.autograd.enforce_grad_layout_policy: enable?
torch.autograd.grad: outputs inputs grad_outputs? retain_graph? create_graph? only_inputs? allow_unused? is_grads_batched? materialize_grads?
torch.autograd.gradcheck: func inputs * eps? atol? rtol? raise_exception? nondet_tol? check_undefined_grad? check_grad_dtypes? check_batched_grad? check_batched_forward_grad? check_forward_ad? check_backward_ad? fast_mode? masked?
torch.autograd.gradgradcheck: func inputs grad_outputs? * eps? atol? rtol? gen_non_contig_grad_outputs? raise_exception? nondet_tol? check_undefined_grad? check_grad_dtypes? check_batched_grad? check_fwd_over_rev? check_rev_over_rev? fast_mode? masked?
torch.autograd.set_detect_anomaly: mode check_nan?
torch.autograd.set_grad_enabled: mode
torch.autograd.set_multithreading_enabled: mode
torch.amp.GradScaler: device? init_scale? growth_factor? backoff_factor? growth_interval? enabled?
torch.amp.autocast: device_type dtype? enabled? cache_enabled?
torch.amp.custom_bwd: bwd? * device_type
torch.amp.custom_fwd: fwd? * device_type cast_inputs?
torch.amp.is_autocast_available: device_type
"""
