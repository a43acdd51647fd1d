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

// Returns the host thread on which steps run: the one that fetches data, else that runs an
// optimizer, else that has annotations, else the busiest one that is not autograd's. kNoIndex: no
// thread has rows.
[[nodiscard]] std::uint32_t step_thread(const trace::Trace& trace);

// Infers steps from repeated rows of that thread: an optimizer's, data fetches, other annotations.
// `loading`: data fetches only. Returns no steps and a reason if nothing repeats three times.
[[nodiscard]] Steps repeated_steps(const Timeline& timeline, std::uint32_t lane, bool loading);

// Treats the whole trace as one step, from the first host op or device row to the last. Its mark
// covers only the ops.
[[nodiscard]] Steps one_step(const Timeline& timeline, std::uint32_t lane);

}  // namespace stepbench::analyze
