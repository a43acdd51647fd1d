// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/steps.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/base/error.h"
#include "harness/cuda/cuda_api.h"
#include "harness/text/numbers.h"
#include "workloads/step/internal/plain_rate.h"
#include "workloads/step/torch_runtime.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::step {
namespace {

at::Tensor host_bytes(std::int64_t bytes, bool pinned) {
  at::Tensor memory =
      at::empty({bytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(pinned));
  std::memset(memory.data_ptr(), 1, static_cast<std::size_t>(bytes));
  return memory;
}

class TransferWorkload final : public Workload {
 public:
  TransferWorkload(const ResolvedCase& resolved, WorkerContext& context)
      : resolved_(resolved), context_(context), device_(parse_device(resolved.text("device"))) {}

  std::optional<std::string> set_up() override {
    return with_torch_errors([this] { return build(); });
  }
  void step(StepRecorder& step) override {
    with_torch_errors([&] {
      last_ = transfer_->next([this] { return batch_; }, step);
      step.add(Count::kBytes, bytes_);
      ++steps_;
    });
  }
  void synchronize() override { synchronize_device(device_); }
  void window(Edge edge) override {
    with_torch_errors([&] {
      const DrainedMark now = mark_now(context_.clock, device_);
      if (edge == Edge::kBegin) {
        begin_ = now;
        steps_ = 0;
      } else if (const std::int64_t ns = ns_between(begin_, now); ns > 0) {
        bytes_per_s_ = rate(steps_, ns);
      }
    });
  }
  void tear_down() override {
    begin_ = {};
    transfer_.reset();
    last_ = {};
  }
  // Repeated after the windows: links and clocks change during a launch.
  Fingerprint fingerprint() override {
    with_torch_errors([&] { plain_after_ = measure_plain_copies(); });
    return {};
  }
  void report(ReportSink& sink) const override {
    sink.effective("device", device_.str());
    sink.metric("copy_bytes_per_s", bytes_per_s_);
    const double plain = (plain_before_ + plain_after_) / 2;
    sink.metric("plain_copy_bytes_per_s", plain);
    sink.metric("copy_efficiency", bytes_per_s_ / plain);
    constexpr double kMaxDrift = 0.05;
    if (device_.is_cuda() && std::abs(plain_after_ / plain_before_ - 1) > kMaxDrift) {
      sink.note("plain copies ran at " + text::short_number(plain_before_ * 1e-9, 3) +
                " GB/s before the steps and at " + text::short_number(plain_after_ * 1e-9, 3) +
                " after them: copy_efficiency is known no better than that");
    }
  }

 private:
  std::optional<std::string> build() {
    if (auto reason = device_unavailable(device_)) return reason;
    bytes_ = resolved_.integer("copy.bytes");
    const auto source =
        std::make_shared<at::Tensor>(host_bytes(bytes_, resolved_.text("copy.source") == "pinned"));
    auto* data = static_cast<std::byte*>(source->data_ptr());
    batch_ = {.fields = {{data, {.name = "bytes", .shape = {bytes_}, .dtype = DType::kUInt8}},
                         {data, {.name = "none", .shape = {0}, .dtype = DType::kUInt8}}},
              .size = 1,
              .owner = source};
    transfer_.emplace(resolved_, device_);
    plain_before_ = measure_plain_copies();
    return std::nullopt;
  }

  [[nodiscard]] double rate(std::int64_t copies, std::int64_t ns) const {
    return static_cast<double>(copies) * static_cast<double>(bytes_) * 1e9 /
           static_cast<double>(std::max<std::int64_t>(ns, 1));
  }

  [[nodiscard]] double measure_plain_copies() const {
    const at::Tensor from = host_bytes(bytes_, device_.is_cuda());
    const at::Tensor to = at::empty({bytes_}, at::TensorOptions().dtype(at::kByte).device(device_));
    const auto size = static_cast<std::size_t>(bytes_);
    if (device_.is_cpu()) {
      return bytes_per_copy() *
             plain_rate(
                 context_.clock, [&] { std::memcpy(to.data_ptr(), from.data_ptr(), size); }, [] {});
    }
    auto loaded = cuda::load_cuda_api();
    if (auto* reason = std::get_if<std::string>(&loaded)) throw Error(*reason);
    const auto& api = std::get<cuda::CudaApi>(loaded);
    const auto check = [&](const char* call, int code) {
      if (code != cuda::kCudaSuccess) throw Error(cuda::cuda_failure(api, call, code));
    };
    check("cudaSetDevice", api.set_device(device_.index()));
    return bytes_per_copy() *
           plain_rate(
               context_.clock,
               [&] {
                 check("cudaMemcpyAsync", api.memcpy_async(to.data_ptr(), from.data_ptr(), size,
                                                           cuda::kCudaHostToDevice, nullptr));
               },
               [&] { synchronize_device(device_); });
  }

  [[nodiscard]] double bytes_per_copy() const { return static_cast<double>(bytes_); }

  ResolvedCase resolved_;
  WorkerContext& context_;
  at::Device device_;
  std::int64_t bytes_ = 0;
  Batch batch_;
  std::optional<transfer::Transfer> transfer_;
  transfer::BatchTensors last_;
  DrainedMark begin_;
  std::int64_t steps_ = 0;
  double bytes_per_s_ = std::numeric_limits<double>::quiet_NaN();
  double plain_before_ = std::numeric_limits<double>::quiet_NaN();
  double plain_after_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<Workload> make_transfer_workload(const ResolvedCase& resolved,
                                                 WorkerContext& context) {
  return std::make_unique<TransferWorkload>(resolved, context);
}

}  // namespace stepbench::step
