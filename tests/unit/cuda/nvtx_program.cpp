// SPDX-License-Identifier: Apache-2.0
// Two cycles of three recorded steps with ranges, for an NVTX tool. With `throw` the last step
// fails inside a phase; with `many` there are a hundred cycles of a thousand; with `rank` the
// thread has a rank's name.
#include <limits>
#include <stdexcept>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/cuda/internal/nvtx_ranges.h"
#include "harness/worker/internal/loop.h"
#include "tests/scripted_clock.h"

namespace {

class Steps final : public stepbench::Workload {
 public:
  Steps(stepbench::ScriptedClock& clock, bool throws) : clock_(clock), throws_(throws) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(stepbench::StepRecorder& step) override {
    {
      const auto forward = step.phase(stepbench::PhaseId::kForward);
      clock_.pass(1);
    }
    const auto backward = step.phase(stepbench::PhaseId::kBackward);
    if (throws_ && step.index() == 9) throw std::runtime_error("step 9");
    clock_.pass(1);
  }
  void tear_down() override {}
  stepbench::Fingerprint fingerprint() override { return {0, 0}; }

 private:
  stepbench::ScriptedClock& clock_;
  bool throws_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace stepbench;
  const bool many = argc > 1 && std::string_view(argv[1]) == "many";
  const bool throws = argc > 1 && std::string_view(argv[1]) == "throw";
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  std::vector<std::unique_ptr<Instrument>> instruments;
  const bool is_rank = argc > 1 && std::string_view(argv[1]) == "rank";
  instruments.push_back(cuda::make_nvtx_ranges(
      std::nullopt, {.phase_names = names, .thread_name = is_rank ? "rank 1 of 2" : ""}));
  if (instruments.back()->exercise()) return 77;
  worker::InstrumentSet set(std::move(instruments));
  ScriptedClock clock;
  Steps steps(clock, throws);
  worker::LoopOptions options;
  options.schedule = {.wait = 1, .warmup = 1, .active = many ? 1000 : 3, .repeat = many ? 100 : 2};
  options.stop.cycles = options.schedule.repeat;
  options.deadline_ns = std::numeric_limits<std::int64_t>::max();
  worker::Loop loop(options, clock, steps, set, names);
  loop.exercise();
  try {
    (void)loop.run([](const worker::LoopStage&) {}, [](const Series&) {});
  } catch (const std::runtime_error&) {
    return throws ? 0 : 1;
  }
  return throws ? 1 : 0;
}
