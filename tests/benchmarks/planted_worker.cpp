// SPDX-License-Identifier: Apache-2.0
// stepbench-worker with a planted slow-down: each training step spins for STEPBENCH_PLANTED_US
// microseconds in its phase `optimizer`. The variable belongs to a case (`env:`), or to a build, if
// a script sets it and starts this program. STEPBENCH_PLANTED adds work as described in
// planted_work.h.
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "harness/base/clock.h"
#include "harness/cuda/cuda_instruments.h"
#include "harness/worker/worker_main.h"
#include "tests/benchmarks/planted_work.h"
#include "workloads/built_in.h"
#include "workloads/profile/profile_instrument.h"
#include "workloads/step/torch_software.h"
#include "workloads/step/train_step.h"

namespace stepbench {
namespace {

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
    work_ = make_planted_work(asked_, device_);
    return std::nullopt;
  }
  void step(StepRecorder& step) override {
    inner_->step(step);
    if (spin_ns_ == 0 && work_ == nullptr) return;
    const auto phase = step.phase(PhaseId::kOptimizer);
    const std::int64_t end = clock_.now_ns() + spin_ns_;
    while (clock_.now_ns() < end) {
    }
    if (work_ != nullptr) work_->once();
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
  std::unique_ptr<PlantedWork> work_;
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
