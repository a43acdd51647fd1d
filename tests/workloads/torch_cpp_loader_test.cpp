// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/torch_loader.h"

#include "tests/testing.h"
#include "tests/unit/loading/loader_contract.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/batches.h"

namespace stepbench {
namespace {

const HostClock kTorchTestClock;

TEST(TorchCppLoader, EarlyEpochEnd_CountsLostSamples) {
  const test::IndexDataset data(20, [](const data::SampleKey& key) {
    if (key.index < 4) throw Error("bad");
  });
  const auto loader = transfer::make_torch_cpp_loader(
      data, {.batch_size = 1, .num_workers = 2, .prefetch_factor = 2}, loader::sequential_order(20),
      kTorchTestClock);
  loader->begin_epoch(0);
  for (int i = 0; i < 4; ++i) EXPECT_THROW((void)loader->next(), Error);
  EXPECT_FALSE(loader->next().has_value()) << "four errors used up the four jobs in flight";
  EXPECT_EQ(loader->metrics().lost_samples, 16);
}

TEST(TorchCppLoader, Dispatch_IsTimedAndWaitIsNot) {
  const test::IndexDataset data(50);
  const TickClock clock;
  const auto loader = transfer::make_torch_cpp_loader(data, {.batch_size = 2, .num_workers = 2},
                                                      loader::sequential_order(50), clock);
  loader->begin_epoch(0);
  (void)loader->next();  // and restarts in mid-epoch
  loader->reset_metrics();
  (void)test::epoch(*loader, 1);
  EXPECT_GE(loader->metrics().dispatch_ns, 21) << "21 of the 25 calls sent another job";
  EXPECT_FALSE(loader->metrics().records_blocked);
  EXPECT_EQ(loader->metrics().lost_samples, 0);
}

}  // namespace

namespace test {

INSTANTIATE_TEST_SUITE_P(TorchCppLoader, LoaderContract,
                         testing::Values(Engine{.name = "torch_cpp",
                                                .make = transfer::make_torch_cpp_loader,
                                                .survives_errors = false}),
                         name_of_engine);

}  // namespace test
}  // namespace stepbench
