// SPDX-License-Identifier: Apache-2.0
// Emulated work of known duration: waiting, computing, and random durations. Any thread.
#pragma once

#include "workloads/data/philox.h"

namespace stepbench::data {

// Sleeps. The kernel wakes it some 60 us late.
void sleep_us(double us);
// Waits accurately to some microseconds, by busy-waiting at the end.
void sleep_exactly_us(double us);
// Consumes this much CPU time on this thread, so that more threads than cores slow each other down
// as real work does.
void spin_us(double us);

[[nodiscard]] double standard_normal(Philox& random);
// Gamma distribution with mean 1 and shape k; its coefficient of variation is 1 / sqrt(k).
[[nodiscard]] double unit_gamma(Philox& random, double k);

}  // namespace stepbench::data
