// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/window_samples.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/base/error.h"

namespace stepbench::worker {
namespace {

using Step = StepRecorder::Step;

constexpr auto kRest = static_cast<std::size_t>(PhaseId::kOther);
constexpr auto kDataWait = static_cast<std::size_t>(PhaseId::kDataWait);
constexpr std::array<const char*, kCounts> kCountNames = {"samples", "tokens", "bytes"};

bool has_tokens(const Step& step) { return step.first_token_ns != 0; }

// Latency since the request. Excludes data_wait: the request includes its data.
std::int64_t since_request(const Step& step, std::int64_t when_ns) {
  return when_ns - step.start_ns - step.phase_ns[kDataWait];
}

}  // namespace

WindowSamples::WindowSamples(std::vector<std::string> phase_names)
    : phase_names_(std::move(phase_names)) {}

void WindowSamples::prepare(std::size_t steps) {
  rows_.assign(steps, Step{});
  size_ = 0;
}

Series WindowSamples::columns(std::int64_t end_ns) const {
  const auto first = rows_.begin();
  const auto last = first + static_cast<std::ptrdiff_t>(size_);
  Series out;
  const auto column = [&](std::string name, const auto& of_step) {
    std::vector<std::int64_t>& values = out.add(std::move(name), size_);
    std::transform(first, last, values.begin(), of_step);
  };
  const auto any = [&](const auto& holds) { return std::any_of(first, last, holds); };
  const auto period = [&](const Step& step) {
    const Step* next = &step + 1;
    return (next == rows_.data() + size_ ? end_ns : next->start_ns) - step.start_ns;
  };

  column("index", [](const Step& step) { return step.index; });
  column("step_ns", period);
  for (std::size_t phase = 0; phase < phase_names_.size(); ++phase) {
    if (phase == kRest) continue;
    const std::uint32_t bit = std::uint32_t{1} << phase;
    if (any([&](const Step& step) { return (step.occurred & bit) != 0; })) {
      column(phase_names_[phase] + "_ns", [&](const Step& step) { return step.phase_ns[phase]; });
    }
  }
  column("other_ns", [&](const Step& step) {
    const std::int64_t marked =
        std::accumulate(step.phase_ns.begin(), step.phase_ns.end(), std::int64_t{0});
    const std::int64_t rest = period(step) - (marked - step.phase_ns[kRest]);
    if (rest < 0 || step.nested) {
      throw Error("step " + std::to_string(step.index) +
                  ": its phases do not fit into it; phases must not nest nor outlive their step");
    }
    return rest;
  });
  for (std::size_t count = 0; count < kCounts; ++count) {
    if (any([&](const Step& step) { return step.counts[count] != 0; })) {
      column(kCountNames[count], [&](const Step& step) { return step.counts[count]; });
    }
  }
  if (any([](const Step& step) { return (step.flags & kEpochBorder) != 0; })) {
    column("epoch_wait_ns", [](const Step& step) { return step.epoch_wait_ns; });
  }
  const auto answers = [&](const auto& holds) {
    return any([&](const Step& step) { return step.answered_ns != 0 && holds(step); });
  };
  if (answers(has_tokens)) {
    column("request_latency_ns",
           [](const Step& step) { return since_request(step, step.answered_ns); });
    column("time_to_first_token_ns",
           [](const Step& step) { return since_request(step, step.first_token_ns); });
  }
  if (answers([](const Step& step) { return step.later_tokens > 0; })) {
    column("time_per_output_token_ns", [](const Step& step) {
      const std::int64_t tokens = std::max<std::int64_t>(step.later_tokens, 1);
      return (step.answered_ns - step.first_token_ns + tokens / 2) / tokens;
    });
  }
  column("flags", [](const Step& step) { return step.flags; });
  return out;
}

std::int64_t WindowSamples::clock_ties() const {
  std::int64_t ties = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    ties += rows_[i].ties;
    if (i > 0 && rows_[i].start_ns <= rows_[i - 1].start_ns) ++ties;
  }
  return ties;
}

}  // namespace stepbench::worker
