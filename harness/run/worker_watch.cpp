// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_watch.h"

#include <algorithm>
#include <cctype>

#include "harness/machine/process_tree.h"
#include "harness/os/text_file.h"

namespace stepbench::run {

using protocol::Stage;

std::string device_of(const ResolvedCase& resolved) {
  const Value* device = resolved.options.get("device");
  const auto* name = device == nullptr ? nullptr : std::get_if<std::string>(device);
  return name == nullptr ? std::string() : *name;
}

WorkerWatch::WorkerWatch(const std::filesystem::path& root, pid_t worker, std::string_view device,
                         const machine::Variables& environment, const machine::NvmlSession* nvml,
                         const Clock& clock)
    : root_(root),
      worker_(worker),
      clock_(clock),
      sampler_(root, worker, clock),
      device_sampler_(
          nvml, device.empty() ? std::nullopt : machine::watched_device(device, environment, nvml),
          clock, [this](int pid) { return owner_of(pid); }) {}

void WorkerWatch::device_is(const std::string& pci) {
  if (!pci.empty()) device_pci_ = pci;
  device_sampler_.device_is(pci);
}

void WorkerWatch::is_at(std::size_t cycles, Stage stage) {
  while (window_begins_.size() < cycles ||
         (window_begins_.size() == cycles && stage == Stage::kActive)) {
    window_begins_.push_back(clock_.now_ns());
    sampler_.window_begins();
    device_sampler_.window_begins();
  }
  for (; windows_ended_ < cycles; ++windows_ended_) {
    sampler_.window_ends();
    device_sampler_.window_ends();
  }
  sampler_.measures(stage == Stage::kWarmup || stage == Stage::kActive);
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
  const auto tree = machine::process_tree(root_, worker_);
  if (std::find(tree.begin(), tree.end(), pid) != tree.end()) return Owner::kOurs;
  return std::filesystem::exists(root_ / "proc" / std::to_string(pid)) ? Owner::kOther
                                                                       : Owner::kUnknown;
}

}  // namespace stepbench::run
