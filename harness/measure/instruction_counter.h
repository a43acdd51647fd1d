// SPDX-License-Identifier: Apache-2.0
// How many instructions this process executes in user mode, by the processor's own counters
// (perf_event_open(2)). One event for each thread that exists when the counter is made; threads
// that these start later are counted with them, other processes are not. One thread at a time.
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stepbench::measure {

// What is asked of the kernel; tests answer themselves. Results below 0 are negated errno.
struct PerfCalls {
  // Counts instructions of `thread` and of what it starts: its threads alone, or (kernels before
  // 5.13) processes too.
  std::function<int(pid_t thread, bool threads_alone)> open;
  std::function<ssize_t(int descriptor, void* into, std::size_t bytes)> read;
  std::function<void(int descriptor)> close;
  std::function<std::vector<pid_t>()> threads;  // of this process
};
[[nodiscard]] PerfCalls host_perf_calls();

class InstructionCounter {
 public:
  // Throws Error that says why there are no counters here.
  explicit InstructionCounter(PerfCalls calls = host_perf_calls());
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter();

  // Since it was made: one read(2) for each thread of then, well below a microsecond each.
  struct Reading {
    std::int64_t instructions = 0;
    bool shared = false;  // others had the counter for a part of the time: less than all was seen
  };
  [[nodiscard]] Reading read() const;

 private:
  void open_all();

  PerfCalls calls_;
  std::vector<int> events_;
};

// Why instructions cannot be counted by this process; empty: they can.
[[nodiscard]] std::string why_no_counters(PerfCalls calls = host_perf_calls());

}  // namespace stepbench::measure
