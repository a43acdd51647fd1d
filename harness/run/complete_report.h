// SPDX-License-Identifier: Apache-2.0
// Completes the report of a worker that omits parts of it, as workers in other languages do: the
// warm-up verdict, and the operator table of a trace that it wrote.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/analyze/ranks.h"
#include "harness/record/reader.h"

namespace stepbench::run {

// Derives the verdict from the launch's samples; keeps an existing one. Pure.
void add_warmup_verdict(record::Launch& launch);

// For a profiled launch whose `effective` names a torch.profiler trace in the folder `traces` of
// `run_dir`: adds the operator table and, as findings, the lost time in the trace, unless the
// worker sent them itself. Steps are the trace's ProfilerStep#N, phases its stepbench::NAME. An
// unreadable trace becomes a note. Removes the file unless profile.trace requested it. Returns the
// data for comparison with other ranks' traces if the trace names its rank.
std::optional<analyze::RankTrace> add_traced_ops(record::Launch& launch,
                                                 const std::filesystem::path& run_dir);

}  // namespace stepbench::run
