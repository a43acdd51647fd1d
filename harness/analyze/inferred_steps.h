// SPDX-License-Identifier: Apache-2.0
// Private to the search for steps: what a trace without ProfilerStep tells of them. Which thread
// runs the steps, and which of its rows repeat with them. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/analyze/steps.h"

namespace stepbench::analyze {

// Rows of a thread other than steps and frames of Python.
[[nodiscard]] std::size_t rows_of_work(const trace::Trace& trace, const trace::TraceLane& lane);

// The host thread on which steps run: that which fetches data, else which runs an optimizer, else
// which has annotations, else the busiest that is not autograd's. kNoIndex: no thread has rows.
[[nodiscard]] std::uint32_t step_thread(const trace::Trace& trace);

// Steps from rows of that thread which repeat: an optimizer's, fetches of data, other annotations.
// `loading`: fetches of data alone. No steps, and the reason, where nothing repeats three times.
[[nodiscard]] Steps repeated_steps(const Timeline& timeline, std::uint32_t lane, bool loading);

// All of the trace as one step: from the first op of the host or row of a device to the last. Its
// mark is the ops' alone.
[[nodiscard]] Steps one_step(const Timeline& timeline, std::uint32_t lane);

}  // namespace stepbench::analyze
