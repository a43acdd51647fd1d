// SPDX-License-Identifier: Apache-2.0
// Decides whether two results may be compared at all: what their environments must share, and
// whether both sides did the same work and computed the same. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/result_file.h"
#include "harness/verdict/internal/case_metrics.h"
#include "harness/verdict/internal/case_pairs.h"

namespace stepbench::verdict {

// Fingerprints: the results that launches of one case computed.

struct Computed {
  double value = 0;  // median over the launches; NaN if any launch has no finite number
  double low = 0;    // minimum and maximum over the launches
  double high = 0;
  double spread = 0;  // largest relative difference between two launches
};
using Fingerprints = std::map<std::string, Computed, std::less<>>;

// Fingerprints of the launches by name: "loss", "gradient_norm". Only the names of the first launch
// with a fingerprint are used.
[[nodiscard]] Fingerprints fingerprints_of(std::span<const record::Launch* const> launches);

// Names of fingerprints of other ranks, which are in the row of the first rank: "rank.3.loss",
// displayed as "loss of rank 3". A name of the first rank is displayed unchanged.
[[nodiscard]] std::string fingerprint_of_rank(std::string_view name, int rank);
[[nodiscard]] std::string fingerprint_words(std::string_view name);

// Relative to the larger one. Infinite if only one of the two is a number, 0 if neither is.
[[nodiscard]] double relative_difference(double a, double b);

// Largest relative difference of equal results, by precision ("fp32", "tf32", "bf16", "fp16"):
// covers sums in another order and kernels with other rounding.
[[nodiscard]] double precision_limit(std::string_view precision);
// model.precision; fp32 if the case does not set it.
[[nodiscard]] std::string precision_of(const record::LaunchRow& row);

// Launches with nondeterministic order, such as atomic additions on a GPU, differ among themselves:
// differences up to twice that spread are accepted too.
[[nodiscard]] double same_within(double limit, double spread);

// Checks of environments and of work.

enum class FieldClass : std::uint8_t {  // written to disk by name
  kMustMatch,                           // another device or data set: refused
  // Another driver, torch, kernel or clock policy: a warning, as it may be what is compared.
  kShouldMatch,
  kInformative  // host name or build: only recorded
};
constexpr EnumNames<3> names_of(FieldClass) {
  return {"must-match", "should-match", "informative"};
}

// Classifies a field by name. `on_gpu`: some compared case runs on a GPU; otherwise GPU model and
// driver do not matter.
[[nodiscard]] FieldClass class_of(std::string_view field, bool on_gpu);

struct EnvironmentDifference {
  std::string field;      // "gpu.0", "torch", "data.digest"
  std::string base = {};  // effective values, "-" for none
  std::string candidate = {};
  FieldClass field_class = FieldClass::kInformative;
  bool allowed = false;
  std::size_t cases = 0;  // cases with a differing effective option; 0: a machine or worker field
};

// Compares the workers' environments and the effective options of matched cases. `allow` and
// `ignore` name fields; "all" allows every field.
[[nodiscard]] std::vector<EnvironmentDifference> environment_differences(
    const ComparisonSide& base, const ComparisonSide& candidate, const CasePairs& pairs,
    std::span<const std::string> allow, std::span<const std::string> ignore);

// Names of all environment fields recorded in a result, i.e. the values that `allow` accepts.
[[nodiscard]] std::vector<std::string> environment_fields(const record::Results& results);

// Throws ConfigError listing every must-match difference that is not allowed.
void refuse_mismatch(const ComparisonSide& candidate,
                     std::span<const EnvironmentDifference> differences);

// Checks of the work. Fingerprints: a step that became faster because it computes something else is
// not an improvement. Exact counts without a direction (kernels, copies, parameters): a change in
// one explains a verdict but is not a verdict itself.

struct FingerprintDifference {
  std::string name;      // "loss", "gradient_norm"
  double base = 0;       // median over the launches
  double candidate = 0;  // also the median, or the launch farthest from the base
  double relative = 0;
  double limit = 0;       // by precision, or twice the spread between launches of the base
  std::string precision;  // the coarser of the two sides
};

// Largest difference beyond its limit between the medians of both sides, or of a single candidate
// launch from the base. The spread of the candidate's launches does not widen the limit. A side
// with a launch without a finite number differs from a side in which all are finite. nullopt if
// they agree or a side has no fingerprint.
[[nodiscard]] std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair);

// Notes on fingerprints that are finite on neither side, or on which launches of the base disagree.
[[nodiscard]] std::vector<std::string> fingerprint_notes(const CasePair& pair);

[[nodiscard]] std::string to_text(const FingerprintDifference& difference);

// "kernels 120 -> 132, counted exactly in profiled launches". Only for counts that are equal in all
// launches of a side. Values of timed launches take precedence over those of profiled ones.
struct CountedLaunches {
  std::vector<const record::Launch*> timed = {};
  std::vector<const record::Launch*> profiled = {};
  std::vector<const record::Launch*> counted = {};  // under valgrind
};
[[nodiscard]] std::vector<std::string> exact_count_notes(const CountedLaunches& base,
                                                         const CountedLaunches& candidate,
                                                         const std::vector<Metric>& columns);

// Removes counts that vary between the launches of a side, since no verdict is possible. Returns a
// note on each.
[[nodiscard]] std::vector<std::string> take_varying_counts(std::vector<MetricSamples>& asked);

}  // namespace stepbench::verdict
