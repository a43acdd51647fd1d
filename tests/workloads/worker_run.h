// SPDX-License-Identifier: Apache-2.0
// Runs stepbench's worker on one case and reads its messages from standard output. All workers of a
// program are forked from one Python that has loaded torch and, as its module, the worker:
// warm_python.py.
#pragma once

#include <variant>

#include "harness/ops/op_table.h"
#include "harness/protocol/messages.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"

namespace stepbench::test {

// A tiny_images() case of resnet18 changed by `options`: one warm-up step, four measured ones.
[[nodiscard]] std::vector<protocol::WorkerMessage> run_worker(const Options& options,
                                                              Pass pass = Pass::kTiming);

// The output of `WORKER data`. `request`: a line.
[[nodiscard]] std::string data_shown(const ResolvedCase& resolved, const std::string& request);

// The file of this name in the folder filled by `python SCRIPT FOLDER`, a script next to this file
// that runs once per program. Throws with the script's output if it fails.
[[nodiscard]] std::string made_by(const std::string& script, const std::string& name);

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

[[nodiscard]] inline record::LaunchReport report_of(const Options& options) {
  return only<record::LaunchReport>(run_worker(options));
}

[[nodiscard]] inline protocol::FailedMessage failure_of(const Options& options) {
  return only<protocol::FailedMessage>(run_worker(options));
}

// The operations of a profiled launch.
[[nodiscard]] ops::OpTable profiled_ops(const std::vector<protocol::WorkerMessage>& messages);

}  // namespace stepbench::test
