// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/sampler.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "harness/machine/process_tree.h"
#include "harness/machine/text_file.h"

namespace stepbench {
namespace {

constexpr std::int64_t kPeriodNs = 1'000'000'000;
// Watching costs at most a thousandth of the time: after a sample of 2 ms comes a rest of 2 s.
// Reading PSS, which walks the page tables under the worker's mmap lock, keeps a rest of its own.
constexpr std::int64_t kRest = 1000;
constexpr std::int64_t kFirstSampleNs = 200'000'000;  // a process just forked has nothing to show

}  // namespace

MachineSampler::MachineSampler(std::filesystem::path root, pid_t worker, const Clock& clock)
    : root_(std::move(root)), worker_(worker), clock_(clock), cgroup_(root_) {
  first_jiffies_ = jiffies();
  first_load_ = max_load_ = load();
  first_oom_kills_ = cgroup_.oom_kills();
  first_throttled_ns_ = cgroup_.throttled_ns();
  first_dev_shm_bytes_ = dev_shm_used_bytes(root_);
  next_ns_ = clock_.now_ns() + kFirstSampleNs;
}

void MachineSampler::sample() {
  const std::int64_t begin_ns = clock_.now_ns();
  if (begin_ns < next_ns_) return;
  const std::vector<pid_t> tree = process_tree(root_, worker_);
  const std::int64_t page_bytes = ::sysconf(_SC_PAGESIZE);
  std::int64_t rss_bytes = 0;
  for (const pid_t pid : tree) {
    const std::string text = read_text(root_ / "proc" / std::to_string(pid) / "statm").value_or("");
    const auto words = split_words(text);
    if (words.size() > 1) rss_bytes += parse_integer(words[1]).value_or(0) * page_bytes;
  }
  peak_rss_bytes_ = std::max(peak_rss_bytes_, rss_bytes);
  peak_processes_ = std::max(peak_processes_, static_cast<std::int64_t>(tree.size()));
  peak_descriptors_ = std::max(peak_descriptors_, open_descriptors(root_, tree));
  const auto dev_shm = dev_shm_used_bytes(root_);
  if (dev_shm && first_dev_shm_bytes_) {
    dev_shm_growth_bytes_ = std::max(dev_shm_growth_bytes_, *dev_shm - *first_dev_shm_bytes_);
  }
  read_scheduler();
  if (const auto now = load()) max_load_ = std::max(*now, max_load_.value_or(*now));

  const std::int64_t pss_begin_ns = clock_.now_ns();
  if (pss_begin_ns >= next_pss_ns_) {
    const TreeMemory memory = tree_memory(root_, tree);
    peak_memory_.pss = std::max(peak_memory_.pss, memory.pss);
    peak_memory_.uss = std::max(peak_memory_.uss, memory.uss);
    peak_memory_.shared = std::max(peak_memory_.shared, memory.shared);
    const std::int64_t end_ns = clock_.now_ns();
    next_pss_ns_ = end_ns + (end_ns - pss_begin_ns) * kRest;
  }
  const std::int64_t end_ns = clock_.now_ns();
  sampling_ns_ += end_ns - begin_ns;
  next_ns_ = end_ns + std::max(kPeriodNs, (end_ns - begin_ns) * kRest);
  ++samples_;
}

void MachineSampler::worker_ended() { read_scheduler(); }

void MachineSampler::read_scheduler() {
  const std::string text =
      read_text(root_ / "proc" / std::to_string(worker_) / "schedstat").value_or("");
  const auto words = split_words(text);
  if (words.size() < 2) return;
  cpu_ns_ = parse_integer(words[0]);
  run_queue_wait_ns_ = parse_integer(words[1]);
}

std::optional<MachineSampler::Jiffies> MachineSampler::jiffies() const {
  const auto line = read_line(root_ / "proc/stat");
  if (!line || !line->starts_with("cpu ")) return std::nullopt;
  const auto words = split_words(*line);
  constexpr std::size_t kSteal =
      8;  // cpu user nice system idle iowait irq softirq steal guest guest_nice
  if (words.size() <= kSteal) return std::nullopt;
  Jiffies result;
  for (std::size_t index = 1; index <= kSteal; ++index)
    result.all += parse_integer(words[index]).value_or(0);
  result.steal = parse_integer(words[kSteal]).value_or(0);
  return result;
}

std::optional<double> MachineSampler::load() const {
  const auto line = read_line(root_ / "proc/loadavg");
  if (!line) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  return error == std::errc{} ? std::optional{value} : std::nullopt;
}

bool MachineSampler::oom_killed() const {
  const auto now = cgroup_.oom_kills();
  return now && first_oom_kills_ && *now > *first_oom_kills_;
}

Fields MachineSampler::summary() const {
  Fields fields;
  if (samples_ > 0) {
    fields.emplace("tree_peak_rss_bytes", peak_rss_bytes_);
    fields.emplace("tree_peak_processes", peak_processes_);
  }
  if (peak_memory_.pss > 0) {
    fields.emplace("tree_peak_pss_bytes", peak_memory_.pss);
    fields.emplace("tree_peak_uss_bytes", peak_memory_.uss);
    fields.emplace("tree_peak_shared_bytes", peak_memory_.shared);
  }
  if (peak_descriptors_ > 0) fields.emplace("tree_peak_descriptors", peak_descriptors_);
  if (samples_ > 0 && first_dev_shm_bytes_) {
    fields.emplace("dev_shm_growth_bytes", dev_shm_growth_bytes_);
  }
  if (cpu_ns_) fields.emplace("cpu_ns", *cpu_ns_);
  if (run_queue_wait_ns_) fields.emplace("run_queue_wait_ns", *run_queue_wait_ns_);
  const auto now = jiffies();
  if (now && first_jiffies_ && now->all > first_jiffies_->all) {
    fields.emplace("steal_share", static_cast<double>(now->steal - first_jiffies_->steal) /
                                      static_cast<double>(now->all - first_jiffies_->all));
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

}  // namespace stepbench
