"""Files, configuration and runs: everything that touches the outside on behalf of the analysis."""
