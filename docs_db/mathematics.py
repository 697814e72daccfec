"""Converts the LaTeX of docstrings to plain characters: no editor typesets formulas in its hovers."""

from __future__ import annotations

import re

_SYMBOLS = {
    "times": "×",
    "cdot": "·",
    "cdots": "⋯",
    "dots": "…",
    "ldots": "…",
    "vdots": "⋮",
    "ddots": "⋱",
    "star": "⋆",
    "ast": "∗",
    "in": "∈",
    "notin": "∉",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "neq": "≠",
    "ne": "≠",
    "ll": "≪",
    "gg": "≫",
    "approx": "≈",
    "sim": "∼",
    "equiv": "≡",
    "propto": "∝",
    "pm": "±",
    "mp": "∓",
    "infty": "∞",
    "sum": "∑",
    "prod": "∏",
    "int": "∫",
    "partial": "∂",
    "nabla": "∇",
    "forall": "∀",
    "exists": "∃",
    "rightarrow": "→",
    "to": "→",
    "leftarrow": "←",
    "gets": "←",
    "Rightarrow": "⇒",
    "mapsto": "↦",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "langle": "⟨",
    "rangle": "⟩",
    "lVert": "‖",
    "rVert": "‖",
    "Vert": "‖",
    "lvert": "|",
    "rvert": "|",
    "vert": "|",
    "mid": "|",
    "odot": "⊙",
    "oplus": "⊕",
    "otimes": "⊗",
    "circ": "∘",
    "cap": "∩",
    "cup": "∪",
    "subset": "⊂",
    "subseteq": "⊆",
    "setminus": "∖",
    "land": "∧",
    "lor": "∨",
    "wedge": "∧",
    "vee": "∨",
    "neg": "¬",
    "ell": "ℓ",
    "Re": "ℜ",
    "Im": "ℑ",
    "prime": "′",
    "dagger": "†",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "vartheta": "ϑ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "quad": "  ",
    "qquad": "    ",
    "colon": ":",
    "coloneqq": ":=",
    "triangleq": "≜",
    "top": "ᵀ",
    "intercal": "ᵀ",
}
# Commands that only say how their argument looks.
_LOOKS = re.compile(
    r"\\(?:text|textbf|textit|texttt|textrm|mathrm|mathbf|mathit|mathsf|mathtt|mathcal|operatorname\*?|boldsymbol|"
    r"bm|mathop|mbox|hbox|underline|ensuremath)\s*\{([^{}]*)\}"
)
_BOARD = str.maketrans(
    {"R": "ℝ", "C": "ℂ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "E": "𝔼", "K": "𝕂", "F": "𝔽", "P": "ℙ"}
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*(?:\[([^\[\]]*)\])?\s*\{([^{}]*)\}")
_ACCENT = re.compile(r"\\(hat|widehat|tilde|widetilde|bar|overline|vec)\s*\{([^{}]*)\}")
_ACCENTS = {
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "overline": "\u0304",
    "vec": "\u20d7",
}
_RAISED = re.compile(r"([_^])\s*\{([^{}]*)\}")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{\w+\*?\}(?:\{[lcr|]*\})?")
_SPACING = re.compile(
    r"\\(?:rule\s*\{[^{}]*\}\s*\{[^{}]*\}|[hv]space\*?\s*\{[^{}]*\}|(?:mathrlap|bf|it|rm|tt|sf|newline|nonumber|hfill|hline)(?![A-Za-z]))"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?")
_SIMPLE = re.compile(r"[\w.]+")


def plain(text: str) -> str:
    """Returns the formula with known commands replaced, line by line. An unknown one loses only its
    backslash."""
    text = re.sub(r"(?<!\\)%[ \t]*$", "", _ENVIRONMENT.sub("", text), flags=re.MULTILINE)
    text = re.sub(
        r"\\(?:left|right|big|Big|bigg|Bigg|bigl|bigr|Bigl|Bigr|displaystyle|limits|nolimits)(?![a-z])\.?",
        "",
        text,
    )
    text = _SPACING.sub(" ", text).replace(r"\not=", "≠").replace(r"\not\in", "∉")
    text = text.replace(r"\_", "\0").replace(r"\{", "\1").replace(r"\}", "\2")
    text = re.sub(r"\\\\(?:\[[^\]]*\])?", "\n" if "\n" in text else "; ", text)
    text = re.sub(r"\\mathbb\s*\{?(\w)\}?", lambda found: found[1].translate(_BOARD), text)
    # Before what they stand next to is put into place: `\lfloor\frac{a}{b}`.
    text = _COMMAND.sub(lambda found: _SYMBOLS.get(found[1], found[0]), text)
    for _ in range(12):  # from the inside out; formulas nest this deep nowhere
        before = text
        text = _LOOKS.sub(r"\1", text)
        text = _ROOT.sub(_rooted, text)
        text = _ACCENT.sub(lambda found: found[2] + _ACCENTS[found[1]], text)
        text = _FRACTION.sub(lambda found: f"{_grouped(found[1])} / {_grouped(found[2])}", text)
        text = _RAISED.sub(lambda found: f"{found[1]}{_grouped(found[2])}", text)
        if text == before:
            break
    text = re.sub(r"\\[,;:!> ]", " ", text)
    text = re.sub(r"\\\|", "‖", text)
    text = _COMMAND.sub(r"\1", text)
    text = re.sub(r"\\([%&#$])", r"\1", text)
    text = re.sub(r"(?<!\\)[{}]|&", "", text)
    text = text.replace("\0", "_").replace("\1", "{").replace("\2", "}").replace("\\", "").replace("`", "'")
    return "\n".join(
        re.sub(r"(?<=\S) {2,}", " ", line).rstrip() for line in text.splitlines() if line.strip()
    )


def _grouped(text: str) -> str:
    text = text.strip()
    if re.fullmatch(r"\([^()]*\)", text):
        return text
    return text if _SIMPLE.fullmatch(text) or len(text) == 1 else f"({text})"


def _rooted(found: re.Match[str]) -> str:
    sign = {None: "√", "3": "∛", "4": "∜"}.get(found[1], f"[{found[1]}]√")
    return f"{sign}{_grouped(found[2])}"
