// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/analysis/loader_findings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "harness/base/format.h"
#include "harness/findings/finding.h"
#include "harness/record/quality.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::loader {
namespace {

// Thresholds of the findings. Shares of the measured time, unless noted otherwise.
// Waiting for data.
constexpr double kMinWaitShare = 0.1;
// Finished batches wait for one late batch.
constexpr double kMinStalledShare = 0.05;
// Handing batches over: share of the training thread's time, and of the workers'.
constexpr double kMinReceiveShare = 0.1;
constexpr double kMinSendShare = 0.2;
// Share of the cores' time.
constexpr double kMinCoresUsed = 0.85;
// Busy share of the workers' time: above it only more workers help.
constexpr double kMinAllBusy = 0.9;
// Share of the step: below it no remedy is proposed.
constexpr double kMinGain = 0.05;
// Standard deviation of a worker's time per batch over its mean: below it batches are alike.
constexpr double kMinVariation = 0.25;

std::string largest_part(const LoaderAnalysis& r, double of_ns, std::string_view of) {
  return formatted("{} takes {} of {}", r.largest.name,
                   text::percent_text(std::min(1.0, r.largest.ns / of_ns)), of);
}

std::string waiting(const LoaderAnalysis& r) {
  return formatted("the step waits {} of its time for data", text::percent_text(r.wait_share));
}

std::string cores_in_words(double cores) {
  return text::short_number(cores) + (cores == 1 ? " core" : " cores");
}

std::string_view blocked_text(const LoaderAnalysis& r) {
  switch (r.blocked_on()) {
    case Blocked::kStorage:
      return "waiting for storage";
    case Blocked::kOther:
      return "waiting for something that is neither a CPU nor storage";
    case Blocked::kUnknown:
      break;
  }
  return "waiting for what is not known";
}

// "computing 55 %, waiting for a CPU 45 %" of the reading time; just "computing" if that is nearly
// all of it.
std::string doing(const LoaderAnalysis& r) {
  constexpr double kWorthAWord = 0.05;
  if (!r.reading) return {};
  const std::pair<std::string_view, double> parts[] = {
      {"computing", r.reading->computing},
      {"waiting for a CPU", r.reading->waiting_for_cpu},
      {blocked_text(r), r.reading->blocked}};
  std::string text;
  for (const auto& [what, share] : parts) {
    if (share > 1 - kWorthAWord) return std::string(what);
    if (share < kWorthAWord) continue;
    text += formatted("{}{} {}", text.empty() ? "" : ", ", what, text::percent_text(share));
  }
  return text;
}

std::string doing_aside(const LoaderAnalysis& r) {
  const std::string words = doing(r);
  return words.empty() ? words : " (" + words + ')';
}

// Other programs matter from this share of the cores on, if this launch waits for a CPU.
double least_others() { return record::row_of(record::Fact::kOthers).doubtful; }

bool others_matter(const LoaderFacts& facts, const LoaderAnalysis& r) {
  return !facts.has_other_ranks && r.cores_left() <= (1 - least_others()) * facts.cores;
}

// All usable cores are busy: this launch's, or all that other programs leave.
bool no_core_left(const LoaderFacts& facts, const LoaderAnalysis& r) {
  return r.own_cores >= kMinCoresUsed * facts.cores - (facts.cores - r.cores_left());
}

std::string others_text(const LoaderAnalysis& r) {
  return formatted("other programs use {} of {}", text::short_number(r.others_cores.value_or(0), 1),
                   cores_in_words(r.machine_cores()));
}

void offer_less_work(const LoaderFacts& facts, const LoaderAnalysis& r, Finding& finding) {
  if (others_matter(facts, r)) {
    finding.remedy =
        "The cores are the limit, and other programs have a part of them: end these, or measure "
        "where nothing else runs.";
  } else if (facts.all_cores > facts.cores) {
    finding.remedy = formatted(
        "The cores are the limit, and this process may use {} of the machine's {}: give it more "
        "(srun --cpus-per-task, docker --cpus, taskset), or do less per sample.",
        text::short_number(facts.cores), text::short_number(facts.all_cores));
  } else if (facts.may_decode_faster && r.largest.metric == "loader_decode_ns") {
    finding.remedy =
        "The cores are the limit: decode less (data.decode: fast helps where images are much "
        "larger than image_size), or store smaller or decoded images.";
    finding.set = {{.option = "data.decode", .value = "fast"}};
  } else {
    finding.remedy = "The cores are the limit: do less per sample, or use a machine with more.";
  }
}

// More workers do not help if they all wait for the same lock or server.
std::string remedy_of_blocked(const LoaderAnalysis& r) {
  return r.blocked_on() == Blocked::kStorage
             ? "Workers that wait for storage leave the cores free: use more of them."
             : "Workers that wait leave the cores free: use more of them, unless they wait for one "
               "another.";
}

std::optional<Finding> without_workers(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (r.workers() > 0 || r.wait_share < kMinWaitShare) return std::nullopt;
  const std::int64_t enough = r.workers_that_keep_up();
  const double share = r.gain_with(enough);
  Finding finding{.id = "loader.no_workers",
                  .severity = severity_of_share(share),
                  .text = formatted("no workers: {}; {}{}", waiting(r),
                                    largest_part(r, r.wait_ns, "that wait"), doing_aside(r)),
                  .value = r.wait_share,
                  .threshold = kMinWaitShare,
                  .unit = "ratio",
                  .share = share,
                  .evidence = {"data_wait_ns", std::string(r.largest.metric)}};
  if (others_matter(facts, r)) finding.text += "; " + others_text(r);
  if (share >= kMinGain) {
    finding.remedy = "Workers read the next batches while this one is used.";
    finding.set = {{.option = "loader.num_workers", .value = std::to_string(enough)}};
  } else {
    offer_less_work(facts, r, finding);
  }
  return finding;
}

// The cores run other programs, and this launch waits for a CPU.
std::optional<Finding> other_programs(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double of_workers = r.workers() > 0 && r.reading ? r.reading->waiting_for_cpu : 0;
  const double of_training = r.training_waited.value_or(0);
  const double share = r.gain_without_others();
  if (!others_matter(facts, r) || r.blocks() || share < kMinGain || r.wait_share < kMinWaitShare ||
      std::max(of_workers, of_training) < kMinWaitForCpu) {
    return std::nullopt;
  }
  const bool workers = of_workers >= of_training;
  return Finding{
      .id = "loader.other_programs",
      .severity = severity_of_share(share),
      .text = formatted("{}; {}; {}",
                        workers ? formatted("{}, {} busy{}", text::counted(r.workers(), "worker"),
                                            text::percent_text(r.utilisation()), doing_aside(r))
                                : formatted("the training thread waits {} of its time for a CPU",
                                            text::percent_text(of_training)),
                        others_text(r), waiting(r)),
      .value = *r.others_cores,
      .threshold = least_others() * facts.cores,
      .unit = "cores",
      .share = share,
      .evidence = {"loader_worker_cpu_wait", "loader_other_cores", "data_wait_ns"},
      .remedy = "End them, or measure where nothing else runs."};
}

bool is_oversubscribed(const LoaderFacts& facts, const LoaderAnalysis& r) {
  return static_cast<double>(r.workers()) > std::ceil(facts.cores) && !r.blocks() &&
         no_core_left(facts, r);
}

std::optional<Finding> oversubscribed(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (!is_oversubscribed(facts, r)) return std::nullopt;
  const auto cores = static_cast<std::int64_t>(std::ceil(facts.cores));
  const bool step_waits = r.wait_share >= kMinWaitShare && !r.consumer_is_idle();
  return Finding{
      .id = "loader.oversubscribed",
      .severity = Severity::kWarning,
      .text = formatted("{} share {}, which are {} in use{}{}",
                        text::counted(r.workers(), "worker"), cores_in_words(facts.cores),
                        text::percent_text(std::min(
                            1.0, (r.own_cores + facts.cores - r.cores_left()) / facts.cores)),
                        doing(r).empty() ? "" : "; they are " + doing(r),
                        step_waits ? "; " + waiting(r) : ""),
      .value = static_cast<double>(r.workers()),
      .threshold = facts.cores,
      .unit = "workers",
      .evidence = {"cpu_s_per_1k_samples", "loader_worker_cpu_wait", "tree_involuntary_switches"},
      .remedy = std::string("More workers than cores cannot compute faster, and they take time "
                            "from the step: use no more") +
                (step_waits ? ", and do less per sample." : "."),
      .set = {{.option = "loader.num_workers", .value = std::to_string(cores)}}};
}

std::optional<Finding> bound_by_workers(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (r.workers() == 0 || r.wait_share < kMinWaitShare || r.utilisation() < kMinBusy)
    return std::nullopt;
  const std::int64_t better = r.workers_that_keep_up();
  const bool more_help = better > r.workers() && r.gain_with(better) >= kMinGain;
  const bool all_in_use = no_core_left(facts, r);
  std::optional<double> share = more_help ? r.gain_with(better) : r.wait_share;
  if (!more_help && r.consumer_is_idle()) share.reset();
  Finding finding{
      .id = more_help || !all_in_use ? "loader.worker_bound" : "loader.core_bound",
      .severity = severity_of_share(share.value_or(0)),
      .text = formatted("{}; {}, {} busy{}", largest_part(r, r.worker_ns, "the workers' time"),
                        text::counted(r.workers(), "worker"), text::percent_text(r.utilisation()),
                        doing_aside(r)),
      .value = r.utilisation(),
      .threshold = kMinBusy,
      .unit = "ratio",
      .share = share,
      .evidence = {"loader_worker_busy", std::string(r.largest.metric), "data_wait_ns"}};
  if (others_matter(facts, r)) {
    finding.text += "; " + others_text(r);
  } else if (all_in_use && !more_help) {
    finding.text += formatted("; {}, {} in use", cores_in_words(facts.cores),
                              text::percent_text(std::min(1.0, r.own_cores / facts.cores)));
  } else {
    finding.text += formatted("; {} of {} in use", text::short_number(r.own_cores, 1),
                              cores_in_words(facts.cores));
  }
  if (!r.consumer_is_idle()) finding.text += "; " + waiting(r);
  if (more_help) {
    finding.remedy = r.blocks() ? remedy_of_blocked(r) : "There are cores left: use more workers.";
    finding.set = {{.option = "loader.num_workers", .value = std::to_string(better)}};
  } else if (all_in_use) {
    offer_less_work(facts, r, finding);
  } else {
    finding.remedy = "More workers are not known to help: do less per sample.";
  }
  return finding;
}

// Share of a step's time lost to Python's GIL. 0: negligible, or hidden by workers that are always
// busy and have the next batch under way.
double gain_without_gil(const LoaderAnalysis& r) {
  const double share = std::min(r.gil_wait_ns / r.step_ns, r.gain_of_busy_workers());
  const bool holds_up =
      r.wait_share >= kMinWaitShare && r.utilisation() < kMinAllBusy && share >= kMinGain;
  return holds_up ? share : 0;
}

Finding gil_finding(const LoaderFacts& facts, const LoaderAnalysis& r, double share) {
  Finding finding{
      .id = "loader.gil",
      .severity = share > 0 ? severity_of_share(share) : Severity::kInfo,
      .text = formatted("a finished batch waits {} for Python's lock (GIL), which its worker's own "
                        "reading holds{}",
                        text::duration(r.gil_wait_ns), share > 0 ? "; " + waiting(r) : ""),
      .value = r.gil_wait_ns,
      .threshold = kMinGilWaitNs,
      .unit = "ns",
      .evidence = {"loader_queue_thread_wait_ns", "loader_memory_wait_ns"}};
  if (share > 0) finding.share = share;
  if (facts.options.switch_interval_us < kSwitchIntervalUs) {
    finding.remedy = "Calls of C that keep the lock are as long: use ones that give it away.";
  } else {
    finding.remedy =
        "Let Python give the lock away more often: sys.setswitchinterval(1e-4) in worker_init.";
    finding.set = {{.option = "loader.switch_interval_us", .value = "100"}};
  }
  return finding;
}

std::optional<Finding> gil_contention(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double share = gain_without_gil(r);
  return share > 0 ? std::optional(gil_finding(facts, r, share)) : std::nullopt;
}

// The workers are partly idle, yet the consumer waits: for batches, not for a CPU.
bool waits_despite_idle_workers(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double stalled = static_cast<double>(facts.measured.stalled_ns) / r.elapsed_ns;
  const double for_cpu =
      std::max(r.reading ? r.reading->waiting_for_cpu : 0.0, r.training_waited.value_or(0));
  return r.workers() > 0 && r.wait_share >= kMinWaitShare && r.utilisation() < kMinBusy &&
         stalled < kMinStalledShare && r.worker_ns > 0 && for_cpu < 2 * kMinWaitForCpu &&
         static_cast<double>(facts.measured.receive_ns) < r.wait_ns / 2;
}

std::optional<Finding> uneven(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double variation = r.variation().value_or(1);
  if (!waits_despite_idle_workers(facts, r) || variation < kMinVariation ||
      variation * r.batch_ns < kMinWaitShare * r.step_ns) {
    return std::nullopt;
  }
  const std::int64_t factor = facts.options.prefetch_factor;
  return Finding{
      .id = "loader.uneven",
      .severity = severity_of_share(r.wait_share),
      .text = formatted("{} although the workers are {} idle: some batches take longer than "
                        "others, and at most {} can make up for it",
                        waiting(r), text::percent_text(1 - r.utilisation()),
                        text::counted(factor * r.workers(), "finished batch")),
      .value = r.wait_share,
      .threshold = kMinWaitShare,
      .unit = "ratio",
      .share = r.wait_share,
      .evidence = {"data_wait_ns", "loader_worker_idle", "loader_queue_depth"},
      .remedy = "Read further ahead.",
      .set = {{.option = "loader.prefetch_factor", .value = std::to_string(2 * factor)}}};
}

// Uniform batches so small that handing one over takes longer than making it.
std::optional<Finding> tiny_batches(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (!waits_despite_idle_workers(facts, r) || r.batch_ns > r.step_ns) return std::nullopt;
  return Finding{
      .id = "loader.tiny_batches",
      .severity = severity_of_share(r.wait_share),
      .text = formatted("{} although the workers are {} idle: a batch takes {} to make, and its "
                        "way to the training thread is longer than that",
                        waiting(r), text::percent_text(1 - r.utilisation()),
                        text::duration(r.batch_ns)),
      .value = r.wait_share,
      .threshold = kMinWaitShare,
      .unit = "ratio",
      .share = r.wait_share,
      .evidence = {"data_wait_ns", "loader_worker_idle", "loader_fetch_ns", "loader_collate_ns"},
      .remedy =
          "Larger batches cost as much to hand over; without workers there is nothing to "
          "hand over."};
}

std::optional<Finding> straggler(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double stalled = static_cast<double>(facts.measured.stalled_ns) / r.elapsed_ns;
  const double share = std::min(stalled, r.gain_of_busy_workers());
  // Count only batches that are late because of reading, not because their worker had no CPU.
  if (!facts.options.in_order || share < kMinStalledShare ||
      r.busy_ns < static_cast<double>(facts.measured.stalled_ns) ||
      (r.utilisation() >= kMinBusy && r.variation().value_or(0) < kMinVariation)) {
    return std::nullopt;
  }
  return Finding{.id = "loader.straggler",
                 .severity = severity_of_share(share),
                 .text = formatted("finished batches wait for a late one in {} of the time; in any "
                                   "order a step would take {} less",
                                   text::percent_text(stalled), text::percent_text(share)),
                 .value = stalled,
                 .threshold = kMinStalledShare,
                 .unit = "ratio",
                 .share = share,
                 .evidence = {"loader_next_stalled_ns", "loader_held", "loader_wait_max_ns"},
                 .remedy = "Take what is finished first, if the order of batches may change.",
                 .set = {{.option = "loader.in_order", .value = "false"}}};
}

std::optional<Finding> handing_over(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double receiving = static_cast<double>(facts.measured.receive_ns) / r.elapsed_ns;
  const double sending =
      r.worker_ns > 0
          ? static_cast<double>(facts.measured.transport_ns - facts.measured.receive_ns) /
                r.worker_ns
          : 0;
  if (receiving < kMinReceiveShare && sending < kMinSendShare) return std::nullopt;
  if (r.utilisation() >= kMinBusy &&
      (facts.measured.receive_ns < facts.measured.blocked_ns || r.gil_wait_ns > 0)) {
    return std::nullopt;  // the wait is for missing batches or busy workers
  }
  Finding finding{
      .id = "loader.transport",
      .severity = severity_of_share(receiving),
      .text = formatted(
          "handing batches over takes {} of the training thread's time and {} of the workers'{}",
          text::percent_text(receiving), text::percent_text(sending), late_for(facts, r)),
      .value = receiving >= kMinReceiveShare ? receiving : sending,
      .threshold = receiving >= kMinReceiveShare ? kMinReceiveShare : kMinSendShare,
      .unit = "ratio",
      .share = receiving,
      .evidence = {"loader_transport_ns", "loader_next_receive_ns"},
      .remedy = "Hand over fewer, larger batches."};
  if (facts.transport == "torch_fd") {
    finding.remedy = "Hand batches over in memory that stays mapped.";
    finding.set = {{.option = "loader.transport", .value = "shm_ring"}};
  }
  return finding;
}

}  // namespace

std::optional<Finding> cause_of_waiting(const LoaderFacts& facts, const LoaderAnalysis& analysis) {
  for (const auto rule : {other_programs, without_workers, oversubscribed, gil_contention,
                          handing_over, straggler, bound_by_workers, uneven, tiny_batches}) {
    if (auto finding = rule(facts, analysis)) return finding;
  }
  return std::nullopt;
}

std::optional<Finding> gil_costs_nothing(const LoaderFacts& facts, const LoaderAnalysis& analysis) {
  if (analysis.gil_wait_ns <= 0 || gain_without_gil(analysis) > 0) return std::nullopt;
  return gil_finding(facts, analysis, 0);
}

std::string late_for(const LoaderFacts& facts, const LoaderAnalysis& r) {
  std::string text;
  const double queued_ns =
      static_cast<double>(facts.measured.queue_thread_wait_ns.value_or(0)) / r.calls;
  if (queued_ns >= kMinGilWaitNs) {
    text += formatted("; a finished batch waits {} for its worker's lock (GIL) or for a CPU",
                      text::duration(queued_ns));
  }
  const double of_training = r.training_waited.value_or(0);
  if (of_training >= kMinWaitForCpu) {
    text += formatted("; the training thread waits {} of its time for a CPU",
                      text::percent_text(of_training));
  }
  return text;
}

}  // namespace stepbench::loader
