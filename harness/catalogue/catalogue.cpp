// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/catalogue.h"

#include <algorithm>
#include <array>

namespace stepbench {
namespace {

template <typename Range>
auto* find_named(const Range& range, std::string_view name) {
  const auto found =
      std::find_if(range.begin(), range.end(), [&](const auto& e) { return e.name == name; });
  return found == range.end() ? nullptr : &*found;
}

}  // namespace

const Section* Catalogue::find_section(std::string_view name) const {
  return find_named(sections, name);
}

const WorkloadSpec* Catalogue::find_workload(std::string_view name) const {
  return find_named(workloads, name);
}

const Option* Catalogue::find_option(std::string_view full_name) const {
  const std::size_t dot = full_name.find('.');
  const std::string_view section_name =
      dot == std::string_view::npos ? "" : full_name.substr(0, dot);
  const std::string_view name =
      dot == std::string_view::npos ? full_name : full_name.substr(dot + 1);
  const Section* section = find_section(section_name);
  if (section == nullptr) return nullptr;
  if (const Option* option = find_named(section->options, name)) return option;
  for (const Variant& variant : section->variants) {
    if (const Option* option = find_named(variant.options, name)) return option;
  }
  return nullptr;
}

const Value& default_of(const Option& option, std::string_view variant) {
  for (const auto& [name, value] : option.default_in) {
    if (name == variant) return value;
  }
  return option.default_value;
}

bool is_a_default(const Option& option, const Value& value) {
  return value == option.default_value ||
         std::ranges::any_of(option.default_in, [&](const auto& in) { return in.second == value; });
}

bool exact_by_unit(const Metric& metric) {
  constexpr std::array<std::string_view, 5> kUnits = {"count", "launches", "allocations", "calls",
                                                      "copies"};
  return metric.role == Role::kMetric && metric.direction != Direction::kNeither &&
         std::find(kUnits.begin(), kUnits.end(), metric.unit) != kUnits.end();
}

std::vector<Metric> read_from(Source source, std::vector<Metric> metrics) {
  for (Metric& metric : metrics) {
    if (metric.source == Source::kUnknown) metric.source = source;
  }
  return metrics;
}

std::vector<std::string> phase_names(const Catalogue& catalogue, std::string_view workload) {
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  if (const WorkloadSpec* spec = catalogue.find_workload(workload)) {
    for (const Phase& phase : spec->phases) names.push_back(phase.name);
  }
  return names;
}

}  // namespace stepbench
