// SPDX-License-Identifier: Apache-2.0
// How many threads OpenMP regions of a worker may use.
#pragma once

#include <cstdint>

namespace stepbench::loader {

// Caps the teams of OpenMP and MKL regions that the calling thread opens, where these libraries are
// loaded. Touches no global count: at::set_num_threads() would make every later thread of the
// process single-threaded.
void cap_threads_of_this_thread(std::int64_t threads);

}  // namespace stepbench::loader
