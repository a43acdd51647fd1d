// SPDX-License-Identifier: Apache-2.0
// How a step of a search is named and measured: both programs with the values that belong to their
// commits, how many pairs, what is recorded. Reads which runs stand in the step's folder; any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bisect/bisect_request.h"
#include "harness/bisect/programs.h"
#include "harness/bisect/search.h"
#include "harness/campaign/run_ab.h"
#include "harness/record/reader.h"

namespace stepbench::bisect {

inline constexpr int kCountedOfEnds = 2;  // launches of each end: to see that counts repeat
[[nodiscard]] bool counts_only(const BisectRequest& request);
// Values of the arms, or the script, lie in the commit's tree.
[[nodiscard]] bool reads_trees(const BisectRequest& request);

// Of its launches, in the folder of the search.
[[nodiscard]] std::string folder_of(const SearchStep& step, const std::vector<Commit>& commits);
[[nodiscard]] std::string words_of(const SearchStep& step, const std::vector<Commit>& commits);

// The programs of a step, `base` the earlier one.
[[nodiscard]] campaign::ArmsRequest arms_of(const BisectRequest& request, const SearchStep& step,
                                            const std::vector<Commit>& commits,
                                            const BuiltProgram& base,
                                            const BuiltProgram& candidate);
// As many pairs as may be tried, with a look after each block; the same search asks for the same
// launches in the same order. `folder`: of the step; what was cut off there is gone on with.
[[nodiscard]] campaign::AbRequest pairs_of(const BisectRequest& request, const SearchStep& step,
                                           const std::vector<Commit>& commits,
                                           campaign::ArmsRequest arms,
                                           const std::filesystem::path& folder);

// Throws ConfigError unless the arms have one case.
void require_one_case(const BisectRequest& request, const campaign::AbArms& arms);
// Why launches of this side have no result; empty: all have.
[[nodiscard]] std::string reason_of_failure(const record::Results& results, std::string_view arm);

// The command that measures both programs again; empty where what they read is gone then.
[[nodiscard]] std::string repeat_of(const BisectRequest& request, const campaign::ArmsRequest& arms,
                                    const compare::AbPoint& point);

}  // namespace stepbench::bisect
