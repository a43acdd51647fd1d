// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/worker_pool.h"

#include <utility>

#include "harness/base/error.h"

namespace stepbench::loader {

void WorkerPool::try_receive_all(std::vector<LoaderResult>& into) {
  if (std::optional<LoaderResult> result = try_receive()) into.push_back(std::move(*result));
}

void WorkerPool::receive_all(std::vector<LoaderResult>& into, std::chrono::nanoseconds limit) {
  if (std::optional<LoaderResult> result = receive(limit)) into.push_back(std::move(*result));
}

std::string current_error_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "threw something that is not a std::exception";
  }
}

std::exception_ptr worker_error(int worker, const std::string& what) {
  return std::make_exception_ptr(Error("loader worker " + std::to_string(worker) + ": " + what));
}

}  // namespace stepbench::loader
