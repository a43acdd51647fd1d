// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/cpu_affinity.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench {
namespace {

constexpr const char* kAffinityOption = "loader.affinity";

int core_number(std::string_view text, std::string_view all) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw ConfigError(kAffinityOption,
                      "expected none, spread, compact or cores as in \"0,2-5\", found '" +
                          std::string(all) + "'");
  }
  return value;
}

std::vector<int> listed(std::string_view all, const std::vector<int>& cores) {
  std::vector<int> chosen;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    const std::string_view part = all.substr(at, end - at);
    const std::size_t dash = part.find('-');
    const int first = core_number(part.substr(0, dash), all);
    const int last =
        dash == std::string_view::npos ? first : core_number(part.substr(dash + 1), all);
    if (last < first) (void)core_number("", all);
    for (int core = first; core <= last; ++core) {
      if (!std::ranges::binary_search(cores, core)) {
        throw ConfigError(kAffinityOption, "core " + std::to_string(core) +
                                               " is not among those that this process may use");
      }
      chosen.push_back(core);
    }
    at = end + 1;
  }
  return chosen;
}

}  // namespace

std::vector<int> cores_of_this_process() { return cores_of_thread(0); }

std::vector<int> cores_of_thread(pid_t thread) {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(thread, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

std::string core_list(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[first]);
    if (last > first) text += '-' + std::to_string(cores[last]);
    first = last + 1;
  }
  return text;
}

std::string cores_text(const std::vector<std::vector<int>>& workers) {
  const bool alike =
      std::ranges::all_of(workers, [&](const auto& cores) { return cores == workers.front(); });
  if (workers.empty()) return {};
  if (alike) return core_list(workers.front());
  std::string text;
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    if (!text.empty()) text += "; ";
    text += "worker " + std::to_string(worker) + ": " +
            (workers[worker].empty() ? "not known" : core_list(workers[worker]));
  }
  return text;
}

std::vector<int> worker_cores(const std::string& affinity, int workers,
                              const std::vector<int>& cores) {
  if (affinity == "none" || cores.empty()) return {};
  const std::vector<int> from =
      affinity == "spread" || affinity == "compact" ? cores : listed(affinity, cores);
  const std::size_t count = from.size();
  const auto wanted = static_cast<std::size_t>(workers);
  std::vector<int> chosen;
  for (std::size_t i = 0; i < wanted; ++i) {
    const bool apart = affinity == "spread" && wanted < count;
    chosen.push_back(from[apart ? i * count / wanted : i % count]);
  }
  return chosen;
}

void run_on_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  (void)::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace stepbench
