// SPDX-License-Identifier: Apache-2.0
// Describes options without effect in a case. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::plan {

// Options without effect, each with the condition that would give it one.
using NoEffect = std::vector<std::pair<std::string, std::string>>;

// "loader.epochs: separate", "loader.num_workers > 0"
[[nodiscard]] std::string text_of(const Requires& need);
// "loader.drop_last and loader.persistent_workers without loader.epochs: separate; ..."
[[nodiscard]] std::string text_of(const NoEffect& no_effect);

}  // namespace stepbench::plan
