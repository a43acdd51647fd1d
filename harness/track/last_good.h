// SPDX-License-Identifier: Apache-2.0
// Which night's program a suspicion is held against when it is measured again. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "harness/track/screen.h"

namespace stepbench::track {

// The newest night before what moved (answer.since) in which the screen did not fire and whose
// value is no sign of it either: on the good side of what is usual or, where tonight's is far off,
// four spreads from tonight's. That a night did not fire does not make it good: of a step of three
// spreads every second first night does not. With the newest night that did not fire, 54 % of such
// steps are confirmed within five nights; with this one as many as with the night before the step,
// 97 % (results/tracking_simulation.md).
//
// Where there is no such night, the newest that did not fire. An index into `segment`, which is
// that of screen(); `usable`: whether the program of that night can be measured again, and is what
// its commit says.
[[nodiscard]] std::optional<std::size_t> last_good(
    std::span<const double> segment, const ScreenOptions& options, const ScreenAnswer& answer,
    const std::function<bool(std::size_t)>& usable = {});

}  // namespace stepbench::track
