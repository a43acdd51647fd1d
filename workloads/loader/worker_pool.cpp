// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/worker_pool.h"

#include <utility>

namespace stepbench::loader {

void WorkerPool::try_receive_all(std::vector<LoaderResult>& into) {
  if (std::optional<LoaderResult> result = try_receive()) into.push_back(std::move(*result));
}

void WorkerPool::receive_all(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit) {
  if (std::optional<LoaderResult> result = receive(limit)) into.push_back(std::move(*result));
}

}  // namespace stepbench::loader
