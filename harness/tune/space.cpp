// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/space.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/value.h"
#include "harness/json/json_text.h"
#include "harness/text/words.h"

namespace stepbench::tune {
namespace {

constexpr const char* kTuneOption = "--tune";
constexpr const char* kArguments = "script.args";
constexpr std::size_t kMaxCombinations = 10'000;

// Collected sweeps, each option once.
class Sweeps {
 public:
  void add(const std::string& option, const std::string& values) {
    if (options_.insert(option).second) sweeps_.push_back(option + "=" + values);
  }
  void add(const std::string& option, const std::set<std::int64_t>& values) {
    add(option, text::join(values, ",", [](std::int64_t value) { return std::to_string(value); }));
  }
  [[nodiscard]] std::size_t size() const { return sweeps_.size(); }
  [[nodiscard]] std::vector<std::string> take() { return std::move(sweeps_); }

 private:
  std::set<std::string> options_;
  std::vector<std::string> sweeps_;
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_device(const ResolvedCase& own) { return own.text_or("device", "cpu") != "cpu"; }

// Recognises by name arguments of an iterable's loader() that affect how it loads, not what.
bool says_how_to_load(std::string_view argument) {
  for (const std::string_view word : {"worker", "thread", "process", "concurren", "prefetch",
                                      "buffer", "queue", "ahead", "parallel"}) {
    if (argument.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// Only arguments that the loader() has, because it rejects others: half to four times their value.
void add_iterable(const ResolvedCase& own, Sweeps& sweeps) {
  const auto around = [&](const std::string& option, std::int64_t value) {
    sweeps.add(option, std::set<std::int64_t>{std::max<std::int64_t>(value / 2, 1), value,
                                              value * 2, value * 4});
  };
  const std::int64_t workers =
      own.has("loader.num_workers") ? own.integer("loader.num_workers") : 0;
  if (workers > 0) around("loader.num_workers", workers);
  constexpr std::string_view kSection = "python.";
  for (const auto& [option, value] : own.options) {
    // Python's side parses it from text.
    const std::optional<std::int64_t> number = whole(to_text(value));
    const std::string_view name = option;
    if (number.value_or(0) < 1 || !name.starts_with(kSection)) continue;
    if (says_how_to_load(name.substr(kSection.size()))) around(option, *number);
  }
}

void add_loader(const ResolvedCase& own, int cores, Sweeps& sweeps) {
  if (own.text_or("loader.engine", "") == "iterable") return add_iterable(own, sweeps);
  if (own.has("loader.num_workers")) {
    std::set<std::int64_t> workers = {own.integer("loader.num_workers")};
    for (const std::int64_t each : {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
      if (each <= std::max(2 * cores, 2)) workers.insert(each);
    }
    sweeps.add("loader.num_workers", workers);
  }
  // Without workers it has no meaning and is null.
  if (own.options.contains("loader.prefetch_factor")) {
    std::set<std::int64_t> ahead = {1, 2, 4, 8};
    if (own.has("loader.prefetch_factor")) ahead.insert(own.integer("loader.prefetch_factor"));
    sweeps.add("loader.prefetch_factor", ahead);
  }
  if (own.has("loader.pin_memory") && has_device(own)) {
    sweeps.add("loader.pin_memory", "false,true");
  }
}

// Only the ways that need no other change of the experiment.
void add_transfer(const ResolvedCase& own, Sweeps& sweeps) {
  if (!own.has("transfer.placement") || !has_device(own)) return;
  std::set<std::string> ways = {"inline", "inline_non_blocking", "prefetch_stream"};
  ways.insert(own.text_or("transfer.placement", "inline"));
  sweeps.add("transfer.placement", text::join(ways, ","));
  if (own.has("loader.pin_memory")) sweeps.add("loader.pin_memory", "false,true");
  if (own.has("copy.source")) sweeps.add("copy.source", "pageable,pinned");
}

void add_batches(const ResolvedCase& own, Sweeps& sweeps) {
  if (!own.has("loader.batch_size")) return;
  const std::int64_t size = own.integer("loader.batch_size");
  std::set<std::int64_t> sizes;
  for (const std::int64_t factor : {1, 2, 4, 8, 16}) sizes.insert(size * factor);
  for (const std::int64_t divisor : {2, 4}) {
    if (size % divisor == 0) sizes.insert(size / divisor);
  }
  sweeps.add("loader.batch_size", sizes);
}

struct Argument {
  std::string name;
  std::vector<std::string> values;
};

// "0..8": all integers in the range; otherwise a single value.
void add_values(const std::string& text, std::vector<std::string>& values) {
  const std::size_t dots = text.find("..");
  const auto first = whole(std::string_view(text).substr(0, dots));
  const auto last =
      dots == std::string::npos ? std::nullopt : whole(std::string_view(text).substr(dots + 2));
  if (dots == std::string::npos || !first || !last) {
    const bool is_word = !text.empty() && text.find_first_of(" \t\n'\"\\") == std::string::npos;
    if (!is_word) throw ConfigError(kTuneOption, "`" + text + "` is not a value of an argument");
    values.push_back(text);
    return;
  }
  if (*first > *last || *last - *first >= static_cast<std::int64_t>(kMaxCombinations)) {
    throw ConfigError(kTuneOption, "`" + text + "` is not a range such as 0..8");
  }
  for (std::int64_t value = *first; value <= *last; ++value) {
    values.push_back(std::to_string(value));
  }
}

std::vector<Argument> arguments_of(const std::string& text) {
  std::vector<Argument> arguments;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos) {
      std::string name = part.substr(0, equals);
      while (name.starts_with('-')) name.erase(0, 1);
      const bool is_name = !name.empty() && name.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                                                "WXYZ0123456789_-.") == std::string::npos;
      const bool is_new = std::ranges::find(arguments, name, &Argument::name) == arguments.end();
      if (!is_name || !is_new) {
        throw ConfigError(kTuneOption, "`" + part + "` does not name a new argument of the script");
      }
      arguments.push_back({.name = std::move(name), .values = {}});
      part.erase(0, equals + 1);
    }
    if (arguments.empty()) {
      throw ConfigError(kTuneOption,
                        "expected NAME=V1,V2,..., as num_workers=0..8,prefetch_factor=2,4");
    }
    add_values(part, arguments.back().values);
  }
  return arguments;
}

std::string reason_for_empty_space(const std::string& space, const ResolvedCase& own) {
  if (own.options.contains(kArguments)) {
    return "workload " + own.workload +
           " has no such options; --tune NAME=V1,V2,... gives a script its arguments";
  }
  if (space == "loader" && own.text_or("loader.engine", "") == "iterable") {
    return "loader() has no whole number among its arguments that says how it loads (workers, "
           "threads, prefetch, buffers, queues): set one under `python`, or sweep another one "
           "by --sweep python.NAME=V1,V2,...";
  }
  if (space == "transfer" && own.has("transfer.placement")) {
    return "nothing is copied on the CPU; set device: cuda";
  }
  return "workload " + own.workload + " has no such options";
}

}  // namespace

const std::vector<std::string>& space_names() {
  static const std::vector<std::string> kNames = {"loader", "transfer", "batch", "precision"};
  return kNames;
}

std::vector<std::string> sweeps_of(std::span<const std::string> spaces, const ResolvedCase& own,
                                   int cores) {
  Sweeps sweeps;
  for (const std::string& space : spaces) {
    const std::size_t before = sweeps.size();
    if (space == "loader") {
      add_loader(own, cores, sweeps);
    } else if (space == "transfer") {
      add_transfer(own, sweeps);
    } else if (space == "batch") {
      add_batches(own, sweeps);
    } else if (own.has("model.precision")) {
      sweeps.add("model.precision", "fp32,bf16");
    }
    if (sweeps.size() == before)
      throw ConfigError("--space " + space, reason_for_empty_space(space, own));
  }
  return sweeps.take();
}

std::string sweep_of_arguments(const std::string& text, const ResolvedCase& own) {
  if (!own.options.contains(kArguments)) {
    throw ConfigError(kTuneOption,
                      "gives arguments to a script, as --python train.py; options of "
                      "workload " +
                          own.workload + " are swept by --sweep");
  }
  std::vector<std::string> combinations = {own.text_or(kArguments, "")};
  for (const Argument& argument : arguments_of(text)) {
    if (combinations.size() * argument.values.size() > kMaxCombinations) {
      throw ConfigError(kTuneOption,
                        "has more than " + std::to_string(kMaxCombinations) + " combinations");
    }
    std::vector<std::string> longer;
    for (const std::string& one : combinations) {
      for (const std::string& value : argument.values) {
        longer.push_back(one + (one.empty() ? "" : " ") + "--" + argument.name + " " + value);
      }
    }
    combinations = std::move(longer);
  }
  const std::string list = text::join(combinations, ",", [](const std::string& one) {
    std::string escaped;
    for (const char letter : one) escaped += letter == '$' ? "$$" : std::string(1, letter);
    return json::json_string(escaped);
  });
  return std::string(kArguments) + "=[" + list + "]";
}

}  // namespace stepbench::tune
