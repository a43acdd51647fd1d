// SPDX-License-Identifier: Apache-2.0
// What a step of a search asks of `stepbench ab`: both programs with the values that belong to
// their commits, how many pairs, what is recorded. Reads which runs stand in the step's folder; any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bisect/bisect_request.h"
#include "harness/bisect/bisection.h"
#include "harness/bisect/programs.h"
#include "harness/campaign/run_ab.h"
#include "harness/record/reader.h"

namespace stepbench::bisect {

// Of each program whose operations are recorded. Whether counts repeat is seen at the ends.
inline constexpr std::int64_t kProfiledLaunches = 2;

[[nodiscard]] bool counts_only(const BisectRequest& request);
// Values of the arms, or the script, lie in the commit's tree.
[[nodiscard]] bool reads_trees(const BisectRequest& request);

// The programs of a step, `base` the earlier one.
[[nodiscard]] campaign::ArmsRequest arms_of(const BisectRequest& request, const SearchStep& step,
                                            const std::vector<Commit>& commits,
                                            const BuiltProgram& base,
                                            const BuiltProgram& candidate);
// `folder`: of the search. A comparison of the step that was cut off is gone on with.
[[nodiscard]] campaign::AbRequest pairs_of(const BisectRequest& request, const SearchStep& step,
                                           const std::vector<Commit>& commits,
                                           campaign::ArmsRequest arms,
                                           const std::filesystem::path& folder, std::uint64_t seed);

// Throws ConfigError unless the arms have one case.
void require_one_case(const BisectRequest& request, const campaign::AbArms& arms);

// Why launches of this side have no result; empty: all have.
[[nodiscard]] std::string reason_of_failure(const record::Results& results, std::string_view arm);
// Throws NothingMeasured unless only the candidate of a search's commit is to blame.
void require_measured(const BisectRequest& request, const SearchStep& step,
                      const std::vector<Commit>& commits, const record::Results& results);

// The command that measures both programs again; empty where what they read is gone then.
[[nodiscard]] std::string repeat_of(const BisectRequest& request, const campaign::ArmsRequest& arms,
                                    const compare::AbPoint& point);

}  // namespace stepbench::bisect
