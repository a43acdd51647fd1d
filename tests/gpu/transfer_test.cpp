// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/gpu/device_scene.h"
#include "tests/gpu/products.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/transfer_workload.h"
#include "workloads/torch_loader/pinned.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::gpu {
namespace {

struct Metrics final : ReportSink {
  void metric(std::string_view name, double value) override { values[std::string(name)] = value; }
  void effective(std::string_view, Value) override {}
  void note(std::string) override {}
  void finding(Finding) override {}
  std::map<std::string, double> values;
};

TEST(Gpu, PinnedCopiesReachABareLoopWithinFivePerCent) {
  STEPBENCH_NEED_GPU(api);
  if (rehearsing()) GTEST_SKIP() << "pinned memory needs a device";
  const ResolvedCase resolved =
      test::train_case({{"workload", std::string("transfer")},
                        {"device", tested_device().str()},
                        {"transfer.placement", std::string("inline_non_blocking")},
                        {"copy.source", std::string("pinned")}});
  const HostClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  const auto workload = make_transfer_workload(resolved, context);
  ASSERT_EQ(workload->set_up(), std::nullopt);
  (void)measure(api, *workload, 64);
  Metrics metrics;
  workload->report(metrics);
  workload->tear_down();
  const double efficiency = metrics.values.at("copy_efficiency");
  EXPECT_GT(efficiency, 0.95);
  number("pinned copies over a bare loop of cudaMemcpyAsync", "within 5 %",
         std::to_string(efficiency) + " of " +
             std::to_string(1e-9 * metrics.values.at("plain_copy_bytes_per_s")) + " GB/s",
         passed(efficiency > 0.95));
}

// A batch from pinned memory to the device, and products that take much longer.
class CopyAndCompute final : public Workload {
 public:
  CopyAndCompute(const std::string& placement, at::Device device)
      : memory_(pinned_memory(device)),
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
    return rehearsing() ? pageable : pinned_copy(pageable, *memory_);
  }

  std::unique_ptr<PinnedMemory> memory_;
  Batch batch_;
  Transfer transfer_;
  Products products_{4096, 4, 4};
  BatchTensors tensors_;
};

struct Copies {
  double ns = 0;          // of the large ones, all together
  double overlapped = 0;  // the part of it during which a kernel ran on another stream
  std::int64_t count = 0;
};

Copies copies_of(const OpLog& log) {
  Copies copies;
  for (const DeviceActivity& copy : log.activities) {
    if (copy.copy != CopyKind::kHostToDevice || copy.bytes < CopyAndCompute::kBytes) continue;
    EXPECT_TRUE(copy.pinned);
    ++copies.count;
    copies.ns += static_cast<double>(copy.end_ns - copy.start_ns);
    std::int64_t reached = copy.start_ns;
    for (const DeviceActivity& kernel : log.activities) {  // in order of start
      if (kernel.kind != ActivityKind::kKernel || kernel.stream == copy.stream) continue;
      const std::int64_t begin = std::max(kernel.start_ns, reached);
      const std::int64_t end = std::min(kernel.end_ns, copy.end_ns);
      if (end <= begin) continue;
      copies.overlapped += static_cast<double>(end - begin);
      reached = end;
    }
  }
  return copies;
}

TEST(Gpu, APrefetchStreamCopiesWhileTheDeviceComputesAndInlineDoesNot) {
  STEPBENCH_NEED_GPU(api);
  for (const auto& [placement, overlaps] :
       {std::pair{"inline_non_blocking", false}, std::pair{"prefetch_stream", true}}) {
    const auto collector = make_activity_collector();
    const auto refused = collector->start();
    if (refused && !rehearsing()) GTEST_SKIP() << *refused;
    CopyAndCompute work(placement, tested_device());
    const Columns cycle = measure(api, work, 16, collector.get());
    OpLog log;
    collector->collect(log);
    collector->stop();
    if (rehearsing()) continue;
    const Copies copies = copies_of(log);
    ASSERT_GE(copies.count, 15) << placement;
    const double share = copies.overlapped / copies.ns;
    if (overlaps) {
      EXPECT_GT(share, 0.9) << placement;
      EXPECT_GT(median_of(cycle.at("overlap_device_ns")), 0) << placement;
    } else {
      EXPECT_EQ(share, 0.0) << placement;
    }
    number(std::string("share of copies under kernels of another stream, ") + placement,
           overlaps ? "> 0.9" : "0", std::to_string(share), passed(!HasFailure()));
    const double events = median_of(cycle.at("h2d_device_ns"));
    const double activity = copies.ns / static_cast<double>(copies.count);
    EXPECT_NEAR(events / activity, 1.0, 0.2) << "a phase on a side stream is the copy, not a wait";
    number(std::string("h2d by events over the copy's activity, ") + placement, "0.8 to 1.2",
           std::to_string(events / activity), passed(!HasFailure()));
  }
}

test::Options with_pin_thread(test::Options options, const std::string& engine) {
  options["transfer.placement"] = std::string("pin_thread");
  options["loader.engine"] = engine;
  options["loader.num_workers"] = std::int64_t{2};
  options["loader.pin_memory"] = true;
  return options;
}

struct Trained {
  Fingerprint fingerprint;
  std::map<std::string, double> metrics;
  Columns cycle;
};

Trained train(const CudaApi& api, const test::Options& options,
              ActivityCollector* collector = nullptr) {
  const ResolvedCase resolved = test::train_case(options);
  const HostClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  const auto workload = make_train_step(resolved, context);
  EXPECT_EQ(workload->set_up(), std::nullopt);
  Trained trained{
      .fingerprint = {}, .metrics = {}, .cycle = measure(api, *workload, 24, collector)};
  trained.fingerprint = workload->fingerprint();
  Metrics metrics;
  workload->report(metrics);
  workload->tear_down();
  trained.metrics = std::move(metrics.values);
  return trained;
}

TEST(Gpu, ThePinThreadsCopiesTrainTheSameModelAsInline) {
  STEPBENCH_NEED_GPU(api);
  test::Options options = test::tiny_images("mlp");
  options["device"] = std::string("cuda:0");
  options["loader.shuffle"] = true;
  const Fingerprint inline_copies = train(api, options).fingerprint;
  for (const std::string engine : {"thread", "fork"}) {
    const Trained pin_thread = train(api, with_pin_thread(options, engine));
    EXPECT_EQ(pin_thread.fingerprint.loss, inline_copies.loss) << engine;
    EXPECT_EQ(pin_thread.fingerprint.gradient_norm, inline_copies.gradient_norm) << engine;
    EXPECT_GT(pin_thread.metrics.at("upload_device_ns"), 0.0);
    EXPECT_GT(pin_thread.metrics.at("loader_upload_ns"), 0.0);
  }
}

TEST(Gpu, ThePinThreadCopiesWhileTheDeviceComputesAndTheStepWaitsForLessThanTheCopy) {
  STEPBENCH_NEED_GPU(api);
  const auto collector = make_activity_collector();
  if (const auto why = collector->start()) GTEST_SKIP() << *why;
  test::Options options = test::tiny_images("mlp");  // products that take longer than the loader
  options["device"] = std::string("cuda:0");
  options["data.features"] = std::int64_t{256};
  options["data.samples"] = std::int64_t{65536};
  options["loader.batch_size"] = std::int64_t{4096};
  options["loader.persistent_workers"] = true;
  options["model.hidden"] = std::int64_t{4096};
  options["model.layers"] = std::int64_t{8};
  const Trained trained = train(api, with_pin_thread(options, "thread"), collector.get());
  OpLog log;
  collector->collect(log);
  collector->stop();
  EXPECT_GT(overlapped_share(log), 0.5);
  double waited_ns = 0;
  for (const std::int64_t ns : trained.cycle.at("h2d_device_ns")) {
    waited_ns += static_cast<double>(ns) / 24;
  }
  EXPECT_LT(waited_ns, trained.metrics.at("upload_device_ns"));
}

}  // namespace
}  // namespace stepbench::gpu
