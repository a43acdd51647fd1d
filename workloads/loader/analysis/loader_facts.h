// SPDX-License-Identifier: Apache-2.0
// What is known of a loader in its measured windows, as the rules of loader_findings.h want it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/resolved_case.h"
#include "harness/os/usage.h"
#include "workloads/loader/analysis/core_watch.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Of all windows together; also a reading at one instant, of which differences are taken.
struct WindowFacts {
  std::int64_t elapsed_ns = 0;
  // Of the process and of those that it started, ended or not.
  os::Usage used = {};
  // At the last reading.
  std::int64_t open_descriptors = 0;
  // Between two epochs: how many, the time of finding an epoch's end, beginning the next one and
  // its first batch, and the last of these alone.
  std::int64_t borders = 0;
  std::int64_t border_ns = 0;
  std::int64_t border_next_ns = 0;

  void add_span(const WindowFacts& begin, const WindowFacts& end);
  [[nodiscard]] std::int64_t cpu_ns() const { return used.user_ns + used.system_ns; }
};

// Costs some tens of microseconds; outside windows only.
[[nodiscard]] WindowFacts read_window_facts(const Clock& clock);  // all but open_descriptors
[[nodiscard]] std::int64_t count_descriptors();

struct LoaderFacts {
  std::string engine = "thread";
  std::string transport = {};  // empty: the engine has no choice
  LoaderOptions options = {};
  bool may_decode_faster = false;  // data.decode: exact, where fast exists
  double cores = 1;                // that this process may use: a quota of 1.5 is 1.5
  double machine_cores = 0;        // the same without the quota; 0: as many
  double all_cores = 0;            // of the machine; 0: not known
  bool has_other_ranks = false;    // of the same job: what else runs may be theirs
  bool unknown_length = false;     // of an epoch
  bool pads_to_longest = true;     // of the batch (data.padding)
  // Share of padding that sorting kSortedBatches batches by length would leave.
  std::optional<double> padding_sorted = {};
  std::int64_t first_wait_ns = 0;  // the consumer's, for its first batch
  LoaderMetrics measured = {};
  WindowFacts window = {};
  CoreFacts machine = {};
  // Options that have a meaning in this case: others are refused by the engine.
  std::function<bool(std::string_view option)> offers = [](std::string_view) { return true; };
};

[[nodiscard]] LoaderFacts loader_facts(const ResolvedCase& resolved, const LoaderMetrics& measured,
                                       const WindowFacts& window);

}  // namespace stepbench::loader
