// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/sampler.h"

#include <unistd.h>
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "harness/machine/environment.h"
#include "harness/machine/processes.h"
#include "harness/os/text_file.h"
#include "harness/stats/order_statistics.h"

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

namespace {

constexpr std::int64_t kDevicePeriodNs = 1'000'000'000;
constexpr std::int64_t kFirstDeviceSampleNs = 200'000'000;  // so that short launches get a sample
constexpr std::int64_t kDeviceRest = 100;             // sampling costs at most 1/100 of the time
constexpr std::int64_t kCounterJumpNs = 100'000'000;  // longest update interval of energy
constexpr std::int64_t kJumpsInWindow = 20;

template <typename Number>
void add_growth(const std::optional<std::uint64_t>& from, const std::optional<std::uint64_t>& to,
                bool first, double unit, std::optional<Number>& sum) {
  if (!from || !to || *to < *from || (!first && !sum)) {
    sum.reset();
    return;
  }
  sum = sum.value_or(0) + static_cast<Number>(static_cast<double>(*to - *from) * unit);
}

}  // namespace

std::optional<int> watched_device(std::string_view device, const Variables& worker,
                                  const NvmlSession* session) {
  if (!device.starts_with("cuda")) return std::nullopt;
  std::size_t ordinal = 0;
  if (const std::size_t colon = device.find(':'); colon != std::string_view::npos) {
    ordinal = static_cast<std::size_t>(os::parse_integer(device.substr(colon + 1)).value_or(0));
  }
  const auto visible = find_variable(worker, "CUDA_VISIBLE_DEVICES");
  if (!visible) return static_cast<int>(ordinal);
  std::size_t at = 0;
  for (std::size_t skipped = 0; skipped < ordinal && at < visible->size(); ++skipped) {
    at = std::min(visible->find(',', at), visible->size() - 1) + 1;
  }
  const std::string_view entry =
      visible->substr(at, std::min(visible->find(',', at), visible->size()) - at);
  if (const auto number = os::parse_integer(entry)) return static_cast<int>(*number);
  if (session == nullptr || entry.empty()) return std::nullopt;
  return session->index_of(std::string(entry));
}

void DeviceSampler::Range::add(const std::optional<std::int64_t>& value) {
  if (!value) return;
  low = known ? std::min(low, *value) : *value;
  high = known ? std::max(high, *value) : *value;
  known = true;
}

std::optional<double> WindowCounters::power_w() const {
  if (!energy_j || windows == 0 || span_ns < kJumpsInWindow * kCounterJumpNs * windows) {
    return std::nullopt;
  }
  return *energy_j * 1e9 / static_cast<double>(span_ns);
}

DeviceSampler::DeviceSampler(const NvmlSession* session, std::optional<int> device,
                             const Clock& clock, OwnerOf owner_of)
    : session_(session),
      device_(session == nullptr || !device ? std::nullopt : session->device(*device)),
      clock_(clock),
      owner_of_(std::move(owner_of)),
      next_ns_(device_ ? clock.now_ns() + kFirstDeviceSampleNs
                       : std::numeric_limits<std::int64_t>::max()),
      last_ns_(clock.now_ns()) {}

void DeviceSampler::device_is(const std::string& pci) {
  const auto found_device = session_ == nullptr ? std::nullopt : session_->device_of_pci(pci);
  if (!found_device || found_device == device_) return;
  device_ = found_device;
  seen_ = {};
  throttled_.clear();
  last_ns_ = clock_.now_ns();
  next_ns_ = last_ns_ + kFirstDeviceSampleNs;
}

void DeviceSampler::sample() {
  const std::int64_t begin_ns = clock_.now_ns();
  if (begin_ns < next_ns_) return;
  if (seen_.samples == 0) session_->read_facts(*device_, seen_.state);
  session_->read_changing(*device_, seen_.state);
  const std::int64_t end_ns = clock_.now_ns();
  next_ns_ = end_ns + std::max(kDevicePeriodNs, (end_ns - begin_ns) * kDeviceRest);
  const DeviceState& state = seen_.state;
  if (state.lost) {  // permanently: keeps the earlier readings
    next_ns_ = std::numeric_limits<std::int64_t>::max();
    return;
  }
  ++seen_.samples;
  seen_.sm_mhz.add(state.sm_mhz);
  if (state.sm_mhz && state.utilisation_percent.value_or(1) > 0) {
    seen_.sm_clocks_mhz.push_back(static_cast<double>(*state.sm_mhz));
    if (in_window_) seen_.window_clocks_mhz.push_back(seen_.sm_clocks_mhz.back());
  }
  seen_.power_mw.add(state.power_mw);
  seen_.temperature_c.add(state.temperature_c);
  seen_.utilisation.add(state.utilisation_percent);
  seen_.memory_bytes.add(state.memory_used_bytes);
  if (state.clock_reasons) add_throttling(*state.clock_reasons, end_ns);
  if (state.memory_errors && !seen_.errors_before) seen_.errors_before = state.memory_errors;
  if (state.processes) seen_.others = std::max(seen_.others, others_among(*state.processes));
  last_ns_ = end_ns;
}

// Reads early, so that a short window gets a sample.
void DeviceSampler::window_begins() {
  in_window_ = true;
  if (!device_ || seen_.state.lost) return;
  border_ns_ = clock_.now_ns();
  at_border_ = session_->read_counters(*device_);
  next_ns_ = std::min(next_ns_, clock_.now_ns() + kFirstDeviceSampleNs);
}

void DeviceSampler::window_ends() {
  in_window_ = false;
  if (!device_ || seen_.state.lost) return;
  const std::int64_t end_ns = clock_.now_ns();
  const DeviceCounters now = session_->read_counters(*device_);
  const bool first = seen_.counters.windows++ == 0;
  seen_.counters.span_ns += end_ns - border_ns_;
  if (!shared()) {
    add_growth(at_border_.energy_mj, now.energy_mj, first, 1e-3, seen_.counters.energy_j);
  }
  for (std::size_t i = 0; i < kCountedReasons.size(); ++i) {
    add_growth(at_border_.throttled_ns[i], now.throttled_ns[i], first, 1,
               seen_.counters.throttled_ns[i]);
  }
}

// In a container the driver may report pids of the host's namespace. Our own process is then among
// the unknown ones, so one of them does not count as foreign.
std::int64_t DeviceSampler::others_among(const std::vector<int>& processes) const {
  std::int64_t ours = 0;
  std::int64_t unknown = 0;
  for (const int pid : processes) {
    const Owner owner = owner_of_(pid);
    ours += owner == Owner::kOurs ? 1 : 0;
    unknown += owner == Owner::kUnknown ? 1 : 0;
  }
  const std::int64_t may_be_ours = ours == 0 && unknown > 0 ? 1 : 0;
  return static_cast<std::int64_t>(processes.size()) - ours - may_be_ours;
}

// The reason may have begun right after the previous sample.
void DeviceSampler::add_throttling(std::uint64_t reasons, std::int64_t now_ns) {
  seen_.reasons_known = true;
  seen_.reasons |= reasons;
  if (is_power_capped(reasons)) ++seen_.capped;
  if (!throttle_text(reasons).empty()) throttled_.push_back({last_ns_, now_ns});
}

// Counters cover the whole card: the share of a MIG slice is unknown.
bool DeviceSampler::shared() const { return seen_.state.mig.value_or(false); }

std::string DeviceSampler::energy_source() const {
  const WindowCounters& counters = seen_.counters;
  if (shared()) return "none: the device is divided (MIG), and its counters are those of the whole";
  if (!counters.energy_j) return "none: this device counts no energy";
  if (!counters.power_w()) {
    return "none: windows under 2 s are too short for a counter that moves every 0.1 s "
           "(schedule.active)";
  }
  return "nvmlDeviceGetTotalEnergyConsumption";
}

Fields DeviceSampler::summary() const {
  Fields fields;
  if (seen_.state.lost) fields.emplace("gpu.lost", true);
  if (seen_.counters.windows > 0) fields.emplace("gpu.energy_source", energy_source());
  if (seen_.samples == 0) return fields;
  const auto whole = [&](const char* name, const Range& range, std::int64_t value) {
    if (range.known) fields.emplace(name, value);
  };
  whole("gpu.sm_mhz_min", seen_.sm_mhz, seen_.sm_mhz.low);
  whole("gpu.sm_mhz_max", seen_.sm_mhz, seen_.sm_mhz.high);
  const auto& clocks =
      seen_.window_clocks_mhz.empty() ? seen_.sm_clocks_mhz : seen_.window_clocks_mhz;
  if (!clocks.empty()) fields.emplace("gpu.sm_mhz_median", stats::median(clocks));
  if (seen_.power_mw.known) {
    fields.emplace("gpu.power_w_max", static_cast<double>(seen_.power_mw.high) / 1000);
  }
  whole("gpu.temperature_c_max", seen_.temperature_c, seen_.temperature_c.high);
  whole("gpu.utilisation_max", seen_.utilisation, seen_.utilisation.high);
  whole("gpu.memory_used_bytes_max", seen_.memory_bytes, seen_.memory_bytes.high);
  if (seen_.reasons_known) {
    const std::string text = throttle_text(seen_.reasons);
    fields.emplace("gpu.throttled", text.empty() ? std::string("no") : text);
    fields.emplace("gpu.power_capped_share",
                   static_cast<double>(seen_.capped) / static_cast<double>(seen_.samples));
  }
  const DeviceState& state = seen_.state;
  if (state.persistence) fields.emplace("gpu.persistence", *state.persistence);
  if (state.ecc) fields.emplace("gpu.ecc", *state.ecc);
  if (state.mig) fields.emplace("gpu.mig", *state.mig);
  if (const auto before = seen_.errors_before; before && state.memory_errors > before) {
    fields.emplace("gpu.memory_errors", *state.memory_errors - *before);
  }
  if (seen_.others >= 0) fields.emplace("gpu.other_processes", seen_.others);
  fields.emplace("gpu.samples", seen_.samples);
  return fields;
}

}  // namespace stepbench::machine
