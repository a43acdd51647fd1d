// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/select.h"

#include <algorithm>
#include <set>

#include "harness/base/error.h"
#include "harness/plan/parse_value.h"
#include "harness/text/words.h"

namespace stepbench::plan {
namespace {

struct Filter {
  std::string where;
  std::string name;
  std::vector<Value> values;
};

Filter parse_filter(const std::string& argument, const OptionIndex& index) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError("--filter " + argument, "expected KEY=VALUE, as in --filter num_workers=4");
  }
  Filter filter{.where = "--filter " + argument.substr(0, equals), .name = {}, .values = {}};
  try {
    filter.name = index.resolve(argument.substr(0, equals));
  } catch (const Error& error) {
    throw ConfigError(filter.where, error.what());
  }
  for (std::size_t start = equals + 1; start <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', start), argument.size());
    const std::string text = argument.substr(start, end - start);
    try {
      filter.values.push_back(text == "null" ? Value{}
                                             : parse_value(index.find(filter.name), text, false));
    } catch (const Error& error) {
      throw ConfigError(filter.where, error.what());
    }
    start = end + 1;
  }
  return filter;
}

Value comparable(const std::string& name, const Value& value) {
  if (name != "device") return value;
  const std::string text = to_text(value);
  return text.substr(0, text.find(':'));
}

bool holds(const Filter& filter, const PlannedCase& planned) {
  const Value* value = planned.resolved.options.get(filter.name);
  if (value == nullptr) return false;
  return std::any_of(filter.values.begin(), filter.values.end(), [&](const Value& wanted) {
    return wanted == *value || comparable(filter.name, *value) == wanted;
  });
}

std::string values_in(const std::vector<PlannedCase>& cases, const std::string& name) {
  constexpr std::size_t kMaxNamesShown = 12;
  std::vector<std::string> shown;
  for (const PlannedCase& planned : cases) {
    const Value* value = planned.resolved.options.get(name);
    if (value == nullptr) continue;
    const std::string text = to_text(*value);
    if (std::find(shown.begin(), shown.end(), text) == shown.end()) shown.push_back(text);
    if (shown.size() == kMaxNamesShown) {
      shown.emplace_back("...");
      break;
    }
  }
  return shown.empty() ? "no case has it" : "it takes " + text::join(shown);
}

}  // namespace

void keep_filtered(std::span<const std::string> filters, const OptionIndex& index,
                   std::vector<PlannedCase>& cases) {
  for (const std::string& argument : filters) {
    const Filter filter = parse_filter(argument, index);
    if (std::none_of(cases.begin(), cases.end(), [&](const auto& c) { return holds(filter, c); })) {
      throw ConfigError(filter.where, "no case is left; " + values_in(cases, filter.name));
    }
    std::erase_if(cases, [&](const PlannedCase& planned) { return !holds(filter, planned); });
  }
}

void keep_shard(const Shard& shard, std::vector<PlannedCase>& cases) {
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    throw ConfigError("--shard", "expected I/N with 1 <= I <= N, as in --shard 2/4");
  }
  if (shard.count == 1) return;
  std::size_t kept = 0;
  for (auto i = static_cast<std::size_t>(shard.index); i < cases.size();
       i += static_cast<std::size_t>(shard.count)) {
    if (kept != i) cases[kept] = std::move(cases[i]);
    ++kept;
  }
  cases.resize(kept);
}

}  // namespace stepbench::plan
