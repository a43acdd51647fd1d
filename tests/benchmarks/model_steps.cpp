// SPDX-License-Identifier: Apache-2.0
// model_steps key=value ...: sets up a train_step or eval_step and takes four steps. For each
// number on standard input it then takes as many steps and prints "seconds faults" without the wait
// for data; on a device (device=cuda) under the event clock, up to the end of its last work.
// steps_against_python.py alternates it with Python's own loop.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "harness/cuda/internal/event_clock.h"
#include "harness/machine/environment.h"
#include "harness/measure/instrument.h"
#include "harness/measure/step_recorder.h"
#include "tests/benchmarks/counted_instructions.h"
#include "tests/workloads/test_case.h"
#include "workloads/step/steps.h"
#include "workloads/step/torch_runtime.h"

using namespace stepbench;

namespace {

// Restarts the process with the variables that a launch sets for its worker.
void enter_launch(const test::Options& options, char** argv, char** environment) {
  machine::Variables inherited;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    inherited.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  const machine::Variables variables =
      machine::launcher_environment(inherited, test::train_case(options)).variables;
  if (variables == inherited) return;
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  std::vector<char*> entries;
  for (std::string& text : texts) entries.push_back(text.data());
  entries.push_back(nullptr);
  ::execve("/proc/self/exe", argv, entries.data());
}

long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Excludes the wait for data from the counts: page faults, and instructions under callgrind.
class OutsideDataWait final : public Instrument {
 public:
  [[nodiscard]] long faults_inside() const { return faults_inside_; }

  std::string_view name() const override { return "outside data_wait"; }
  std::optional<std::string> exercise() override { return std::nullopt; }
  void change(Action, Action) override {}
  void step_begin(std::int64_t) override {}
  void step_end() noexcept override {}
  void phase_begin(PhaseId id, DeviceStream) override {
    if (id != PhaseId::kDataWait) return;
    stepbench_toggle_counting();
    faults_inside_ -= page_faults();
  }
  void phase_end(PhaseId id, DeviceStream) noexcept override {
    if (id != PhaseId::kDataWait) return;
    faults_inside_ += page_faults();
    stepbench_toggle_counting();
  }
  void report(ReportSink&) const override {}

 private:
  long faults_inside_ = 0;
};

bool on_device(const test::Options& options) {
  const auto device = options.find("device");
  return device != options.end() && std::get<std::string>(device->second) != "cpu";
}

std::unique_ptr<Instrument> event_clock(const Clock& clock) {
  auto api = cuda::load_cuda_api();
  if (const auto* why = std::get_if<std::string>(&api)) throw Error(*why);
  std::vector<std::string> phases;
  for (const Phase& phase : built_in_phases()) phases.push_back(phase.name);
  auto made = std::make_unique<cuda::EventClock>(
      std::get<cuda::CudaApi>(api), clock,
      cuda::EventClockOptions{.window = 1000, .phase_names = std::move(phases)});
  if (const auto why = made->exercise()) throw Error(*why);
  return made;
}

class Steps {
 public:
  explicit Steps(const test::Options& options)
      : workload_(options.contains("workload")
                      ? step::make_eval_step(test::train_case(options), context_)
                      : step::make_train_step(test::train_case(options), context_)) {
    if (const auto reason = workload_->set_up()) throw Error(*reason);
    listening_ = {&outside_};
    if (on_device(options)) {
      events_ = event_clock(clock_);
      listening_.push_back(events_.get());
    }
    recorder_.listeners(listening_);
    (void)ns_of(4);
  }
  ~Steps() { workload_->tear_down(); }

  [[nodiscard]] long faults() const { return page_faults() - outside_.faults_inside(); }

  std::int64_t ns_of(int count) {
    if (events_) events_->change(Action::kNone, Action::kRecord);
    std::int64_t ns = 0;
    for (int i = 0; i < count; ++i) ns += step_ns();
    const std::int64_t begin_ns = clock_.now_ns();
    workload_->synchronize();
    ns += clock_.now_ns() - begin_ns;
    if (events_) events_->change(Action::kRecord, Action::kNone);
    return ns;
  }

 private:
  std::int64_t step_ns() {
    recorder_.start_step(index_++);
    const std::int64_t begin_ns = clock_.now_ns();
    stepbench_toggle_counting();
    workload_->step(recorder_);
    stepbench_toggle_counting();
    const std::int64_t all_ns = clock_.now_ns() - begin_ns;
    return all_ns - recorder_.finish_step().phase_ns[static_cast<std::size_t>(PhaseId::kDataWait)];
  }

  HostClock clock_;
  WorkerContext context_{clock_, {}, {}};
  OutsideDataWait outside_;
  std::unique_ptr<Instrument> events_;
  std::vector<Instrument*> listening_;
  StepRecorder recorder_{clock_};
  std::unique_ptr<Workload> workload_;
  std::int64_t index_ = 0;
};

}  // namespace

int main(int argc, char** argv, char** environment) {
  test::Options options = test::tiny_images("mlp");
  for (int i = 1; i < argc; ++i) test::set_option(options, argv[i]);
  enter_launch(options, argv, environment);
  step::set_torch_threads(1, 1);
  try {
    Steps steps(options);
    for (int count = 0; std::cin >> count;) {
      const long faults = steps.faults();
      stepbench_start_counting();
      const std::int64_t ns = steps.ns_of(count);
      stepbench_stop_counting();
      std::cout << static_cast<double>(ns) * 1e-9 << ' ' << steps.faults() - faults << std::endl;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "model_steps: %s\n", error.what());
    return 1;
  }
}
