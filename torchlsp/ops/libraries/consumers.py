"""Lists functions of NumPy, SciPy, matplotlib, pandas, … that convert a tensor by `__array__`.

The table was measured: each position named here raises torch's own error for a tensor that requires grad and for one
that is not on the host (NumPy 2.4, SciPy 1.17, matplotlib 3.11, pandas 3.1, scikit-learn 1.9, seaborn 0.13).  Not in it:
functions that ask the tensor for a method of theirs first (`numpy.sum`, `numpy.squeeze`), that iterate over it
(`numpy.split`), that take any object (`matplotlib.pyplot.title`), or that refuse every tensor (all of `cv2`,
`PIL.Image.fromarray`, `pandas.DataFrame` of a list of tensors).
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from torchlsp.facts.fault import Fault
from torchlsp.facts.tensor import TensorFact
from torchlsp.facts.values import ListRef, Repeated, TupleValue, Value
from torchlsp.ops.call import Broken, Call, Context
from torchlsp.ops.signature import Arguments
from torchlsp.ops.table import TABLE
from torchlsp.ops.tensor.hostcopy import numpy_conversion

_FIRST = {
    "matplotlib.pyplot": """acorr angle_spectrum axhline axvline boxplot cohere eventplot figimage grouped_bar imshow
        magnitude_spectrum matshow phase_spectrum pie psd specgram spy violinplot xticks yticks""",
    "numpy": """abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh argmax argmin
        argsort around array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray
        asin asinh asmatrix atan atanh average bitwise_count bitwise_invert bitwise_not broadcast_to
        cbrt ceil column_stack conj conjugate copy cos cosh count_nonzero cumprod cumsum
        cumulative_prod cumulative_sum deg2rad degrees diag diagflat diagonal diff dstack empty_like
        exp exp2 expand_dims expm1 fabs fix flatnonzero fliplr flipud floor frexp gradient hstack i0
        invert iscomplex iscomplexobj isfinite isinf isnan isnat isneginf isposinf isrealobj log
        log10 log1p log2 logical_not matrix_transpose median modf nan_to_num nanargmax nanargmin
        nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar negative
        ones_like packbits permute_dims poly polyder polyint positive ptp rad2deg radians ravel
        real_if_close reciprocal require reshape resize rint roots rot90 round row_stack sign
        signbit sin sinc sinh sort sort_complex spacing sqrt square stack swapaxes tan tanh tile
        trace transpose tril trim_zeros triu trunc unique unique_all unique_counts unique_inverse
        unique_values unpackbits unwrap vander vstack zeros_like""",
    "numpy.fft": """fft fft2 fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft rfft2
        rfftn""",
    "numpy.linalg": """cholesky cond det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_power
        matrix_rank matrix_transpose multi_dot norm qr slogdet svd svdvals tensorinv trace
        vector_norm""",
    "numpy.random": """chisquare choice dirichlet exponential geometric logseries pareto permutation poisson power
        random_integers rayleigh""",
    "pandas": """DataFrame Series to_numeric""",
    "scipy.fft": """dct dctn dst dstn fft fft2 fftn fftshift fht hfft hfft2 hfftn idct idctn idst idstn ifft
        ifft2 ifftn ifftshift ifht ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftn""",
    "scipy.integrate": """cumulative_simpson romb""",
    "scipy.linalg": """det eigh eigvalsh expm inv logm lu norm pinv qr sqrtm svd svdvals""",
    "scipy.ndimage": """binary_closing binary_dilation binary_erosion binary_fill_holes binary_opening
        center_of_mass distance_transform_edt gaussian_filter gaussian_filter1d gaussian_laplace
        grey_dilation grey_erosion label laplace map_coordinates maximum_filter median_filter
        minimum_filter rotate shift sobel uniform_filter zoom""",
    "scipy.optimize": """linear_sum_assignment""",
    "scipy.signal": """decimate detrend find_peaks hilbert resample resample_poly savgol_filter sepfir2d
        sosfiltfilt spectrogram stft""",
    "scipy.spatial.distance": """pdist""",
    "scipy.special": """digamma entr erf erfc erfinv expit gamma gammaln i0 i1 j0 j1 log_ndtr log_softmax logit
        logsumexp ndtr ndtri psi softmax softplus""",
    "scipy.stats": """anderson anderson_ksamp barnard_exact bayes_mvs boschloo_exact boxcox_normmax
        boxcox_normplot chi2_contingency combine_pvalues cramervonmises cumfreq differential_entropy
        directional_stats ecdf expectile false_discovery_control fisher_exact genpareto gmean gstd
        gzscore hmean jarque_bera ks_1samp kstat kstatvar kstwo page_trend_test pmean probplot
        quantile_test rankdata relfreq scoreatpercentile shapiro sigmaclip tiecorrect tmax tmean
        tmin trim1 trim_mean trimboth tsem tstd tvar yeojohnson_normmax yeojohnson_normplot zscore""",
    "seaborn": """barplot boxenplot boxplot catplot clustermap countplot displot distplot ecdfplot heatmap
        histplot jointplot kdeplot lineplot pointplot relplot rugplot scatterplot stripplot
        swarmplot violinplot""",
    "sklearn.preprocessing": """add_dummy_feature binarize maxabs_scale minmax_scale normalize power_transform
        quantile_transform robust_scale scale""",
}
"""Functions whose first argument is converted."""

_FIRST_TWO = {
    "matplotlib.pyplot": """bar barbs barh contour contourf csd ecdf errorbar fill_between fill_betweenx hexbin hist
        hist2d hlines pcolor pcolormesh polar quiver scatter stackplot stairs stem tricontour
        tricontourf tripcolor triplot vlines xcorr""",
    "numpy": """add allclose append arange arctan2 argpartition atan2 atleast_1d atleast_2d atleast_3d
        bincount bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
        broadcast_arrays clip compress convolve copysign corrcoef correlate cov cross delete
        digitize divide divmod dot ediff1d equal extract float_power floor_divide fmax fmin fmod
        full_like gcd geomspace greater greater_equal heaviside histogram histogram2d
        histogram_bin_edges histogramdd hypot inner insert interp intersect1d isclose isin kron lcm
        ldexp left_shift less less_equal linspace logaddexp logaddexp2 logical_and logical_or
        logical_xor logspace matmul matvec maximum may_share_memory meshgrid minimum mod multiply
        nanpercentile nanquantile nextafter not_equal outer pad partition percentile piecewise
        polyadd polydiv polyfit polymul polysub polyval pow power quantile remainder repeat
        right_shift roll searchsorted select setdiff1d setxor1d shares_memory subtract take
        tensordot trapezoid true_divide union1d vdot vecdot vecmat where""",
    "numpy.linalg": """cross lstsq matmul outer pinv solve tensordot tensorsolve vecdot""",
    "numpy.random": """beta binomial f gamma gumbel hypergeometric laplace logistic lognormal multivariate_normal
        negative_binomial noncentral_chisquare noncentral_f normal randint""",
    "scipy.integrate": """cumulative_trapezoid simpson trapezoid""",
    "scipy.interpolate": """barycentric_interpolate bisplrep interp1d krogh_interpolate make_interp_spline
        make_lsq_spline make_smoothing_spline make_splrep pchip_interpolate splprep splrep""",
    "scipy.ndimage": """convolve convolve1d correlate correlate1d""",
    "scipy.optimize": """lsq_linear nnls""",
    "scipy.signal": """bilinear coherence convolve convolve2d correlate correlate2d csd fftconvolve filtfilt
        find_peaks_cwt lfilter lombscargle medfilt medfilt2d oaconvolve order_filter
        peak_prominences peak_widths sosfilt upfirdn wiener""",
    "scipy.spatial.distance": """braycurtis canberra cdist chebyshev cityblock correlation cosine dice directed_hausdorff
        euclidean hamming jaccard jensenshannon mahalanobis minkowski rogerstanimoto russellrao
        seuclidean sokalsneath yule""",
    "scipy.special": """beta betaln comb kl_div polygamma rel_entr xlog1py xlogy zeta""",
    "scipy.stats": """alexandergovern ansari bartlett binned_statistic binned_statistic_2d binned_statistic_dd
        boxcox boxcox_llf brunnermunzel bws_test chatterjeexi chisquare circmean circstd circvar
        cramervonmises_2samp describe energy_distance entropy epps_singleton_2samp f_oneway fligner
        friedmanchisquare iqr kendalltau kruskal ks_2samp kstest kurtosis kurtosistest levene
        linregress lmoment logrank mannwhitneyu median_abs_deviation median_test mode moment mood
        normaltest obrientransform pearsonr percentileofscore pointbiserialr power_divergence
        quantile ranksums sem siegelslopes skew skewtest somersd spearmanr spearmanrho theilslopes
        ttest_1samp ttest_ind ttest_rel tukey_hsd variation wasserstein_distance
        wasserstein_distance_nd weightedtau wilcoxon yeojohnson yeojohnson_llf zmap""",
    "sklearn.base.BaseEstimator": """fit fit_transform fit_predict partial_fit predict predict_proba score transform""",
    "sklearn.metrics": """accuracy_score adjusted_mutual_info_score adjusted_rand_score auc average_precision_score
        balanced_accuracy_score brier_score_loss calinski_harabasz_score class_likelihood_ratios
        classification_report cohen_kappa_score completeness_score confusion_matrix
        confusion_matrix_at_thresholds coverage_error d2_absolute_error_score d2_brier_score
        d2_log_loss_score d2_pinball_score d2_tweedie_score davies_bouldin_score dcg_score det_curve
        euclidean_distances explained_variance_score f1_score fowlkes_mallows_score hamming_loss
        hinge_loss homogeneity_completeness_v_measure homogeneity_score jaccard_score
        label_ranking_average_precision_score label_ranking_loss log_loss matthews_corrcoef
        max_error mean_absolute_error mean_absolute_percentage_error mean_gamma_deviance
        mean_pinball_loss mean_poisson_deviance mean_squared_error mean_squared_log_error
        mean_tweedie_deviance median_absolute_error multilabel_confusion_matrix mutual_info_score
        nan_euclidean_distances ndcg_score normalized_mutual_info_score pair_confusion_matrix
        pairwise_distances pairwise_distances_argmin pairwise_distances_argmin_min pairwise_kernels
        precision_recall_curve precision_recall_fscore_support precision_score r2_score rand_score
        recall_score roc_auc_score roc_curve root_mean_squared_error root_mean_squared_log_error
        silhouette_samples silhouette_score top_k_accuracy_score v_measure_score zero_one_loss""",
}
"""Functions whose first and second arguments are."""

_ALL = {
    "matplotlib.pyplot": "plot fill loglog semilogx semilogy step",
}

_AFTER_FILE = {
    "numpy": "save savetxt savez savez_compressed",
}
"""Writers: the argument after the file."""

_KEYWORDS = frozenset(
    "x y X Y Z a b arr data height y1 y2 y_true y_pred y_score y_proba labels_true labels_pred input object".split()
)
"""Names of the converted parameters, where they are passed by keyword."""

_OWN_KEYWORDS = {
    "matplotlib.pyplot.scatter": frozenset({"c", "s"}),
    "matplotlib.pyplot.hist": frozenset({"weights"}),
    "matplotlib.pyplot.errorbar": frozenset({"xerr", "yerr"}),
    "matplotlib.pyplot.bar": frozenset({"yerr"}),
}
"""The same for single functions."""

_SEQUENCES = {
    "matplotlib.pyplot": "plot semilogx semilogy loglog step errorbar pie fill polar eventplot hist2d imshow violinplot",
    "scipy.stats": "pearsonr spearmanr entropy",
}
"""Outside NumPy and scikit-learn: functions that convert the tensors in a list as well, one by one."""


@cache
def _tables() -> dict[str, tuple[int, ...] | Literal["all"]]:
    table: dict[str, tuple[int, ...] | Literal["all"]] = {}
    tables: list[tuple[tuple[int, ...] | Literal["all"], dict[str, str]]] = [
        ((0,), _FIRST), ((0, 1), _FIRST_TWO), ("all", _ALL), ((1,), _AFTER_FILE),
    ]  # fmt: skip
    for positions, modules in tables:
        for module, names in modules.items():
            table.update(dict.fromkeys((f"{module}.{name}" for name in names.split()), positions))
    return table


@cache
def _sequence_takers() -> frozenset[str]:
    return frozenset(f"{module}.{name}" for module, names in _SEQUENCES.items() for name in names.split())


def consumer(name: str) -> tuple[int, ...] | Literal["all"] | None:
    """Returns the positions of the arguments that a function converts to arrays; None for other functions."""
    return _tables().get(name)


def takes_sequences(name: str) -> bool:
    """Returns whether the function converts the tensors of a list too."""
    return name.startswith(("numpy.", "sklearn.metrics.")) or name in _sequence_takers()


def conversion_faults(name: str, arguments: Arguments, context: Context) -> list[Fault]:
    """Returns the first conversion in this call that torch refuses.

    Empty for functions with a row, which asks by itself.
    """
    positions = consumer(name)
    if positions is None or name in TABLE.rows:
        return []
    c = Call(name, dict(arguments.keywords), context)
    given = list(arguments.positional)
    converted = given if positions == "all" else [given[i] for i in positions if i < len(given)]
    taken = _KEYWORDS | _OWN_KEYWORDS.get(name, frozenset())
    converted += [value for keyword, value in arguments.keywords if keyword in taken]
    try:
        for value in converted:
            for tensor in tensors_in(context, value, deep=takes_sequences(name)):
                numpy_conversion(c, tensor, name)
    except Broken as broken:
        return [*c.faults, broken.fault]
    return []


def tensors_in(context: Context, value: Value, deep: bool) -> list[TensorFact]:
    """Returns the tensor itself, or with `deep` those of a sequence that holds nothing but tensors."""
    if isinstance(value, TensorFact):
        return [value]
    if not deep:
        return []
    value = context.held(value)
    if isinstance(value, Repeated):
        return tensors_in(context, value.element, deep)
    if not isinstance(value, (TupleValue, ListRef)):
        return []
    inner = [tensors_in(context, item, deep) for item in context.elements(value) or ()]
    return [tensor for found in inner for tensor in found] if all(inner) else []
