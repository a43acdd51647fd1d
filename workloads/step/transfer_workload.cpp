// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/transfer_workload.h"

#include <ATen/ops/empty.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "harness/base/error.h"
#include "harness/cuda/cuda_api.h"
#include "workloads/step/device.h"
#include "workloads/step/torch_errors.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::step {
namespace {

constexpr std::int64_t kPlainCopyNs = 200'000'000;
constexpr int kMinPlainCopies = 4;

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
      const Mark now = mark();
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
  Fingerprint fingerprint() override { return {}; }
  void report(ReportSink& sink) const override {
    sink.effective("device", device_.str());
    sink.metric("copy_bytes_per_s", bytes_per_s_);
    sink.metric("plain_copy_bytes_per_s", plain_bytes_per_s_);
    sink.metric("copy_efficiency", bytes_per_s_ / plain_bytes_per_s_);
  }

 private:
  // The window begins behind what the warm-up has enqueued, and ends on an idle device.
  struct Mark {
    std::int64_t host_ns = 0;
    std::shared_ptr<c10::Event> passed = {};  // on the stream that computes; null on the CPU
  };

  [[nodiscard]] Mark mark() const {
    Mark mark{.host_ns = context_.clock.now_ns()};
    if (device_.is_cpu()) return mark;
    mark.passed = std::make_shared<c10::Event>(device_.type(),
                                               c10::EventFlag::BACKEND_DEFAULT);  // with times
    mark.passed->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
    return mark;
  }

  static std::int64_t ns_between(const Mark& begin, const Mark& end) {
    if (begin.passed == nullptr || end.passed == nullptr) return end.host_ns - begin.host_ns;
    end.passed->synchronize();
    const double ms = begin.passed->elapsedTime(*end.passed);
    return static_cast<std::int64_t>(ms * 1e6);
  }

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
    plain_bytes_per_s_ = measure_plain_copies();
    return std::nullopt;
  }

  [[nodiscard]] double rate(std::int64_t copies, std::int64_t ns) const {
    return static_cast<double>(copies) * static_cast<double>(bytes_) * 1e9 /
           static_cast<double>(std::max<std::int64_t>(ns, 1));
  }

  // As many copies as fit into a fifth of a second, without anything around them.
  [[nodiscard]] double measure_plain_copies() const {
    const at::Tensor from = host_bytes(bytes_, device_.is_cuda());
    const at::Tensor to = at::empty({bytes_}, at::TensorOptions().dtype(at::kByte).device(device_));
    const auto size = static_cast<std::size_t>(bytes_);
    if (device_.is_cpu()) {
      return repeat([&] { std::memcpy(to.data_ptr(), from.data_ptr(), size); }, [] {});
    }
    auto loaded = cuda::load_cuda_api();
    if (auto* reason = std::get_if<std::string>(&loaded)) throw Error(*reason);
    const auto& api = std::get<cuda::CudaApi>(loaded);
    const auto check = [&](const char* call, int code) {
      if (code != cuda::kCudaSuccess) throw Error(cuda::cuda_failure(api, call, code));
    };
    check("cudaSetDevice", api.set_device(device_.index()));
    return repeat(
        [&] {
          check("cudaMemcpyAsync", api.memcpy_async(to.data_ptr(), from.data_ptr(), size,
                                                    cuda::kCudaHostToDevice, nullptr));
        },
        [&] { synchronize_device(device_); });
  }

  template <typename Copy, typename Wait>
  [[nodiscard]] double repeat(const Copy& copy, const Wait& wait) const {
    copy();
    wait();
    const std::int64_t first_ns = context_.clock.now_ns();
    copy();
    wait();
    const std::int64_t one_ns = std::max<std::int64_t>(context_.clock.now_ns() - first_ns, 1);
    const std::int64_t copies =
        std::clamp<std::int64_t>(kPlainCopyNs / one_ns, kMinPlainCopies, 1000);
    const std::int64_t begin_ns = context_.clock.now_ns();
    for (std::int64_t i = 0; i < copies; ++i) copy();
    wait();
    return rate(copies, context_.clock.now_ns() - begin_ns);
  }

  ResolvedCase resolved_;
  WorkerContext& context_;
  at::Device device_;
  std::int64_t bytes_ = 0;
  Batch batch_;
  std::optional<transfer::Transfer> transfer_;
  torch_loader::BatchTensors last_;
  Mark begin_;
  std::int64_t steps_ = 0;
  double bytes_per_s_ = std::numeric_limits<double>::quiet_NaN();
  double plain_bytes_per_s_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

std::unique_ptr<Workload> make_transfer_workload(const ResolvedCase& resolved,
                                                 WorkerContext& context) {
  return std::make_unique<TransferWorkload>(resolved, context);
}

}  // namespace stepbench::step
