// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/internal/nvtx_ranges.h"

#include <nvtx3/nvToolsExt.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "harness/workload.h"

namespace stepbench::cuda {
namespace {

class NvtxRanges final : public Instrument {
 public:
  NvtxRanges(std::optional<CudaApi> api, NvtxOptions options)
      : api_(std::move(api)), options_(std::move(options)) {}
  ~NvtxRanges() override {
    if (domain_ != nullptr) nvtxDomainDestroy(domain_);
  }

  [[nodiscard]] std::string_view name() const override { return "NVTX"; }

  // Loads the listening tool, if any. Creates no range: ranges exist only inside windows.
  [[nodiscard]] std::optional<std::string> exercise() override {
    if (options_.capture_range && !api_) return "capture_range needs the CUDA runtime";
    domain_ = nvtxDomainCreateA("stepbench");
    if (!options_.thread_name.empty()) {
      nvtxNameOsThreadA(static_cast<std::uint32_t>(::gettid()), options_.thread_name.c_str());
    }
    for (const std::string& phase : options_.phase_names) {
      names_.push_back(nvtxDomainRegisterStringA(domain_, phase.c_str()));
    }
    return std::nullopt;
  }

  void change(Action, Action to) override {
    if (to >= Action::kRecord) {
      open_window();
    } else {
      close_window();
    }
  }
  void add_columns(Series&) override { close_window(); }

  void step_begin(std::int64_t index) override {
    in_step_ = in_window_;
    if (!in_step_) return;
    constexpr std::string_view kPrefix = "ProfilerStep#";
    std::array<char, 48> text{};
    std::memcpy(text.data(), kPrefix.data(), kPrefix.size());
    *std::to_chars(text.data() + kPrefix.size(), text.data() + text.size() - 1, index).ptr = '\0';
    nvtxEventAttributes_t attributes = plain();
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text.data();
    (void)nvtxDomainRangePushEx(domain_, &attributes);
  }
  void step_end() noexcept override {
    if (in_step_) (void)nvtxDomainRangePop(domain_);
    in_step_ = false;
  }
  void phase_begin(PhaseId id, DeviceStream) override {
    const auto phase = static_cast<std::size_t>(id);
    if (!in_step_ || phase >= names_.size()) return;
    nvtxEventAttributes_t attributes = plain();
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = names_[phase];
    (void)nvtxDomainRangePushEx(domain_, &attributes);
  }
  void phase_end(PhaseId id, DeviceStream) noexcept override {
    if (in_step_ && static_cast<std::size_t>(id) < names_.size()) (void)nvtxDomainRangePop(domain_);
  }

  void report(ReportSink& sink) const override {
    if (!failure_.empty()) sink.note("no capture range: " + failure_);
  }

 private:
  static nvtxEventAttributes_t plain() {
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    return attributes;
  }

  void open_window() {
    if (in_window_) return;
    in_window_ = true;
    if (!options_.capture_range) return;
    if (options_.device) {  // keeps the warm-up's work outside
      check("cudaSetDevice", api_->set_device(*options_.device));
      check("cudaDeviceSynchronize", api_->device_synchronize());
    }
    check("cudaProfilerStart", api_->profiler_start());
  }
  void close_window() {
    if (!in_window_) return;
    in_window_ = false;
    if (options_.capture_range) check("cudaProfilerStop", api_->profiler_stop());
  }
  void check(const char* call, int code) {
    if (code != kCudaSuccess && failure_.empty()) failure_ = cuda_failure(*api_, call, code);
  }

  std::optional<CudaApi> api_;
  NvtxOptions options_;
  nvtxDomainHandle_t domain_ = nullptr;
  std::vector<nvtxStringHandle_t> names_;
  bool in_window_ = false;
  bool in_step_ = false;
  std::string failure_;
};

}  // namespace

std::unique_ptr<Instrument> make_nvtx_ranges(std::optional<CudaApi> api, NvtxOptions options) {
  return std::make_unique<NvtxRanges>(std::move(api), std::move(options));
}

}  // namespace stepbench::cuda
