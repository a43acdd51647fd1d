// SPDX-License-Identifier: Apache-2.0
// A forked worker of the engine `fork`, and the messages between it and its consumer, over one
// SOCK_SEQPACKET pair per worker: fixed size, delivered whole or not at all. Batches and index
// lists are in shared memory.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/clock.h"
#include "harness/os/descriptor.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/fork/shared_memory.h"

namespace stepbench::loader {

struct TaskMessage {
  std::int64_t batch = 0;
  std::int64_t samples = 0;
  std::int64_t epoch = 0;  // epoch, left and pass: see BatchSamples
  std::int64_t left = 0;
  std::int64_t pass = 0;
  std::int64_t stream = 0;  // a new number restarts the streams
  std::int32_t task = 0;    // index on the board
  std::int32_t slot = -1;   // index in the ring
};

struct ResultMessage {
  std::int64_t batch = 0;
  std::int64_t samples = 0;
  std::int64_t length = 0;  // padded length of the samples; 0: they have one length
  std::int64_t padding = 0;
  std::int64_t ticket = 0;
  BatchCost cost;
  std::int64_t idle_ns = 0;
  std::int64_t blocked_ns = 0;
  std::int32_t task = 0;
  std::int32_t slot = -1;
  bool failed = false;  // the reason follows the message as text
};

struct ReceivedResult {
  ResultMessage message;
  std::string error;
  std::vector<os::Descriptor> segments;
  bool descriptors_lost = false;  // this process has reached its limit
};

// A pair of connected sockets, both closed on exec. Throws std::system_error.
struct MessageSockets {
  MessageSockets();
  os::Descriptor consumer;
  os::Descriptor worker;
};

// The kernel's limit of descriptors per message.
inline constexpr std::size_t kDescriptorsPerMessage = 253;

// Never waits: false if the socket is full. A task for a dead worker is dropped silently.
[[nodiscard]] bool try_send(int socket, const TaskMessage& task);
// Waits; nullopt if the consumer is gone.
[[nodiscard]] std::optional<TaskMessage> wait_for_task(int socket);
// Waits while the socket is full; false if the consumer is gone.
bool send_result(int socket, const ResultMessage& result, std::string_view error,
                 std::span<const int> descriptors);
// Never waits.
[[nodiscard]] std::optional<ReceivedResult> try_receive_result(int socket);

// One worker process: how it is forked, watched by a pidfd and reaped, and its body.

struct ForkWorker {
  int number = 0;
  int socket = -1;
  const data::Dataset& dataset;
  const BatchLayout& layout;
  const TaskBoard& board;
  const BatchRing* ring = nullptr;  // null: a fresh segment per field
  std::string segment_name;         // of this worker; used for one segment at a time
  ReaderOptions reader = {};
  std::int64_t threads = 1;
  int core = -1;  // -1: any
  const Clock& clock;
};

// Runs a forked worker: turns tasks into results until the consumer is gone.
void work(const ForkWorker& worker);

// A forked child that cannot outlive its parent. It starts with default signals. Its parent's
// sockets of AF_UNIX, pidfds and similar descriptors are closed except `keep`; files stay open,
// because a data set may read through them.
class ChildProcess {
 public:
  // Runs `body` in the child, which then exits with status 0. Call from the main thread: the child
  // is killed when the forking thread ends. Throws std::system_error.
  [[nodiscard]] static ChildProcess start(int keep, const std::function<void()>& body);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills it if it still runs, and reaps it

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }  // readable once it ended
  // Describes the end of the child: "was killed by SIGSEGV", "exited with status 3". It must have
  // ended.
  [[nodiscard]] std::string ending() const;
  [[nodiscard]] bool ended_within(std::chrono::nanoseconds limit) const;

 private:
  ChildProcess(pid_t pid, os::Descriptor descriptor);
  pid_t pid_;
  os::Descriptor descriptor_;
};

}  // namespace stepbench::loader
