// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <semaphore.h>

#include <cerrno>

#include "tests/testing.h"
#include "workloads/loader/internal/fork/shared_memory.h"

namespace stepbench::test {

// An array of T shared by forked processes.
template <typename T>
class Shared {
 public:
  explicit Shared(std::size_t count)
      : memory_(count * sizeof(T)), first_(reinterpret_cast<T*>(memory_.data())) {
    std::uninitialized_value_construct_n(first_, count);
  }
  [[nodiscard]] T& operator[](std::int64_t i) const { return first_[i]; }

 private:
  loader::SharedMemory memory_;
  T* first_;
};

class SharedSemaphores {
 public:
  explicit SharedSemaphores(std::size_t count) : all_(count) {
    for (std::size_t i = 0; i < count; ++i) sem_init(&at(static_cast<std::int64_t>(i)), 1, 0);
  }
  void post(std::int64_t i) const { sem_post(&at(i)); }
  void wait(std::int64_t i) const {
    while (sem_wait(&at(i)) != 0 && errno == EINTR) {
    }
  }

 private:
  [[nodiscard]] sem_t& at(std::int64_t i) const { return all_[i]; }
  Shared<sem_t> all_;
};

// Lets samples pass one by one, in any process.
class SharedGate {
 public:
  explicit SharedGate(std::int64_t samples)
      : begun_(static_cast<std::size_t>(samples)), open_(static_cast<std::size_t>(samples)) {}
  void open(std::int64_t sample) const { open_.post(sample); }
  void wait_until_begun(std::int64_t sample) const { begun_.wait(sample); }
  void pass(std::int64_t sample) const {  // the reader's side
    begun_.post(sample);
    open_.wait(sample);
  }

 private:
  SharedSemaphores begun_, open_;
};

}  // namespace stepbench::test
