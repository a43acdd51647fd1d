// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/benchmark_name.h"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

std::string benchmark_name_part(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  constexpr std::string_view kAllowed = "_-.";
  std::string part;
  for (const char c : text.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    part += plain || kAllowed.find(c) != std::string_view::npos ? c : '_';
  }
  return part;
}

std::string benchmark_name(std::string_view workload, const OptionValues& options,
                           const std::vector<std::string>& varying) {
  std::string name = benchmark_name_part(workload.empty() ? "case" : workload);
  for (const std::string& option : varying) {
    const auto found = options.find(option);
    if (found == options.end() || is_null(found->second)) continue;
    name += '/' + benchmark_name_part(short_name(option, varying)) + ':' +
            benchmark_name_part(to_text(found->second));
  }
  return name;
}

std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        std::span<const std::string_view> case_ids) {
  constexpr std::size_t kDigits = 8;
  std::unordered_map<std::string, int> uses;
  for (const std::string& name : names) ++uses[name];
  std::unordered_set<std::string> used;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    if (uses[name] > 1) name += "/case:" + benchmark_name_part(case_ids[i].substr(0, kDigits));
    while (!used.insert(name).second) name += '_';
  }
  return names;
}

}  // namespace stepbench::estimate
