// SPDX-License-Identifier: Apache-2.0
// A value of a JSON document that is read whole. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "harness/base/value.h"

namespace stepbench::json {

// null is an empty Value; nullopt of a list or an object.
[[nodiscard]] std::optional<Value> scalar_of(const nlohmann::json& json);

}  // namespace stepbench::json
