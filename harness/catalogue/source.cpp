// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/source.h"

#include <array>

namespace stepbench {
namespace {

constexpr std::array kSources = {
    SourceName{Source::kHostClock,
               "The host's monotonic clock, read by the thread that runs the steps or by the "
               "loader's workers."},
    SourceName{Source::kCudaEvents,
               "Events of the CUDA runtime, recorded on the stream and read later: time as it "
               "passes there, gaps between kernels included."},
    SourceName{Source::kEventsAndHost,
               "CUDA events mapped to the host's clock; event_clock_error_ns says how well."},
    SourceName{Source::kCupti,
               "CUPTI's records of each kernel, copy, call and wait, in profiled launches only."},
    SourceName{Source::kAllocator, "Counters of torch's caching CUDA allocator."},
    SourceName{Source::kSystem,
               "The operating system's accounts of the process: getrusage and /proc."},
    SourceName{Source::kCounted, "Counted or computed by the program itself."},
    SourceName{Source::kInstructions,
               "The processor's counters, or valgrind's callgrind: `profile.counts` in force says "
               "which."},
    SourceName{Source::kNvml,
               "Counters of the device that NVIDIA's management library reads from outside, at the "
               "borders of the windows."},
};

}  // namespace

std::span<const SourceName> sources() { return kSources; }

}  // namespace stepbench
