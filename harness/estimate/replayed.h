// SPDX-License-Identifier: Apache-2.0
// Cases whose loader gives its first batches again and again (loader.replay): what they say is a
// bound, and no setting that one can choose. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

enum class Replayed : std::uint8_t { kNot, kStopped, kWorking };

[[nodiscard]] Replayed replayed(const CaseRow& row);
[[nodiscard]] bool is_replay_option(std::string_view full_name);

}  // namespace stepbench::estimate
