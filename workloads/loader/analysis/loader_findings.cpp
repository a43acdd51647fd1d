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
#include "workloads/data/python_kind.h"
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
// Handing over: of the training thread's time, and of the workers'.
constexpr double kMinReceiveShare = 0.1;
constexpr double kMinSendShare = 0.2;
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
// Of the workers' time: above it there is nothing to win but by more workers.
constexpr double kMinAllBusy = 0.9;

// Who waits for a CPU, of its time, while other programs have this share of the cores.
constexpr double kMinWaitForCpu = 0.1;
constexpr double kMinOthers = 0.1;
// Of the step: below it an advice is none.
constexpr double kMinGain = 0.05;
// Finished batches wait for Python's lock: to begin, for each tensor, and of a batch. Where nobody
// holds it a tensor's memory is handed over in .2 to .4 ms.
constexpr double kMinGilWaitNs = 1e6;
constexpr double kMinGilMemoryNs = 0.5e6;
constexpr double kMinGilWaitShare = 0.1;
// Standard deviation of a worker's time for a batch over its mean: below it batches are alike.
constexpr double kMinVariation = 0.25;

std::string largest_part(const LoaderAnalysis& r, double of_ns, std::string_view of) {
  return std::string(r.largest.name) + " takes " +
         text::percent_text(std::min(1.0, r.largest.ns / of_ns)) + " of " + std::string(of);
}

std::string waiting(const LoaderAnalysis& r) {
  return "the step waits " + text::percent_text(r.wait_share) + " of its time for data";
}

std::string cores_in_words(double cores) {
  return text::short_number(cores) + (cores == 1 ? " core" : " cores");
}

std::string_view blocked_text(const LoaderAnalysis& r) {
  switch (r.blocked_on()) {
    case Blocked::kStorage:
      return "waiting for storage";
    case Blocked::kElse:
      return "waiting for something that is neither a CPU nor storage";
    case Blocked::kUnknown:
      break;
  }
  return "waiting for what is not known";
}

// ": computing 55 %, waiting for a CPU 45 %" of the time in which they read.
std::string doing(const LoaderAnalysis& r) {
  constexpr double kWorthAWord = 0.05;
  if (!r.reading) return {};
  std::string text;
  const auto add = [&](std::string_view what, double share) {
    if (share < kWorthAWord) return;
    text += (text.empty() ? ": " : ", ") + std::string(what) + ' ' + text::percent_text(share);
  };
  add("computing", r.reading->computing);
  add("waiting for a CPU", r.reading->waiting_for_cpu);
  add(blocked_text(r), r.reading->blocked);
  return text;
}

bool others_matter(const LoaderFacts& facts, const LoaderAnalysis& r) {
  return r.cores_left() <= (1 - kMinOthers) * facts.cores;
}

// The cores are in use: those of this launch, or all that others leave.
bool no_core_left(const LoaderFacts& facts, const LoaderAnalysis& r) {
  return r.own_cores >= kMinCoresUsed * facts.cores - (facts.cores - r.cores_left());
}

std::string others_text(const LoaderAnalysis& r) {
  return "other programs use " + text::short_number(r.others_cores.value_or(0), 1) + " of " +
         cores_in_words(r.machine_cores());
}

void offer_less_work(const LoaderFacts& facts, const LoaderAnalysis& r, Finding& finding) {
  if (others_matter(facts, r)) {
    finding.remedy =
        "The cores are the limit, and other programs have a part of them: end these, or measure "
        "where nothing else runs.";
  } else if (facts.may_decode_faster && r.largest.metric == "loader_decode_ns") {
    finding.remedy =
        "The cores are the limit: decode less (data.decode: fast helps where images are much "
        "larger than image_size), or store smaller or decoded images.";
    finding.set = {{.option = "data.decode", .value = "fast"}};
  } else {
    finding.remedy = "The cores are the limit: do less per sample, or use a machine with more.";
  }
}

// Those that wait together for one lock or one server win nothing by being more.
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
  Finding finding{
      .id = "loader.no_workers",
      .severity = findings::severity_of_share(share),
      .text = "no workers: " + waiting(r) + "; " + largest_part(r, r.wait_ns, "that") + doing(r),
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

// The cores have other work than this launch's, and somebody here waits for it.
std::optional<Finding> other_programs(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double of_workers = r.workers() > 0 && r.reading ? r.reading->waiting_for_cpu : 0;
  const double of_training = r.training_waited.value_or(0);
  const double share = r.gain_without_others();
  if (!others_matter(facts, r) || r.blocks() || share < kMinGain || r.wait_share < kMinWaitShare ||
      std::max(of_workers, of_training) < kMinWaitForCpu) {
    return std::nullopt;
  }
  const bool workers = of_workers >= of_training;
  return Finding{.id = "loader.other_programs",
                 .severity = findings::severity_of_share(share),
                 .text = (workers ? text::counted(r.workers(), "worker") + ", " +
                                        text::percent_text(r.utilisation()) + " busy" + doing(r)
                                  : "the training thread waits " + text::percent_text(of_training) +
                                        " of its time for a CPU") +
                         "; " + others_text(r) + "; " + waiting(r),
                 .value = *r.others_cores,
                 .threshold = kMinOthers * facts.cores,
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
      .text = text::counted(r.workers(), "worker") + " share " + cores_in_words(facts.cores) +
              ", which are " +
              text::percent_text(
                  std::min(1.0, (r.own_cores + facts.cores - r.cores_left()) / facts.cores)) +
              " in use" + (r.reading ? "; they are" + doing(r).substr(1) : "") +
              (step_waits ? "; " + waiting(r) : ""),
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
      .severity = findings::severity_of_share(share.value_or(0)),
      .text = largest_part(r, r.worker_ns, "the workers' time") + "; " +
              text::counted(r.workers(), "worker") + ", " + text::percent_text(r.utilisation()) +
              " busy" + doing(r),
      .value = r.utilisation(),
      .threshold = kMinBusy,
      .unit = "ratio",
      .share = share,
      .evidence = {"loader_worker_busy", std::string(r.largest.metric), "data_wait_ns"}};
  if (others_matter(facts, r)) {
    finding.text += "; " + others_text(r);
  } else if (all_in_use && !more_help) {
    finding.text += "; " + cores_in_words(facts.cores) + ", " +
                    text::percent_text(std::min(1.0, r.own_cores / facts.cores)) + " in use";
  } else {
    finding.text += "; " + text::short_number(r.own_cores, 1) + " of " +
                    cores_in_words(facts.cores) + " in use";
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

// Of Python's workers: what they do with the lock that the thread needs which hands batches over.
std::optional<Finding> gil_wait(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const auto& queue_ns = facts.measured.queue_thread_wait_ns;
  if (!queue_ns || r.workers() == 0 || !r.reading || r.reading->computing < kMinBusy) {
    return std::nullopt;
  }
  const auto queue_waits = static_cast<double>(*queue_ns);
  const auto memory_waits = static_cast<double>(facts.measured.memory_wait_ns);
  const auto memories = static_cast<double>(facts.measured.memories);
  const double held_ns = ((queue_waits / r.calls >= kMinGilWaitNs ? queue_waits : 0) +
                          (memory_waits >= kMinGilMemoryNs * memories ? memory_waits : 0)) /
                         r.calls;
  // That thread may have had the lock and no CPU.
  const double for_cpu_ns = r.workers_waited_ns / r.calls;
  if (held_ns <= 0 || held_ns < kMinGilWaitShare * r.batch_ns || for_cpu_ns > held_ns / 2) {
    return std::nullopt;
  }
  // Workers that are busy all the time have the next batch under way meanwhile.
  const double share = std::min(held_ns / r.step_ns, r.gain_of_busy_workers());
  const bool holds_up =
      r.wait_share >= kMinWaitShare && r.utilisation() < kMinAllBusy && share >= kMinGain;
  Finding finding{.id = "loader.gil",
                  .severity = holds_up ? findings::severity_of_share(share) : Severity::kInfo,
                  .text = "a finished batch waits " + text::duration(held_ns) +
                          " for Python's lock (GIL), which its worker's own reading holds" +
                          (holds_up ? "; " + waiting(r) : ""),
                  .value = held_ns,
                  .threshold = kMinGilWaitNs,
                  .unit = "ns",
                  .evidence = {"loader_queue_thread_wait_ns", "loader_memory_wait_ns"}};
  if (holds_up) finding.share = share;
  if (facts.options.switch_interval_us < kSwitchIntervalUs) {
    finding.remedy = "Calls of C that keep the lock are as long: use ones that give it away.";
  } else {
    finding.remedy =
        "Let Python give the lock away more often: sys.setswitchinterval(1e-4) in worker_init.";
    finding.set = {{.option = "loader.switch_interval_us", .value = "100"}};
  }
  return finding;
}

std::optional<Finding> gil_holds_up(const LoaderFacts& facts, const LoaderAnalysis& r) {
  std::optional<Finding> finding = gil_wait(facts, r);
  return finding && finding->share ? finding : std::nullopt;
}

std::optional<Finding> gil_costs_nothing(const LoaderFacts& facts, const LoaderAnalysis& r) {
  std::optional<Finding> finding = gil_wait(facts, r);
  return finding && !finding->share ? finding : std::nullopt;
}

// Workers with time to spare, and a consumer that waits all the same: for batches, not for a CPU.
bool waits_beside_idle_workers(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double stalled = static_cast<double>(facts.measured.stalled_ns) / r.elapsed_ns;
  const double for_cpu =
      std::max(r.reading ? r.reading->waiting_for_cpu : 0.0, r.training_waited.value_or(0));
  return r.workers() > 0 && r.wait_share >= kMinWaitShare && r.utilisation() < kMinBusy &&
         stalled < kMinStalledShare && r.worker_ns > 0 && for_cpu < 2 * kMinWaitForCpu &&
         static_cast<double>(facts.measured.receive_ns) < r.wait_ns / 2;
}

std::optional<Finding> uneven(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double variation = r.variation().value_or(1);
  if (!waits_beside_idle_workers(facts, r) || variation < kMinVariation ||
      variation * r.batch_ns < kMinWaitShare * r.step_ns) {
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

// Batches that are alike, and so small that the way to the consumer takes longer than they do.
std::optional<Finding> tiny_batches(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (!waits_beside_idle_workers(facts, r) || r.batch_ns > r.step_ns) return std::nullopt;
  return Finding{
      .id = "loader.tiny_batches",
      .severity = findings::severity_of_share(r.wait_share),
      .text = waiting(r) + " although the workers are " + text::percent_text(1 - r.utilisation()) +
              " idle: a batch takes " + text::duration(r.batch_ns) +
              " to make, and its way to the training thread is longer than that",
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
  // A batch is late for having been read, not for a worker that had no CPU to begin it.
  if (!facts.options.in_order || share < kMinStalledShare ||
      r.busy_ns < static_cast<double>(facts.measured.stalled_ns) ||
      (r.utilisation() >= kMinBusy && r.variation().value_or(0) < kMinVariation)) {
    return std::nullopt;
  }
  return Finding{.id = "loader.straggler",
                 .severity = findings::severity_of_share(share),
                 .text = "finished batches wait for a late one in " + text::percent_text(stalled) +
                         " of the time; in any order a step would take " +
                         text::percent_text(share) + " less",
                 .value = stalled,
                 .threshold = kMinStalledShare,
                 .unit = "ratio",
                 .share = share,
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
  // Engine python joins no epochs of an IterableDataset.
  const bool ends_by_itself = facts.engine == data::kPythonName && facts.unknown_length;
  const std::vector<Finding::Set> keep_workers = {
      {.option = "loader.persistent_workers", .value = "true"}};
  const std::vector<Finding::Set> join_epochs = {{.option = "loader.epochs", .value = "joined"}};
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
      .remedy = !persist         ? "Keep the workers over epochs."
                : ends_by_itself ? "Let the data set never end: its __iter__ begins anew."
                                 : "Join the epochs, as a sampler that never ends does in Python.",
      .set = !persist         ? keep_workers
             : ends_by_itself ? std::vector<Finding::Set>{}
                              : join_epochs};
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
  const bool pools = facts.offers("loader.buffers");
  Finding finding{
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
                : pools  ? "Give batches memory that returns to a pool."
                         : "This engine always makes fresh memory: smaller types (uint8, "
                           "converted on the device) touch less of it."};
  if (segments) {
    finding.set = {{.option = "loader.transport", .value = "shm_ring"}};
  } else if (pools) {
    finding.set = {{.option = "loader.buffers", .value = "reused"}};
  }
  return finding;
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
      (facts.measured.receive_ns < facts.measured.blocked_ns || gil_wait(facts, r))) {
    return std::nullopt;  // for batches that are not there, or for workers that are busy
  }
  Finding finding{.id = "loader.transport",
                  .severity = findings::severity_of_share(receiving),
                  .text = "handing batches over takes " + text::percent_text(receiving) +
                          " of the training thread's time and " + text::percent_text(sending) +
                          " of the workers'",
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

std::optional<Finding> not_shared_out(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (!facts.measured.workers_repeat) return std::nullopt;
  return Finding{.id = "loader.repeated_samples",
                 .severity = Severity::kProblem,
                 .text = "each of the " + text::counted(r.workers(), "worker") +
                         " reads all of the data set: every sample comes " +
                         std::to_string(r.workers()) + " times in an epoch",
                 .value = static_cast<double>(r.workers()),
                 .threshold = 1,
                 .unit = "times",
                 .evidence = {"loader.num_workers"},
                 .remedy =
                     "Let __iter__ give each worker its part, by "
                     "torch.utils.data.get_worker_info()."};
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
  const auto look = [&](const auto& rule) {
    std::optional<Finding> finding = rule(facts, analysis);
    if (!finding) return false;
    std::erase_if(finding->set, [&](const Finding::Set& set) { return !facts.offers(set.option); });
    found.push_back(std::move(*finding));
    return true;
  };
  // Why the step waits: the first that fits is the cause, what follows from it is not said as well.
  for (const auto rule : {other_programs, without_workers, oversubscribed, gil_holds_up,
                          handing_over, straggler, bound_by_workers, uneven, tiny_batches}) {
    if (look(rule)) break;
  }
  for (const auto rule : {gil_costs_nothing, idle_workers, epoch_border, start_up, page_faults,
                          pinning, not_shared_out, truncated}) {
    (void)look(rule);
  }
  return found;
}

}  // namespace stepbench::loader
