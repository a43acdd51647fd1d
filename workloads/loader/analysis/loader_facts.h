// SPDX-License-Identifier: Apache-2.0
// Facts about a loader in its measured windows, input of the rules of loader_findings.h.
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

// Sums over all windows; also used for a reading at one instant, from which differences are taken.
struct WindowFacts {
  std::int64_t elapsed_ns = 0;
  // Usage by the process and its children, ended or not.
  os::Usage used = {};
  // At the last reading.
  std::int64_t open_descriptors = 0;
  // Borders between epochs: their number, the time to find an epoch's end, begin the next and get
  // its first batch, and the last of these parts alone.
  std::int64_t borders = 0;
  std::int64_t border_ns = 0;
  std::int64_t border_next_ns = 0;

  void add_span(const WindowFacts& begin, const WindowFacts& end);
  [[nodiscard]] std::int64_t cpu_ns() const { return used.user_ns + used.system_ns; }
};

// Takes some tens of microseconds: call outside windows only.
[[nodiscard]] WindowFacts read_window_facts(const Clock& clock);  // without open_descriptors
[[nodiscard]] std::int64_t count_descriptors();

struct LoaderFacts {
  std::string engine = "thread";
  std::string transport = {};  // empty: the engine offers no choice
  LoaderOptions options = {};
  bool may_decode_faster = false;  // data.decode: exact, and fast exists
  double cores = 1;                // usable by this process; may be fractional (quota)
  double machine_cores = 0;        // `cores` without the quota; 0: equal to `cores`
  double all_cores = 0;            // of the machine; 0: unknown
  bool has_other_ranks = false;    // of this job: other load may be theirs
  bool unknown_length = false;     // length of an epoch
  bool pads_to_longest = true;     // longest of the batch (data.padding)
  // Share of padding left after sorting kSortedBatches batches by length.
  std::optional<double> padding_sorted = {};
  std::int64_t first_wait_ns = 0;  // consumer's, for the first batch
  LoaderMetrics measured = {};
  WindowFacts window = {};
  CoreFacts machine = {};
  // Options that apply to this case; the engine rejects all others.
  std::function<bool(std::string_view option)> offers = [](std::string_view) { return true; };
};

[[nodiscard]] LoaderFacts loader_facts(const ResolvedCase& resolved, const LoaderMetrics& measured,
                                       const WindowFacts& window);

}  // namespace stepbench::loader
