// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/launch_outcome.h"
#include "harness/report/internal/html/case_chart.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kOwnColour = 12;      // cases with their own line
constexpr std::size_t kMaxLaunches = 2000;  // per figure
constexpr std::size_t kMaxMachinePoints = 500;

struct MachineNumber {
  const char* field;
  const char* name;
  const char* title;  // title of the axis
  double scale = 1;
};
constexpr MachineNumber kMachineNumbers[] = {
    {"others_cpu_share", "other programs", "CPU time of other programs [%]", 100},
    {"steal_share", "steal", "CPU time taken by the hypervisor [%]", 100},
    {"load_1m_max", "load", "load average of 1 minute", 1},
    {"gpu.temperature_c_max", "GPU temperature", "GPU temperature [°C]", 1},
    {"gpu.sm_mhz_median", "GPU clock", "GPU clock, median [MHz]", 1},
    {"gpu.power_w_max", "GPU power", "GPU power, most [W]", 1},
    {"gpu.power_capped_share", "power limit", "time at the power limit [%]", 100}};

// Kinds of doubts, drawn as rings by charts.launches; flags in none of these lists get a last kind.
constexpr std::array<std::string_view, 3> kBusyFlags = {
    launch_flag::kWaitedForCpu, launch_flag::kSteal, launch_flag::kCpuQuota};
constexpr std::array<std::string_view, 1> kThrottledFlags = {launch_flag::kThrottled};
constexpr std::array<std::string_view, 2> kWarmupFlags = {launch_flag::kWarmupTooShort,
                                                          launch_flag::kDrifting};
std::int64_t doubt_of(std::string_view flag) {
  const std::span<const std::string_view> kinds[] = {kBusyFlags, kThrottledFlags, kWarmupFlags};
  const auto found = std::ranges::find_if(
      kinds, [&](const auto& flags) { return std::ranges::find(flags, flag) != flags.end(); });
  return found - std::begin(kinds);
}

// A launch of any outcome. Kept in time order.
struct RanLaunch {
  std::size_t row = 0;
  const record::Launch* launch = nullptr;
  double ns = 0;  // its main number; 0 if it has none
};

std::vector<RanLaunch> ran_launches(const TableFacts& facts) {
  std::vector<RanLaunch> ran;
  for (std::size_t row = 0; row < facts.rows.size(); ++row) {
    const estimate::CaseRow& one = facts.rows[row];
    for (const auto& [launch, estimate] : one.measured) {
      const double ns = estimate::headline_ns(estimate, one.clock);
      if (ns > 0) ran.push_back({row, launch, ns});
    }
    for (const auto* without : {&one.failed, &one.skipped}) {
      for (const record::Launch* launch : *without) ran.push_back({row, launch});
    }
  }
  std::ranges::stable_sort(ran, {}, [](const RanLaunch& each) {
    const record::LaunchRow& row = each.launch->row;
    return std::tuple(std::string_view(row.started_utc), each.launch->run, row.block, row.position);
  });
  return ran;
}

std::vector<double> machine_values(const std::vector<RanLaunch>& ran, const MachineNumber& number) {
  std::vector<double> values;
  for (const RanLaunch& each : ran) {
    const auto value = number_of(each.launch->row.machine, number.field);
    values.push_back(value ? *value * number.scale : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

void add_launch(json::JsonText& charts, const RanLaunch& ran) {
  const record::LaunchRow& row = ran.launch->row;
  charts.open_object().integer("case", static_cast<std::int64_t>(ran.row));
  charts.integer("launch", row.key.launch).text("started", row.started_utc);
  if (ran.ns > 0) {
    charts.number("ns", std::round(ran.ns));
  } else {
    const bool skipped = row.outcome.kind == Outcome::Kind::kSkipped;
    if (skipped) charts.flag("skipped", true);
    charts.text(
        "why", chart_text((skipped ? "skipped: " : "failed: ") + estimate::reason_of(*ran.launch)));
  }
  if (!row.report.flags.empty()) charts.texts("flags", row.report.flags);
  charts.close_object();
}

void add_launches(json::JsonText& charts, const TableFacts& facts,
                  const std::vector<RanLaunch>& ran) {
  charts.open_object("launches");
  // A time axis over runs on different days would be mostly empty.
  charts.flag("by_time",
              facts.results.runs.size() < 2 && std::ranges::all_of(ran, [](const RanLaunch& each) {
                return text::parse_utc(each.launch->row.started_utc).has_value();
              }));
  add_places(charts, "coloured", best_rows(facts, measures_of(facts).front(), kOwnColour));
  charts.open_object("flags");
  std::set<std::string> flags;
  for (const RanLaunch& each : ran) {
    for (const std::string& flag : each.launch->row.report.flags) {
      if (!flags.insert(flag).second) continue;
      charts.open_object(flag).integer("kind", doubt_of(flag));
      charts.text("meaning", launch_flag::meaning(flag)).close_object();
    }
  }
  charts.close_object().open_array("rows");
  for (const RanLaunch& each : ran) add_launch(charts, each);
  charts.close_array().open_object("machine");
  for (const MachineNumber& number : kMachineNumbers) {
    const std::vector<double> values = machine_values(ran, number);
    if (std::ranges::any_of(values, [](double value) { return std::isfinite(value); })) {
      add_numbers(charts, number.field, values, 5);
    }
  }
  charts.close_object().close_object();
}

document::Figure steps_figure(const TableFacts& facts, const std::vector<RanLaunch>& ran,
                              std::size_t points) {
  constexpr std::size_t kManyCases = 4;  // where only relative distances show changes over time
  json::JsonText json = chart("launches");
  json.flag("relative_first", facts.rows.size() > kManyCases);
  json.integer("points", static_cast<std::int64_t>(points)).close_object();
  const auto measured =
      std::ranges::count_if(ran, [](const RanLaunch& each) { return each.ns > 0; });
  const auto doubted = std::ranges::count_if(ran, [](const RanLaunch& each) {
    return each.ns > 0 && !each.launch->row.report.flags.empty();
  });
  std::string note;
  if (static_cast<std::size_t>(measured) > points) {
    note = "About " + text::with_separators(points) + " of " + text::with_separators(measured) +
           " launches are drawn: of each stretch the smallest and the largest, and all with a "
           "doubt.";
  }
  return {.title = headline_head(facts) + " of each launch",
          .alt = "Dots over time: the number of each launch, and how far it is from its case, " +
                 text::counted(measured, "launch") + ", " + std::to_string(doubted) +
                 " with a doubt, " + std::to_string(std::ssize(ran) - measured) +
                 " failed or skipped.",
          .json = json.take(),
          .note = std::move(note)};
}

// The numbers that are not 0 throughout.
std::optional<document::Figure> machine_figure(const std::vector<RanLaunch>& ran,
                                               std::size_t points) {
  json::JsonText json = chart("machine");
  json.integer("points", static_cast<std::int64_t>(points)).open_array("numbers");
  std::string alt;
  for (const MachineNumber& number : kMachineNumbers) {
    std::vector<double> values = machine_values(ran, number);
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (std::ranges::all_of(values, [](double value) { return value == 0; })) continue;
    json.open_object().text("field", number.field).text("name", number.name);
    json.text("title", number.title).close_object();
    const auto [low, high] = std::ranges::minmax(values);
    alt += (alt.empty() ? "" : "; ") + std::string(number.title) + ' ' + text::significant(low) +
           " to " + text::significant(high);
  }
  if (alt.empty()) return std::nullopt;
  json.close_array().close_object();
  return document::Figure{.title = "The machine during each launch",
                          .alt = "Over time: " + alt + '.',
                          .json = json.take(),
                          .note = ran.size() > points
                                      ? "Of each stretch of launches the smallest and the largest "
                                        "are drawn."
                                      : ""};
}

}  // namespace

std::optional<document::Chapter> launches_section(const TableFacts& facts,
                                                  const DrawOptions& options,
                                                  json::JsonText& charts) {
  const std::vector<RanLaunch> ran = ran_launches(facts);
  if (ran.size() < 2) return std::nullopt;
  add_launches(charts, facts, ran);
  document::Chapter section{
      .id = "launches", .title = "Launches in the order they ran", .blocks = {}};
  section.blocks.emplace_back(steps_figure(facts, ran, std::min(options.points, kMaxLaunches)));
  if (auto machine = machine_figure(ran, std::min(options.points, kMaxMachinePoints))) {
    section.blocks.emplace_back(
        document::Paragraph{"What the machine did meanwhile, seen from outside."});
    section.blocks.emplace_back(*std::move(machine));
  }
  return section;
}

}  // namespace stepbench::report
