// SPDX-License-Identifier: Apache-2.0
// transfer.placement: pin_thread on a device.
#include "tests/gpu/copies.h"
#include "tests/gpu/device_scene.h"
#include "tests/testing.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/steps.h"

namespace stepbench::gpu {
namespace {

test::Options with_pin_thread(test::Options options, const std::string& engine) {
  options["transfer.placement"] = std::string("pin_thread");
  options["loader.engine"] = engine;
  options["loader.num_workers"] = std::int64_t{2};
  options["loader.pin_memory"] = true;
  return options;
}

struct PinThreadRun {
  Fingerprint fingerprint;
  std::map<std::string, double> metrics;
  Series cycle;
};

PinThreadRun train(const cuda::CudaApi& api, const test::Options& options,
                   cuda::ActivityCollector* collector = nullptr) {
  const ResolvedCase resolved = test::train_case(options);
  const HostClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  const auto workload = step::make_train_step(resolved, context);
  EXPECT_EQ(workload->set_up(), std::nullopt);
  PinThreadRun trained{
      .fingerprint = {}, .metrics = {}, .cycle = measure(api, *workload, 24, collector)};
  trained.fingerprint = workload->fingerprint();
  cuda::NoteSink metrics;
  workload->report(metrics);
  workload->tear_down();
  trained.metrics = std::move(metrics.metrics);
  return trained;
}

TEST(Gpu, PinThreadCopies_TrainAsInline) {
  STEPBENCH_NEED_GPU(api);
  if (rehearsing()) GTEST_SKIP() << "copies to a device need one";
  test::Options options = test::tiny_images("mlp");
  options["device"] = std::string("cuda:0");
  options["loader.shuffle"] = true;
  const Fingerprint inline_copies = train(api, options).fingerprint;
  for (const std::string engine : {"thread", "fork"}) {
    const PinThreadRun pin_thread = train(api, with_pin_thread(options, engine));
    EXPECT_EQ(pin_thread.fingerprint.loss, inline_copies.loss) << engine;
    EXPECT_EQ(pin_thread.fingerprint.gradient_norm, inline_copies.gradient_norm) << engine;
    EXPECT_GT(pin_thread.metrics.at("upload_device_ns"), 0.0);
    EXPECT_GT(pin_thread.metrics.at("loader_upload_ns"), 0.0);
  }
}

TEST(Gpu, PinThreadCopies_OverlapCompute) {
  STEPBENCH_NEED_GPU(api);
  if (rehearsing()) GTEST_SKIP() << "copies to a device need one";
  const auto collector = cuda::make_activity_collector(0);
  if (const auto why = collector->start()) GTEST_SKIP() << *why;
  test::Options options = test::tiny_images("mlp");  // products that take longer than the loader
  options["device"] = std::string("cuda:0");
  options["data.features"] = std::int64_t{256};
  options["data.samples"] = std::int64_t{65536};
  options["loader.batch_size"] = std::int64_t{4096};
  options["model.hidden"] = std::int64_t{4096};
  options["model.layers"] = std::int64_t{8};
  const PinThreadRun trained = train(api, with_pin_thread(options, "thread"), collector.get());
  ops::OpLog log;
  collector->collect(log);
  collector->stop();
  constexpr std::int64_t kBatchBytes = 4096 * 256 * sizeof(float);
  const Copies copies = copies_of(log, kBatchBytes);
  ASSERT_GE(copies.count, 20);
  const double share = copies.overlapped / copies.ns;
  EXPECT_GT(share, 0.5);
  double waited_ns = 0;
  for (const std::int64_t ns : trained.cycle.column("h2d_device_ns")) {
    waited_ns += static_cast<double>(ns) / 24;
  }
  const double copy_ns = trained.metrics.at("upload_device_ns");
  EXPECT_LT(waited_ns, copy_ns);
  number("share of the pin thread's copies under kernels", "> 0.5", std::to_string(share),
         passed(share > 0.5));
  number("wait for the pin thread's copy over the copy", "< 1", std::to_string(waited_ns / copy_ns),
         passed(waited_ns < copy_ns));
}

}  // namespace
}  // namespace stepbench::gpu
