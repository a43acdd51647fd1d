// SPDX-License-Identifier: Apache-2.0
// Spelling of enumerators on the wire; private to the protocol.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "harness/protocol/messages.h"

namespace stepbench::protocol {

inline constexpr std::array<std::pair<Stage, std::string_view>, 5> kStageNames{{
    {Stage::kSetUp, "set_up"},
    {Stage::kExercise, "exercise"},
    {Stage::kWarmup, "warmup"},
    {Stage::kActive, "active"},
    {Stage::kTearDown, "tear_down"},
}};

}  // namespace stepbench::protocol
