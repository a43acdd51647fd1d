// SPDX-License-Identifier: Apache-2.0
// A step shuffles some numbers and sorts them.
#include "sort_workload.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace sorting {
namespace {

constexpr stepbench::PhaseId kShuffle = stepbench::declared_phase(0);
constexpr stepbench::PhaseId kSort = stepbench::declared_phase(1);

class SortWorkload final : public stepbench::Workload {
 public:
  explicit SortWorkload(const stepbench::ResolvedCase& options)
      : stable_(options.text("sort.algorithm") == "stable"),
        numbers_(static_cast<std::size_t>(options.integer("sort.elements"))) {}

  std::optional<std::string> set_up() override {
    std::iota(numbers_.begin(), numbers_.end(), 0);
    return std::nullopt;
  }

  void step(stepbench::StepRecorder& step) override {
    {
      const auto phase = step.phase(kShuffle);
      std::shuffle(numbers_.begin(), numbers_.end(), random_);
    }
    const auto phase = step.phase(kSort);
    if (stable_) {
      std::stable_sort(numbers_.begin(), numbers_.end());
    } else {
      std::sort(numbers_.begin(), numbers_.end());
    }
    step.add(stepbench::Count::kSamples, static_cast<std::int64_t>(numbers_.size()));
  }

  void tear_down() override {}
  stepbench::Fingerprint fingerprint() override { return {}; }
  void report(stepbench::ReportSink& sink) const override {
    sink.metric("sorted", std::is_sorted(numbers_.begin(), numbers_.end()) ? 1 : 0);
  }

 private:
  bool stable_;
  std::vector<int> numbers_;
  std::mt19937 random_;
};

}  // namespace

const stepbench::Catalogue& catalogue() {
  static const stepbench::Catalogue all = [] {
    stepbench::Catalogue made{.sections = stepbench::harness_sections(), .workloads = {}};
    made.sections.push_back({.name = "sort",
                             .doc = "What is sorted, and how.",
                             .options = {{.name = "elements",
                                          .type = stepbench::OptionType::kInteger,
                                          .doc = "How many numbers a step sorts.",
                                          .default_value = std::int64_t{1000},
                                          .min = 1,
                                          .identity_default = std::int64_t{1000}},
                                         {.name = "algorithm",
                                          .type = stepbench::OptionType::kEnum,
                                          .doc = "quick may reorder equal numbers; stable may not.",
                                          .default_value = std::string{"quick"},
                                          .choices = {"quick", "stable"},
                                          .identity_default = std::string{"quick"}}}});
    made.workloads.push_back(
        {.name = "sort",
         .doc = "Shuffles and sorts numbers.",
         .sections = {"sort"},
         .phases = {{"shuffle", "putting the numbers in disorder"}, {"sort", "sorting them"}},
         .metrics = {{.name = "sorted", .unit = "1", .doc = "1 when the last step sorted"}}});
    return made;
  }();
  return all;
}

std::span<const stepbench::WorkloadType> workloads() {
  static constexpr std::array kTypes = {stepbench::WorkloadType{
      "sort", [](const stepbench::ResolvedCase& options, stepbench::WorkerContext&) {
        return std::unique_ptr<stepbench::Workload>(std::make_unique<SortWorkload>(options));
      }}};
  return kTypes;
}

}  // namespace sorting
