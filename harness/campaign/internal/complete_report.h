// SPDX-License-Identifier: Apache-2.0
// The controller adds to the report of a launch: fields that workers in other languages omit, a
// comparison of the profiled work with the timed work, and facts of a whole group. Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "harness/record/result_file.h"
#include "harness/traces/compare_traces.h"

namespace stepbench::campaign {

// Derives the verdict from the launch's samples; keeps an existing one. Pure.
void add_warmup_verdict(record::Launch& launch);

// For a profiled launch whose `effective` names a torch.profiler trace in the folder `traces` of
// `run_dir`: adds the operator table and, as findings, the lost time in the trace, unless the
// worker sent them itself. Steps are the trace's ProfilerStep#N, phases its stepbench::NAME. An
// unreadable trace becomes a note. Removes the file unless profile.trace requested it. Returns the
// data for comparison with other ranks' traces if the trace names its rank.
std::optional<traces::RankTrace> add_traced_ops(record::Launch& launch,
                                                const std::filesystem::path& run_dir);

// Compares the work of a profiled launch with that of the timed ones, and states its overhead.

// Above this ratio of profiled to timed step, the profile's shares mislead.
inline constexpr double kMaxPerturbation = 1.25;

// Compares a profiled launch with the timing launches of its case and arm in `finished`. Adds the
// metric profile_overhead, and the flag `perturbed` above kMaxPerturbation. If it computed
// something else, adds the flag `profile_mismatch` and drops its ops. Other launches are unchanged.
void check_profile(record::Launch& profiled, const record::Results& finished);

// Facts of a group from the launches of all ranks: the group's time and work, which readers use for
// the launch of rank 0, and from the traces the rank that delays the others.

// `ranks`: one per rank, by number, all measured. `traces`: of a profiled launch.
void add_group_facts(std::span<record::Launch> ranks, std::vector<traces::RankTrace> traces);

}  // namespace stepbench::campaign
