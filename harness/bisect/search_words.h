// SPDX-License-Identifier: Apache-2.0
// What a step of a search is called, to people and on disk. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/bisect/bisection.h"
#include "harness/bisect/repository.h"

namespace stepbench::bisect {

// The same search asks for the same launches in the same order.
[[nodiscard]] std::uint64_t seed_of(const std::vector<Commit>& commits);
// Of its launches, in the folder of the search.
[[nodiscard]] std::string folder_of(const SearchStep& step, const std::vector<Commit>& commits);
[[nodiscard]] std::string words_of(const SearchStep& step, const std::vector<Commit>& commits);

}  // namespace stepbench::bisect
