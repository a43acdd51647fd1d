// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/replayed.h"

#include <algorithm>
#include <array>
#include <string>

namespace stepbench::estimate {
namespace {

constexpr std::array<std::string_view, 6> kReplayOptions = {
    "loader.replay",      "loader.replay_batches", "loader.arrivals",
    "loader.arrivals_id", "loader.ahead",          "loader.record_arrivals"};

}  // namespace

Replayed replayed(const CaseRow& row) {
  const Value* value = row.option("loader.replay");
  if (value == nullptr) return Replayed::kNot;
  if (*value == Value{std::string("stopped")}) return Replayed::kStopped;
  if (*value == Value{std::string("recorded")}) return Replayed::kRecorded;
  return *value == Value{std::string("working")} ? Replayed::kWorking : Replayed::kNot;
}

bool is_replay_option(std::string_view full_name) {
  return std::ranges::find(kReplayOptions, full_name) != kReplayOptions.end();
}

bool is_timed(const CaseRow& row) {
  return row.step_ns && !row.smoke && row.pass == Pass::kTiming && row.arm.empty();
}

bool same_but_for_replay(const CaseRow& a, const CaseRow& b) {
  const auto differs = [](const CaseRow& one, const CaseRow& other) {
    for (const auto& [name, value] : one.options()) {
      if (is_null(value) || is_replay_option(name) || name == "schedule.warmup") continue;
      const Value* theirs = other.option(name);
      if (theirs == nullptr || *theirs != value) return true;
    }
    return false;
  };
  return a.workload == b.workload && !differs(a, b) && !differs(b, a);
}

const CaseRow* find_replayed(const std::vector<CaseRow>& rows, const CaseRow& as_is, Replayed how) {
  const auto found = std::ranges::find_if(rows, [&](const CaseRow& row) {
    return replayed(row) == how && is_timed(row) && same_but_for_replay(row, as_is);
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace stepbench::estimate
