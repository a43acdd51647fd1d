// SPDX-License-Identifier: Apache-2.0
// The core on which each worker runs (loader.affinity), and the number of threads of its OpenMP
// regions. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace stepbench::loader {

[[nodiscard]] std::vector<int> cores_of_this_process();

// Returns the core of each worker; empty for "none". `compact`: neighbouring cores in order.
// `spread`: as far apart as `cores` allows. Otherwise a list in taskset's format, "0,2-5": worker i
// gets the i-th entry, wrapping around. Throws ConfigError(loader.affinity) for a core that is not
// in `cores` and for malformed text.
[[nodiscard]] std::vector<int> worker_cores(const std::string& affinity, int workers,
                                            const std::vector<int>& cores);

// Pins the calling thread and the threads it starts.
void run_on_core(int core);

// Returns the cores that a thread may run on, by thread id (a process id means its main thread); 0:
// the calling thread. Empty if the thread has ended.
[[nodiscard]] std::vector<int> cores_of_thread(pid_t thread);
// "0-3" if all workers share the same cores, else "worker 0: 0; worker 1: 2". Empty entries:
// unknown.
[[nodiscard]] std::string cores_text(const std::vector<std::vector<int>>& workers);

// Caps the teams of OpenMP and MKL regions that the calling thread opens, if these libraries are
// loaded. Changes no global count: at::set_num_threads() would make every later thread of the
// process single-threaded.
void cap_threads_of_this_thread(std::int64_t threads);

}  // namespace stepbench::loader
