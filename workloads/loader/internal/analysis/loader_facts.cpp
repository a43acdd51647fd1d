// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/analysis/loader_facts.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/machine/processes.h"
#include "workloads/data/sample_lengths.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/loader_section.h"

namespace stepbench::loader {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::int64_t count_descriptors() {
  std::error_code error;
  const fs::directory_iterator entries("/proc/self/fd", error);
  return error ? 0 : std::distance(begin(entries), end(entries)) - 1;  // minus the iterator's own
}

void WindowFacts::add_span(const WindowFacts& begin, const WindowFacts& end) {
  elapsed_ns += end.elapsed_ns - begin.elapsed_ns;
  used += end.used - begin.used;
  open_descriptors = end.open_descriptors;
}

WindowFacts read_window_facts(const Clock& clock) {
  WindowFacts facts;
  facts.used = os::current_usage() + os::usage_of_ended_children();
  const std::vector<pid_t> tree = machine::process_tree("/", ::getpid());
  for (const pid_t process : std::span(tree).subspan(1)) facts.used += os::usage_of(process);
  facts.elapsed_ns = clock.now_ns();
  return facts;
}

LoaderFacts loader_facts(const ResolvedCase& resolved, const LoaderMetrics& measured,
                         const WindowFacts& window) {
  return {.engine = resolved.text_or("loader.engine", ""),
          .transport = resolved.text_or("loader.transport", ""),
          .options = loader_options(resolved),
          .may_decode_faster = resolved.text_or("data.decode", "") == "exact",
          .cores = machine::usable_cores("/"),
          .machine_cores = static_cast<double>(machine::cores_in_affinity("/")),
          .all_cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)),
          .has_other_ranks = resolved.integer_or("distributed.ranks", 1) > 1,
          .pads_to_longest = resolved.text_or("data.padding", "longest") == "longest",
          .measured = measured,
          .window = window,
          .offers = [&resolved](std::string_view option) { return resolved.has(option); }};
}

namespace {

// The kernel counts CPU time in ticks: too few give no usable share.
constexpr std::int64_t kMinTicks = 50;

void add_difference(std::optional<std::int64_t> before, std::optional<std::int64_t> after,
                    std::optional<std::int64_t>& sum) {
  if (before && after) sum = sum.value_or(0) + std::max<std::int64_t>(0, *after - *before);
}

}  // namespace

CoreWatch::Reading CoreWatch::read(const std::vector<WorkerThread>& workers) const {
  const pid_t own = ::getpid();
  Reading now;
  now.training = machine::thread_times(root_, own, own);
  now.storage_bytes = machine::storage_bytes_read(root_, own);
  for (const WorkerThread& worker : workers) {
    if (const auto times = machine::thread_times(root_, worker.process, worker.thread)) {
      now.workers.push_back({worker, *times});
    }
    if (worker.process == own || !now.storage_bytes) continue;
    const auto bytes = machine::storage_bytes_read(root_, worker.process);
    now.storage_bytes = bytes ? std::optional(*now.storage_bytes + *bytes) : std::nullopt;
  }
  now.cpus = machine::cpu_times(root_, machine::cpus_in_affinity(root_));
  now.throttled_ns = machine::Cgroup(root_).throttled_ns();
  now.storage_stalled_ns = machine::storage_stalled_ns(root_);
  return now;
}

void CoreWatch::begin(const std::vector<WorkerThread>& workers) { at_begin_ = read(workers); }

void CoreWatch::end(const std::vector<WorkerThread>& workers, std::int64_t elapsed_ns,
                    std::int64_t own_cpu_ns, std::int64_t workers_began_ns) {
  const Reading now = read(workers);
  if (now.training && at_begin_.training) {
    if (!facts_.training) facts_.training.emplace();
    *facts_.training += *now.training - *at_begin_.training;
  }
  for (const Worker& worker : now.workers) {
    const auto known =
        std::find_if(at_begin_.workers.begin(), at_begin_.workers.end(),
                     [&](const Worker& each) { return each.thread == worker.thread; });
    const bool lived = known != at_begin_.workers.end();
    // Lower than before: one of its threads ended, or the id belongs to another program now.
    if (lived && (worker.times.cpu_ns < known->times.cpu_ns ||
                  worker.times.waited_ns < known->times.waited_ns)) {
      continue;
    }
    facts_.workers += lived ? worker.times - known->times : worker.times;
    facts_.workers_lived_ns += lived ? elapsed_ns : std::min(elapsed_ns, workers_began_ns);
  }
  if (now.cpus && at_begin_.cpus && now.cpus->all - at_begin_.cpus->all >= kMinTicks) {
    const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
    const std::int64_t busy_ns = (now.cpus->busy() - at_begin_.cpus->busy()) * tick_ns;
    facts_.others_ns =
        facts_.others_ns.value_or(0) + std::max<std::int64_t>(0, busy_ns - own_cpu_ns);
    facts_.stolen_ns += (now.cpus->steal - at_begin_.cpus->steal) * tick_ns;
  }
  add_difference(at_begin_.throttled_ns, now.throttled_ns, facts_.throttled_ns);
  add_difference(at_begin_.storage_bytes, now.storage_bytes, facts_.storage_bytes);
  add_difference(at_begin_.storage_stalled_ns, now.storage_stalled_ns, facts_.storage_stalled_ns);
}

namespace {

// Reading this many lengths takes a tenth of a second.
constexpr std::int64_t kMaxSamples = 1'000'000;

}  // namespace

std::optional<double> padding_of_epoch(const data::Dataset& dataset, LoaderOptions options,
                                       EpochOrder order, std::int64_t bucket_batches) {
  const data::SampleLengths* lengths = dataset.lengths();
  if (lengths == nullptr || epoch_samples(dataset.size(), options) > kMaxSamples) {
    return std::nullopt;
  }
  options.lengths = lengths;
  options.bucket_batches = bucket_batches;
  options.joined = false;
  BatchOrder batches(dataset.size(), options, std::move(order));
  batches.begin(0);
  double padded = 0;
  double tokens = 0;
  while (const auto batch = batches.next()) {
    std::int64_t longest = 0;
    for (const std::int64_t index : batch->indices) {
      const std::int64_t length = lengths->of(index, options.seed);
      longest = std::max(longest, length);
      tokens += static_cast<double>(length);
    }
    padded +=
        static_cast<double>(lengths->padded(longest)) * static_cast<double>(batch->indices.size());
  }
  if (padded == 0) return std::nullopt;
  return 1 - tokens / padded;
}

}  // namespace stepbench::loader
