// SPDX-License-Identifier: Apache-2.0
// joined-trace: per line of stdin "engine workers prefetch_factor batch_size samples batches"
// prints that many batches of joined epochs as one line, the indices of a batch joined by commas.
// Engines: inline, thread, shm_ring and torch_fd, the transports of fork.
#include <iostream>
#include <sstream>
#include <string>

#include "tests/unit/loading/test_data.h"
#include "workloads/loader/fork/fork_loader.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/thread/thread_loader.h"

namespace {

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

const HostClock kClock;

std::unique_ptr<loader::Loader> make(const std::string& engine, const data::Dataset& data,
                                     loader::LoaderOptions options) {
  loader::EpochOrder order = loader::sequential_order(data.size());
  if (engine == "inline") {
    return std::make_unique<loader::InlineLoader>(data, options, std::move(order), kClock);
  }
  if (engine == "thread")
    return loader::make_thread_loader(data, options, std::move(order), kClock);
  options.transport =
      engine == "torch_fd" ? loader::Transport::kTorchFd : loader::Transport::kShmRing;
  return loader::make_fork_loader(data, options, std::move(order), kClock);
}

void print(const Batch& batch) {
  const char* comma = "";
  for (const std::int64_t index : test::indices(batch)) {
    std::cout << comma << index;
    comma = ",";
  }
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::string engine;
    loader::LoaderOptions options{.joined = true};
    std::int64_t samples = 0;
    std::int64_t batches = 0;
    in >> engine >> options.num_workers >> options.prefetch_factor >> options.batch_size >>
        samples >> batches;
    const test::IndexDataset data(samples);
    const std::unique_ptr<loader::Loader> loader = make(engine, data, options);
    loader->begin_epoch(0);
    for (std::int64_t i = 0; i < batches; ++i) {
      if (i > 0) std::cout << ' ';
      print(loader->next().value());
    }
    std::cout << '\n';
  }
}
