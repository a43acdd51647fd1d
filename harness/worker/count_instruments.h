// SPDX-License-Identifier: Apache-2.0
// Instruments that count the instructions of the measured steps, as rows of the table for
// worker_main. They belong at its end: starting last and ending first, they count the least of
// other instruments.
#pragma once

#include "harness/measure/instruction_counter.h"
#include "harness/measure/instrument.h"

namespace stepbench::worker {

// For timing launches of cases with profile.counts: perf. Reads hardware counters only at the
// borders of windows.
[[nodiscard]] InstrumentType perf_counts_type();

// For launches under `valgrind --tool=callgrind --instr-atstart=no` with profile.counts: valgrind.
// Instruments only the measured steps. The count is in callgrind's own file.
[[nodiscard]] InstrumentType valgrind_counts_type();

// The instrument of perf_counts_type() with replaceable kernel calls.
[[nodiscard]] std::unique_ptr<Instrument> make_perf_counts(measure::PerfCalls calls);

}  // namespace stepbench::worker
