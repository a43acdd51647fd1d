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

// The options that make the case, as they read in its identity.
KeyOptions key_options(const record::LaunchRow& row, const Catalogue& catalogue) {
  KeyOptions options;
  for (const auto& [name, value] : row.options) {
    const Option* option = catalogue.find_option(name);
    if (option != nullptr && option->identity == Identity::kContext) continue;
    auto text =
        plan::identity_text(name, value, option == nullptr ? Value{} : option->identity_default);
    if (text) options.emplace(name, std::move(*text));
  }
  return options;
}

std::vector<KeyOptions> first_cases(const record::Results& results, const Catalogue& catalogue) {
  constexpr std::size_t kMaxCases = 64;
  std::set<KeyOptions> cases;
  for (const record::Launch& launch : results.launches) {
    if (cases.size() < kMaxCases) cases.insert(key_options(launch.row, catalogue));
  }
  return {cases.begin(), cases.end()};
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
    for (const auto& [name, text] : key_options(row, catalogue)) {
      if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
      key.append(name).append("=").append(std::to_string(text.size())).append(":");
      key.append(text).append("\n");
    }
    return key;
  };
}

std::string why_nothing_joins(const record::Results& base, const record::Results& candidate,
                              const Catalogue& catalogue) {
  constexpr std::size_t kMaxNamed = 4;
  std::vector<std::string> fewest;
  const KeyOptions* before = nullptr;
  const KeyOptions* after = nullptr;
  const std::vector<KeyOptions> olds = first_cases(base, catalogue);
  const std::vector<KeyOptions> news = first_cases(candidate, catalogue);
  for (const KeyOptions& a : olds) {
    for (const KeyOptions& b : news) {
      std::vector<std::string> names = differing(a, b);
      if (before != nullptr && names.size() >= fewest.size()) continue;
      fewest = std::move(names);
      before = &a;
      after = &b;
    }
  }
  if (fewest.empty() || fewest.size() > kMaxNamed) return {};
  const auto value = [&](const KeyOptions& of, const std::string& name) {
    const auto found = of.find(name);
    if (found != of.end()) return found->second;
    const Option* option = catalogue.find_option(name);
    return option == nullptr || is_null(option->identity_default)
               ? std::string("unset")
               : to_text(option->identity_default);
  };
  const auto change = [&](const std::string& name) {
    return name + " (" + value(*before, name) + " -> " + value(*after, name) + ')';
  };
  return "no case is in both: the most similar ones differ in " + text::join(fewest, ", ", change) +
         "; to set them side by side all the same: --ignore " + text::join(fewest, " --ignore ");
}

}  // namespace stepbench::campaign
