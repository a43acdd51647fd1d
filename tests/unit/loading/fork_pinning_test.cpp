// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <csignal>

#include "tests/unit/loading/leftovers.h"
#include "tests/unit/loading/scripted_pinned_memory.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/fork/fork_loader.h"
#include "workloads/loader/order.h"

namespace stepbench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kPinningClock;

class ForkPinning : public test::LeavesNothing {};

TEST_F(ForkPinning, TheThreadEmptiesTheSlotsOfTheRingAndSegments) {
  const test::IndexDataset data(30);
  for (const loader::Transport transport :
       {loader::Transport::kShmRing, loader::Transport::kTorchFd}) {
    for (const bool persistent : {false, true}) {
      test::ScriptedPinnedMemory memory;
      const loader::LoaderOptions options{.batch_size = 10,
                                          .num_workers = 2,
                                          .pin_memory = true,
                                          .pinned = &memory,
                                          .persistent_workers = persistent,
                                          .transport = transport};
      const auto loader =
          loader::make_fork_loader(data, options, loader::sequential_order(30), kPinningClock);
      for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
        EXPECT_EQ(test::pinned_epoch(*loader, epoch, memory).size(), 3U);
      }
      loader->begin_epoch(2);  // and stops in its midst
    }
  }
}

TEST_F(ForkPinning, ADeadWorkerIsReportedThroughTheThread) {
  const test::IndexDataset data(3, [](const data::SampleKey& key) {
    if (key.index == 1) (void)std::raise(SIGKILL);
  });
  test::ScriptedPinnedMemory memory;
  const auto loader =
      loader::make_fork_loader(data, {.num_workers = 1, .pin_memory = true, .pinned = &memory},
                               loader::sequential_order(3), kPinningClock);
  loader->begin_epoch(0);
  const auto all = [&] {
    while (loader->next()) {
    }
  };
  EXPECT_THAT(all, ThrowsMessage<Error>(HasSubstr("was killed by SIGKILL")));
  EXPECT_THAT(all, ThrowsMessage<Error>(HasSubstr("was killed by SIGKILL")));
}

}  // namespace
}  // namespace stepbench
