// SPDX-License-Identifier: Apache-2.0
// Stands for nvtx_ranges.cpp and cupti_records.cpp where their headers were not at hand.
#include "harness/cuda/cupti_records.h"
#include "harness/cuda/nvtx_ranges.h"

namespace stepbench {
namespace {

constexpr const char* kReason = "not built in: the headers of CUPTI and NVTX were not found";

class NoRanges final : public Instrument {
 public:
  [[nodiscard]] std::string_view name() const override { return "NVTX"; }
  [[nodiscard]] std::optional<std::string> exercise() override { return kReason; }
  void change(Action, Action) override {}
  void step_begin(std::int64_t) override {}
  void step_end() noexcept override {}
  void phase_begin(PhaseId, DeviceStream) override {}
  void phase_end(PhaseId, DeviceStream) noexcept override {}
  void report(ReportSink&) const override {}
};

}  // namespace

std::unique_ptr<Instrument> make_nvtx_ranges(const CudaApi*, NvtxOptions) {
  return std::make_unique<NoRanges>();
}

std::span<const std::uint32_t> activity_kinds() { return {}; }
std::span<const std::uint32_t> quiet_runtime_calls() { return {}; }
std::string records_unreadable(std::uint32_t) { return kReason; }
bool read_activity(const void*, const ActivityNames&, ActivityRecord&) { return false; }

}  // namespace stepbench
