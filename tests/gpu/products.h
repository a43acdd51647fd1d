// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/stats/order_statistics.h"
#include "harness/workload.h"
#include "tests/gpu/rehearsal.h"
#include "workloads/step/torch_runtime.h"

namespace stepbench::gpu {

// Products of square matrices in two phases.
class Products final : public Workload {
 public:
  Products(std::int64_t size, int forward, int backward)
      : a_(random_square(size)), b_(random_square(size)), forward_(forward), backward_(backward) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override {
    {
      const auto phase = step.phase(PhaseId::kForward);
      multiply(forward_);
    }
    const auto phase = step.phase(PhaseId::kBackward);
    multiply(backward_);
  }
  void multiply(int times) {
    for (int i = 0; i < times; ++i) c_ = at::mm(a_, b_);
  }
  void synchronize() override { step::synchronize_device(tested_device()); }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }

 private:
  static at::Tensor random_square(std::int64_t size) {
    const std::int64_t side = rehearsing() ? std::max<std::int64_t>(size / 32, 8) : size;
    return at::rand({side, side}, at::TensorOptions().device(tested_device()));
  }

  at::Tensor a_, b_, c_;
  int forward_, backward_;
};

[[nodiscard]] inline double median_of(std::span<const std::int64_t> values) {
  return stats::median(std::vector<double>(values.begin(), values.end()));
}

}  // namespace stepbench::gpu
