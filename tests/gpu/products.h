// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/stats/order.h"
#include "harness/workload.h"
#include "tests/gpu/rehearsal.h"
#include "workloads/step/device.h"

namespace stepbench::gpu {

// Products of square matrices in two phases. The host may take its time before each.
class Products final : public Workload {
 public:
  Products(std::int64_t size, int forward, int backward,
           std::chrono::microseconds host_time = std::chrono::microseconds(0))
      : a_(random_square(size)),
        b_(random_square(size)),
        forward_(forward),
        backward_(backward),
        host_time_(host_time) {}
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
    for (int i = 0; i < times; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < host_time_) {
      }
      c_ = at::mm(a_, b_);
    }
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
  std::chrono::microseconds host_time_;
};

[[nodiscard]] inline double median_of(std::span<const std::int64_t> values) {
  return stats::median(std::vector<double>(values.begin(), values.end()));
}

}  // namespace stepbench::gpu
