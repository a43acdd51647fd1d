// SPDX-License-Identifier: Apache-2.0
// Names and requests for a step of a search: both programs with the values of their commits, the
// number of pairs, and what is recorded. Reads which runs are in the step's folder; any thread.
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

inline constexpr int kCountedOfEnds = 2;  // launches of each end, to verify that counts repeat
[[nodiscard]] bool counts_only(const BisectRequest& request);
// Values of the arms, or the script, are in the commit's tree.
[[nodiscard]] bool reads_trees(const BisectRequest& request);

// Folder of the step's launches, within the search's folder.
[[nodiscard]] std::string folder_of(const SearchStep& step, const std::vector<Commit>& commits);
[[nodiscard]] std::string words_of(const SearchStep& step, const std::vector<Commit>& commits);

// Arms of a step; `base` is the earlier program.
[[nodiscard]] campaign::ArmsRequest arms_of(const BisectRequest& request, const SearchStep& step,
                                            const std::vector<Commit>& commits,
                                            const BuiltProgram& base,
                                            const BuiltProgram& candidate);
// Requests as many pairs as may be tried, with a look after each block. The same search requests
// the same launches in the same order. `folder`: of the step; an interrupted run in it is resumed.
[[nodiscard]] campaign::AbRequest pairs_of(const BisectRequest& request, const SearchStep& step,
                                           const std::vector<Commit>& commits,
                                           campaign::ArmsRequest arms,
                                           const std::filesystem::path& folder);

// Throws ConfigError unless the arms have exactly one case.
void require_one_case(const BisectRequest& request, const campaign::AbArms& arms);
// Why launches of this side have no result; empty: all have one.
[[nodiscard]] std::string reason_of_failure(const record::Results& results, std::string_view arm);

// Command that measures both programs again; empty if their input is removed by then.
[[nodiscard]] std::string repeat_of(const BisectRequest& request, const campaign::ArmsRequest& arms,
                                    const compare::AbPoint& point);

}  // namespace stepbench::bisect
