// SPDX-License-Identifier: Apache-2.0
// loader.affinity: which core each worker runs on. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace stepbench::loader {

[[nodiscard]] std::vector<int> cores_of_this_process();

// Which core each worker runs on; empty for "none". `compact`: neighbours, one after the other.
// `spread`: as far apart as `cores` allows. Otherwise a list as taskset reads it, "0,2-5": worker i
// gets the i-th, beginning again at its end. Throws ConfigError(loader.affinity) for a core that is
// not among `cores` and for text that is none of these.
[[nodiscard]] std::vector<int> worker_cores(const std::string& affinity, int workers,
                                            const std::vector<int>& cores);

// The calling thread, and those that it starts.
void run_on_core(int core);

// Where a thread may run, by its number (that of a process: its first thread); 0: the calling one.
// Empty when it has ended.
[[nodiscard]] std::vector<int> cores_of_thread(pid_t thread);
// "0-3" when all workers share these, else "worker 0: 0; worker 1: 2". Empty entries: not known.
[[nodiscard]] std::string cores_text(const std::vector<std::vector<int>>& workers);

}  // namespace stepbench::loader
