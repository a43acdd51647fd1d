// SPDX-License-Identifier: Apache-2.0
// Cases whose loader gives its first batches again and again (loader.replay): what they say is a
// bound or stands for a loader that is not there, and is no setting that one can choose. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

enum class Replayed : std::uint8_t { kNot, kStopped, kWorking, kRecorded };

[[nodiscard]] Replayed replayed(const CaseRow& row);
[[nodiscard]] bool is_replay_option(std::string_view full_name);
// Measured for a time, and no arm.
[[nodiscard]] bool is_timed(const CaseRow& row);
// The warm-up aside, which cases that replay have raised.
[[nodiscard]] bool same_but_for_replay(const CaseRow& a, const CaseRow& b);
// Of those, one that replays like that; null: none.
[[nodiscard]] const CaseRow* find_replayed(const std::vector<CaseRow>& rows, const CaseRow& as_is,
                                           Replayed how);

}  // namespace stepbench::estimate
