# SPDX-License-Identifier: Apache-2.0
"""Checks the values in a JSON file of samples against scipy. Exits with 0 if all agree."""
import json
import math
import sys
from itertools import combinations

import numpy as np
from scipy import stats


def signed_rank(x):
    x = np.array(x)
    x = x[x != 0]
    if len(x) == 0:
        return [0.0, 1.0, 1.0]
    ranks = stats.rankdata(np.abs(x))
    w = ranks[x > 0].sum()
    if len(x) > 50:
        two = stats.wilcoxon(x, method="asymptotic", correction=True)
        return [w, two.pvalue]
    # The exact distribution, also with ties, by convolution over all signs; checked against scipy where it supports it.
    law = np.ones(1)
    for r in (2 * ranks).astype(int):
        law = (np.pad(law, (0, r)) + np.pad(law, (r, 0))) / 2
    doubled = round(2 * w)
    smaller = min(doubled, len(law) - 1 - doubled)
    mine = [w, min(1.0, 2 * law[: smaller + 1].sum())]
    if len(set(np.abs(x))) == len(x):
        assert math.isclose(stats.wilcoxon(x, method="exact").pvalue, mine[1], rel_tol=1e-9)
    return mine


def mann_whitney(x, y, exact):
    pooled = np.concatenate([x, y])
    ties = len(set(pooled)) < len(pooled)
    ranks = stats.rankdata(pooled)
    u = ranks[: len(x)].sum() - len(x) * (len(x) + 1) / 2
    if not exact or not ties:
        method = "exact" if exact else "asymptotic"
        two = stats.mannwhitneyu(x, y, method=method)
        return [u, 1.0 if 2 * u == len(x) * len(y) else two.pvalue]
    if math.comb(len(pooled), len(x)) > 20000:
        return None  # too many to enumerate
    sums = np.array([ranks[list(c)].sum() for c in combinations(range(len(pooled)), len(x))])
    us = sums - len(x) * (len(x) + 1) / 2
    smaller = min(u, len(x) * len(y) - u)
    two = 1.0 if 2 * u == len(x) * len(y) else min(1.0, 2 * np.mean(us <= smaller + 1e-9))
    return [u, two]


def expected(item):
    x, y = item["x"], item["y"]
    walsh = [(a + b) / 2 for i, a in enumerate(x) for b in x[i:]]
    yield "signed_rank", signed_rank(x)
    yield "mann_whitney", mann_whitney(x, y, item["mann_whitney_exact"])
    yield "hodges_lehmann", np.median(walsh)
    yield "quantiles", np.quantile(x, [0.1, 0.5, 0.975])
    yield "theil_sen", stats.theilslopes(x)[0]
    yield "adjusted", stats.false_discovery_control(item["p_values"])


def main():
    items = json.load(open(sys.argv[1], encoding="utf-8"))
    wrong = 0
    for i, item in enumerate(items):
        for name, want in expected(item):
            if want is None:
                continue
            if not np.allclose(item[name], want, rtol=1e-8, atol=1e-12):
                wrong += 1
                print(f"sample {i}, n={len(item['x'])} m={len(item['y'])}: {name} {item[name]} is not {want}")
    print(f"{len(items)} samples agree" if not wrong else f"{wrong} disagree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
