// SPDX-License-Identifier: Apache-2.0
// Private to the search for steps: infers steps from a trace without ProfilerStep rows: which
// thread runs them and which of its rows repeat with them. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/analyze/steps.h"

namespace stepbench::analyze {

// Number of a thread's rows other than steps and Python frames.
[[nodiscard]] std::size_t rows_of_work(const trace::Trace& trace, const trace::TraceLane& lane);

// Returns the host thread that runs steps: the one that fetches data, else that runs an optimizer,
// else that has annotations, else the busiest, autograd's excluded. kNoIndex: no rows.
[[nodiscard]] std::uint32_t step_thread(const trace::Trace& trace);

// Infers steps from repeated rows of that thread: an optimizer's, data fetches, other annotations.
// `loading`: data fetches only. Returns no steps and a reason if nothing repeats three times.
[[nodiscard]] Steps repeated_steps(const Timeline& timeline, std::uint32_t lane, bool loading);

// The trace as one step, from its first host op or device row to the last; marks only the ops.
[[nodiscard]] Steps one_step(const Timeline& timeline, std::uint32_t lane);

}  // namespace stepbench::analyze
