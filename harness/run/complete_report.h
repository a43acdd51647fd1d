// SPDX-License-Identifier: Apache-2.0
// What the controller adds to the report of a worker that leaves it out, as workers in other
// languages do: the verdict on the warm-up, and the table of operations of a trace that it wrote.
#pragma once

#include <filesystem>
#include <optional>

#include "harness/analyze/ranks.h"
#include "harness/record/reader.h"

namespace stepbench::run {

// From the launch's samples; a verdict that is there stays. Pure.
void add_warmup_verdict(record::Launch& launch);

// Of a profiled launch whose `effective` names a trace of torch.profiler in the folder `traces` of
// `run_dir`: the table of operations, and as findings what the trace says of lost time, where the
// worker did not send them itself. Steps are its ProfilerStep#N, phases its stepbench::NAME. A
// trace that cannot be read is a note. The file is removed unless profile.trace asked for it.
// Returns what is compared with the traces of other ranks, where the trace names its own.
std::optional<analyze::RankTrace> add_traced_ops(record::Launch& launch,
                                                 const std::filesystem::path& run_dir);

}  // namespace stepbench::run
