// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/torch_cpp_engine.h"

#include <string>

namespace stepbench::loader {
namespace {

// Options that torch::data::DataLoader does not have: its threads always persist and have no thread
// cap.
void check_torch_cpp(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const char* option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  const std::int64_t threads = resolved.integer_or("loader.threads_per_worker", 1);
  if (threads != 1) {
    refuse("loader.threads_per_worker",
           "engine torch_cpp does not cap the threads of its workers, but threads_per_worker is " +
               std::to_string(threads) + "; leave it out or set engine: thread");
    return;
  }
  if (resolved.has("loader.affinity") && resolved.text("loader.affinity") != "none") {
    refuse("loader.affinity",
           "engine torch_cpp does not say where its workers run; leave affinity out or set engine: "
           "thread or fork");
    return;
  }
  resolved.options["loader.persistent_workers"] = Value{};
  resolved.options["loader.threads_per_worker"] = Value{};
  resolved.options["loader.affinity"] = Value{};
}

}  // namespace

Engine torch_cpp_engine() {
  return {.variant = {.name = "torch_cpp",
                      .doc = "torch::data::DataLoader of libtorch as it is: threads that share one "
                             "queue of prefetch_factor * num_workers jobs and live as long as the "
                             "loader."},
          .pins = false,
          .persists_workers = true,
          .lost_samples_remedy =
              "torch::data::DataLoader reads one batch less ahead after each error; engine thread "
              "goes on.",
          .check = check_torch_cpp};
}

}  // namespace stepbench::loader
