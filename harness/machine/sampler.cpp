// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/sampler.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/machine/environment.h"
#include "harness/machine/process_tree.h"
#include "harness/os/text_file.h"

namespace stepbench::machine {
namespace {

constexpr std::int64_t kPeriodNs = 1'000'000'000;
// Reading PSS and USS walks the page tables under the worker's mmap lock. The next walk waits 1000
// times as long as the last one took (2 s after 2 ms), or 20 times (40 ms) while memory exceeds the
// previous maximum.
constexpr std::int64_t kRest = 1000;
constexpr std::int64_t kRestWhileGrowing = 20;
constexpr std::int64_t kGrowth = 64;  // 1/64 more counts as growth
// On a busy machine the controller may read a window's begin and end messages together.
constexpr std::int64_t kMinWindowNs = 1'000'000;
constexpr std::int64_t kFirstSampleNs = 200'000'000;  // a fresh fork has no useful reading

}  // namespace

MachineSampler::MachineSampler(std::filesystem::path root, pid_t worker, const Clock& clock)
    : root_(std::move(root)), worker_(worker), clock_(clock), cgroup_(root_) {
  first_times_ = cpu_times(root_);
  cpus_ = cpus_in_affinity(root_);
  first_own_times_ = cpu_times(root_, cpus_);
  first_own_ticks_ = process_ticks(root_, "self", false).value_or(0);
  first_load_ = max_load_ = load_1m(root_);
  first_oom_kills_ = cgroup_.oom_kills();
  first_throttled_ns_ = cgroup_.throttled_ns();
  first_dev_shm_bytes_ = dev_shm_used_bytes(root_);
  next_ns_ = clock_.now_ns() + kFirstSampleNs;
}

void MachineSampler::sample() {
  const std::int64_t begin_ns = clock_.now_ns();
  read_within_window(begin_ns);
  if (begin_ns < next_ns_) return;
  const std::vector<pid_t> tree = look_at_tree();
  const ResidentMemory resident = resident_memory(root_, tree);
  peak_processes_ = std::max(peak_processes_, static_cast<std::int64_t>(tree.size()));
  peak_descriptors_ = std::max(peak_descriptors_, open_descriptors(root_, tree));
  const auto dev_shm = dev_shm_used_bytes(root_);
  if (dev_shm && first_dev_shm_bytes_) {
    dev_shm_growth_bytes_ = std::max(dev_shm_growth_bytes_, *dev_shm - *first_dev_shm_bytes_);
  }
  read_scheduler();
  if (const auto now = load_1m(root_)) max_load_ = std::max(*now, max_load_.value_or(*now));

  if (should_walk_pages(resident)) walk_pages(tree, resident);
  const std::int64_t end_ns = clock_.now_ns();
  sampling_ns_ += end_ns - begin_ns;
  next_ns_ = end_ns + kPeriodNs;
  ++samples_;
}

std::int64_t MachineSampler::next_ns() const {
  return window_ ? std::min(next_ns_, window_->growth.next_ns()) : next_ns_;
}

void MachineSampler::read_within_window(std::int64_t now_ns) {
  if (!window_ || now_ns < window_->growth.next_ns()) return;
  std::vector<std::int64_t>& bytes = window_->bytes;
  bytes.resize(window_->tree.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const pid_t pid = window_->tree[i];
    const ResidentMemory resident = resident_memory(root_, {&pid, 1});
    if (resident.rss == 0) continue;  // the process has ended
    bytes[i] = resident.unshared;
    if (pid == worker_) bytes[i] += mapped_shared_memory(root_, pid);  // batches that it keeps
  }
  window_->growth.add(now_ns, bytes, clock_.now_ns());
}

bool MachineSampler::should_walk_pages(const ResidentMemory& resident) const {
  const auto grew = [](std::int64_t now, std::int64_t before) {
    return now > before + before / kGrowth;
  };
  const bool growing = grew(resident.rss, walked_.rss) || grew(resident.unshared, walked_.unshared);
  return clock_.now_ns() >= walk_end_ns_ + walk_cost_ns_ * (growing ? kRestWhileGrowing : kRest);
}

void MachineSampler::walk_pages(const std::vector<pid_t>& tree, const ResidentMemory& resident) {
  const std::int64_t begin_ns = clock_.now_ns();
  const TreeMemory memory = tree_memory(root_, tree);
  peak_memory_.pss = std::max(peak_memory_.pss, memory.pss);
  peak_memory_.uss = std::max(peak_memory_.uss, memory.uss);
  peak_memory_.shared = std::max(peak_memory_.shared, memory.shared);
  if (measures_ && memory.pss > job_memory_.pss) job_memory_ = memory;
  walked_.rss = std::max(walked_.rss, resident.rss);
  walked_.unshared = std::max(walked_.unshared, resident.unshared);
  walk_end_ns_ = clock_.now_ns();
  walk_cost_ns_ = walk_end_ns_ - begin_ns;
}

std::vector<pid_t> MachineSampler::look_at_tree() {
  std::vector<pid_t> tree = process_tree(root_, worker_);
  processes_.insert(tree.begin(), tree.end());
  had_children_ = had_children_ || (measures_ && tree.size() > 1);
  return tree;
}

std::optional<std::int64_t> MachineSampler::job_pss_bytes() const {
  return job_memory_.pss > 0 ? std::optional(job_memory_.pss) : std::nullopt;
}

void MachineSampler::worker_ended() {
  read_scheduler();
  compare_cpu_times();
}

void MachineSampler::read_scheduler() {
  const std::string text =
      os::read_text(root_ / "proc" / std::to_string(worker_) / "schedstat").value_or("");
  const auto words = os::split_words(text);
  if (words.size() < 2) return;
  cpu_ns_ = os::parse_integer(words[0]);
  run_queue_wait_ns_ = os::parse_integer(words[1]);
}

// Memory of set-up does not count as the job's: forget earlier walks, so that the next sample walks
// the pages again.
void MachineSampler::measures(bool whether) {
  if (whether && !measures_) {
    walked_ = {};
    walk_end_ns_ = walk_cost_ns_ = 0;
  }
  measures_ = whether;
}

void MachineSampler::window_begins() {
  measures(true);
  read_scheduler();
  const std::int64_t now_ns = clock_.now_ns();
  window_ = Window{.begin_ns = now_ns,
                   .waited_ns = run_queue_wait_ns_,
                   .tree = look_at_tree(),
                   .growth = MemoryGrowth(now_ns)};
}

void MachineSampler::window_ends() {
  read_scheduler();
  const std::int64_t ended_ns = clock_.now_ns();
  const std::vector<pid_t> tree = look_at_tree();
  const ResidentMemory resident = resident_memory(root_, tree);
  if (clock_.now_ns() >= walk_end_ns_ + walk_cost_ns_ * kRestWhileGrowing) {
    walk_pages(tree, resident);
  }
  if (!window_) return;
  const std::int64_t observed_ns = ended_ns - window_->begin_ns;
  if (const auto rise = window_->growth.lasting(ended_ns)) {
    const auto before = growth_.value_or(MemoryGrowth::Rise{});
    growth_ = {before.all + rise->all, before.first + rise->first};
  }
  if (run_queue_wait_ns_ && window_->waited_ns) {
    if (observed_ns < kMinWindowNs) windows_missed_ = true;
    window_ns_ += observed_ns;
    window_waited_ns_ += *run_queue_wait_ns_ - *window_->waited_ns;
  }
  window_.reset();
}

// The CPU time of the tree's processes is complete only once the worker has waited for them.
void MachineSampler::compare_cpu_times() {
  const auto now = cpu_times(root_, cpus_);
  const auto used = process_ticks(root_, std::to_string(worker_), true);
  if (!now || !first_own_times_ || !used) return;
  const std::int64_t own = process_ticks(root_, "self", false).value_or(0) - first_own_ticks_;
  others_share_ = share_of_others(*first_own_times_, *now, *used + own);
  const std::int64_t all = now->all - first_own_times_->all;
  if (others_share_) own_share_ = static_cast<double>(*used + own) / static_cast<double>(all);
}

bool MachineSampler::oom_killed() const {
  const auto now = cgroup_.oom_kills();
  return now && first_oom_kills_ && *now > *first_oom_kills_;
}

Fields MachineSampler::summary() const {
  Fields fields;
  if (samples_ > 0) {
    fields.emplace("tree_peak_processes", peak_processes_);
  }
  if (peak_memory_.pss > 0) {
    fields.emplace("tree_peak_uss_bytes", peak_memory_.uss);
    fields.emplace("tree_peak_shared_bytes", peak_memory_.shared);
  }
  if (job_memory_.compilers > 0) fields.emplace("compile_workers_bytes", job_memory_.compilers);
  if (growth_) {
    fields.emplace("window_growth_bytes", growth_->all);
    fields.emplace("window_own_growth_bytes", growth_->first);
  }
  if (peak_descriptors_ > 0) fields.emplace("tree_peak_descriptors", peak_descriptors_);
  if (samples_ > 0 && first_dev_shm_bytes_) {
    fields.emplace("dev_shm_growth_bytes", dev_shm_growth_bytes_);
  }
  if (cpu_ns_) fields.emplace("cpu_ns", *cpu_ns_);
  if (run_queue_wait_ns_) fields.emplace("run_queue_wait_ns", *run_queue_wait_ns_);
  if (window_ns_ > 0 && !windows_missed_) {
    fields.emplace("window_ns", window_ns_);
    fields.emplace("window_run_queue_wait_ns", window_waited_ns_);
  }
  if (others_share_) fields.emplace("others_cpu_share", *others_share_);
  const auto now = cpu_times(root_);
  if (now && first_times_ && now->all > first_times_->all) {
    fields.emplace("steal_share", static_cast<double>(now->steal - first_times_->steal) /
                                      static_cast<double>(now->all - first_times_->all));
  }
  const auto throttled = cgroup_.throttled_ns();
  if (throttled && first_throttled_ns_)
    fields.emplace("cgroup_throttled_ns", *throttled - *first_throttled_ns_);
  if (first_load_) fields.emplace("load_1m_start", *first_load_);
  if (max_load_) fields.emplace("load_1m_max", *max_load_);
  fields.emplace("samples", samples_);
  fields.emplace("sampling_ns", sampling_ns_);
  return fields;
}

}  // namespace stepbench::machine
