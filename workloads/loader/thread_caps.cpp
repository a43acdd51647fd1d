// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/thread_caps.h"

#include <dlfcn.h>

#include <array>

namespace stepbench::loader {
namespace {

// Looked up by name: the libraries come with libtorch or are absent.
constexpr std::array kSetThreads = {"omp_set_num_threads", "MKL_Set_Num_Threads_Local"};

}  // namespace

void cap_threads_of_this_thread(std::int64_t threads) {
  for (const char* name : kSetThreads) {
    if (void* function = dlsym(RTLD_DEFAULT, name)) {
      reinterpret_cast<void (*)(int)>(function)(static_cast<int>(threads));
    }
  }
}

}  // namespace stepbench::loader
