// SPDX-License-Identifier: Apache-2.0
// Rules about data: loading that the step or the device waits for, a loader's workers, and copies
// and sets that block the step thread or leave the device idle.
#include <algorithm>
#include <array>
#include <cmath>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/rules.h"

namespace stepbench::traces {
namespace {

// Share of a wait below which a part is not reported.
constexpr double kMinPartShown = 0.01;
// Busy share of the workers while the step waits, above which there are too few of them.
constexpr double kManyBusy = 0.7;

std::string_view describe(LoaderPart part) {
  constexpr std::array<std::string_view, kLoaderPartCount> kWords = {"fetching", "decoding",
                                                                     "collating", "no worker busy"};
  return kWords[std::size_t(part)];
}

std::string_view loader_class(const RuleInput& in) {
  for (const LoaderCall& call : in.analysis.data_loading->calls) {
    const std::string_view name = iterator_class(in.trace.names[call.name].text);
    if (!name.empty()) return name;
  }
  return {};
}

bool loads_in_the_step(const RuleInput& in) {
  if (in.analysis.loader_work) return in.analysis.loader_work->in_step_thread;
  return loader_class(in).find("SingleProcess") != std::string_view::npos;
}

// "fetch 97.1 %, collate 2.9 %": shares of the wait.
std::string meanwhile(const LoaderWork& work) {
  const auto total_ns = double(work.exposed_total_ns());
  std::string text;
  for (std::size_t i = 0; i < kLoaderPartCount; ++i) {
    const double share = double(work.exposed_ns[i]) / total_ns;
    if (share < kMinPartShown) continue;
    if (!text.empty()) text += ", ";
    const auto part = static_cast<LoaderPart>(i);
    const bool around = part == LoaderPart::kHandOver && work.in_step_thread;
    text += std::string(around ? "around it" : describe(part)) + ' ' + text::percent_text(share);
  }
  return text;
}

}  // namespace

RuleResult data_exposed(const RuleInput& in) {
  if (!in.analysis.data_loading) return in.undecided(in.analysis.data_loading.reason());
  const double exposed_ns = in.idle_ns(IdleCause::kDataLoading);
  const auto hidden_ns = double(in.idle.counted.data_hidden_ns);
  const std::string_view iterator = loader_class(in);
  std::string text =
      formatted("{}{} of the time ({}",
                in.on_device() ? "the device waits for data " : "the step waits for data ",
                text::percent_text(in.share(exposed_ns)), in.each_step(exposed_ns));
  if (hidden_ns > 0)
    text += formatted("; another {} is hidden", text::duration(in.per_step(hidden_ns)));
  text += ')';
  const ValueOrReason<LoaderWork>& work = in.analysis.loader_work;
  if (work && work->exposed_total_ns() > 0) {
    text += "; meanwhile " + meanwhile(*work);
  } else if (!iterator.empty()) {
    text += "; iterator " + std::string(iterator);
  }
  Finding finding = in.of_share(exposed_ns, std::move(text));
  finding.remedy =
      loads_in_the_step(in)
          ? "Read batches in workers, DataLoader(num_workers=...), while the step computes."
          : "More workers, a larger prefetch_factor, or less work per sample: cheaper transforms, "
            "smaller or decoded files.";
  if (in.is_set_to("loader.num_workers", std::int64_t{0})) {
    in.propose(finding, "loader.num_workers", "2");
  }
  in.add_places(finding, IdleCause::kDataLoading);
  return finding;
}

RuleResult slow_first_batch(const RuleInput& in) {
  if (!in.analysis.data_loading) return std::nullopt;
  const DataLoading& loading = *in.analysis.data_loading;
  if (loading.later.n < 2 || loading.later.median <= 0) return std::nullopt;
  const double ratio = double(loading.first_ns) / loading.later.median;
  Finding finding = in.of_value(
      ratio, Severity::kInfo,
      formatted("the first batch took {}, the later ones {} in the median: workers start with it",
                text::duration(double(loading.first_ns)), text::duration(loading.later.median)));
  finding.remedy =
      "It comes once per epoch: persistent_workers=True starts workers once, and a warm-up keeps "
      "it out of what is measured.";
  finding.places.push_back({.name = in.name(loading.calls.front().name),
                            .at_ns = loading.calls.front().at.begin_ns,
                            .duration_ns = loading.first_ns});
  return finding;
}

RuleResult loader_workers(const RuleInput& in) {
  const double exposed = in.share(in.idle_ns(IdleCause::kDataLoading));
  if (!in.analysis.data_loading || exposed < in.threshold || loads_in_the_step(in)) {
    return std::nullopt;
  }
  if (!in.analysis.loader_work) {
    return in.undecided(
        "whether there are too few workers, too few cores or slow storage: the state of the "
        "workers is not in this trace");
  }
  const LoaderWork& work = *in.analysis.loader_work;
  const double busy = work.busy_share_waiting;
  const std::string workers = text::counted(work.workers, "worker");
  const std::string while_waiting =
      formatted("{} busy while the step waits; a batch takes {} in a worker",
                text::percent_text(busy), text::duration(work.batch.median));
  const auto made = [&](std::string text) {
    return in.of_value(exposed, Severity::kWarning, std::move(text));
  };
  if (work.largest_exposed() == LoaderPart::kHandOver) {
    Finding finding =
        made(formatted("no worker makes a batch for most of the wait: finished batches are on "
                       "their way, or workers start late ({}, {} busy)",
                       workers, text::percent_text(work.busy_share)));
    finding.remedy =
        "Hand over fewer bytes or larger batches, keep workers over epochs "
        "(persistent_workers), and let them read further ahead (prefetch_factor).";
    if (in.is_set_to("loader.transport", std::string("torch_fd"))) {
      in.propose(finding, "loader.transport", "shm_ring");
    }
    return finding;
  }
  if (busy < kManyBusy) {
    Finding finding =
        made(formatted("some batches take much longer than others, and the step waits for them: "
                       "{}, only {} (the longest {})",
                       workers, while_waiting, text::duration(work.batch.max)));
    finding.remedy =
        "Take batches as they are finished (in_order=False), read further ahead "
        "(prefetch_factor), or make the slow samples cheaper.";
    if (in.is_set_to("loader.in_order", true)) in.propose(finding, "loader.in_order", "false");
    return finding;
  }
  // Time of the step itself, which the workers have to keep up with.
  const double own_ns = in.wall_ns() - in.per_step(in.idle_ns(IdleCause::kDataLoading));
  const double enough = std::ceil(work.batch.mean / std::max(own_ns, 1.0));
  std::string text = formatted(
      "too few workers, or too few cores for them: {}, {}, mostly {}, and the step without its "
      "waits {}",
      workers, while_waiting, describe(work.largest_exposed()), text::duration(own_ns));
  Finding finding = made(std::move(text));
  finding.remedy =
      "More workers where cores are free or samples wait for storage; otherwise less "
      "work per sample.";
  const auto more = std::min(std::int64_t(enough), 2 * work.workers);
  if (more > work.workers) in.propose(finding, "loader.num_workers", std::to_string(more));
  return finding;
}

namespace {

// While a call waits for its own copy, the device computes nothing else. If it waited for earlier
// work, the host lost the lead that would have hidden its own time later.
double gain_of(const RuleInput& in, const HostStall& stall) {
  return stall.idle_ns + std::min(stall.lost_lead_ns, in.host_bound_ns());
}
std::string describe(const RuleInput& in, const HostStall& stall) {
  std::string text = text::short_number(in.per_step(double(stall.copies)), 1) + " per step";
  if (stall.bytes > 0) text += ", " + text::byte_text(in.per_step(stall.bytes));
  return formatted("{}, calls of {}; mostly {}, by {}", text, in.each_step(stall.call_ns),
                   in.name(stall.worst->name),
                   in.call_in(stall.worst->longest_name, stall.worst->longest_op));
}

void add_longest_call(const RuleInput& in, const HostStall& stall, Finding& finding) {
  if (stall.worst->longest_name == ops::kNoIndex) return;
  in.add_call(finding, stall.worst->longest_name, stall.worst->longest_op,
              stall.worst->longest_call, stall.worst->longest_step, stall.worst->name);
}

// Copies that read results are host waits and counted by sync_bound.
bool is_pageable(const CopyGroup& group) {
  return group.host == MemoryKind::kPageable && !group.reads;
}

// Copies by drivers other than NVIDIA's.
bool is_of_unknown_memory(const CopyGroup& group) {
  return group.host == MemoryKind::kUnknown && !group.reads &&
         (group.direction == ops::CopyKind::kHostToDevice ||
          group.direction == ops::CopyKind::kDeviceToHost);
}

}  // namespace

HostStall stall_of(const RuleInput& in, bool (*chosen)(const CopyGroup&)) {
  HostStall out;
  if (!in.analysis.copies) return out;
  for (const CopyGroup& group : in.analysis.copies->groups) {
    if (group.in_steps == 0 || !chosen(group)) continue;
    out.idle_ns += double(group.exposed_ns + group.wait_idle_ns);
    out.lost_lead_ns += double(group.wait_busy_ns);
    out.copies += group.in_steps;
    out.call_ns += double(group.call_ns);
    out.bytes += double(group.bytes.value_or(0));
    if (out.worst == nullptr || group.call_ns > out.worst->call_ns) out.worst = &group;
  }
  return out;
}

RuleResult pageable_copies(const RuleInput& in) {
  if (!in.analysis.copies) return in.undecided(in.analysis.copies.reason());
  const HostStall stall = stall_of(in, is_pageable);
  if (stall.worst == nullptr && stall_of(in, is_of_unknown_memory).worst != nullptr) {
    return in.undecided("the copies do not record whether host memory is pinned");
  }
  if (stall.worst == nullptr) return std::nullopt;
  Finding finding =
      in.of_share(gain_of(in, stall), "copies from or to pageable memory: " + describe(in, stall));
  finding.remedy =
      "Pinned memory makes them asynchronous: DataLoader(pin_memory=True) and "
      "tensor.to(device, non_blocking=True). Results that come back can be read later, in one "
      "copy.";
  in.propose(finding, "loader.pin_memory", "true");
  in.propose(finding, "transfer.non_blocking", "true");
  add_longest_call(in, stall, finding);
  return finding;
}

RuleResult blocking_copies(const RuleInput& in) {
  if (!in.analysis.copies) return in.undecided(in.analysis.copies.reason());
  const HostStall stall = stall_of(in, [](const CopyGroup& group) {
    return group.host != MemoryKind::kPageable && !group.reads && group.blocking > 0;
  });
  if (stall.worst == nullptr) return std::nullopt;
  Finding finding = in.of_share(gain_of(in, stall),
                                "the host waits inside calls that copy: " + describe(in, stall));
  finding.remedy =
      "Copy with non_blocking=True and synchronise once, late, where the result is needed.";
  in.propose(finding, "transfer.non_blocking", "true");
  add_longest_call(in, stall, finding);
  return finding;
}

RuleResult copy_exposed(const RuleInput& in) {
  const auto exposed_ns = double(in.idle.counted.copy_ns);
  Finding finding = in.of_share(
      exposed_ns, formatted("copies without overlapping kernels, {} of the step ({})",
                            text::percent_text(in.share(exposed_ns)), in.each_step(exposed_ns)));
  if (in.analysis.copies) {
    const auto& groups = in.analysis.copies->groups;
    const auto most = std::ranges::max_element(groups, {}, &CopyGroup::exposed_ns);
    if (most != groups.end()) {
      finding.text += "; mostly " + in.name(most->name);
      if (most->bytes_per_ns.n > 0) {
        finding.text += " at " + text::significant(most->bytes_per_ns.median) + " GB/s";
      }
    }
  }
  finding.remedy =
      "Copy the next batch on a stream of its own while this one is computed (two buffers), or "
      "move "
      "less: smaller types, augmentation on the device.";
  if (!in.is_set_to("transfer.placement", std::string("pin_thread"))) {
    in.propose(finding, "transfer.placement", "prefetch_stream");
  }
  return finding;
}

RuleResult blocking_sets(const RuleInput& in) {
  if (!in.analysis.runtime_calls) return in.undecided(kNoDeviceRows);
  const auto [total_ns, calls, worst] = calls_of(in, is_blocking_set);
  if (worst == nullptr) return std::nullopt;
  Finding finding = in.of_share(
      total_ns, formatted("synchronous memset calls: {} per step, {}; {} in {}",
                          text::short_number(in.per_step(calls), 1), in.each_step(total_ns),
                          in.name(worst->name), in.name(worst->longest_op)));
  finding.remedy = "Set memory asynchronously, on the stream that uses it (cudaMemsetAsync).";
  in.add_call(finding, worst->name, worst->longest_op, worst->longest, worst->longest_step);
  return finding;
}

}  // namespace stepbench::traces
