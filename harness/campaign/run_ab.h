// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench ab` and `stepbench compare`: their options, the measurement of two planned
// arms in turns, and the comparison of results. Prints only progress. Throws ConfigError for user
// errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/internal/ab_arms.h"
#include "harness/campaign/internal/device_locks.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/catalogue/catalogue.h"
#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/record/rows.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/tested_metrics.h"

namespace stepbench::campaign {

// Verdict options of `compare` and `ab`. Pure.

// Returns the metrics named by --metric, with margins from the plan's section `compare`, overridden
// by --margin: "step=2%", "0.02" (for the step), "peak_bytes=0". `plan`: null if there is none.
// `columns`: of both sides.
struct TestedRequest {
  const std::vector<std::string>& metrics;
  const std::vector<std::string>& margins;
};
[[nodiscard]] verdict::TestedMetrics tested_metrics(const TestedRequest& request,
                                                    const std::vector<Metric>& columns,
                                                    const plan::Plan* plan);

// True if counts decide: case option `compare.gate`.
[[nodiscard]] bool gates_counts(const OptionValues& options);
[[nodiscard]] bool gates_counts(const plan::Plan& plan);  // uses its first case
// `compare.margin.counts`; nullopt: auto, or not given.
[[nodiscard]] std::optional<double> count_margin_of(const OptionValues& options);
[[nodiscard]] std::optional<double> count_margin_of(const plan::Plan& plan);

// Removes the margin of all counts, "counts=0.1%", from `margins` and returns it; the last one
// wins. Throws if counts do not decide.
[[nodiscard]] std::optional<double> take_count_margin(std::vector<std::string>& margins,
                                                      bool gate_counts);

// `others` and the names of all gates, for check_allowed().
[[nodiscard]] std::vector<std::string> known_gates(std::vector<std::string> others = {});
// Throws for a name in `allow` that is not in `known`, naming the nearest one.
void check_allowed(const std::vector<std::string>& allow, const std::vector<std::string>& known);

// `stepbench ab` measures two planned arms in turns and judges. The header of its result file
// describes the campaign, so that another call can resume it. Prints only progress.
// Throws Error for problems that the user can fix.

// Throws for what can be rejected before planning.
void check_request(const AbRequest& request);

// Derived from a request and its arms. Throws ConfigError for invalid metrics and margins.
struct AbPlan {
  std::vector<Metric> columns = {};  // both arms'
  verdict::TestedMetrics tested = {};
  double count_margin = 0;              // margin of counts, if they decide
  std::vector<std::size_t> looks = {};  // numbers of pairs after which the rule is applied
};
[[nodiscard]] AbPlan plan_ab(const AbRequest& request, const AbArms& arms);

// Notes that may change the meaning of the verdict or file; print them even with --quiet.
[[nodiscard]] std::vector<std::string> notes_on(const AbRequest& request, const AbArms& arms);

struct AbRun {
  int exit_status = 0;
  std::optional<int> signal = {};         // signal that interrupted it
  std::filesystem::path run_folder = {};  // empty: interrupted before it was created
  verdict::Comparison comparison = {};    // unset if interrupted
};

// `on_start` receives the run's folder before the first launch, so that later failures can be
// reported there. `interrupts` belongs to the caller and must live until the end has been reported,
// because a signal or a broken pipe must not interrupt that. Main thread only.
[[nodiscard]] AbRun run_ab(const AbRequest& request, const AbArms& arms, const Launching& launching,
                           const std::function<void(const std::filesystem::path&)>& on_start);

// The header of an A/B campaign's result file, and the check that a resumed campaign is the same
// one. Throws ConfigError.

// Adds everything that determines the course of a campaign to the header of arm A's plan. `pairs`
// is 0 if looks decide when it ends.
void describe_campaign(const AbArms& arms, std::int64_t pairs, const verdict::TestedMetrics& tested,
                       std::uint64_t seed, record::RunRow& header);

// Throws, naming the first difference, unless `now` describes the same campaign as `earlier`.
void check_same_campaign(const record::Results& earlier, const record::RunRow& now,
                         const AbArms& arms);

// Returns the seed of the launch order: that of the resumed campaign, else `asked`, else a new one.
// Throws if the first two differ.
[[nodiscard]] std::uint64_t seed_for(std::optional<std::uint64_t> asked,
                                     const record::Results& earlier);

// `stepbench compare` reads results, matches their cases by the rules of identity
// (harness/plan/internal/case_shape.h) and compares each result with the first.

struct CompareRequest : VerdictRequest {
  std::string base = {};  // result files or run folders
  std::vector<std::string> candidates = {};
  std::vector<std::string> ignore = {};
};

// Returns one comparison per candidate, in order. `catalogue` defines which options identify a
// case. Throws Error for user errors; names the first candidate that may not be compared.
[[nodiscard]] std::vector<verdict::Comparison> compare_files(const CompareRequest& request,
                                                             const Catalogue& catalogue);

// Throws ConfigError if at least three results contain a file or folder twice, which would count
// twice in the correction. Exactly two equal results are an A/A check.
void refuse_given_twice(const CompareRequest& request);

// Makes `chosen`, one of the results by path or last path component, the base; the others keep
// their order. Throws ConfigError naming the nearest match for an unknown result.
void choose_base(const std::string& chosen, CompareRequest& request);

// Returns full names of the options given with --ignore: "loader.num_workers" for an unambiguous
// "num_workers". Throws ConfigError naming the nearest option if no case has it.
[[nodiscard]] std::vector<std::string> full_names(const std::vector<std::string>& ignored,
                                                  std::span<const record::Results* const> all);

// Identity of a case without some options. Options unknown to the catalogue, such as those of a
// user's own workload, are part of it unchanged.
[[nodiscard]] verdict::CaseKey key_without(const std::vector<std::string>& ignored,
                                           const Catalogue& catalogue);

// For results without a common case: the options and values in which their most similar cases
// differ, and how to match them anyway. Examines only the first cases. Empty: no advice.
[[nodiscard]] std::string no_common_case_reason(const record::Results& base,
                                                const record::Results& candidate,
                                                const Catalogue& catalogue);

// For the first cases that only one side has: adds the most similar case of the other side.
// `others`: the results of that side.
void find_nearest(std::vector<verdict::MissingCase>& missing, const record::Results& others,
                  const Catalogue& catalogue);

}  // namespace stepbench::campaign
