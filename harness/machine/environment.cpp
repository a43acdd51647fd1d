// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/environment.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/machine/cgroup.h"
#include "harness/os/command.h"
#include "harness/os/text_file.h"
#include "harness/text/numbers.h"

namespace stepbench::machine {
namespace {

namespace fs = std::filesystem;

void put(Fields& fields, std::string_view name, const std::optional<std::string>& value) {
  if (value && !value->empty()) fields.emplace(name, *value);
}

void put_cpu(Fields& fields, const fs::path& root) {
  const std::string text = os::read_text(root / "proc/cpuinfo").value_or("");
  std::int64_t logical = 0;
  std::set<std::pair<std::string, std::string>> cores;  // package, core id
  std::string package = "0";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view{text}.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = os::trim(line.substr(0, colon));
    const std::string value{os::trim(line.substr(colon + 1))};
    if (name == "processor") ++logical;
    if (name == "model name") fields.emplace("cpu.model", value);
    if (name == "physical id") package = value;
    if (name == "core id") cores.emplace(package, value);
  }
  if (logical > 0) fields.emplace("cpu.logical", logical);
  if (!cores.empty()) fields.emplace("cpu.cores", static_cast<std::int64_t>(cores.size()));
}

void put_frequency(Fields& fields, const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  put(fields, "cpu.governor", os::read_line(cpu / "cpu0/cpufreq/scaling_governor"));
  if (const auto khz = os::read_integer(cpu / "cpu0/cpufreq/cpuinfo_max_freq"))
    fields.emplace("cpu.max_khz", *khz);
  if (const auto off = os::read_integer(cpu / "intel_pstate/no_turbo")) {
    fields.emplace("cpu.turbo", *off == 0);
  } else if (const auto boost = os::read_integer(cpu / "cpufreq/boost")) {
    fields.emplace("cpu.turbo", *boost != 0);
  }
  put(fields, "cpu.smt", os::read_line(cpu / "smt/control"));
  put(fields, "numa.nodes", os::read_line(root / "sys/devices/system/node/online"));
}

void put_kernel(Fields& fields, const fs::path& root) {
  put(fields, "kernel", os::read_line(root / "proc/sys/kernel/osrelease"));
  const std::string os = os::read_text(root / "etc/os-release").value_or("");
  for (std::size_t at = 0; at < os.size();) {
    const std::size_t end = std::min(os.find('\n', at), os.size());
    std::string_view line = std::string_view{os}.substr(at, end - at);
    at = end + 1;
    constexpr std::string_view kName = "PRETTY_NAME=";
    if (!line.starts_with(kName)) continue;
    line.remove_prefix(kName.size());
    if (line.size() >= 2 && line.front() == '"') line = line.substr(1, line.size() - 2);
    fields.emplace("os", std::string{line});
  }
  const auto aslr = os::read_integer(root / "proc/sys/kernel/randomize_va_space");
  if (aslr) fields.emplace("aslr", *aslr != 0);
}

std::optional<std::int64_t> memory_bytes(const fs::path& root) {
  const std::string text = os::read_text(root / "proc/meminfo").value_or("");
  const auto field = os::find_field(text, "MemTotal");
  const auto kib = field ? os::parse_integer(*field) : std::nullopt;
  return kib ? std::optional{*kib * 1024} : std::nullopt;
}

std::string affinity_list(const fs::path& root) {
  const std::string text = os::read_text(root / "proc/self/status").value_or("");
  return std::string{os::find_field(text, "Cpus_allowed_list").value_or("")};
}

}  // namespace

std::vector<int> cpus_in_affinity(const fs::path& root) {
  return text::parse_cpu_list(affinity_list(root)).value_or(std::vector<int>{});
}

int cores_in_affinity(const fs::path& root) {
  return std::max(1, static_cast<int>(cpus_in_affinity(root).size()));
}

double usable_cores(const fs::path& root) {
  const double cores = cores_in_affinity(root);
  return std::min(cores, Cgroup(root).cpu_quota().value_or(cores));
}

std::string host_name(const fs::path& root) {
  const auto name = os::read_line(root / "proc/sys/kernel/hostname");
  return name && !name->empty() ? *name : "unknown";
}

Fields host_environment(const fs::path& root, const Devices& devices) {
  Fields fields;
  fields.emplace("host", host_name(root));
  put_kernel(fields, root);
  put_cpu(fields, root);
  put_frequency(fields, root);
  put(fields, "cpu.affinity", affinity_list(root));
  if (const auto bytes = memory_bytes(root)) fields.emplace("memory.bytes", *bytes);
  put(fields, "memory.thp",
      os::selected_word(
          os::read_line(root / "sys/kernel/mm/transparent_hugepage/enabled").value_or("")));
  const Cgroup cgroup{root};
  if (const auto quota = cgroup.cpu_quota()) fields.emplace("cgroup.cpu_quota_cores", *quota);
  if (const auto limit = cgroup.memory_limit_bytes())
    fields.emplace("cgroup.memory_limit_bytes", *limit);
  fields.emplace("gpu.count", static_cast<std::int64_t>(devices.count));
  put(fields, "gpu.driver", devices.driver_version);
  for (std::size_t index = 0; index < devices.models.size(); ++index) {
    put(fields, "gpu." + std::to_string(index), devices.models[index]);
  }
  return fields;
}

Fields git_state(const std::filesystem::path& directory) {
  const auto git = [&](std::vector<std::string> arguments) {
    return os::run_git(directory, std::move(arguments));
  };
  Fields fields;
  const os::CommandResult head = git({"rev-parse", "HEAD"});
  if (!head.started || head.exit_status != 0) return fields;
  fields.emplace("git.sha", std::string{os::trim(head.out)});
  const os::CommandResult branch = git({"rev-parse", "--abbrev-ref", "HEAD"});
  if (branch.exit_status == 0) fields.emplace("git.branch", std::string{os::trim(branch.out)});
  const os::CommandResult status = git({"status", "--porcelain", "--untracked-files=no"});
  if (status.exit_status == 0 && !status.timed_out)
    fields.emplace("git.dirty", !os::trim(status.out).empty());
  return fields;
}

}  // namespace stepbench::machine
