// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/record_activity.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

#include <fstream>
#include <iostream>

#include "harness/cuda/device_activity.h"
#include "tests/gpu/device_scene.h"
#include "tests/unit/cuda/recorded_activity.h"
#include "workloads/step/torch_runtime.h"

namespace stepbench::gpu {
namespace {

constexpr int kFailed = 1;
constexpr int kNoGpu = 77;

// A little of each activity that has a record.
class SomeOfEverything final : public Workload {
 public:
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override {
    {
      const auto phase = step.phase(PhaseId::kH2d);
      on_device_.copy_(pageable_);
      on_device_.copy_(pinned_, /*non_blocking=*/true);
    }
    {
      const auto phase = step.phase(PhaseId::kForward);
      for (int i = 0; i < 3; ++i) product_ = at::mm(on_device_, on_device_);
    }
    const auto phase = step.phase(PhaseId::kLoss);
    product_.zero_();
    sum_ = product_.sum().item<float>();  // waits
  }
  void synchronize() override { step::synchronize_device(at::Device(at::kCUDA, 0)); }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }

 private:
  at::Tensor pageable_ = at::rand({256, 256});
  at::Tensor pinned_ = at::rand({256, 256}).pin_memory();
  at::Tensor on_device_ = at::zeros({256, 256}, at::TensorOptions().device(at::kCUDA));
  at::Tensor product_;
  float sum_ = 0;
};

int fail(const std::string& why, int code = kFailed) {
  std::cerr << "--record: " << why << '\n';
  return code;
}

}  // namespace

int record_activity(const std::string& name) {
  auto cuda = device_or_reason();
  if (const auto* why = std::get_if<std::string>(&cuda)) return fail(*why, kNoGpu);
  auto cupti = cuda::load_cupti_api();
  if (const auto* why = std::get_if<std::string>(&cupti)) return fail(*why);
  const auto& api = std::get<cuda::CudaApi>(cuda);
  cuda::RecordedActivity recorded;
  const auto collector = cuda::make_cupti_collector(
      cuda::recording(std::get<cuda::CuptiApi>(std::move(cupti)), recorded), api);
  if (const auto why = collector->start()) return fail(*why);
  SomeOfEverything work;
  (void)measure(api, work, 3, collector.get());
  ops::OpLog log;
  collector->collect(log);
  if (log.activities.empty()) return fail("CUPTI gave no records");
  std::ofstream activity(name + ".activity");
  cuda::write(recorded, activity);
  std::ofstream expected(name + ".expected");
  expected << cuda::summary_text(log);
  if (!activity.flush() || !expected.flush()) return fail(name + " cannot be written");
  std::cout << name << ".activity: " << log.activities.size() << " records in "
            << recorded.buffers.size() << " buffer(s)\n";
  return 0;
}

}  // namespace stepbench::gpu
