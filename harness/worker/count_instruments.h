// SPDX-License-Identifier: Apache-2.0
// Instruments that count the instructions of the measured steps, as rows of the table for
// worker_main. They belong at its end: what begins last and ends first counts least of the others.
#pragma once

#include "harness/measure/instruction_counter.h"
#include "harness/measure/instrument.h"

namespace stepbench::worker {

// For timing launches of cases with profile.counts: perf. Reads the processor's counters at the
// borders of windows alone.
[[nodiscard]] InstrumentType perf_counts_type();

// For launches under `valgrind --tool=callgrind --instr-atstart=no` with profile.counts: valgrind:
// callgrind instruments nothing but the measured steps. The number is in callgrind's own file.
[[nodiscard]] InstrumentType valgrind_counts_type();

// What perf_counts_type() makes, with other answers of the kernel.
[[nodiscard]] std::unique_ptr<Instrument> make_perf_counts(measure::PerfCalls calls);

}  // namespace stepbench::worker
