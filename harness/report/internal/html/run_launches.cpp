// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/format.h"
#include "harness/base/launch_outcome.h"
#include "harness/report/internal/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

struct MachineNumber {
  const char* field;
  const char* name;
  const char* title;  // title of the axis
  double unit = 1;
};
constexpr MachineNumber kMachineNumbers[] = {
    {"others_cpu_share", "other programs", "CPU time of other programs [%]", 0.01},
    {"steal_share", "steal", "CPU time taken by the hypervisor [%]", 0.01},
    {"load_1m_max", "load", "load average of 1 minute"},
    {"gpu.temperature_c_max", "GPU temperature", "GPU temperature [°C]"},
    {"gpu.sm_mhz_median", "GPU clock", "GPU clock, median [MHz]"},
    {"gpu.power_w_max", "GPU power", "GPU power, most [W]"},
    {"gpu.power_capped_share", "power limit", "time at the power limit [%]", 0.01}};

// A launch of any outcome.
struct RanLaunch {
  std::size_t row = 0;
  const record::Launch* launch = nullptr;
  double ns = 0;  // its main number; 0 if it has none
};

// In time order.
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

// Opens the object.
void add_launches(json::JsonText& charts, const std::vector<RanLaunch>& ran) {
  std::set<std::string> flags;
  charts.open_object("launches").open_array("rows");
  for (const RanLaunch& each : ran) {
    const record::LaunchRow& row = each.launch->row;
    charts.open_object().integer("case", static_cast<std::int64_t>(each.row));
    charts.integer("launch", row.key.launch).text("started", row.started_utc);
    if (each.ns > 0) {
      charts.number("ns", std::round(each.ns));
    } else {
      const bool skipped = row.outcome.kind == Outcome::Kind::kSkipped;
      charts.flag("skipped", skipped);
      charts.text("why", chart_text((skipped ? "skipped: " : "failed: ") +
                                    estimate::reason_of(*each.launch)));
    }
    if (!row.report.flags.empty()) charts.texts("flags", row.report.flags);
    flags.insert(row.report.flags.begin(), row.report.flags.end());
    charts.close_object();
  }
  charts.close_array().open_object("meanings");
  for (const std::string& flag : flags) charts.text(flag, launch_flag::meaning(flag));
  charts.close_object();
}

document::Figure steps_figure(const TableFacts& facts, const std::vector<RanLaunch>& ran) {
  std::int64_t measured = 0;
  std::int64_t doubted = 0;
  for (const RanLaunch& each : ran) {
    if (each.ns <= 0) continue;
    ++measured;
    if (!each.launch->row.report.flags.empty()) ++doubted;
  }
  return {.title = headline_head(facts) + " of each launch",
          .alt = formatted("Dots over time: the number of each launch, and how far it is from its "
                           "case, {}, {} with a doubt, {} failed or skipped.",
                           text::counted(measured, "launch"), doubted, std::ssize(ran) - measured),
          .json = chart("launches").close_object().take()};
}

// The numbers that are not 0 throughout; adds them to `launches`.
std::optional<document::Figure> machine_figure(const std::vector<RanLaunch>& ran,
                                               json::JsonText& launches) {
  std::string alt;
  launches.open_array("machine");
  for (const MachineNumber& number : kMachineNumbers) {
    std::vector<double> values;
    std::set<double> known;
    for (const RanLaunch& each : ran) {
      const auto value = number_of(each.launch->row.machine, number.field);
      values.push_back(value.value_or(std::nan("")) / number.unit);
      if (std::isfinite(values.back())) known.insert(values.back());
    }
    if (known.empty() || known == std::set<double>{0}) continue;
    launches.open_object().text("name", number.name).text("title", number.title);
    add_each(launches, "values", values);
    launches.close_object();
    alt += formatted("{}{} {} to {}", alt.empty() ? "" : "; ", number.title,
                     text::significant(*known.begin()), text::significant(*known.rbegin()));
  }
  launches.close_array();
  if (alt.empty()) return std::nullopt;
  return document::Figure{.title = "The machine during each launch",
                          .alt = formatted("Over time: {}.", alt),
                          .json = chart("machine").close_object().take()};
}

}  // namespace

std::optional<document::Chapter> launches_section(const TableFacts& facts, json::JsonText& charts) {
  const std::vector<RanLaunch> ran = ran_launches(facts);
  if (ran.size() < 2) return std::nullopt;
  add_launches(charts, ran);
  document::Chapter section{
      .id = "launches", .title = "Launches in the order they ran", .blocks = {}};
  section.blocks.emplace_back(steps_figure(facts, ran));
  if (auto machine = machine_figure(ran, charts)) {
    section.blocks.emplace_back(
        document::Paragraph{"What the machine did meanwhile, seen from outside."});
    section.blocks.emplace_back(*std::move(machine));
  }
  charts.close_object();
  return section;
}

}  // namespace stepbench::report
