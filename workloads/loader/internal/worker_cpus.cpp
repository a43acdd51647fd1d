// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/worker_cpus.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/numbers.h"

namespace stepbench::loader {
namespace {

constexpr const char* kAffinityOption = "loader.affinity";

std::vector<int> listed(std::string_view text, const std::vector<int>& cores) {
  const std::optional<std::vector<int>> chosen = text::parse_cpu_list(text);
  if (!chosen || chosen->empty()) {
    throw ConfigError(
        kAffinityOption,
        formatted("expected none, spread, compact or cores as in \"0,2-5\", found '{}'", text));
  }
  for (const int core : *chosen) {
    if (std::ranges::binary_search(cores, core)) continue;
    throw ConfigError(kAffinityOption,
                      formatted("core {} is not among those that this process may use", core));
  }
  return *chosen;
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

std::string cores_text(const std::vector<std::vector<int>>& workers) {
  const bool alike =
      std::ranges::all_of(workers, [&](const auto& cores) { return cores == workers.front(); });
  if (workers.empty()) return {};
  if (alike) return text::cpu_list_text(workers.front());
  std::string text;
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    if (!text.empty()) text += "; ";
    text += formatted("worker {}: {}", worker,
                      workers[worker].empty() ? "not known" : text::cpu_list_text(workers[worker]));
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
    const bool spread = affinity == "spread" && wanted < count;
    chosen.push_back(from[spread ? i * count / wanted : i % count]);
  }
  return chosen;
}

void run_on_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  (void)::sched_setaffinity(0, sizeof set, &set);
}

namespace {

// Looked up by name: the libraries come with libtorch or are absent.
constexpr std::array kSetThreads = {"omp_set_num_threads", "MKL_Set_Num_Threads_Local"};

}  // namespace

void cap_threads_of_this_thread(std::int64_t threads) {
  for (const char* name : kSetThreads) {
    if (void* function = dlsym(RTLD_DEFAULT, name)) {
      reinterpret_cast<void (*)(int)>(function)(static_cast<int>(threads));
    }
  }
}

}  // namespace stepbench::loader
