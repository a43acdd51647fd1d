// SPDX-License-Identifier: Apache-2.0
// Messages between consumer and forked workers, over one SOCK_SEQPACKET pair per worker: fixed
// size, delivered whole or not at all. Batches and index lists are in shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/os/descriptor.h"
#include "workloads/loader/batch_reader.h"

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

}  // namespace stepbench::loader
