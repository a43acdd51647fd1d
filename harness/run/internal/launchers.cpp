// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/launchers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/text_file.h"

namespace stepbench::run {

using catalogue::Launcher;
using catalogue::PlaceVariables;

std::vector<std::string> launch_words(const Launcher& launcher, int ranks,
                                      const std::vector<std::string>& more,
                                      const std::string& program, const std::string& interpreter) {
  const std::string count = std::to_string(ranks);
  std::vector<std::string> rank = {program, std::string(kRankCommand), std::string(launcher.name)};
  if (launcher.words.empty()) {
    rank.push_back(count);
    return rank;
  }
  std::vector<std::string> words;
  for (const std::string_view word : launcher.words) {
    words.push_back(word == Launcher::kRanks    ? count
                    : word == Launcher::kPython ? interpreter
                                                : std::string(word));
  }
  const std::string_view option = launcher.forwarding_option;
  if (!option.empty() && std::ranges::count(more, option) > 0) {
    for (const std::string_view name : {kControllersVariable, kTokenVariable}) {
      words.insert(words.end(), {std::string(option), std::string(name)});
    }
  }
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), rank.begin(), rank.end());
  return words;
}

namespace {

std::optional<std::string_view> value_of(const machine::Variables& variables,
                                         std::string_view name) {
  const auto found = name.empty() ? std::nullopt : machine::find_variable(variables, name);
  return found && !found->empty() ? found : std::nullopt;
}

int number_in(const machine::Variables& variables, std::string_view name,
              std::string_view defined_variable) {
  const auto text = value_of(variables, name);
  if (!text) {
    throw ConfigError(
        std::string(name),
        formatted("is not set, and {} is: the ranks do not know their places", defined_variable));
  }
  constexpr std::int64_t kMax = 1'000'000;
  const auto number = os::parse_integer(*text);
  if (!number || *number < 0 || *number > kMax) {
    throw ConfigError(std::string(name), formatted("invalid rank number: '{}'", *text));
  }
  return static_cast<int>(*number);
}

}  // namespace

int tasks_of_node(std::string_view tasks_per_node, int node) {
  while (!tasks_per_node.empty()) {
    std::string_view part = tasks_per_node.substr(0, tasks_per_node.find(','));
    tasks_per_node.remove_prefix(std::min(part.size() + 1, tasks_per_node.size()));
    const std::size_t times = part.find("(x");
    const auto tasks = os::parse_integer(part.substr(0, times));
    if (!tasks) return 0;
    std::int64_t nodes = 1;
    if (times != std::string_view::npos) {
      part = part.substr(times + 2);
      nodes = os::parse_integer(part.substr(0, part.find(')'))).value_or(1);
    }
    if (node < nodes) return static_cast<int>(*tasks);
    node -= static_cast<int>(nodes);
  }
  return 0;
}

RankPlace rank_place(const Launcher& launcher, const machine::Variables& variables) {
  const auto names_something = [&](const PlaceVariables& names) {
    return value_of(variables, names.rank) || value_of(variables, names.world);
  };
  const auto found = std::ranges::find_if(launcher.places, names_something);
  if (found == launcher.places.end()) {
    throw ConfigError(std::string(launcher.places.front().rank),
                      formatted("is not set: {} did not start this process", launcher.name));
  }
  const std::string_view defined_variable =
      value_of(variables, found->rank) ? found->rank : found->world;
  RankPlace place;
  place.rank = number_in(variables, found->rank, defined_variable);
  place.world = number_in(variables, found->world, defined_variable);
  place.local_rank = number_in(variables, found->local_rank, defined_variable);
  if (place.world < 1 || place.rank >= place.world) {
    throw ConfigError(std::string(found->rank),
                      formatted("is {} where {} is {}", place.rank, found->world, place.world));
  }
  if (!found->tasks_per_node.empty()) {
    const auto node = value_of(variables, found->node);
    place.local_world =
        tasks_of_node(value_of(variables, found->tasks_per_node).value_or(""),
                      static_cast<int>(os::parse_integer(node.value_or("0")).value_or(0)));
  } else if (value_of(variables, found->local_world)) {
    place.local_world = number_in(variables, found->local_world, defined_variable);
  }
  place.local_world = std::max(place.local_world, place.local_rank + 1);
  return place;
}

std::optional<OneOfSeveral> one_of_several(const machine::Variables& variables) {
  for (const Launcher& launcher : catalogue::launchers()) {
    for (const PlaceVariables& names : launcher.places) {
      const auto rank = value_of(variables, names.rank);
      const auto world = value_of(variables, names.world);
      if (!rank || !world) continue;
      const auto count = os::parse_integer(*world);
      if (!os::parse_integer(*rank) || !count || *count < 2) continue;
      return OneOfSeveral{
          .variables = formatted("{}={} and {}={}", names.rank, *rank, names.world, *world),
          .world = *count,
          .may_be_stale = !names.proof.empty() && !value_of(variables, names.proof)};
    }
  }
  return std::nullopt;
}

}  // namespace stepbench::run
