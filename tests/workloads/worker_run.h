// SPDX-License-Identifier: Apache-2.0
// stepbench-worker as a process: one case from a file, its messages from standard output.
#pragma once

#include <stdexcept>
#include <variant>
#include <vector>

#include "harness/protocol/messages.h"
#include "tests/workloads/test_case.h"

namespace stepbench::test {

// A tiny_images() case of resnet18 with `options` on top: one step to warm up, four measured.
[[nodiscard]] std::vector<protocol::WorkerMessage> run_worker(const Options& options,
                                                              Pass pass = Pass::kTiming);

template <typename T>
const T& only(const std::vector<protocol::WorkerMessage>& messages) {
  const T* found = nullptr;
  for (const protocol::WorkerMessage& message : messages) {
    if (const T* typed = std::get_if<T>(&message)) found = typed;
  }
  if (found != nullptr) return *found;
  for (const protocol::WorkerMessage& message : messages) {
    if (const auto* failed = std::get_if<protocol::FailedMessage>(&message)) {
      throw std::runtime_error("the worker failed: " + failed->message);
    }
  }
  throw std::runtime_error("the worker did not send the expected message");
}

}  // namespace stepbench::test
