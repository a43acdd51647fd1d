// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/worker_error.h"

#include "harness/base/error.h"

namespace stepbench::loader {

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
