// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/space.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/json_text.h"
#include "harness/text/words.h"

namespace stepbench::tune {
namespace {

constexpr const char* kTuneOption = "--tune";
constexpr const char* kArguments = "script.args";
constexpr std::size_t kMostCombinations = 10'000;

std::string numbers(const std::string& option, const std::set<std::int64_t>& values) {
  return option + "=" +
         text::join(values, ",", [](std::int64_t value) { return std::to_string(value); });
}

void add_loader(const ResolvedCase& own, int cores, std::vector<std::string>& sweeps) {
  if (own.has("loader.num_workers")) {
    std::set<std::int64_t> workers = {own.integer("loader.num_workers")};
    for (const std::int64_t each : {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
      if (each <= std::max(2 * cores, 2)) workers.insert(each);
    }
    sweeps.push_back(numbers("loader.num_workers", workers));
  }
  // Its value has no meaning without workers, and then is null.
  if (own.options.contains("loader.prefetch_factor")) {
    std::set<std::int64_t> ahead = {1, 2, 4, 8};
    if (own.has("loader.prefetch_factor")) ahead.insert(own.integer("loader.prefetch_factor"));
    sweeps.push_back(numbers("loader.prefetch_factor", ahead));
  }
  if (own.has("loader.pin_memory") && own.text_or("device", "cpu") != "cpu") {
    sweeps.emplace_back("loader.pin_memory=false,true");
  }
}

void add_batches(const ResolvedCase& own, std::vector<std::string>& sweeps) {
  if (!own.has("loader.batch_size")) return;
  const std::int64_t size = own.integer("loader.batch_size");
  std::set<std::int64_t> sizes;
  for (const std::int64_t factor : {1, 2, 4, 8, 16}) sizes.insert(size * factor);
  for (const std::int64_t divisor : {2, 4}) {
    if (size % divisor == 0) sizes.insert(size / divisor);
  }
  sweeps.push_back(numbers("loader.batch_size", sizes));
}

struct Argument {
  std::string name;
  std::vector<std::string> values;
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0..8": every whole number; anything else is one value.
void add_values(const std::string& text, std::vector<std::string>& values) {
  const std::size_t dots = text.find("..");
  const auto first = whole(std::string_view(text).substr(0, dots));
  const auto last =
      dots == std::string::npos ? std::nullopt : whole(std::string_view(text).substr(dots + 2));
  if (dots == std::string::npos || !first || !last) {
    const bool is_word = !text.empty() && text.find_first_of(" \t\n'\"\\") == std::string::npos;
    if (!is_word) throw ConfigError(kTuneOption, "`" + text + "` is no value of an argument");
    values.push_back(text);
    return;
  }
  if (*first > *last || *last - *first >= static_cast<std::int64_t>(kMostCombinations)) {
    throw ConfigError(kTuneOption, "`" + text + "` is no range as 0..8");
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
        throw ConfigError(kTuneOption, "`" + part + "` names no new argument of the script");
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

}  // namespace

const std::vector<std::string>& space_names() {
  static const std::vector<std::string> kNames = {"loader", "batch", "precision"};
  return kNames;
}

std::vector<std::string> sweeps_of(std::span<const std::string> spaces, const ResolvedCase& own,
                                   int cores) {
  std::vector<std::string> sweeps;
  for (const std::string& space : spaces) {
    const std::size_t before = sweeps.size();
    if (space == "loader") {
      add_loader(own, cores, sweeps);
    } else if (space == "batch") {
      add_batches(own, sweeps);
    } else if (own.has("model.precision")) {
      sweeps.emplace_back("model.precision=fp32,bf16");
    }
    if (sweeps.size() == before) {
      const bool is_script = own.options.contains(kArguments);
      throw ConfigError(
          "--space " + space,
          "workload " + own.workload + " has no such options" +
              (is_script ? "; --tune NAME=V1,V2,... gives a script its arguments" : ""));
    }
  }
  return sweeps;
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
    if (combinations.size() * argument.values.size() > kMostCombinations) {
      throw ConfigError(kTuneOption,
                        "has more than " + std::to_string(kMostCombinations) + " combinations");
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
