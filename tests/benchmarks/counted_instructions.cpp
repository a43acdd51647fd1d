// SPDX-License-Identifier: Apache-2.0
// The calls for C++ and, as a library with C names, for Python.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#endif

#include "tests/benchmarks/counted_instructions.h"

extern "C" {
void stepbench_start_counting() { CALLGRIND_START_INSTRUMENTATION; }
void stepbench_stop_counting() { CALLGRIND_STOP_INSTRUMENTATION; }
void stepbench_toggle_counting() { CALLGRIND_TOGGLE_COLLECT; }
}
