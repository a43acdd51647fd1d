// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/thread_log.h"

#include <pthread.h>
#include <unistd.h>

#include <array>

namespace stepbench::profile {
namespace {

std::string name_of_this_thread() {
  std::array<char, 32> name{};
  return ::pthread_getname_np(::pthread_self(), name.data(), name.size()) == 0 ? name.data() : "";
}

}  // namespace

ThreadLog::ThreadLog(std::uint32_t index_, std::uint32_t torch_thread_, OpListener* listener_)
    : index(index_),
      torch_thread(torch_thread_),
      kernel_thread(::gettid()),
      thread_name(name_of_this_thread()),
      listener(listener_) {}

}  // namespace stepbench::profile
