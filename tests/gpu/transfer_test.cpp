// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/transfer.h"
#include "tests/gpu/copies.h"
#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/loader/batches.h"
#include "workloads/step/steps.h"
#include "workloads/transfer/internal/resident_batches.h"
#include "workloads/transfer/torch_loader.h"

namespace stepbench::gpu {
namespace {

TEST(Gpu, PinnedCopies_ReachABareLoop) {
  STEPBENCH_NEED_GPU(api);
  if (rehearsing()) GTEST_SKIP() << "pinned memory needs a device";
  const ResolvedCase resolved =
      test::train_case({{"workload", std::string("transfer")},
                        {"device", tested_device().str()},
                        {"transfer.placement", std::string("inline_non_blocking")},
                        {"copy.source", std::string("pinned")}});
  const HostClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  const auto workload = step::make_transfer_workload(resolved, context);
  ASSERT_EQ(workload->set_up(), std::nullopt);
  (void)measure(api, *workload, 64);
  (void)workload->fingerprint();  // measures plain copies once more
  cuda::NoteSink metrics;
  workload->report(metrics);
  workload->tear_down();
  const double efficiency = metrics.metrics.at("copy_efficiency");
  EXPECT_GT(efficiency, 0.95);
  number("pinned copies over a bare loop of cudaMemcpyAsync", "within 5 %",
         std::to_string(efficiency) + " of " +
             std::to_string(1e-9 * metrics.metrics.at("plain_copy_bytes_per_s")) + " GB/s",
         passed(efficiency > 0.95));
}

// A batch from pinned memory to the device, and products that take much longer.
class CopyAndCompute final : public Workload {
 public:
  CopyAndCompute(const std::string& placement, at::Device device)
      : memory_(transfer::pinned_memory(device)),
        batch_(pinned_batch()),
        transfer_(test::train_case({{"device", device.str()},
                                    {"transfer.placement", placement},
                                    {"transfer.non_blocking", true}}),
                  device) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override {
    tensors_ = transfer_.next([this] { return batch_; }, step);
    products_.step(step);
  }
  void synchronize() override { products_.synchronize(); }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }

  static constexpr std::int64_t kBytes = std::int64_t{64} << 20;

 private:
  Batch pinned_batch() {
    const auto owner = std::make_shared<std::vector<std::byte>>(kBytes);
    const Batch pageable{
        .fields = {{owner->data(), {.name = "bytes", .shape = {kBytes}, .dtype = DType::kUInt8}},
                   {owner->data(), {.name = "target", .shape = {}, .dtype = DType::kInt64}}},
        .size = 1,
        .owner = owner};
    return rehearsing() ? pageable : loader::pinned_copy(pageable, *memory_);
  }

  std::unique_ptr<loader::PinnedMemory> memory_;
  Batch batch_;
  transfer::Transfer transfer_;
  Products products_{4096, 4, 4};
  transfer::BatchTensors tensors_;
};

TEST(Gpu, PrefetchStream_OverlapsCompute) {
  STEPBENCH_NEED_GPU(api);
  for (const auto& [placement, overlaps] :
       {std::pair{"inline_non_blocking", false}, std::pair{"prefetch_stream", true}}) {
    const auto collector = cuda::make_activity_collector(0);
    const auto refused = collector->start();
    if (refused && !rehearsing()) GTEST_SKIP() << *refused;
    CopyAndCompute work(placement, tested_device());
    const Series cycle = measure(api, work, 16, collector.get());
    ops::OpLog log;
    collector->collect(log);
    collector->stop();
    if (rehearsing()) continue;
    const Copies copies = copies_of(log, CopyAndCompute::kBytes);
    ASSERT_GE(copies.count, 15) << placement;
    const double share = copies.overlapped / copies.ns;
    if (overlaps) {
      EXPECT_GT(share, 0.9) << placement;
      EXPECT_GT(median_of(cycle.column("overlap_device_ns")), 0) << placement;
    } else {
      EXPECT_EQ(share, 0.0) << placement;
    }
    number(std::string("share of copies under kernels of another stream, ") + placement,
           overlaps ? "> 0.9" : "0", std::to_string(share), passed(!HasFailure()));
    const double events =
        median_of(cycle.column(overlaps ? "h2d_side_device_ns" : "h2d_device_ns"));
    const double activity = copies.ns / static_cast<double>(copies.count);
    EXPECT_NEAR(events / activity, 1.0, 0.2) << "a phase on a side stream is the copy, not a wait";
    number(std::string("h2d by events over the copy's activity, ") + placement, "0.8 to 1.2",
           std::to_string(events / activity), passed(!HasFailure()));
  }
}

// Measures the host time to take a batch while the device has products that take much longer.
TEST(Gpu, BatchOnTheDevice_TakesNoWait) {
  STEPBENCH_NEED_GPU(api);
  constexpr std::int64_t kSamples = 256;
  const auto owner = std::make_shared<std::vector<std::byte>>(kSamples * sizeof(float));
  const Batch all{.fields = {{owner->data(), {.name = "x", .shape = {}}},
                             {owner->data(), {.name = "y", .shape = {}}}},
                  .size = kSamples,
                  .owner = owner};
  transfer::ResidentBatches batches(all, tested_device(), {.batch_size = 64, .joined = true},
                                    loader::sequential_order(kSamples));
  Products products(4096, 4, 4);
  const HostClock clock;
  StepRecorder step(clock);
  std::int64_t taking_ns = 0;
  std::int64_t began_ns = 0;
  constexpr std::int64_t kWarmup = 4;
  constexpr std::int64_t kSteps = 12;
  for (std::int64_t i = 0; i < kWarmup + kSteps; ++i) {
    if (i == kWarmup) {
      products.synchronize();
      began_ns = clock.now_ns();
      taking_ns = 0;
    }
    step.start_step(i);
    const std::int64_t asked_ns = clock.now_ns();
    (void)batches.next(step);
    taking_ns += clock.now_ns() - asked_ns;
    products.step(step);
    (void)step.finish_step();
  }
  products.synchronize();
  const double share =
      static_cast<double>(taking_ns) / static_cast<double>(clock.now_ns() - began_ns);
  if (rehearsing()) return;
  EXPECT_LT(share, 0.2);
  number("host time to take a batch of data on the device, of the step", "< 0.2",
         std::to_string(share), passed(share < 0.2));
}

}  // namespace
}  // namespace stepbench::gpu
