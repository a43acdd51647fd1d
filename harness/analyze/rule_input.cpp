// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/rule_input.h"

#include <algorithm>
#include <utility>

#include "harness/analyze/row_names.h"
#include "harness/findings/severity.h"
#include "harness/text/numbers.h"

namespace stepbench::analyze {
double RuleInput::host_bound_ns() const {
  return idle_ns(IdleCause::kLaunch) + idle_ns(IdleCause::kHostOp) +
         idle_ns(IdleCause::kOtherThread);
}

std::string RuleInput::name(std::uint32_t index) const {
  return index == ops::kNoIndex ? std::string("outside all operators")
                                : short_row_name(trace.names[index].text);
}

std::string RuleInput::each_step(double total_ns) const {
  return text::duration(per_step(total_ns)) + " per step";
}

bool RuleInput::is_set_to(std::string_view option, const Value& value) const {
  const auto found = options.options.find(option);
  return found != options.options.end() && found->second == value;
}

Finding RuleInput::of_share(double total_ns, std::string text) const {
  Finding finding =
      of_value(share(total_ns), findings::severity_of_share(share(total_ns)), std::move(text));
  finding.share = share(total_ns);
  return finding;
}

Finding RuleInput::of_value(double value, Severity severity, std::string text) const {
  return {.id = std::string(rule->id),
          .severity = severity,
          .text = std::move(text),
          .value = value,
          .threshold = threshold,
          .unit = std::string(rule->unit),
          .window = std::string(name_of(analysis.steps.window))};
}

Finding RuleInput::undecided(std::string reason) const {
  Finding finding = of_value(0, Severity::kInfo, {});
  finding.undecided = std::move(reason);
  return finding;
}

void RuleInput::gain(Finding& finding, double total_ns) const {
  const double most = std::min(total_ns, double(idle.counted.wall_ns));
  finding.gain_ns = per_step(most);
  finding.share = share(most);
  finding.severity = findings::severity_of_share(*finding.share);
}

void RuleInput::add_places(Finding& finding, IdleCause cause) const {
  for (const IdlePlace& place : idle.places) {
    if (place.cause != cause) continue;
    add_place(finding, place.call == ops::kNoIndex ? place.name : place.call, place.longest,
              place.longest_step);
  }
}

void RuleInput::add_place(Finding& finding, std::uint32_t name_index, TimeSpan at,
                          std::size_t step) const {
  if (finding.places.size() >= kMaxPlaces) return;
  const std::vector<Step>& all = analysis.steps.steps;
  finding.places.push_back({.name = name(name_index),
                            .at_ns = at.begin_ns,
                            .duration_ns = at.length_ns(),
                            .step = step < all.size() ? all[step].number : -1});
}

void RuleInput::propose(Finding& finding, std::string option, const std::string& value) const {
  const auto found = options.options.find(option);
  if (found == options.options.end() || to_text(found->second) == value) return;
  finding.set.push_back({.option = std::move(option), .value = value});
}

}  // namespace stepbench::analyze
