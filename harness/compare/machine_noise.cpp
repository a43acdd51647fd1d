// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/machine_noise.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/compare/judge.h"
#include "harness/compare/power.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/noise.h"
#include "harness/record/quality.h"
#include "harness/stats/order.h"
#include "harness/text/numbers.h"

namespace stepbench::compare {
namespace {

std::optional<double> median_of(const record::Results& results, std::string_view field) {
  std::vector<double> values;
  for (const record::Launch& launch : results.launches) {
    if (const auto value = number_of(launch.row.machine, std::string(field))) {
      values.push_back(*value);
    }
  }
  return values.empty() ? std::nullopt : std::optional(stats::median(values));
}

// From differences of neighbours, which excludes slow drift.
double successive_sd(const std::vector<double>& logs) {
  double sum = 0;
  for (std::size_t i = 1; i < logs.size(); ++i) sum += std::pow(logs[i] - logs[i - 1], 2);
  return std::sqrt(sum / (2 * static_cast<double>(logs.size() - 1)));
}

// Compares the launches of one program with each other, in order, as arms ABBA ABBA ...
TestResult against_itself(const std::vector<double>& steps) {
  PairedSamples samples;
  for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
    const bool a_first = i % 4 == 0;
    samples.base.push_back(steps[a_first ? i : i + 1]);
    samples.candidate.push_back(steps[a_first ? i + 1 : i]);
  }
  return judge({&samples, 1}, {}).tests.front();
}

CaseSpread spread_of_case(const estimate::CaseRow& row, const std::string& name) {
  std::vector<std::pair<int, double>> by_launch;
  for (const estimate::MeasuredLaunch& each : row.measured) {
    const double step = estimate::headline_ns(each.estimate, row.clock);
    by_launch.emplace_back(each.launch->row.key.launch, step);
  }
  std::sort(by_launch.begin(), by_launch.end());
  std::vector<double> steps;
  std::vector<double> logs;
  for (const auto& [launch, step] : by_launch) {
    steps.push_back(step);
    logs.push_back(std::log(step));
  }
  CaseSpread spread{.name = name, .launches = steps.size(), .step_ns = stats::median(steps)};
  if (const auto noise = estimate::noise_of(row)) spread.step_sd = noise->step_sd;
  spread.launch_sd = successive_sd(logs);
  const double all = stats::standard_deviation(logs);
  spread.minutes_sd = std::sqrt(std::max(0.0, all * all - spread.launch_sd * spread.launch_sd));
  spread.found_by_10 = change_found_by_pairs(10, spread.launch_sd);
  spread.found_by_40 = change_found_by_pairs(40, spread.launch_sd);
  const TestResult test = against_itself(steps);
  spread.aa_change = test.change.value_or(0);
  spread.aa_interval = test.interval;
  spread.differs = test.verdict == Verdict::kRegression || test.verdict == Verdict::kImprovement;
  return spread;
}

// "0.4 to 1.2 %"
template <typename Of>
std::string range_of(const std::vector<CaseSpread>& cases, const Of& of) {
  double low = of(cases.front());
  double high = low;
  for (const CaseSpread& each : cases) {
    low = std::min(low, of(each));
    high = std::max(high, of(each));
  }
  const std::string text = text::percent_text(high);
  return text::percent_text(low) == text ? text : text::percent(low) + " to " + text;
}

}  // namespace

MachineNoise machine_noise(const record::Results& results,
                           const std::map<std::string, std::string>& names) {
  MachineNoise noise{.steal_share = median_of(results, "steal_share"),
                     .others_share = median_of(results, "others_cpu_share")};
  for (const estimate::CaseRow& row : estimate::case_rows(results)) {
    const auto name = names.find(row.case_id);
    if (name == names.end() || row.pass != Pass::kTiming) continue;
    if (row.measured.size() < kMinLaunchesForSpread || !row.headline_ns()) {
      noise.too_few.push_back(name->second);
    } else {
      noise.cases.push_back(spread_of_case(row, name->second));
    }
  }
  return noise;
}

std::string to_text(const MachineNoise& noise) {
  constexpr std::size_t kDay = 10;  // length of "2026-01-31"
  const bool busy = record::row_of(record::Fact::kOthers).level(noise.others_share) >=
                    record::FactLevel::kReported;
  return "this machine showed " +
         range_of(noise.cases, [](const CaseSpread& each) { return each.launch_sd; }) +
         " between launches on " + noise.measured_utc.substr(0, kDay) +
         (busy ? " while other programs used " + text::percent_text(*noise.others_share) : "") +
         " (stepbench doctor --measure): 10 pairs find " +
         range_of(noise.cases, [](const CaseSpread& each) { return each.found_by_10; }) +
         ", 40 pairs " +
         range_of(noise.cases, [](const CaseSpread& each) { return each.found_by_40; });
}

}  // namespace stepbench::compare
