// SPDX-License-Identifier: Apache-2.0
// The part of results/tracking_simulation.md about whole lives: tables as Markdown, and goals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace stepbench::testing_track {

// `lives`: in each cell. `reference`: of track.reference; empty: of both. False: a goal is missed.
bool write_lives(std::ostream& out, std::uint64_t seed, std::size_t lives,
                 std::string_view reference = {});

}  // namespace stepbench::testing_track
