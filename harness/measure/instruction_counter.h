// SPDX-License-Identifier: Apache-2.0
// Counts user-mode instructions of this process with hardware counters (perf_event_open(2)). Opens
// one event per thread that exists at construction; threads that these start later are included,
// other processes are not. One thread at a time.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stepbench::measure {

// Kernel calls; tests replace them. Results below 0 are negated errno.
struct PerfCalls {
  // Counts instructions of `thread` and of its descendants: threads only, or (kernels before 5.13)
  // processes too.
  std::function<int(pid_t thread, bool thread_only)> open;
  std::function<ssize_t(int descriptor, void* into, std::size_t bytes)> read;
  std::function<void(int descriptor)> close;
  std::function<std::vector<pid_t>()> threads;  // this process
};
[[nodiscard]] PerfCalls host_perf_calls();

class InstructionCounter {
 public:
  // Throws Error with the reason if counters are unavailable.
  explicit InstructionCounter(PerfCalls calls = host_perf_calls());
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter();

  // Since construction: one read(2) per thread counted, well below a microsecond each.
  struct Reading {
    std::int64_t instructions = 0;
    bool shared = false;  // the counter was multiplexed: the count is incomplete
  };
  [[nodiscard]] Reading read() const;

 private:
  void open_all();

  PerfCalls calls_;
  std::vector<int> events_;
};

// Why this process cannot count instructions; empty if it can.
[[nodiscard]] std::string no_counters_reason(PerfCalls calls = host_perf_calls());

}  // namespace stepbench::measure
