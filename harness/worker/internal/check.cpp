// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/check.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/protocol/messages.h"

namespace stepbench::worker {
namespace {

// The first error overrides everything, then the first reason to skip.
class AnswerSink final : public RuleSink {
 public:
  void error(std::string_view option, std::string reason) override {
    if (answer_.kind == CheckAnswer::Kind::kError) return;
    answer_.kind = CheckAnswer::Kind::kError;
    answer_.option = option;
    answer_.reason = std::move(reason);
  }
  void skip(std::string reason) override {
    if (answer_.kind != CheckAnswer::Kind::kOk) return;
    answer_.kind = CheckAnswer::Kind::kSkip;
    answer_.reason = std::move(reason);
  }
  void note(std::string text) override { answer_.notes.push_back(std::move(text)); }
  void plan_note(std::string text) override { answer_.plan_notes.push_back(std::move(text)); }

  // Adds the options that the rules changed.
  void amended(const OptionValues& before, const OptionValues& now) {
    for (const auto& [name, value] : now) {
      const Value* old = before.get(name);
      if (old != nullptr && *old == value) continue;
      const bool steps = name.starts_with("schedule.") && std::get_if<std::int64_t>(&value);
      (steps ? answer_.schedule : answer_.options)[name] = value;
    }
  }

  [[nodiscard]] const CheckAnswer& answer() const { return answer_; }

 private:
  CheckAnswer answer_;
};

template <typename Decode>
auto decoded(std::int64_t number, const Decode& decode) {
  try {
    return decode();
  } catch (const Error& error) {
    throw ConfigError(formatted("check, line {}", number), error.what());
  }
}

}  // namespace

void check_cases(std::istream& in, std::ostream& out, const Catalogue& catalogue,
                 std::span<const WorkloadType> workloads, std::span<const WorkloadRule> rules) {
  std::string line;
  if (!std::getline(in, line)) return;
  const RuleFacts facts = decoded(1, [&] { return protocol::decode_facts(line); });
  for (std::int64_t number = 2; std::getline(in, line); ++number) {
    ResolvedCase resolved = decoded(number, [&] { return protocol::decode_case(line).resolved; });
    fill_defaults(resolved, catalogue);
    const OptionValues given = resolved.options;
    AnswerSink answer;
    const bool known = std::any_of(workloads.begin(), workloads.end(), [&](const auto& type) {
      return type.name == resolved.workload;
    });
    if (!known)
      answer.error("workload", formatted("this worker has no workload '{}'", resolved.workload));
    for (const WorkloadRule& row : rules) {
      if (row.workload == resolved.workload) row.rule(resolved, facts, answer);
    }
    answer.amended(given, resolved.options);
    // Flushes each line, so that after a crash the number of lines identifies its case.
    out << protocol::encode(answer.answer()) << std::endl;
  }
}

namespace {

std::string full_name(const Section& section, const Option& option) {
  return section.name.empty() ? option.name : section.name + "." + option.name;
}

void fill(OptionValues& values, const Section& section, std::string_view variant,
          const std::vector<Option>& options) {
  for (const Option& option : options) {
    const std::string name = full_name(section, option);
    if (!values.contains(name)) values[name] = default_of(option, variant);
  }
}

// The variant of the case; empty if the section has no variants.
std::string variant_of(const OptionValues& values, const Section& section) {
  if (section.selector.empty()) return {};
  if (const Value* given = values.get(section.name + "." + section.selector)) {
    return to_text(*given);
  }
  const auto selector = std::ranges::find(section.options, section.selector, &Option::name);
  return to_text(selector->default_value);
}

}  // namespace

void fill_defaults(ResolvedCase& resolved, const Catalogue& catalogue) {
  std::vector<Section> sections = harness_sections();
  if (const WorkloadSpec* spec = catalogue.find_workload(resolved.workload)) {
    for (const std::string& name : spec->sections) {
      if (const Section* section = catalogue.find_section(name)) sections.push_back(*section);
    }
  }
  for (const Section& section : sections) {
    const std::string chosen = variant_of(resolved.options, section);
    fill(resolved.options, section, chosen, section.options);
    for (const Variant& variant : section.variants) {
      if (variant.name == chosen) fill(resolved.options, section, chosen, variant.options);
    }
  }
}

}  // namespace stepbench::worker
