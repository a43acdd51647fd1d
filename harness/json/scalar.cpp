// SPDX-License-Identifier: Apache-2.0
#include "harness/json/scalar.h"

#include <nlohmann/json.hpp>

namespace stepbench::json {

std::optional<Value> scalar_of(const nlohmann::json& json) {
  if (json.is_structured()) return std::nullopt;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return Value{};
}

}  // namespace stepbench::json
