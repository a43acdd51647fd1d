// SPDX-License-Identifier: Apache-2.0
// stepbench-worker with a slow-down that is asked for: each training step spins for
// STEPBENCH_PLANTED_US microseconds in its phase `optimizer`: of a case (`env:`), or of a
// build, where a script sets it and starts this program.
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "harness/base/clock.h"
#include "harness/worker/worker_main.h"
#include "workloads/built_in.h"
#include "workloads/step/software.h"
#include "workloads/step/train_step.h"

namespace stepbench {
namespace {

class PlantedStep final : public Workload {
 public:
  PlantedStep(std::unique_ptr<Workload> inner, std::int64_t spin_ns)
      : inner_(std::move(inner)), spin_ns_(spin_ns) {}

  std::optional<std::string> set_up() override { return inner_->set_up(); }
  void step(StepRecorder& step) override {
    inner_->step(step);
    if (spin_ns_ == 0) return;
    const auto phase = step.phase(PhaseId::kOptimizer);
    const std::int64_t end = clock_.now_ns() + spin_ns_;
    while (clock_.now_ns() < end) {
    }
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
};

std::unique_ptr<Workload> make_planted(const ResolvedCase& resolved, WorkerContext& context) {
  const char* planted = std::getenv("STEPBENCH_PLANTED_US");
  const std::int64_t us = planted == nullptr ? 0 : std::stoll(planted);
  return std::make_unique<PlantedStep>(make_train_step(resolved, context), 1000 * us);
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  using namespace stepbench;
  constexpr std::array types = {WorkloadType{"train_step", make_planted}};
  return worker_main(argc, argv, built_in_catalogue(), types, {},
                     {.software = torch_software, .set_threads = set_torch_threads});
}
