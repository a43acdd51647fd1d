// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/rule_input.h"

#include <algorithm>
#include <utility>

#include "harness/analyze/row_names.h"
#include "harness/findings/severity.h"
#include "harness/text/numbers.h"

namespace stepbench::analyze {
double RuleInput::host_bound_ns() const {
  return idle_ns(IdleCause::kLaunch) + idle_ns(IdleCause::kBackward) + idle_ns(IdleCause::kHostOp) +
         idle_ns(IdleCause::kOtherThread);
}

std::string RuleInput::name(std::uint32_t index) const {
  return index == ops::kNoIndex ? std::string("outside all operators")
                                : short_row_name(trace.names[index].text);
}

std::string RuleInput::step_name(std::size_t step) const {
  const bool marked = analysis.steps.window == WindowKind::kHostStep;
  return (marked ? "ProfilerStep#" : "step ") + std::to_string(analysis.steps.steps[step].number);
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
    if (place.cause == cause) add_place(finding, place);
  }
}

void RuleInput::add_place(Finding& finding, const IdlePlace& place) const {
  if (place.call != ops::kNoIndex) {
    add_call(finding, place.call, place.name, place.longest_row, place.longest_step, place.work);
  } else if (place.name != ops::kNoIndex) {
    add_row(finding, called_at(name(place.name), place.caller), place.longest_row,
            place.longest_step);
  }
}

std::string RuleInput::call_in(std::uint32_t call, std::uint32_t op) const {
  return name(call) + (op == ops::kNoIndex ? " " : " in ") + name(op);
}

std::string RuleInput::called_at(std::string what, std::uint32_t frame) const {
  return frame == ops::kNoIndex ? what : what + ", called at " + name(frame);
}

void RuleInput::add_call(Finding& finding, std::uint32_t call, std::uint32_t op, TimeSpan at,
                         std::size_t step, std::uint32_t work) const {
  std::string row = op == ops::kNoIndex ? name(call) : call_in(call, op);
  if (work != ops::kNoIndex) row += " for " + name(work);
  add_row(finding, std::move(row), at, step);
}

void RuleInput::add_row(Finding& finding, std::string row, TimeSpan at, std::size_t step) const {
  if (finding.places.size() >= kMaxPlaces) return;
  const std::vector<Step>& all = analysis.steps.steps;
  finding.places.push_back({.name = std::move(row),
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
