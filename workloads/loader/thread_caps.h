// SPDX-License-Identifier: Apache-2.0
// Limits the OpenMP threads of a worker.
#pragma once

#include <cstdint>

namespace stepbench::loader {

// Caps the teams of OpenMP and MKL regions that the calling thread opens, if these libraries are
// loaded. Changes no global count: at::set_num_threads() would make every later thread of the
// process single-threaded.
void cap_threads_of_this_thread(std::int64_t threads);

}  // namespace stepbench::loader
