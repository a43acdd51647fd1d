#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the loader of a training step slower by known shares and asks `stepbench ab` what happened.

    planted_loader.py STEPBENCH LOG [--pairs 12] [--work DIR]

Four workers, a step that is bound by them, windows of 192 steps. Arm B's samples cost 0, 5, 10 and 50 % more. The true
change is that of the workers' own measured time per batch. Appends one line per run to LOG. Exit status 1 unless 0 % is
silent and each other share is a regression with the cause data_wait and a 99.9 % interval that holds the truth.
"""
import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import campaigns  # noqa: E402

COST_US = 400


def one(arguments, share):
    cost = round(COST_US * (1 + share), 3)
    status, folder = campaigns.run(arguments.stepbench, campaigns.LOADER_BOUND, arguments.work, "ab", "--pairs",
                                   arguments.pairs, "--allow", "noise", "--allow", "load", "--a-set",
                                   f"data.cost_us={COST_US}", "--b-set", f"data.cost_us={cost}")
    case = campaigns.verdict_of(folder)["cases"][0]
    step = case["metrics"][0]
    launches, _ = campaigns.lines(folder)
    costs = {arm: statistics.median(campaigns.batch_cost_ns(row) for key, row in launches
                                    if key[1] == arm and key[2] == "timing") for arm in "ab"}
    change, low, high = campaigns.change_interval(campaigns.pairs_of(folder, campaigns.window_mean), 0.999)
    truth = costs["b"] / costs["a"] - 1
    row = {"planted": share, "true_change": truth, "exit_code": status, "verdict": step["verdict"], "p": step["p"],
           "change": step["change"], "change_low": step["change_low"], "change_high": step["change_high"],
           "change_by_hand": change, "low_999": low, "high_999": high,
           "cause": [each["phase"] for each in case["cause"]], "base_ns": step["base_median"],
           "batch_cost_ns": costs["a"], "pairs": step["pairs"], "run": folder.name}
    if share == 0:
        row["passed"] = status in (0, 3) and step["verdict"] not in ("regression", "improvement")
    else:
        row["passed"] = status == 1 and row["cause"][:1] == ["data_wait"] and low <= truth <= high
    print(f"planted {share:+.0%} (in the workers {truth:+.1%}): {step['verdict']}, {step['change']:+.1%} "
          f"[{low:+.1%}, {high:+.1%}] 99.9 %, cause {row['cause']}: {'passed' if row['passed'] else 'NOT passed'}")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepbench", type=pathlib.Path)
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/planted_loader"))
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    rows = []
    for share in (0, 0.05, 0.10, 0.50):
        rows.append(one(arguments, share))
        with arguments.log.open("a") as log:
            log.write(json.dumps(rows[-1]) + "\n")
    return 0 if all(row["passed"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
