// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/analyze_input.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/text/numbers.h"
#include "harness/traces/trace_files.h"
#include "tools/stepbench/parse.h"

namespace stepbench::cli {

TimeLimit limit_of(double of_each_s, std::size_t traces, const Environment& environment) {
  const double limit_s = of_each_s * static_cast<double>(std::max<std::size_t>(1, traces));
  return {limit_s, [limit_s, &environment] {
            print_error(environment.err,
                        "--time-limit: the traces took more than " + text::seconds_text(limit_s) +
                            " of CPU time; give more, or record fewer steps",
                        environment.err_colour);
          }};
}

bool read_each(const std::vector<std::filesystem::path>& paths, const Environment& environment,
               const std::function<void(const std::filesystem::path& path,
                                        std::unique_ptr<traces::Trace> trace)>& use) {
  bool all = true;
  for (const std::filesystem::path& path : paths) {
    std::unique_ptr<traces::Trace> trace;
    try {
      trace = std::make_unique<traces::Trace>(traces::read_trace(path));
    } catch (const ConfigError& error) {
      if (paths.size() == 1) throw;
      print_error(environment.err, error.what(), environment.err_colour);
      all = false;
      continue;
    }
    use(path, std::move(trace));
  }
  return all;
}

namespace {

double process_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

TimeLimit::TimeLimit(double cpu_s, std::function<void()> over)
    : watch_([until_s = process_cpu_s() + cpu_s, over = std::move(over)](std::stop_token stop) {
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
          const double left_s = until_s - process_cpu_s();
          if (left_s <= 0) {
            over();
            std::_Exit(kExitUsage);
          }
          // The limit cannot be reached earlier by one core; the loop checks again.
          ended.wait_for(lock, stop, std::chrono::duration<double>(left_s), [] { return false; });
        }
      }) {}

}  // namespace stepbench::cli
