// SPDX-License-Identifier: Apache-2.0
// One JSON text with names, paths and values of environment variables replaced. Everything else is
// copied byte for byte: numbers, keys, order, and texts that programs join by. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/text/redactor.h"

namespace stepbench::runs {

// Tells the redactor of hosts, users, values of variables (members named `env.NAME`) and paths with
// blanks. To be done for all texts that belong together before any of them is redacted. False for a
// text that is no JSON.
bool learn_from_json(std::string_view json, text::Redactor& redactor);

// nullopt for a text that is no JSON.
[[nodiscard]] std::optional<std::string> redact_json(std::string_view json,
                                                     text::Redactor& redactor);

}  // namespace stepbench::runs
