// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/analysis/loader_findings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/format.h"
#include "harness/findings/finding.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "workloads/data/python_parts.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/internal/analysis/loader_analysis.h"
#include "workloads/loader/internal/analysis/loader_facts.h"

namespace stepbench::loader {
namespace {

// Thresholds of the findings. Shares of the measured time, unless noted otherwise.
// Busy share of the workers' time: below it there are too many, if the consumer waits less than
// kMaxWaitIdle.
constexpr double kMaxBusyIdle = 0.5;
constexpr double kMaxWaitIdle = 0.02;
// Standstill between two epochs.
constexpr double kMinBorderShare = 0.02;
// Pinning in the consumer's thread.
constexpr double kMinPinningShare = 0.05;
// Page faults per page of a batch, and the kernel's share of the CPU time.
constexpr double kMinFaultsPerPage = 0.5;
constexpr double kMinSystemShare = 0.15;
constexpr double kPageBytes = 4096;
constexpr double kMinBatchBytes = 1 << 20;
// Padding as a share of the batches' tokens, and the part of it that sorting must remove.
constexpr double kMinPadding = 0.1;
constexpr double kMuchPadding = 0.25;
constexpr double kMinPaddingSaved = 0.3;
// Waiting for the user's iterable.
constexpr double kMinIterableWait = 0.1;
// The first batch: in seconds, and as a multiple of a worker's time per batch.
constexpr double kMinFirstBatchS = 1;
constexpr double kMinFirstBatches = 5;

std::optional<Finding> idle_workers(const LoaderFacts&, const LoaderAnalysis& r) {
  if (r.workers() < 2 || r.wait_share >= kMaxWaitIdle || r.worker_ns <= 0) return std::nullopt;
  const auto workers = static_cast<double>(r.workers());
  const auto enough = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(1.2 * workers * r.utilisation())));
  if (r.utilisation() >= kMaxBusyIdle || enough >= r.workers()) return std::nullopt;
  return Finding{
      .id = "loader.idle_workers",
      .severity = Severity::kInfo,
      .text = formatted("{} are busy only {} of their time", text::counted(r.workers(), "worker"),
                        text::percent_text(r.utilisation())),
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
      facts.options.persistent_workers || (engine != nullptr && engine->persists_workers);
  const auto borders = static_cast<double>(facts.window.borders);
  const auto border_ns = static_cast<double>(facts.window.border_ns);
  // The batches after a border were made during its wait, which replaces a whole turn of the
  // workers' waits.
  const double turns = borders * static_cast<double>(r.workers());
  const double usual_ns = r.calls > turns ? turns * r.wait_ns / (r.calls - turns) : 0;
  const double extra_ns = std::max(0.0, border_ns - usual_ns);
  const double share = extra_ns / r.elapsed_ns;
  if (share < kMinBorderShare) return std::nullopt;
  // Engine python cannot join epochs of an IterableDataset.
  const bool ends_by_itself = facts.engine == data::kPythonName && facts.unknown_length;
  const std::vector<Finding::Set> keep_workers = {
      {.option = "loader.persistent_workers", .value = "true"}};
  const std::vector<Finding::Set> join_epochs = {{.option = "loader.epochs", .value = "joined"}};
  return Finding{
      .id = persist ? "loader.epoch_drain" : "loader.epoch_gap",
      .severity = severity_of_share(share),
      .text =
          formatted("between two epochs the step stands still for {}, {} of the time: {}",
                    text::duration(extra_ns / borders), text::percent_text(share),
                    persist ? "the next epoch's first batch is not read before the last one ends"
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
      .text = formatted("the first batch came after {}, while a worker needs {} for one",
                        text::duration(first_ns), text::duration(r.batch_ns)),
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
      .text = formatted("fresh memory for each batch: {} page faults per batch; the kernel takes "
                        "{} of the CPU time",
                        text::with_separators(std::llround(faults)), text::percent_text(system)),
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

std::optional<Finding> pinning(const LoaderFacts& facts, const LoaderAnalysis& r) {
  const double share = static_cast<double>(facts.measured.pinning_ns) / r.elapsed_ns;
  if (share < kMinPinningShare) return std::nullopt;
  return Finding{.id = "loader.pinning",
                 .severity = severity_of_share(share),
                 .text = formatted(
                     "the step's own thread copies batches into pinned memory for {} of its time",
                     text::percent_text(share)),
                 .value = share,
                 .threshold = kMinPinningShare,
                 .unit = "ratio",
                 .share = share,
                 .evidence = {"loader_pin_ns"},
                 .remedy = "With workers a thread of its own pins."};
}

// The padding that sorting would leave is computed from the samples' lengths, not estimated.
std::optional<Finding> padding(const LoaderFacts& facts, const LoaderAnalysis&) {
  if (facts.measured.elements == 0) return std::nullopt;
  const double share =
      static_cast<double>(facts.measured.padding) / static_cast<double>(facts.measured.elements);
  if (share < kMinPadding) return std::nullopt;
  Finding finding{.id = "loader.padding",
                  .severity = share < kMuchPadding ? Severity::kInfo : Severity::kWarning,
                  .text = text::percent_text(share) +
                          " of the tokens in the batches are padding behind shorter samples: "
                          "loader, copies and model work on them for nothing",
                  .value = share,
                  .threshold = kMinPadding,
                  .unit = "ratio",
                  .evidence = {"loader_padding"}};
  if (!facts.pads_to_longest) {
    finding.remedy = "Pad to the longest sample of each batch.";
    finding.set = {{.option = "data.padding", .value = "longest"}};
    return finding;
  }
  if (!facts.padding_sorted || *facts.padding_sorted > (1 - kMinPaddingSaved) * share) {
    return std::nullopt;
  }
  const std::string batches = std::to_string(kSortedBatches);
  finding.remedy = formatted("Sorted by length within {} batches, {} would be.", batches,
                             text::percent_text(*facts.padding_sorted));
  finding.set = {{.option = "loader.bucket_batches", .value = batches}};
  return finding;
}

std::optional<Finding> not_shared_out(const LoaderFacts& facts, const LoaderAnalysis& r) {
  if (!facts.measured.workers_repeat) return std::nullopt;
  return Finding{
      .id = "loader.repeated_samples",
      .severity = Severity::kProblem,
      .text = formatted(
          "each of the {} reads all of the data set: every sample comes {} times in an epoch",
          text::counted(r.workers(), "worker"), r.workers()),
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

// The threads of an iterable are not observable: too few of them, or waiting themselves.
std::optional<Finding> waits_for_iterable(const LoaderFacts&, const LoaderAnalysis& r) {
  if (r.wait_share < kMinIterableWait || r.consumer_is_idle()) return std::nullopt;
  return Finding{.id = "loader.iterable",
                 .severity = severity_of_share(r.wait_share),
                 .text = formatted("the step waits {} of its time for the next batch of loader()",
                                   text::percent_text(r.wait_share)),
                 .value = r.wait_share,
                 .threshold = kMinIterableWait,
                 .unit = "ratio",
                 .share = r.wait_share,
                 .evidence = {"data_wait_ns", "loader_next_blocked_ns"},
                 .remedy =
                     "What it does meanwhile is not seen from outside: sweep the arguments of "
                     "loader() (python.NAME), or measure the same files with engine thread."};
}

}  // namespace

std::vector<Finding> loader_findings(const LoaderFacts& facts) {
  std::vector<Finding> found;
  if (facts.measured.wait_ns.empty() || facts.window.elapsed_ns <= 0) return found;
  const LoaderAnalysis analysis(facts);
  const auto look = [&](std::optional<Finding> finding) {
    if (!finding) return;
    std::erase_if(finding->set, [&](const Finding::Set& set) { return !facts.offers(set.option); });
    found.push_back(std::move(*finding));
  };
  if (facts.engine == kIterableName) {
    look(waits_for_iterable(facts, analysis));
    look(page_faults(facts, analysis));
    return found;
  }
  look(cause_of_waiting(facts, analysis));
  for (const auto rule : {gil_costs_nothing, idle_workers, epoch_border, start_up, page_faults,
                          pinning, padding, not_shared_out, truncated}) {
    look(rule(facts, analysis));
  }
  return found;
}

}  // namespace stepbench::loader
