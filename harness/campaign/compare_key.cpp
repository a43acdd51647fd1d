// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/compare_key.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/plan/identity.h"
#include "harness/text/names.h"
#include "harness/text/words.h"

namespace stepbench::campaign {

std::vector<std::string> full_names(const std::vector<std::string>& ignored,
                                    std::span<const record::Results* const> all) {
  std::set<std::string> known;
  for (const record::Results* results : all) {
    for (const record::Launch& launch : results->launches) {
      for (const auto& [name, value] : launch.row.options) known.insert(name);
    }
  }
  const std::vector<std::string> options(known.begin(), known.end());
  std::vector<std::string> names;
  for (const std::string& given : ignored) {
    try {
      names.push_back(text::resolve_name(given, options, "no case has an option"));
    } catch (const Error& error) {
      throw ConfigError("--ignore", error.what());
    }
  }
  return names;
}

namespace {

using KeyOptions = std::map<std::string, std::string>;

// The identifying options of a case, as written in its identity.
KeyOptions key_options(const OptionValues& of, const Catalogue& catalogue) {
  KeyOptions options;
  for (const auto& [name, value] : of) {
    const Option* option = catalogue.find_option(name);
    if (option != nullptr && option->identity == Identity::kContext) continue;
    auto text =
        plan::identity_text(name, value, option == nullptr ? Value{} : option->identity_default);
    if (text) options.emplace(name, std::move(*text));
  }
  return options;
}

constexpr std::size_t kMaxNamed = 4;  // number of differing options that are named

// Identifying options -> case id.
std::map<KeyOptions, std::string> first_cases(const record::Results& results,
                                              const Catalogue& catalogue) {
  constexpr std::size_t kMaxCases = 64;
  std::map<KeyOptions, std::string> cases;
  for (const record::Launch& launch : results.launches) {
    if (cases.size() == kMaxCases) break;
    cases.emplace(key_options(launch.row.options, catalogue), launch.row.key.case_id);
  }
  return cases;
}

std::vector<std::string> differing(const KeyOptions& a, const KeyOptions& b) {
  std::set<std::string> names;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second != value) names.insert(name);
  }
  for (const auto& [name, value] : b) {
    if (!a.contains(name)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

compare::CaseKey key_without(const std::vector<std::string>& ignored, const Catalogue& catalogue) {
  return [ignored, &catalogue](const record::LaunchRow& row) {
    std::string key;
    for (const auto& [name, text] : key_options(row.options, catalogue)) {
      if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
      key.append(name).append("=").append(std::to_string(text.size())).append(":");
      key.append(text).append("\n");
    }
    return key;
  };
}

namespace {

struct Nearest {
  const std::string* case_id = nullptr;
  std::string differs = {};  // "loader.engine (thread -> inline), seed (0 -> 1)"
  std::vector<std::string> names = {};
};

std::string value_text(const KeyOptions& of, const std::string& name, const Catalogue& catalogue) {
  const auto found = of.find(name);
  if (found != of.end()) return found->second;
  const Option* option = catalogue.find_option(name);
  return option == nullptr || is_null(option->identity_default) ? std::string("unset")
                                                                : to_text(option->identity_default);
}

// The case that differs from `one` in the fewest options; empty if all differ too much.
Nearest nearest_case(const KeyOptions& one, const std::map<KeyOptions, std::string>& cases,
                     const Catalogue& catalogue) {
  Nearest nearest;
  const KeyOptions* found = nullptr;
  for (const auto& [options, id] : cases) {
    std::vector<std::string> names = differing(options, one);
    if (names.size() > kMaxNamed || (found != nullptr && names.size() >= nearest.names.size())) {
      continue;
    }
    nearest.names = std::move(names);
    nearest.case_id = &id;
    found = &options;
  }
  if (found == nullptr) return nearest;
  nearest.differs = text::join(nearest.names, ", ", [&](const std::string& name) {
    return name + " (" + value_text(*found, name, catalogue) + " -> " +
           value_text(one, name, catalogue) + ')';
  });
  return nearest;
}

}  // namespace

std::string no_common_case_reason(const record::Results& base, const record::Results& candidate,
                                  const Catalogue& catalogue) {
  const auto olds = first_cases(base, catalogue);
  Nearest fewest;
  for (const auto& [options, id] : first_cases(candidate, catalogue)) {
    Nearest nearest = nearest_case(options, olds, catalogue);
    const bool nearer = fewest.names.empty() ||
                        (!nearest.names.empty() && nearest.names.size() < fewest.names.size());
    if (nearer) fewest = std::move(nearest);
  }
  if (fewest.names.empty()) return {};
  return "no case in common: the most similar ones differ in " + fewest.differs +
         "; to compare them anyway: --ignore " + text::join(fewest.names, " --ignore ");
}

void find_nearest(std::vector<compare::MissingCase>& missing, const record::Results& others,
                  const Catalogue& catalogue) {
  constexpr std::size_t kMostCases = 8;
  constexpr std::size_t kDigits = 6;
  if (missing.empty()) return;
  const auto cases = first_cases(others, catalogue);
  for (std::size_t i = 0; i < std::min(missing.size(), kMostCases); ++i) {
    const KeyOptions options = key_options(missing[i].options, catalogue);
    const Nearest nearest = nearest_case(options, cases, catalogue);
    if (nearest.case_id == nullptr || nearest.names.empty()) continue;
    missing[i].nearest = nearest.case_id->substr(0, kDigits) + " but for " + nearest.differs;
  }
}

}  // namespace stepbench::campaign
