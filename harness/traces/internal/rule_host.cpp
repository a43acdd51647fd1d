// SPDX-License-Identifier: Apache-2.0
// Rules about the step thread: waits for the device, allocations, time that nothing explains, the
// profiler's own cost, and the operators of a trace without a device.
#include <algorithm>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/rules.h"

namespace stepbench::traces {
namespace {

template <CallClass kClass>
bool is_of(const TraceName& call) {
  return call.facts.call == kClass;
}

// "; 25.1 ms in time.sleep, called at train.py(31): main, 3 ms in ...": Python functions that ran.
std::string functions_text(const RuleInput& in) {
  constexpr double kMinPart = 0.1;  // share of this time
  constexpr std::size_t kMaxNamed = 3;
  const double total_ns = in.idle_ns(IdleCause::kUnattributed);
  std::vector<std::string> named;
  for (const IdlePlace& place : in.idle.places) {
    if (place.cause != IdleCause::kUnattributed || place.name == ops::kNoIndex) continue;
    if (named.size() == kMaxNamed || double(place.idle_ns) < kMinPart * total_ns) break;
    named.push_back(text::duration(in.per_step(double(place.idle_ns))) + " in " +
                    in.called_at(in.name(place.name), place.caller));
  }
  return named.empty() ? std::string() : "; per step " + text::join_and(named);
}

struct CopyWaits {
  double total_ns = 0;
  double idle_ns = 0;
};

// Synchronising calls inside a copy's own operation, which the copy rules count.
CopyWaits waits_of_copies(const RuleInput& in) {
  CopyWaits out;
  if (!in.analysis.copies) return out;
  for (const CopyGroup& group : in.analysis.copies->groups) {
    out.total_ns += double(group.own_wait_ns);
    out.idle_ns += double(group.own_wait_idle_ns);
  }
  return out;
}

}  // namespace

CallSum calls_of(const RuleInput& in, bool (*chosen)(const TraceName&)) {
  CallSum out;
  if (!in.analysis.runtime_calls) return out;
  for (const RuntimeCallRow& row : *in.analysis.runtime_calls) {
    if (row.step_calls == 0 || !chosen(in.trace.names[row.name])) continue;
    out.total_ns += double(row.step_ns);
    out.calls += double(row.step_calls);
    if (out.worst == nullptr || row.step_ns > out.worst->step_ns) out.worst = &row;
  }
  return out;
}

bool is_blocking_set(const TraceName& call) {
  return call.facts.call == CallClass::kSet && call.text.find("Async") == std::string::npos;
}

RuleResult sync_bound(const RuleInput& in) {
  const CopyWaits copies = waits_of_copies(in);
  const double idle_ns = std::max(0.0, in.idle_ns(IdleCause::kSynchronise) - copies.idle_ns);
  const HostStall reads = stall_of(in, [](const CopyGroup& group) { return group.reads; });
  const CallSum calls = calls_of(in, is_of<CallClass::kSynchronize>);
  // While the host waits for the device it prepares no work, so the device's later wait for the
  // host is also caused by this call.
  const double busy_ns = std::max(0.0, calls.total_ns - copies.total_ns - idle_ns);
  const double waited_ns = idle_ns + reads.idle_ns;
  const double held_up_ns = waited_ns + std::min(busy_ns + reads.lost_lead_ns, in.host_bound_ns());
  const double shown_ns = waited_ns + std::min(reads.lost_lead_ns, in.host_bound_ns());
  const HostWaits& waits = in.analysis.host_waits;
  if (waits.places.empty()) return std::nullopt;
  const HostWaitPlace& most = waits.places.front();
  const auto times = [&](std::int64_t count) {
    const std::string words = text::short_number(in.per_step(double(count)), 1);
    return words == "1" ? std::string("once") : words + " times";
  };
  std::string text = formatted(
      "the host waits for the device {} per step, and the device then waits for the host ({}): ",
      times(waits.count), in.each_step(shown_ns));
  if (waits.reads > 0)
    text += formatted("small results are read {}; most of all ", times(waits.reads));
  text += in.called_at(in.call_in(most.call, most.op), most.python);
  Finding finding = in.of_share(shown_ns, std::move(text));
  finding.remedy =
      "Read results of the device later or less often: .item(), .cpu(), print(tensor) and "
      "torch.cuda.synchronize() stop the host until all work is done.";
  in.gain(finding, held_up_ns);
  for (const HostWaitPlace& place : waits.places) {
    in.add_row(finding, in.called_at(in.call_in(place.call, place.op), place.python), place.longest,
               place.longest_step);
  }
  return finding;
}

RuleResult allocations(const RuleInput& in) {
  const CallSum calls = calls_of(in, is_of<CallClass::kAllocate>);
  // Meanwhile the device runs queued work, so the gain is at most its wait for the host.
  const double gain_ns = std::min(calls.total_ns, in.host_bound_ns());
  if (calls.worst == nullptr) return std::nullopt;
  Finding finding = in.of_share(
      gain_ns,
      formatted(
          "memory is allocated or freed inside the steps: {} calls per step, {}; mostly {} in {}",
          text::short_number(in.per_step(calls.calls), 1), in.each_step(calls.total_ns),
          in.name(calls.worst->name), in.name(calls.worst->longest_op)));
  finding.remedy =
      "A warmed-up caching allocator makes no such calls: keep shapes alike, do not empty the "
      "cache "
      "in the loop, try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, pin memory once.";
  in.add_call(finding, calls.worst->name, calls.worst->longest_op, calls.worst->longest,
              calls.worst->longest_step);
  return finding;
}

RuleResult unattributed(const RuleInput& in) {
  // Time between tiny operators or reads is counted with these.
  double elsewhere_ns = 0;
  if (!in.on_device() && in.analysis.host_work) {
    const HostWork& work = *in.analysis.host_work;
    elsewhere_ns = double(work.between_ns + work.read_between_ns);
  }
  const double idle_ns = std::max(0.0, in.idle_ns(IdleCause::kUnattributed) - elsewhere_ns);
  std::string text = formatted("{} of the step ({}) lies under no operator and no call",
                               text::percent_text(in.share(idle_ns)), in.each_step(idle_ns));
  if (!in.idle.gaps.empty()) {
    const IdleGap& longest = in.idle.gaps.front();
    text += "; the longest gap, " + text::duration(double(longest.at.length_ns()));
    if (longest.before != ops::kNoIndex) text += ", comes after " + in.name(longest.before);
  }
  const std::string functions = functions_text(in);
  Finding finding = in.of_share(idle_ns, text + functions);
  if (!functions.empty()) {
    finding.remedy =
        "Plain Python between the operators: move it into the loader's workers, do it less often "
        "(logging, checkpoints), or in another thread.";
    in.add_places(finding, IdleCause::kUnattributed);
    return finding;
  }
  finding.remedy = in.analysis.counts.python > 0
                       ? "Plain Python or C++ between the operators, of which no frame was "
                         "recorded there: put record_function around suspected parts."
                       : "Plain Python or C++ between the operators: record stacks "
                         "(with_stack=True), or put record_function around suspected parts.";
  for (const IdleGap& gap : in.idle.gaps) {
    in.add_row(finding, gap.before == ops::kNoIndex ? "gap" : "gap after " + in.name(gap.before),
               gap.at, gap.step);
  }
  return finding;
}

RuleResult profiler_overhead(const RuleInput& in) {
  const auto total_ns = double(in.analysis.profiler_overhead_ns);
  Finding finding =
      in.of_value(in.share(total_ns), Severity::kWarning,
                  formatted("the profiler's own work takes {} of the steps ({})",
                            text::percent_text(in.share(total_ns)), in.each_step(total_ns)));
  finding.remedy =
      "Take the time of a step from a run without a profiler, and only the causes from here.";
  return finding;
}

// Rules about the step thread of a trace without a device, whose work is its operators.

namespace {

constexpr double kMinTinyOperators = 100;  // per step
// For large blocks: bytes allocated by the steps / peak bytes held. A forward and backward pass
// needs each block once or twice.
constexpr double kMinTurns = 10;

}  // namespace

RuleResult tiny_operators(const RuleInput& in) {
  const ValueOrReason<HostWork>& work = in.analysis.host_work;
  if (!work) return std::nullopt;
  const double total_ns = double(work->tiny_ns + work->between_ns);
  const double each = in.per_step(double(work->tiny));
  if (each < kMinTinyOperators) return std::nullopt;
  const HostWork::Often& often = work->most_often;
  Finding finding = in.of_share(
      total_ns,
      formatted(
          "{} operators per step take less than 10 us each, {} of the step ({}{}): mostly the "
          "overhead of calling operators, not their work; most often {}, {} times per step",
          text::with_separators(std::int64_t(each + 0.5)), text::percent_text(in.share(total_ns)),
          in.each_step(total_ns),
          work->between_ns > 0
              ? ", of it between them " + text::duration(in.per_step(double(work->between_ns)))
              : std::string(),
          in.name(often.name),
          text::with_separators(std::int64_t(in.per_step(double(often.count)) + 0.5))));
  finding.remedy =
      "Fewer, larger operators: work on whole tensors in place of loops over elements, foreach or "
      "fused optimizers, torch.compile, larger batches.";
  if (in.is_set_to("optimizer.implementation", std::string("single"))) {
    in.propose(finding, "optimizer.implementation", "fused");
  }
  in.add_row(finding, "series of " + in.name(often.name), work->slowest_run,
             work->slowest_run_step);
  return finding;
}

RuleResult host_reads(const RuleInput& in) {
  const ValueOrReason<HostWork>& work = in.analysis.host_work;
  if (!work) return std::nullopt;
  const double each = in.per_step(double(work->reads));
  Finding finding =
      in.of_value(each, Severity::kInfo,
                  formatted("the step reads a value from a tensor {}{} ({}): cheap here, but on a "
                            "GPU each read stops the host until all work before it is done",
                            text::short_number(each, 1), each < 1.05 ? " time" : " times",
                            in.called_at(in.name(work->most_reading.name), work->read_python)));
  finding.remedy = "Keep sums and losses in tensors, and read them once in many steps.";
  in.gain(finding, double(work->read_ns));
  in.add_row(finding, in.name(work->most_reading.name), work->first_read, work->first_read_step);
  return finding;
}

RuleResult host_allocations(const RuleInput& in) {
  const ValueOrReason<HostWork>& work = in.analysis.host_work;
  if (!work) return std::nullopt;
  if (!work->allocations) return in.undecided(in.analysis.memory.reason());
  if (work->allocations->most_held <= 0) return std::nullopt;
  const HostWork::Allocations& blocks = *work->allocations;
  const double turns = in.per_step(double(blocks.bytes)) / double(blocks.most_held);
  const double pages_ns = turns < kMinTurns ? double(blocks.mapped_ns)
                                            : double(blocks.bytes) / double(HostWork::kPageBytes) *
                                                  double(HostWork::kPageNs);
  const double each = in.per_step(double(blocks.count));
  Finding finding = in.of_share(
      pages_ns,
      formatted("large blocks of memory are allocated again and again: {} in {}{} per step, while "
                "at most {} of them are held at once; mostly in {}",
                text::byte_text(in.per_step(double(blocks.bytes))), text::short_number(each, 1),
                each < 1.05 ? " block" : " blocks", text::byte_text(double(blocks.most_held)),
                in.name(blocks.most_often.name)));
  finding.low_confidence = true;
  finding.remedy =
      "The system returns each block as fresh pages: write into existing tensors (out=, in-place "
      "operators), or use an allocator that keeps blocks (jemalloc, tcmalloc).";
  in.add_row(finding, in.name(blocks.most_often.name), blocks.first, blocks.first_step);
  return finding;
}

}  // namespace stepbench::traces
