// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <tuple>

#include "tests/testing.h"
#include "tests/unit/loading/leftovers.h"
#include "tests/unit/loading/scripted_upload.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/fork/fork_loader.h"

namespace stepbench {
namespace {

const HostClock kForkUploadClock;

class ForkUpload : public test::LeavesNothing,
                   public testing::WithParamInterface<std::tuple<loader::Transport, bool>> {
 protected:
  loader::LoaderOptions options() {
    return {.batch_size = 10,
            .num_workers = 2,
            .pin_memory = true,
            .pinned = &memory,
            .upload = &upload,
            .persistent_workers = std::get<bool>(GetParam()),
            .transport = std::get<loader::Transport>(GetParam())};
  }
  test::ScriptedPinnedMemory memory;
  test::ScriptedUpload upload{memory};
};

INSTANTIATE_TEST_SUITE_P(Transports, ForkUpload,
                         testing::Combine(testing::Values(loader::Transport::kShmRing,
                                                          loader::Transport::kTorchFd),
                                          testing::Bool()));

TEST_P(ForkUpload, Batches_ReachTheDeviceInOrder) {
  const test::IndexDataset data(60);
  {
    const auto loader =
        loader::make_fork_loader(data, options(), loader::shuffled_order(60, 5), kForkUploadClock);
    const loader::EpochOrder order = loader::shuffled_order(60, 5);
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::vector<std::int64_t> samples;
      for (const auto& batch : test::uploaded_epoch(*loader, epoch)) {
        samples.insert(samples.end(), batch.begin(), batch.end());
      }
      EXPECT_EQ(samples, order(epoch));
    }
    EXPECT_EQ(upload.entered, 2);
    EXPECT_EQ(upload.there(), 0);
    loader->begin_epoch(2);
    (void)loader->next();  // and stops in the middle
  }
  EXPECT_EQ(upload.there(), 0);
  EXPECT_EQ(memory.out(), 0U);
}

TEST_P(ForkUpload, DeadWorker_IsReported) {
  const test::IndexDataset data(3, [](const data::SampleKey& key) {
    if (key.index == 1) (void)std::raise(SIGKILL);
  });
  loader::LoaderOptions one_by_one = options();
  one_by_one.batch_size = one_by_one.num_workers = 1;
  const auto loader =
      loader::make_fork_loader(data, one_by_one, loader::sequential_order(3), kForkUploadClock);
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
