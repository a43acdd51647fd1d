// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/analysis/loader_findings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/findings/severity.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "workloads/loader/analysis/loader_analysis.h"
#include "workloads/loader/engines.h"

namespace stepbench::loader {
namespace {

// A finding is made from these values on. Shares of the measured time, unless said otherwise.
// Waiting for data.
constexpr double kMinWaitShare = 0.1;
// Of the workers' time: above it they are the limit.
constexpr double kMinBusy = 0.7;
// Of the workers' time: below it they are too many, where the consumer waits no longer than that.
constexpr double kMaxBusyIdle = 0.5;
constexpr double kMaxWaitIdle = 0.02;
// Standing still between two epochs.
constexpr double kMinBorderShare = 0.02;
// Finished batches wait for one late batch.
constexpr double kMinStalledShare = 0.05;
constexpr double kMinHandOverShare = 0.2;
// Pinning in the consumer's thread.
constexpr double kMinPinningShare = 0.05;
// Page faults per page of a batch, and the kernel's share of the CPU time.
constexpr double kMinFaultsPerPage = 0.5;
constexpr double kMinSystemShare = 0.15;
constexpr double kPageBytes = 4096;
constexpr double kMinBatchBytes = 1 << 20;
// The first batch: seconds, and times a worker's time for a batch.
constexpr double kMinFirstBatchS = 1;
constexpr double kMinFirstBatches = 5;
// Of the cores' time.
constexpr double kMinCoresUsed = 0.85;

std::string largest_part(const LoaderAnalysis& r, double of_ns, std::string_view of) {
  return std::string(r.largest.name) + " takes " +
         text::percent_text(std::min(1.0, r.largest.ns / of_ns)) + " of " + std::string(of);
}

std::string waiting(const LoaderAnalysis& r) {
  return "the step waits " + text::percent_text(r.wait_share) + " of its time for data";
}

void offer_less_work(const LoaderFacts& facts, const LoaderAnalysis& r, Finding& finding) {
  if (facts.may_decode_faster && r.largest.metric == "loader_decode_ns") {
    finding.remedy =
        "The cores are the limit: decode less (data.decode: fast helps where images are much "
        "larger than image_size), or store smaller or decoded images.";
    finding.set = {{.option = "data.decode", .value = "fast"}};
  } else {
    finding.remedy = "The cores are the limit: do less per sample, or use a machine with more.";
  }
}

std::optional<Finding> without_workers(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (r.workers() > 0 || r.wait_share < kMinWaitShare) return std::nullopt;
  const double share = r.gain_with(r.workers_that_keep_up());
  Finding finding{.id = "loader.no_workers",
                  .severity = findings::severity_of_share(share),
                  .text = "no workers: " + waiting(r) + "; " + largest_part(r, r.wait_ns, "that"),
                  .value = r.wait_share,
                  .threshold = kMinWaitShare,
                  .unit = "ratio",
                  .share = share,
                  .evidence = {"data_wait_ns", std::string(r.largest.metric)}};
  if (facts.cores > 1 || r.waits_for_storage()) {
    finding.remedy = "Workers read the next batches while this one is used.";
    finding.set = {
        {.option = "loader.num_workers", .value = std::to_string(r.workers_that_keep_up())}};
  } else {
    offer_less_work(facts, r, finding);
  }
  return finding;
}

std::optional<Finding> bound_by_workers(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (r.workers() == 0 || r.wait_share < kMinWaitShare || r.utilisation() < kMinBusy)
    return std::nullopt;
  const std::int64_t better = r.workers_that_keep_up();
  const bool more_help = better > r.workers();
  const bool saturated = !r.waits_for_storage() && r.workers() >= facts.cores;
  std::optional<double> share = more_help ? r.gain_with(better) : r.wait_share;
  if (!more_help && r.consumer_is_idle()) share.reset();
  const std::string busy = saturated ? text::counted(r.workers(), "worker") +
                                           (r.workers() == 1 ? " saturates " : " saturate ") +
                                           text::counted(facts.cores, "core")
                                     : text::counted(r.workers(), "worker") + ", " +
                                           text::percent_text(r.utilisation()) + " busy, on " +
                                           text::counted(facts.cores, "core");
  Finding finding{
      .id = more_help ? "loader.worker_bound" : "loader.core_bound",
      .severity = findings::severity_of_share(share.value_or(0)),
      .text = largest_part(r, r.worker_ns, "the workers' time") + "; " + busy +
              (r.consumer_is_idle() ? "" : "; " + waiting(r)),
      .value = r.utilisation(),
      .threshold = kMinBusy,
      .unit = "ratio",
      .share = share,
      .evidence = {"loader_worker_busy", std::string(r.largest.metric), "data_wait_ns"}};
  if (more_help) {
    finding.remedy = r.waits_for_storage()
                         ? "Workers that wait for storage leave the cores free: use more of them."
                         : "There are cores left: use more workers.";
    finding.set = {{.option = "loader.num_workers", .value = std::to_string(better)}};
  } else {
    offer_less_work(facts, r, finding);
  }
  return finding;
}

// Workers with time to spare, and a consumer that waits all the same.
std::optional<Finding> uneven(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double stalled = static_cast<double>(facts.measured.stalled_ns) / r.elapsed_ns;
  if (r.workers() == 0 || r.wait_share < kMinWaitShare || r.utilisation() >= kMinBusy ||
      stalled >= kMinStalledShare || r.worker_ns <= 0) {
    return std::nullopt;
  }
  const std::int64_t factor = facts.options.prefetch_factor;
  return Finding{
      .id = "loader.uneven",
      .severity = findings::severity_of_share(r.wait_share),
      .text = waiting(r) + " although the workers are " + text::percent_text(1 - r.utilisation()) +
              " idle: some batches take longer than others, and at most " +
              text::counted(factor * r.workers(), "finished batch") + " can make up for it",
      .value = r.wait_share,
      .threshold = kMinWaitShare,
      .unit = "ratio",
      .share = r.wait_share,
      .evidence = {"data_wait_ns", "loader_worker_idle", "loader_queue_depth"},
      .remedy = "Read further ahead.",
      .set = {{.option = "loader.prefetch_factor", .value = std::to_string(2 * factor)}}};
}

std::optional<Finding> straggler(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double stalled = static_cast<double>(facts.measured.stalled_ns) / r.elapsed_ns;
  if (!facts.options.in_order || stalled < kMinStalledShare || r.utilisation() >= kMinBusy) {
    return std::nullopt;
  }
  return Finding{.id = "loader.straggler",
                 .severity = findings::severity_of_share(stalled),
                 .text = "finished batches wait for a late one: keeping their order takes " +
                         text::percent_text(stalled) + " of the time",
                 .value = stalled,
                 .threshold = kMinStalledShare,
                 .unit = "ratio",
                 .share = stalled,
                 .evidence = {"loader_next_stalled_ns", "loader_held", "loader_wait_max_ns"},
                 .remedy = "Take what is finished first, if the order of batches may change.",
                 .set = {{.option = "loader.in_order", .value = "false"}}};
}

std::optional<Finding> idle_workers(const LoaderFacts&, const LoaderAnalysis& r) {
  if (r.workers() < 2 || r.wait_share >= kMaxWaitIdle || r.worker_ns <= 0) return std::nullopt;
  const auto workers = static_cast<double>(r.workers());
  const auto enough = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(1.2 * workers * r.utilisation())));
  if (r.utilisation() >= kMaxBusyIdle || enough >= r.workers()) return std::nullopt;
  return Finding{.id = "loader.idle_workers",
                 .severity = Severity::kInfo,
                 .text = text::counted(r.workers(), "worker") + " are busy only " +
                         text::percent_text(r.utilisation()) + " of their time",
                 .value = r.utilisation(),
                 .threshold = kMaxBusyIdle,
                 .unit = "ratio",
                 .evidence = {"loader_worker_busy", "loader_worker_idle", "data_wait_ns"},
                 .remedy = text::counted(enough, "worker") +
                           " would do: fewer hold less memory and leave their cores to the step.",
                 .set = {{.option = "loader.num_workers", .value = std::to_string(enough)}}};
}

std::optional<Finding> oversubscribed(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (r.workers() <= facts.cores || r.waits_for_storage() || r.cores_used < kMinCoresUsed) {
    return std::nullopt;
  }
  return Finding{.id = "loader.oversubscribed",
                 .severity = Severity::kWarning,
                 .text = text::counted(r.workers(), "worker") + " share " +
                         text::counted(facts.cores, "core") + ", which are " +
                         text::percent_text(std::min(r.cores_used, 1.0)) + " in use",
                 .value = static_cast<double>(r.workers()),
                 .threshold = static_cast<double>(facts.cores),
                 .unit = "workers",
                 .evidence = {"cpu_s_per_1k_samples", "tree_involuntary_switches"},
                 .remedy =
                     "More workers than cores cannot decode faster, and they take time from the "
                     "step: use no more.",
                 .set = {{.option = "loader.num_workers", .value = std::to_string(facts.cores)}}};
}

std::optional<Finding> epoch_border(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (facts.window.borders == 0 || r.workers() == 0) return std::nullopt;
  const Engine* engine = find_engine(engines(), facts.engine);
  const bool persist =
      facts.options.persistent_workers || (engine != nullptr && engine->keeps_workers);
  const auto borders = static_cast<double>(facts.window.borders);
  const auto border_ns = static_cast<double>(facts.window.border_ns);
  // The batches after a border were made in its wait: it stands for a whole turn of the workers.
  const double turns = borders * static_cast<double>(r.workers());
  const double usual_ns = r.calls > turns ? turns * r.wait_ns / (r.calls - turns) : 0;
  const double extra_ns = std::max(0.0, border_ns - usual_ns);
  const double share = extra_ns / r.elapsed_ns;
  if (share < kMinBorderShare) return std::nullopt;
  return Finding{
      .id = persist ? "loader.epoch_drain" : "loader.epoch_gap",
      .severity = findings::severity_of_share(share),
      .text = "between two epochs the step stands still for " + text::duration(extra_ns / borders) +
              ", " + text::percent_text(share) + " of the time: " +
              (persist ? "the next epoch's first batch is not read before the last one ends"
                       : "the workers stop and start again"),
      .value = share,
      .threshold = kMinBorderShare,
      .unit = "ratio",
      .share = share,
      .evidence = {"epoch_gap_ns", "loader_epoch_begin_ns", "loader_epoch_end_ns"},
      .remedy = persist ? "Join the epochs, as a sampler that never ends does in Python."
                        : "Keep the workers over epochs.",
      .set = {persist ? Finding::Set{.option = "loader.epochs", .value = "joined"}
                      : Finding::Set{.option = "loader.persistent_workers", .value = "true"}}};
}

std::optional<Finding> start_up(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const auto first_ns = static_cast<double>(facts.first_wait_ns);
  if (first_ns < kMinFirstBatchS * 1e9 || first_ns < kMinFirstBatches * r.batch_ns)
    return std::nullopt;
  return Finding{
      .id = "loader.start_up",
      .severity = Severity::kInfo,
      .text = "the first batch came after " + text::duration(first_ns) + ", while a worker needs " +
              text::duration(r.batch_ns) + " for one",
      .value = first_ns,
      .threshold = std::max(kMinFirstBatchS * 1e9, kMinFirstBatches * r.batch_ns),
      .unit = "ns",
      .evidence = {"loader_first_wait_ns", "loader_construct_ns", "loader_epoch_begin_ns"},
      .remedy =
          "Starting workers takes longer the larger this process is: build the loader first, and "
          "keep its workers.",
      .set = r.workers() == 0 || facts.options.persistent_workers || facts.options.joined
                 ? std::vector<Finding::Set>{}
                 : std::vector<Finding::Set>{
                       {.option = "loader.persistent_workers", .value = "true"}}};
}

std::optional<Finding> page_faults(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (facts.options.reuse_buffers || facts.window.cpu_ns() == 0) return std::nullopt;
  const double bytes = static_cast<double>(facts.measured.bytes) / r.calls;
  if (bytes < kMinBatchBytes) return std::nullopt;
  const double pages = bytes / kPageBytes;
  const double faults = static_cast<double>(facts.window.used.minor_faults) / r.calls;
  const double system =
      static_cast<double>(facts.window.used.system_ns) / static_cast<double>(facts.window.cpu_ns());
  if (faults < kMinFaultsPerPage * pages || system < kMinSystemShare) return std::nullopt;
  const bool segments = facts.transport == "torch_fd";
  return Finding{
      .id = "loader.page_faults",
      .severity = Severity::kWarning,
      .text = "fresh memory for each batch: " + text::with_separators(std::llround(faults)) +
              " page faults per batch; the kernel takes " + text::percent_text(system) +
              " of the CPU time",
      .value = system,
      .threshold = kMinSystemShare,
      .unit = "ratio",
      .evidence = {"tree_minor_faults", "cpu_system_ns", "loader_collate_ns"},
      .remedy = segments ? "Hand batches over in memory that stays mapped."
                         : "Give batches memory that returns to a pool.",
      .set = {segments ? Finding::Set{.option = "loader.transport", .value = "shm_ring"}
                       : Finding::Set{.option = "loader.buffers", .value = "reused"}}};
}

std::optional<Finding> handing_over(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double receiving = static_cast<double>(facts.measured.receive_ns) / r.elapsed_ns;
  const double sending =
      r.worker_ns > 0
          ? static_cast<double>(facts.measured.transport_ns - facts.measured.receive_ns) /
                r.worker_ns
          : 0;
  const double share = std::max(receiving, sending);
  if (share < kMinHandOverShare) return std::nullopt;
  Finding finding{.id = "loader.transport",
                  .severity = findings::severity_of_share(receiving),
                  .text = "handing batches over takes " + text::percent_text(receiving) +
                          " of the training thread's time and " + text::percent_text(sending) +
                          " of the workers'",
                  .value = share,
                  .threshold = kMinHandOverShare,
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

std::optional<Finding> pinning(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double share = static_cast<double>(facts.measured.pinning_ns) / r.elapsed_ns;
  if (share < kMinPinningShare) return std::nullopt;
  return Finding{.id = "loader.pinning",
                 .severity = findings::severity_of_share(share),
                 .text = "the step's own thread copies batches into pinned memory for " +
                         text::percent_text(share) + " of its time",
                 .value = share,
                 .threshold = kMinPinningShare,
                 .unit = "ratio",
                 .share = share,
                 .evidence = {"loader_pin_ns"},
                 .remedy = "With workers a thread of its own pins."};
}

std::optional<Finding> truncated(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (facts.measured.lost_samples == 0) return std::nullopt;
  const Engine* engine = find_engine(engines(), facts.engine);
  return Finding{
      .id = "loader.lost_samples",
      .severity = Severity::kProblem,
      .text = text::counted(facts.measured.lost_samples, "sample") +
              " never came: after an error the epoch ended early",
      .value = static_cast<double>(facts.measured.lost_samples),
      .threshold = 0,
      .unit = "samples",
      .evidence = {"loader_lost_samples"},
      .remedy = r.workers() > 0 && engine != nullptr && !engine->lost_samples_remedy.empty()
                    ? engine->lost_samples_remedy
                    : "Look for the error in the launch's output."};
}

}  // namespace

std::vector<Finding> loader_findings(const LoaderFacts& facts) {
  std::vector<Finding> found;
  if (facts.measured.wait_ns.empty() || facts.window.elapsed_ns <= 0) return found;
  const LoaderAnalysis analysis(facts);
  for (const auto rule :
       {without_workers, bound_by_workers, uneven, straggler, idle_workers, oversubscribed,
        epoch_border, start_up, page_faults, handing_over, pinning, truncated}) {
    if (std::optional<Finding> finding = rule(facts, analysis)) found.push_back(*finding);
  }
  return found;
}

}  // namespace stepbench::loader
