// SPDX-License-Identifier: Apache-2.0
// loader.affinity: which core each worker runs on. Any thread.
#pragma once

#include <sys/types.h>

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

}  // namespace stepbench::loader
