// SPDX-License-Identifier: Apache-2.0
// One observation about a launch in plain words, with its number and a remedy. Findings on loader,
// allocator, memory and traces share this type. And the severity of a cause, and the names of ranks
// in findings. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"

namespace stepbench {

enum class Severity : std::uint8_t { kInfo, kWarning, kProblem };  // written to disk by name
constexpr EnumNames<3> names_of(Severity) { return {"info", "warning", "problem"}; }

inline constexpr std::size_t kMaxPlaces = 8;

struct Finding {
  // An option to change, as `--set` takes it.
  struct Set {
    std::string option = {};  // full name: "loader.num_workers"
    std::string value = {};   // as YAML: "4"
  };
  struct Place {
    std::string name = {};   // op, call or kernel
    std::int64_t at_ns = 0;  // on the trace's own clock
    std::int64_t duration_ns = 0;
    std::int64_t step = -1;  // step number in the trace; -1: outside steps
  };

  std::string id = {};  // stable, for tools: "loader.decode_bound"
  Severity severity = Severity::kInfo;
  std::string text = {};  // example: "decode: 91 % of worker time; 2 workers saturate 2 cores"
  double value = 0;       // observed, in `unit`
  double threshold = 0;   // limit for making the finding, in `unit`
  std::string unit = {};
  std::optional<double> share = {};        // maximum gain as a share of the step time, 0..1
  std::vector<std::string> evidence = {};  // metrics, ops or phases behind it
  std::string remedy = {};                 // one sentence; empty: none
  std::vector<Set> set = {};
  // Upper bound per step: the gain without the cause. Trace findings only.
  std::optional<double> gain_ns = {};
  std::string window = {};         // definition of a step: "host_step"
  bool low_confidence = false;     // inferred from indirect signs, not from records
  std::string undecided = {};      // why the rule could not decide; nothing is then found
  std::vector<Place> places = {};  // the longest ones, at most kMaxPlaces
};

// Severity of a cause by its possible gain, a `share` of the step's time: at least 1/4 is a
// problem, at least 1/20 a warning.
[[nodiscard]] constexpr Severity severity_of_share(double share) {
  constexpr double kProblemShare = 0.25;
  constexpr double kWarningShare = 0.05;
  if (share >= kProblemShare) return Severity::kProblem;
  return share >= kWarningShare ? Severity::kWarning : Severity::kInfo;
}

// Ranks of a group in findings, verdicts and failures.

inline constexpr const char* kStragglerFinding = "ranks.straggler";

// "rank 1", "ranks 0, 2 and 3"
[[nodiscard]] std::string rank_names(std::span<const std::int64_t> ranks);

}  // namespace stepbench
