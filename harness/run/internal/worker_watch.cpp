// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_watch.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "harness/base/format.h"
#include "harness/machine/processes.h"
#include "harness/measure/step_recorder.h"
#include "harness/os/text_file.h"
#include "harness/record/quality.h"
#include "harness/text/numbers.h"

namespace stepbench::run {

std::string device_of(const ResolvedCase& resolved) {
  const Value* device = resolved.options.get("device");
  const auto* name = device == nullptr ? nullptr : std::get_if<std::string>(device);
  return name == nullptr ? std::string() : *name;
}

WorkerWatch::WorkerWatch(const std::filesystem::path& root, pid_t worker, pid_t job,
                         std::string_view device, const machine::Variables& environment,
                         const machine::NvmlSession* nvml, const Clock& clock)
    : root_(root),
      job_(job),
      clock_(clock),
      sampler_(root, worker, clock),
      device_sampler_(
          nvml, device.empty() ? std::nullopt : machine::watched_device(device, environment, nvml),
          clock, [this](int pid) { return owner_of(pid); }) {}

void WorkerWatch::device_is(const std::string& pci) {
  if (!pci.empty()) device_pci_ = pci;
  device_sampler_.device_is(pci);
}

void WorkerWatch::is_at(const SchedulePlace& place) {
  for (; place_.cycles < place.cycles; ++place_.cycles) {
    if (window_begins_.size() == place_.cycles) begin_window();  // read together with its end
    sampler_.window_ends();
    device_sampler_.window_ends();
  }
  if (place.in_window && place.begins != place_.begins) begin_window();
  place_ = place;
  sampler_.measures(place.measures);
}

void WorkerWatch::begin_window() {
  window_begins_.resize(place_.cycles);
  window_begins_.push_back(clock_.now_ns());
  sampler_.window_begins();
  device_sampler_.window_begins();
}

void WorkerWatch::sample() {
  sampler_.sample();
  device_sampler_.sample();
}

std::int64_t WorkerWatch::next_ns() const {
  return std::min(sampler_.next_ns(), device_sampler_.next_ns());
}

Fields WorkerWatch::summary() const {
  Fields fields = sampler_.summary();
  fields.merge(device_sampler_.summary());
  if (const auto node = numa_node_of_device()) fields.emplace("gpu.numa_node", *node);
  return fields;
}

JobMemory WorkerWatch::memory() const {
  return {sampler_.job_pss_bytes(), sampler_.compilers_bytes(), sampler_.had_children()};
}

// Copies between a device and memory of another NUMA node take a detour.
std::optional<std::int64_t> WorkerWatch::numa_node_of_device() const {
  if (device_pci_.empty() || device_pci_.find('/') != std::string::npos) return std::nullopt;
  std::string folder = device_pci_;
  std::transform(folder.begin(), folder.end(), folder.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto node = os::read_integer(root_ / "sys/bus/pci/devices" / folder / "numa_node");
  return node.value_or(-1) < 0 ? std::nullopt : node;  // -1: the machine has one node
}

machine::DeviceSampler::Owner WorkerWatch::owner_of(int pid) const {
  using Owner = machine::DeviceSampler::Owner;
  const auto tree = machine::process_tree(root_, job_);
  if (std::find(tree.begin(), tree.end(), pid) != tree.end()) return Owner::kOurs;
  return std::filesystem::exists(root_ / "proc" / std::to_string(pid)) ? Owner::kOther
                                                                       : Owner::kUnknown;
}

std::int64_t label_throttled_steps(std::vector<record::CycleSamples>& samples,
                                   std::span<const std::int64_t> window_begins,
                                   std::span<const machine::DeviceSampler::Span> throttled) {
  if (throttled.empty()) return 0;
  std::int64_t labelled = 0;
  std::map<std::int64_t, std::int64_t> reached_ns;  // by cycle, which may arrive in parts
  for (record::CycleSamples& part : samples) {
    const auto cycle = static_cast<std::size_t>(part.cycle);
    const std::vector<std::int64_t>* step_ns = part.steps.find("step_ns");
    std::vector<std::int64_t>* flags = part.steps.find("flags");
    if (cycle >= window_begins.size() || step_ns == nullptr || flags == nullptr) continue;
    std::int64_t& now_ns = reached_ns.try_emplace(part.cycle, window_begins[cycle]).first->second;
    for (std::size_t i = 0; i < step_ns->size(); ++i) {
      const std::int64_t end_ns = now_ns + (*step_ns)[i];
      const bool slowed = std::any_of(throttled.begin(), throttled.end(),
                                      [&](const machine::DeviceSampler::Span& span) {
                                        return span.begin_ns < end_ns && now_ns < span.end_ns;
                                      });
      if (slowed) {
        (*flags)[i] |= kThrottled;
        ++labelled;
      }
      now_ns = end_ns;
    }
  }
  return labelled;
}

void label_memory(const JobMemory& memory, record::LaunchReport& report) {
  constexpr double kNoteShare = 0.1;
  const auto own_peak = report.metrics.find(record::kProcessPeak);
  std::optional<double> bytes;
  if (memory.pss_bytes) bytes = static_cast<double>(*memory.pss_bytes);
  if (!memory.had_children && own_peak != report.metrics.end()) bytes = own_peak->second;
  report.metrics[std::string(record::kJobPeak)] = bytes;
  if (static_cast<double>(memory.compilers_bytes) > kNoteShare * bytes.value_or(0)) {
    report.notes.emplace_back(
        "the processes that torch.compile started hold more than a tenth of the job's memory, "
        "compile_workers_bytes of tree_peak_pss_bytes: TORCHINDUCTOR_COMPILE_THREADS=1 starts "
        "none");
  }
}

void label_machine(const Fields& machine, std::int64_t wall_ns, record::LaunchReport& report) {
  const record::Quality quality(machine, report, wall_ns);
  for (const record::FactRow& row : record::facts()) {
    if (!row.flag.empty() && quality.reported(row.fact)) report.flags.emplace_back(row.flag);
  }
}

namespace {

struct MeasuredSteps {
  double count = 0;
  double ns = 0;
  double samples = 0;
};

double sum_of(const std::vector<std::int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

// Uses the device's clock if it was read.
MeasuredSteps steps_of(const std::vector<record::CycleSamples>& samples) {
  MeasuredSteps all;
  for (const record::CycleSamples& part : samples) {
    const std::vector<std::int64_t>* ns = part.steps.find("period_device_ns");
    if (ns == nullptr) ns = part.steps.find("step_ns");
    if (ns == nullptr) continue;
    all.count += static_cast<double>(ns->size());
    all.ns += sum_of(*ns);
    if (const auto* consumed = part.steps.find("samples")) all.samples += sum_of(*consumed);
  }
  return all;
}

}  // namespace

void add_device_counters(const machine::WindowCounters& counters,
                         const std::vector<record::CycleSamples>& samples,
                         record::LaunchReport& report) {
  const MeasuredSteps steps = steps_of(samples);
  if (steps.count == 0 || counters.span_ns <= 0) return;
  const double step_ns = steps.ns / steps.count;
  if (const auto watts = counters.power_w()) {
    report.metrics["energy_per_step_j"] = *watts * step_ns * 1e-9;
    if (steps.samples > 0) {
      report.metrics["energy_per_sample_j"] = *watts * steps.ns * 1e-9 / steps.samples;
    }
  }
  for (std::size_t i = 0; i < machine::kCountedReasons.size(); ++i) {
    if (!counters.throttled_ns[i]) continue;
    report.metrics[std::string(machine::kCountedReasons[i].metric)] =
        static_cast<double>(*counters.throttled_ns[i]) / static_cast<double>(counters.span_ns) *
        step_ns;
  }
}

std::string over_memory_text(std::int64_t used_bytes, std::int64_t allowed_bytes) {
  return formatted("out of memory: it held {}, more than {}",
                   text::byte_text(static_cast<double>(used_bytes)),
                   text::byte_text(static_cast<double>(allowed_bytes)));
}

}  // namespace stepbench::run
