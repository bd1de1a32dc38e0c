"""Intervals and p-values of paired differences by their definitions, slowly."""

import numpy as np
import scipy.stats


def tail(confidence, units):
    """Return the share of resamples beyond each end of an expanded percentile interval."""
    t = scipy.stats.t.ppf((1 - confidence) / 2, 0.6 * (units - 1))
    return scipy.stats.norm.cdf(t * np.sqrt(units / (units - 1)))


def interval(figures, confidence, observed, units):
    """Return the expanded percentile interval, widened to the observed figure."""
    known = [figure for figure in figures if not np.isnan(figure)]
    if not known:
        return [np.nan, np.nan]
    share = tail(confidence, units)
    low, high = np.quantile(known, [share, 1 - share])
    return [np.fmin(low, observed), np.fmax(high, observed)]


def p_value(figures, observed, units):
    """Return the level at which the percentile interval of a difference begins to leave 0 out."""
    known = [figure for figure in figures if not np.isnan(figure)]
    if not known or np.isnan(observed):
        return np.nan
    if observed == 0:
        return 1.0

    def leaves_out(level):
        share = tail(1 - level, units)
        if share < 1 / (1 + len(known)):  # beyond what resamples can show
            return False
        low, high = np.quantile(known, [share, 1 - share])
        return low > 1e-12 if observed > 0 else high < -1e-12

    least, most = 0.0, 1.0
    if not leaves_out(1 - 1e-12):
        return 1.0
    for _ in range(60):
        middle = (least + most) / 2
        least, most = (least, middle) if leaves_out(middle) else (middle, most)
    return most
