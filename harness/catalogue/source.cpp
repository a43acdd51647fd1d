// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/source.h"

#include <algorithm>
#include <array>

namespace stepbench {
namespace {

constexpr std::array kSources = {
    SourceName{Source::kHostClock, "host_clock",
               "The host's monotonic clock, read by the thread that runs the steps or by the "
               "loader's workers."},
    SourceName{Source::kCudaEvents, "cuda_events",
               "Events of the CUDA runtime, recorded on the stream and read later: time as it "
               "passes there, gaps between kernels included."},
    SourceName{Source::kEventsAndHost, "cuda_events+host_clock",
               "CUDA events mapped to the host's clock; event_clock_error_ns says how well."},
    SourceName{Source::kCupti, "cupti",
               "CUPTI's records of each kernel, copy, call and wait, in profiled launches only."},
    SourceName{Source::kAllocator, "cuda_allocator", "Counters of torch's caching CUDA allocator."},
    SourceName{Source::kSystem, "system",
               "The operating system's accounts of the process: getrusage and /proc."},
    SourceName{Source::kCounted, "counted", "Counted or computed by the program itself."},
    SourceName{Source::kInstructions, "instruction_counter",
               "The processor's counters, or valgrind's callgrind: `profile.counts` in force says "
               "which."},
    SourceName{Source::kNvml, "nvml",
               "Counters of the device that NVIDIA's management library reads from outside, at the "
               "borders of the windows."},
};

}  // namespace

std::span<const SourceName> sources() { return kSources; }

std::string_view name_of(Source source) {
  const auto* const found =
      std::find_if(kSources.begin(), kSources.end(),
                   [&](const SourceName& each) { return each.source == source; });
  return found == kSources.end() ? std::string_view() : found->name;
}

std::optional<Source> source_named(std::string_view name) {
  const auto* const found = std::find_if(kSources.begin(), kSources.end(),
                                         [&](const SourceName& each) { return each.name == name; });
  if (found == kSources.end()) return std::nullopt;
  return found->source;
}

}  // namespace stepbench
