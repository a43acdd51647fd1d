// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/detectable_change.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/noise.h"
#include "harness/record/quality.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"
#include "harness/verdict/internal/judge.h"

namespace stepbench::verdict {
namespace {

constexpr double kPower = 0.8;

// Quantile of the standard normal distribution, to 1e-9.
double normal_quantile(double probability) {
  double low = -10;
  double high = 10;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    const double below = 0.5 * std::erfc(-middle / std::numbers::sqrt2);
    (below < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Distance from a limit, in standard deviations of the difference of two launches, at which a
// Mann-Whitney test with so many launches per side at level `q` over `tests` has the desired power.
// The correction for few launches, which grows as the level shrinks, was found by simulation.
double distance(double launches, double q, double tests) {
  const double alpha = q / tests;
  const double price_of_ranks = std::sqrt(std::numbers::pi / 3);
  return price_of_ranks * (normal_quantile(1 - alpha / 2) + normal_quantile(kPower)) /
         std::sqrt(launches - 1.5 - std::log2(tests) / 3);
}

}  // namespace

std::optional<double> change_found(const ComparisonSize& size, double launch_sd) {
  const VerdictRule rule{.q = size.q, .design = Design::kSequential};
  if (size.tests == 0 || size.launches < pairs_to_reject(size.tests, rule)) return std::nullopt;
  const auto launches = static_cast<double>(size.launches);
  const double sd = std::numbers::sqrt2 * launch_sd;  // of the difference of two launches
  const double interval = sd * distance(launches, size.q, 1);
  const double test = sd * distance(launches, size.q, static_cast<double>(size.tests));
  return std::expm1(std::max(std::log1p(size.margin) + interval, test));
}

double change_found_by_pairs(std::size_t pairs, double launch_sd, double margin) {
  // Two bounds have to agree, which costs this many pairs (found by simulation).
  constexpr double kPrice = 1.5;
  const double sd = std::numbers::sqrt2 * launch_sd;
  return std::expm1(std::log1p(margin) +
                    sd * distance(static_cast<double>(pairs) - kPrice, VerdictRule().q, 1));
}

std::map<std::string, double> launch_spreads(const record::Results& results,
                                             const std::set<std::string>& cases) {
  constexpr std::size_t kMinLaunches = 3;
  std::map<std::pair<std::string, std::string>, std::vector<double>> steps;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    const bool counts = row.key.pass == Pass::kTiming && row.key.rank == 0 && !row.smoke &&
                        row.outcome.kind == Outcome::Kind::kMeasured;
    if (!counts || !cases.contains(row.key.case_id)) continue;
    const auto estimate = estimate::estimate_of(launch);
    if (!estimate) continue;
    const double step = estimate::headline_ns(*estimate, estimate::clock_of(*estimate));
    if (step > 0) steps[{row.key.case_id, row.key.arm}].push_back(std::log(step));
  }
  std::map<std::string, double> spreads;
  for (const auto& [key, values] : steps) {
    if (values.size() >= kMinLaunches)
      spreads.emplace(key.first, stats::standard_deviation(values));
  }
  return spreads;
}

namespace {

constexpr double kMinSteps = 20;
constexpr double kMaxSteps = 1e6;

// Largest spread of launches at which the change is found; 0 if there is none.
double largest_sd(ComparisonSize size, std::size_t launches, double change) {
  size.launches = launches;
  double low = 1e-7;
  double high = 1;
  const auto finds = [&](double sd) {
    const auto found = change_found(size, sd);
    return found && *found <= change;
  };
  if (!finds(low)) return 0;
  while (high / low > 1.001) {
    const double middle = std::sqrt(low * high);
    (finds(middle) ? low : high) = middle;
  }
  return low;
}

// Rounds up to two digits: nobody plans 1,234 steps.
std::int64_t round_up(double steps) {
  const double unit = std::pow(10, std::max(std::floor(std::log10(steps)) - 1, 0.0));
  return std::llround(std::ceil(steps / unit - 1e-9) * unit);
}

}  // namespace

double cost_ns(const estimate::CaseNoise& noise, double launches, double steps) {
  return launches * (noise.overhead_ns.value_or(0) + steps * noise.step_ns);
}

LaunchDesigns::LaunchDesigns(const ComparisonSize& size, double change) {
  std::size_t launches = pairs_to_reject(size.tests, {.q = size.q, .design = Design::kSequential});
  while (launches <= kMaxLaunches) {
    largest_sd_.emplace_back(launches, largest_sd(size, launches, change));
    launches += std::max<std::size_t>(launches / 16, 1);
  }
}

std::optional<LaunchDesign> LaunchDesigns::cheapest(const estimate::CaseNoise& noise) const {
  if (!noise.step_sd || !noise.overhead_ns) return std::nullopt;
  std::optional<LaunchDesign> best;
  for (const auto& [launches, sd] : largest_sd_) {
    const double left = sd * sd - noise.launch_sd * noise.launch_sd;
    if (!(left > 0)) continue;
    const double steps = std::max(*noise.step_sd * *noise.step_sd / left, kMinSteps);
    if (steps > kMaxSteps) continue;
    const std::int64_t whole = round_up(steps);
    const double cost = cost_ns(noise, static_cast<double>(launches), static_cast<double>(whole));
    if (!best || cost < best->cost_ns) best = {launches, whole, cost};
  }
  return best;
}

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
  return formatted(
      "this machine showed {} between launches on {}{} (stepbench doctor --measure): 10 pairs find "
      "{}, 40 pairs {}",
      range_of(noise.cases, [](const CaseSpread& each) { return each.launch_sd; }),
      noise.measured_utc.substr(0, kDay),
      busy ? " while other programs used " + text::percent_text(*noise.others_share) : "",
      range_of(noise.cases, [](const CaseSpread& each) { return each.found_by_10; }),
      range_of(noise.cases, [](const CaseSpread& each) { return each.found_by_40; }));
}

}  // namespace stepbench::verdict
