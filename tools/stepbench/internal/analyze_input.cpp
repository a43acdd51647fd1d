// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/analyze_input.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/text/numbers.h"
#include "harness/traces/trace_files.h"
#include "tools/stepbench/parse.h"

namespace stepbench::cli {

os::CpuLimit limit_of(double of_each_s, std::size_t traces, const Environment& environment) {
  const double limit_s = of_each_s * static_cast<double>(std::max<std::size_t>(1, traces));
  return {limit_s, kExitUsage, [limit_s, &environment] {
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

}  // namespace stepbench::cli
