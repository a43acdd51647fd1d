// SPDX-License-Identifier: Apache-2.0
#include "tests/stub_worker/stub_workload.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/findings/finding.h"
#include "tests/stub_worker/catalogue.h"
#include "tests/stub_worker/faults.h"
#include "tests/stub_worker/stub_clock.h"

namespace stepbench {
namespace {

struct Part {
  PhaseId phase;
  std::int64_t percent;
};

PhaseId phase_named(std::string_view name) {
  if (name == "think") return declared_phase(0);
  const std::vector<Phase>& phases = built_in_phases();
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const Phase& phase) { return phase.name == name; });
  if (found == phases.end()) {
    throw std::runtime_error("stub.phases: no phase '" + std::string(name) + "'");
  }
  return static_cast<PhaseId>(found - phases.begin());
}

std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) throw std::runtime_error("stub.phases: no '='");
    std::int64_t percent = 0;
    std::from_chars(part.data() + equals + 1, part.data() + part.size(), percent);
    parts.push_back({phase_named(part.substr(0, equals)), percent});
  }
  return parts;
}

std::int64_t ns_of(double us) { return std::llround(us * 1000); }

class StubWorkload final : public Workload {
 public:
  StubWorkload(const ResolvedCase& resolved, WorkerContext& context, StubClock& clock)
      : resolved_(resolved),
        context_(context),
        clock_(clock),
        behaviour_(behaves(resolved, context) ? resolved.text("stub.behaviour") : "ok"),
        at_step_(resolved.integer("stub.at_step")),
        step_ns_(ns_of(resolved.number("stub.step_us"))),
        forward_ns_(is_slow(resolved, context) ? ns_of(resolved.number("stub.slow_rank_us")) : 0),
        jitter_(resolved.number("stub.jitter")),
        slow_steps_(resolved.integer("stub.slow_steps")),
        tail_every_(resolved.integer("stub.tail_every")),
        tail_ns_(ns_of(resolved.number("stub.tail_us"))),
        epoch_steps_(resolved.integer("stub.epoch_steps")),
        epoch_gap_ns_(ns_of(resolved.number("stub.epoch_gap_us"))),
        samples_(resolved.integer("stub.samples")),
        parts_(parts_of(resolved.text("stub.phases"))),
        random_(static_cast<std::uint64_t>(resolved.integer("seed")) * 1000003U +
                static_cast<std::uint64_t>(context.launch)) {
    const double slow_launches = resolved.number("stub.slow_launches");
    if (slow_launches > 0 && std::uniform_real_distribution<>()(random_) < slow_launches) {
      step_ns_ *= 2;
    }
  }

  std::optional<std::string> set_up() override {
    if (resolved_.has("stub.marker")) mark(resolved_.text("stub.marker"));
    clock_.pass(ns_of(resolved_.number("stub.set_up_us")));
    context_.life_cycle.first_batch_ns = step_ns_;
    if (behaviour_ == "hang_in_set_up") hang();
    if (behaviour_ == "throw_in_set_up") throw std::runtime_error("scripted exception in set_up");
    if (behaviour_ == "skip") return "scripted reason to skip";
    return std::nullopt;
  }

  void step(StepRecorder& step) override {
    if (step.index() == at_step_) inject_fault(behaviour_, clock_.control_descriptor());
    ++steps_;
    const bool border = epoch_steps_ > 0 && step.index() > 0 && step.index() % epoch_steps_ == 0;
    const std::int64_t whole = duration(step.index());
    std::int64_t left = whole;
    for (const Part& part : parts_) {
      const auto phase = step.phase(part.phase);
      const std::int64_t ns = whole * part.percent / 100;
      clock_.pass(ns);
      if (part.phase == PhaseId::kForward) clock_.pass(forward_ns_);
      left -= ns;
      if (border && part.phase == PhaseId::kDataWait) {
        step.first_of_epoch();
        clock_.pass(epoch_gap_ns_);
      }
    }
    clock_.pass(std::max<std::int64_t>(left, 0));
    if (samples_ > 0) step.add(Count::kSamples, samples_);
  }

  void tear_down() override {
    clock_.pass(1000);
    if (behaviour_ == "hang_in_tear_down") hang();
    if (behaviour_ == "no_final_line") ::_exit(0);
    if (behaviour_ == "throw_in_tear_down") {
      throw std::runtime_error("scripted exception in tear_down");
    }
  }

  Fingerprint fingerprint() override {
    const char* other = std::getenv("STUB_LOSS");
    return {other == nullptr ? resolved_.number("stub.loss") : std::stod(other),
            std::numeric_limits<double>::quiet_NaN()};
  }

  void report(ReportSink& sink) const override {
    sink.metric("stub_steps", static_cast<double>(steps_));
    if (context_.launch >= resolved_.integer("stub.finding_launches")) return;
    const std::string seen = std::to_string(50 + context_.launch);
    sink.finding({.id = "stub.spins",
                  .severity = Severity::kWarning,
                  .text = "the step spins for " + seen + " % of its time",
                  .value = 50.0 + context_.launch,
                  .threshold = 10,
                  .unit = "%",
                  .share = 0.5,
                  .evidence = {"step_ns"},
                  .remedy = "Shorten the script.",
                  .set = {{.option = "stub.step_us", .value = "10"}}});
  }

 private:
  static bool behaves(const ResolvedCase& resolved, const WorkerContext& context) {
    const std::int64_t rank = resolved.integer("stub.of_rank");
    return rank < 0 || rank == context.rank;
  }

  static bool is_slow(const ResolvedCase& resolved, const WorkerContext& context) {
    const std::int64_t rank = resolved.integer("stub.slow_rank");
    return rank == -2 || rank == context.rank;
  }

  void mark(const std::string& file) const {
    std::ofstream out(file, std::ios::app);
    out << resolved_.case_id << ' ' << context_.launch << ' ' << context_.rank << std::endl;
  }

  std::int64_t duration(std::int64_t index) {
    double factor = 1;
    if (jitter_ > 0) factor += std::uniform_real_distribution<>(-jitter_, jitter_)(random_);
    if (index < slow_steps_) {
      factor += 1 - static_cast<double>(index) / static_cast<double>(slow_steps_);
    }
    const bool in_tail = tail_every_ > 0 && index % tail_every_ == 0;
    return std::llround(static_cast<double>(in_tail ? tail_ns_ : step_ns_) * factor);
  }

  const ResolvedCase resolved_;
  WorkerContext& context_;
  StubClock& clock_;
  std::string behaviour_;
  std::int64_t at_step_;
  std::int64_t step_ns_;
  std::int64_t forward_ns_;  // beyond its part of the step
  double jitter_;
  std::int64_t slow_steps_;
  std::int64_t tail_every_;
  std::int64_t tail_ns_;
  std::int64_t epoch_steps_;
  std::int64_t epoch_gap_ns_;
  std::int64_t samples_;
  std::vector<Part> parts_;
  std::mt19937_64 random_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Workload> make_stub(const ResolvedCase& given, WorkerContext& context) {
  // A case planned with the catalogue of the built-in workloads has no options of the script.
  ResolvedCase resolved = given;
  const Catalogue catalogue = stub_catalogue();
  for (const Option& option : catalogue.find_section("stub")->options) {
    const std::string name = "stub." + option.name;
    if (resolved.options.get(name) != nullptr || is_null(option.default_value)) continue;
    resolved.options[name] = option.default_value;
  }
  // The program owns its clock and passes it read-only; only the script may move it.
  auto& clock = const_cast<StubClock&>(dynamic_cast<const StubClock&>(context.clock));
  if (resolved.text("stub.clock") == "host") clock.use_host();
  return std::make_unique<StubWorkload>(resolved, context, clock);
}

}  // namespace stepbench
