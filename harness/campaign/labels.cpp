// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/labels.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench::campaign {

Fields parse_labels(std::span<const std::string> labels) {
  const auto in_key = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("._-/").find(letter) != std::string_view::npos;
  };
  Fields fields;
  for (const std::string& label : labels) {
    const std::size_t equals = label.find('=');
    const std::string key = label.substr(0, equals);
    if (equals == std::string::npos || key.empty()) {
      throw ConfigError("--label", "expected KEY=VALUE, found '" + label + "'");
    }
    if (!std::all_of(key.begin(), key.end(), in_key)) {
      throw ConfigError(
          "--label", "the key '" + key + "' may hold letters, digits, '.', '_', '-' and '/' only");
    }
    fields.insert_or_assign(key, Value{label.substr(equals + 1)});
  }
  return fields;
}

Fields labels_with(const record::Results& earlier, const Fields& given) {
  Fields labels;
  for (const record::RunRow& run : earlier.runs) {
    for (const auto& [key, value] : run.labels) labels.insert_or_assign(key, value);
  }
  for (const auto& [key, value] : given) labels.insert_or_assign(key, value);
  return labels;
}

}  // namespace stepbench::campaign
