// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/gpu/device_scene.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/train_step.h"
#include "workloads/step/transfer_workload.h"

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
  const ResolvedCase resolved =
      test::train_case({{"workload", std::string("transfer")},
                        {"device", std::string("cuda:0")},
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
  EXPECT_GT(metrics.values.at("copy_efficiency"), 0.95);
}

// The part of all copies to the device during which a kernel ran on another stream.
double overlapped_share(const OpLog& log) {
  double copied = 0;
  double both = 0;
  for (const DeviceActivity& copy : log.activities) {
    if (copy.kind != ActivityKind::kMemcpy || copy.copy != CopyKind::kHostToDevice) continue;
    copied += static_cast<double>(copy.end_ns - copy.start_ns);
    std::int64_t reached = copy.start_ns;
    for (const DeviceActivity& kernel : log.activities) {  // in order of start
      if (kernel.kind != ActivityKind::kKernel || kernel.stream == copy.stream) continue;
      const std::int64_t begin = std::max(kernel.start_ns, reached);
      const std::int64_t end = std::min(kernel.end_ns, copy.end_ns);
      if (end <= begin) continue;
      both += static_cast<double>(end - begin);
      reached = end;
    }
  }
  return copied > 0 ? both / copied : 0;
}

TEST(Gpu, APrefetchStreamCopiesWhileTheDeviceComputesAndInlineDoesNot) {
  STEPBENCH_NEED_GPU(api);
  for (const auto& [placement, overlaps] :
       {std::pair{"inline", false}, std::pair{"prefetch_stream", true}}) {
    const auto collector = make_activity_collector();
    if (const auto why = collector->start()) GTEST_SKIP() << *why;
    test::Options options = test::tiny_images("resnet18");
    options["device"] = std::string("cuda:0");
    options["data.image_size"] = std::int64_t{64};
    options["loader.batch_size"] = std::int64_t{32};
    options["transfer.placement"] = std::string(placement);
    const ResolvedCase resolved = test::train_case(options);
    const HostClock clock;
    WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
    const auto workload = make_train_step(resolved, context);
    ASSERT_EQ(workload->set_up(), std::nullopt);
    (void)measure(api, *workload, 16, collector.get());
    OpLog log;
    collector->collect(log);
    collector->stop();
    workload->tear_down();
    if (overlaps) {
      EXPECT_GT(overlapped_share(log), 0.0);
    } else {
      EXPECT_EQ(overlapped_share(log), 0.0);
    }
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
