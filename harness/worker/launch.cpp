// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/launch.h"

#include <algorithm>
#include <exception>

#include "harness/error.h"
#include "harness/worker/loop.h"
#include "harness/worker/report.h"

namespace stepbench {
namespace {

using protocol::Stage;

std::string what_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

const WorkloadType& find_type(std::span<const WorkloadType> types, const std::string& name) {
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
  if (found != types.end()) return *found;
  std::string known;
  for (const WorkloadType& type : types) {
    known.append(known.empty() ? "" : ", ").append(type.name);
  }
  throw Error("this worker has no workload '" + name + "'; it has: " + known);
}

std::vector<std::string> phase_names(const Catalogue& catalogue, const std::string& workload) {
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  if (const WorkloadSpec* spec = catalogue.find_workload(workload)) {
    for (const Phase& phase : spec->phases) names.push_back(phase.name);
  }
  return names;
}

int threads_of(const ResolvedCase& resolved, std::string_view option) {
  const Value* value = resolved.options.get(option);
  const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return number == nullptr ? 0 : static_cast<int>(*number);
}

// Remembers where a launch is, so that a failure names its stage.
class Stages {
 public:
  explicit Stages(const SendMessage& send) : send_(send) {}
  void enter(Stage stage) {
    if (entered_ && stage == stage_) return;
    stage_ = stage;
    entered_ = true;
    send_(protocol::StageMessage{stage});
  }
  [[nodiscard]] Stage current() const { return stage_; }

 private:
  const SendMessage& send_;
  Stage stage_ = Stage::kSetUp;
  bool entered_ = false;
};

}  // namespace

void run_case(const protocol::CaseMessage& message, const Catalogue& catalogue,
              std::span<const WorkloadType> workloads,
              std::span<InstrumentFactory* const> instruments, const WorkerFacts& facts,
              const Clock& clock, std::int64_t began_ns, const SendMessage& send) {
  const ResolvedCase& resolved = message.resolved;
  const std::int64_t set_up_began_ns = clock.now_ns();
  WorkerContext context{clock,         message.run_dir, message.shared_memory_prefix,
                        message.rank,  message.world,   {},
                        message.launch};
  Stages stages(send);
  std::unique_ptr<Workload> workload;
  std::exception_ptr error;
  LaunchEvidence evidence;
  std::vector<Columns> cycles;
  try {
    stages.enter(Stage::kSetUp);
    const WorkloadType& type = find_type(workloads, resolved.workload);
    if (facts.set_threads != nullptr) {
      facts.set_threads(threads_of(resolved, "threads.intra_op"),
                        threads_of(resolved, "threads.inter_op"));
    }
    workload = type.make(resolved, context);
    const std::optional<std::string> skip = workload->set_up();
    evidence.set_up_ns = clock.now_ns() - set_up_began_ns;
    if (skip) {
      stages.enter(Stage::kTearDown);
      workload->tear_down();
      send(protocol::SkippedMessage{*skip});
      return;
    }

    stages.enter(Stage::kExercise);
    InstrumentSet listening = make_instruments(instruments, resolved, context, evidence);
    evidence.options = loop_options(resolved, began_ns);
    Loop loop(evidence.options, clock, *workload, listening,
              phase_names(catalogue, resolved.workload));
    loop.exercise();
    try {
      evidence.loop =
          loop.run([&](bool active) { stages.enter(active ? Stage::kActive : Stage::kWarmup); },
                   [&](const Columns& cycle) {
                     send(cycle_message(static_cast<std::int64_t>(cycles.size()), cycle));
                     cycles.push_back(cycle);
                   });
      collect(*workload, listening, evidence);
    } catch (...) {
      error = std::current_exception();
    }
  } catch (...) {
    error = std::current_exception();
  }

  const Stage failed_in = stages.current();
  for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle) {
    send_samples(static_cast<std::int64_t>(cycle), cycles[cycle], send);
  }
  stages.enter(Stage::kTearDown);
  const std::int64_t tear_down_ns = clock.now_ns();
  try {
    if (workload != nullptr) workload->tear_down();
  } catch (...) {
    if (error == nullptr) {
      send(protocol::FailedMessage{what_of(std::current_exception()), Stage::kTearDown});
      return;
    }
  }
  evidence.tear_down_ns = clock.now_ns() - tear_down_ns;
  if (error != nullptr) {
    send(protocol::FailedMessage{what_of(error), failed_in});
    return;
  }
  evidence.life_cycle = context.life_cycle;
  send(protocol::LaunchMessage{make_report(evidence, cycles)});
}

}  // namespace stepbench
