#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two estimates of a launch on the stored campaigns of aa_campaigns.py: how often would either claim a difference that
is not there?

    aa_both_estimates.py WORK      WORK: the --work folder of aa_campaigns.py, one sub-folder per campaign

One line of JSON per estimate: raw p below .05, evenness of p (Kolmogorov-Smirnov), claims beyond a margin of 1 % by the
exact signed-rank interval of 95 %, and the median half-width of these intervals. Needs scipy.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

from scipy import stats

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import campaigns  # noqa: E402

MARGIN = 0.01


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    folders = [verdict.parent for verdict in sorted(parser.parse_args().work.glob("*/*/verdict.json"))]
    for label, estimate in {"time / steps": campaigns.window_mean,
                            "median of steady steps": campaigns.steady_median}.items():
        pairs = [campaigns.pairs_of(folder, estimate) for folder in folders]
        p = [stats.wilcoxon([math.log(b / a) for a, b in each]).pvalue for each in pairs]
        intervals = [campaigns.change_interval(each, 0.95) for each in pairs]
        print(json.dumps({
            "estimate": label, "campaigns": len(p), "p_below_05": sum(bool(value < 0.05) for value in p),
            "ks_p": float(stats.kstest(p, "uniform").pvalue),
            "claims": sum(low > MARGIN or high < -MARGIN for _, low, high in intervals),
            "half_width_median": statistics.median((high - low) / 2 for _, low, high in intervals)}))


if __name__ == "__main__":
    main()
