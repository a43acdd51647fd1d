// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/estimate/case_rows.h"
#include "harness/stats/order.h"

namespace stepbench::compare {
namespace {

constexpr std::array<ControlKind, 7> kControlKinds = {{
    {"gemm", "matrix products of 256 x 1024 x 1024 in float32, on one thread"},
    {"gemm_threads", "the same on all cores"},
    {"memory", "weights of 67 MB read and written at each step, on one thread"},
    {"memory_threads", "the same on all cores"},
    {"launch", "calls of operations that have next to nothing to do"},
    {"decode", "JPEG files read, decoded, cut and resized, on one thread"},
    {"fork", "a loader's worker process begun and ended"},
}};

constexpr std::string_view kMeasuredUtc = "measured_utc";

bool is_of_machine(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"host", "cpu.model", "cores", "torch",
                                                      "threads"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

std::span<const ControlKind> control_kinds() { return kControlKinds; }

const Control* Controls::find(std::string_view name) const {
  const auto found = std::ranges::find(all, name, &Control::name);
  return found == all.end() ? nullptr : &*found;
}

Controls controls_of(const record::Results& results,
                     const std::map<std::string, std::string>& names) {
  Controls controls;
  for (const estimate::CaseRow& row : estimate::case_rows(results)) {
    const auto name = names.find(row.case_id);
    if (name == names.end() || row.measured.size() < kFewestForControl) continue;
    std::vector<double> steps;
    std::vector<double> logs;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      steps.push_back(estimate::headline_ns(each.estimate, row.clock));
      logs.push_back(std::log(steps.back()));
    }
    controls.all.push_back({.name = name->second,
                            .step_ns = stats::median(steps),
                            .sd = stats::standard_deviation(logs),
                            .launches = steps.size()});
  }
  return controls;
}

Fields to_fields(const Controls& controls) {
  Fields fields = controls.machine;
  fields.insert_or_assign(std::string(kMeasuredUtc), Value(controls.measured_utc));
  for (const Control& each : controls.all) {
    fields.insert_or_assign(each.name + "_ns", Value(each.step_ns));
    fields.insert_or_assign(each.name + "_sd", Value(each.sd));
    fields.insert_or_assign(each.name + "_launches",
                            Value(static_cast<std::int64_t>(each.launches)));
  }
  return fields;
}

Controls controls_from(const Fields& fields) {
  Controls controls{.measured_utc = text_of(fields, kMeasuredUtc)};
  for (const auto& [name, value] : fields) {
    if (is_of_machine(name)) controls.machine.emplace(name, value);
  }
  for (const ControlKind& kind : kControlKinds) {
    const std::string name(kind.name);
    const auto ns = number_of(fields, name + "_ns");
    const auto sd = number_of(fields, name + "_sd");
    const auto launches = number_of(fields, name + "_launches");
    if (!ns || !sd || !launches || !(*ns > 0) || !(*sd >= 0) ||
        *launches < static_cast<double>(kFewestForControl)) {
      continue;
    }
    controls.all.push_back(
        {.name = name, .step_ns = *ns, .sd = *sd, .launches = static_cast<std::size_t>(*launches)});
  }
  return controls;
}

Controls controls_of_run(const record::RunRow& run) {
  Fields fields;
  for (const auto& [name, value] : run.context) {
    if (name.starts_with(kControlPrefix)) fields.emplace(name.substr(kControlPrefix.size()), value);
  }
  return controls_from(fields);
}

}  // namespace stepbench::compare
