// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/compare_key.h"

#include <algorithm>
#include <set>

#include "harness/catalogue/nearest.h"
#include "harness/error.h"

namespace stepbench::cli {

std::vector<std::string> full_names(const std::vector<std::string>& ignored, const Results& base,
                                    const Results& candidate) {
  std::set<std::string> known;
  for (const Results* results : {&base, &candidate}) {
    for (const Launch& launch : results->launches) {
      for (const auto& [name, value] : launch.row.options) known.insert(name);
    }
  }
  std::vector<std::string> names;
  for (const std::string& given : ignored) {
    std::vector<std::string> matches;
    for (const std::string& name : known) {
      if (name == given) {
        matches = {name};
        break;
      }
      if (name.ends_with('.' + given)) matches.push_back(name);
    }
    if (matches.size() == 1) {
      names.push_back(matches.front());
      continue;
    }
    if (matches.size() > 1) {
      throw ConfigError("--ignore", "'" + given + "' may be " + matches[0] + " or " + matches[1] +
                                        "; give the full name");
    }
    const std::vector<std::string> all(known.begin(), known.end());
    const std::string near = nearest(given, all);
    throw ConfigError("--ignore", "no case has an option '" + given + "'" +
                                      (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  return names;
}

CaseKey key_without(const std::vector<std::string>& ignored, const Catalogue& catalogue) {
  return [ignored, &catalogue](const LaunchRow& row) {
    std::string key;
    for (const auto& [name, value] : row.options) {
      if (is_null(value) || std::find(ignored.begin(), ignored.end(), name) != ignored.end()) {
        continue;
      }
      const Option* option = catalogue.find_option(name);
      if (option != nullptr &&
          (option->identity == Identity::kContext || value == option->identity_default)) {
        continue;
      }
      std::string text = to_text(value);
      if (name == "device") text.resize(std::min(text.size(), text.find(':')));
      key.append(name).append("=").append(std::to_string(text.size())).append(":");
      key.append(text).append("\n");
    }
    return key;
  };
}

}  // namespace stepbench::cli
