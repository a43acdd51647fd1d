// SPDX-License-Identifier: Apache-2.0
// stepbench-worker with a planted slow-down: each training step spins for STEPBENCH_PLANTED_US
// microseconds in its phase `optimizer`. The variable belongs to a case (`env:`), or to a build, if
// a script sets it and starts this program. STEPBENCH_PLANTED=KIND=SIZE adds a mistake of a known
// size to each step:
//   items         values read by .item()
//   tiny_ops      operators on one element
//   allocations   blocks of 32 MiB: made, written, returned to the system
//   pageable      copies of 4 MiB from pageable memory to the device
//   synchronous   copies of 4 MiB from pinned memory with a blocking call
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <malloc.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/cuda/cuda_instruments.h"
#include "harness/worker/worker_main.h"
#include "workloads/built_in.h"
#include "workloads/profile/profile_instrument.h"
#include "workloads/step/steps.h"
#include "workloads/step/torch_runtime.h"

namespace stepbench {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

void allocate(const at::Device& device) {
  at::full({32 * kMebi}, 1, at::dtype(at::kByte).device(device));
  if (device.is_cpu()) {
    ::malloc_trim(0);
  } else {
    c10::getDeviceAllocator(device.type())->emptyCache();
  }
}

// The operation that a step repeats SIZE times.
std::function<void()> mistake(std::string_view kind, const at::Device& device) {
  if (kind == "items") return [value = at::zeros({1}, device)] { (void)value.item().toDouble(); };
  if (kind == "tiny_ops") return [value = at::zeros({1}, device)] { value.add_(1); };
  if (kind == "allocations") return [device] { allocate(device); };
  if (kind != "pageable" && kind != "synchronous") return {};
  const auto bytes = at::dtype(at::kByte);
  return [from = at::empty({4 * kMebi}, bytes.pinned_memory(kind == "synchronous")).fill_(1),
          to = at::empty({4 * kMebi}, bytes.device(device))] { to.copy_(from, false); };
}

struct PlantedWork {
  std::function<void()> once;
  std::int64_t times = 0;
};

PlantedWork planted_work(std::string_view text, const std::string& device) {
  if (text.empty()) return {};
  const std::size_t equals = text.find('=');
  const std::string_view size = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  PlantedWork work;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), work.times);
  if (error == std::errc() && end == size.data() + size.size() && work.times > 0) {
    work.once = mistake(text.substr(0, equals), at::Device(device));
  }
  if (work.once) return work;
  throw Error(
      "STEPBENCH_PLANTED: expected items=N, tiny_ops=N, allocations=N, pageable=N or "
      "synchronous=N, not '" +
      std::string(text) + "'");
}

class PlantedStep final : public Workload {
 public:
  PlantedStep(std::unique_ptr<Workload> inner, std::int64_t spin_ns, std::string work,
              std::string device)
      : inner_(std::move(inner)),
        spin_ns_(spin_ns),
        asked_(std::move(work)),
        device_(std::move(device)) {}

  std::optional<std::string> set_up() override {
    if (auto missing = inner_->set_up()) return missing;
    work_ = planted_work(asked_, device_);
    return std::nullopt;
  }
  void step(StepRecorder& step) override {
    inner_->step(step);
    if (spin_ns_ == 0 && work_.times == 0) return;
    const auto phase = step.phase(PhaseId::kOptimizer);
    const std::int64_t end = clock_.now_ns() + spin_ns_;
    while (clock_.now_ns() < end) {
    }
    for (std::int64_t i = 0; i < work_.times; ++i) work_.once();
  }
  std::int64_t steps_per_epoch() const override { return inner_->steps_per_epoch(); }
  bool borders_inside_epochs() const override { return inner_->borders_inside_epochs(); }
  void steps_done() override { inner_->steps_done(); }
  void before_cycle() override { inner_->before_cycle(); }
  void window(Edge edge) override { inner_->window(edge); }
  void synchronize() override { inner_->synchronize(); }
  void tear_down() override { inner_->tear_down(); }
  Fingerprint fingerprint() override { return inner_->fingerprint(); }
  void report(ReportSink& sink) const override { inner_->report(sink); }

 private:
  std::unique_ptr<Workload> inner_;
  HostClock clock_;
  std::int64_t spin_ns_;
  std::string asked_;
  std::string device_;
  PlantedWork work_;
};

std::unique_ptr<Workload> make_planted(const ResolvedCase& resolved, WorkerContext& context) {
  const char* planted = std::getenv("STEPBENCH_PLANTED_US");
  const std::int64_t us = planted == nullptr ? 0 : std::stoll(planted);
  const char* work = std::getenv("STEPBENCH_PLANTED");
  return std::make_unique<PlantedStep>(step::make_train_step(resolved, context), 1000 * us,
                                       work == nullptr ? "" : work,
                                       resolved.text_or("device", "cpu"));
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  using namespace stepbench;
  constexpr std::array types = {WorkloadType{"train_step", make_planted}};
  const std::array instruments = {event_clock_type(), profile::native_profile_type(),
                                  profile::kineto_profile_type()};
  return worker_main(argc, argv, built_in_catalogue(), types, instruments,
                     {.software = step::torch_software, .set_threads = step::set_torch_threads});
}
