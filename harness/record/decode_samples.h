// SPDX-License-Identifier: Apache-2.0
// Private to decode: samples rows hold nearly all bytes of a file and are parsed without a tree.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "harness/record/rows.h"

namespace stepbench {

// Throws LineError. Input::kPadding bytes behind the line must be readable.
[[nodiscard]] SamplesRow decode_samples(simdjson::ondemand::parser& parser, std::string_view line);
[[nodiscard]] Pass pass_of(std::string_view name);

}  // namespace stepbench
