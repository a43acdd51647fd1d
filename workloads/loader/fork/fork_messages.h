// SPDX-License-Identifier: Apache-2.0
// What consumer and forked workers say to each other over one SOCK_SEQPACKET pair per worker:
// messages of fixed size, whole or not at all. Batches and index lists lie in shared memory.
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
  std::int64_t epoch = 0;  // these three as in BatchSamples
  std::int64_t left = 0;
  std::int64_t pass = 0;
  std::int64_t stream = 0;  // a new number means that streams begin anew
  std::int32_t task = 0;    // on the board
  std::int32_t slot = -1;   // of the ring
};

struct ResultMessage {
  std::int64_t batch = 0;
  std::int64_t samples = 0;
  std::int64_t length = 0;  // that samples of different lengths are padded to; else 0
  std::int64_t padding = 0;
  std::int64_t ticket = 0;
  BatchCost cost;
  std::int64_t idle_ns = 0;
  std::int64_t blocked_ns = 0;
  std::int32_t task = 0;
  std::int32_t slot = -1;
  bool failed = false;  // the text behind the message says why
};

struct ReceivedResult {
  ResultMessage message;
  std::string error;
  std::vector<os::Descriptor> segments;
  bool descriptors_lost = false;  // this process may open no more
};

// A pair of connected sockets, both closed on exec. Throws std::system_error.
struct MessageSockets {
  MessageSockets();
  os::Descriptor consumer;
  os::Descriptor worker;
};

// Most descriptors that the kernel lets travel with one message.
inline constexpr std::size_t kDescriptorsPerMessage = 253;

// Never waits: false when the socket is full. A worker that is gone swallows it.
[[nodiscard]] bool try_send(int socket, const TaskMessage& task);
// Waits; nullopt if the consumer is gone.
[[nodiscard]] std::optional<TaskMessage> wait_for_task(int socket);
// Waits while the socket is full; false when the consumer is gone.
bool send_result(int socket, const ResultMessage& result, std::string_view error,
                 std::span<const int> descriptors);
// Never waits.
[[nodiscard]] std::optional<ReceivedResult> try_receive_result(int socket);

}  // namespace stepbench::loader
