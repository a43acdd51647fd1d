// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "harness/base/error.h"
#include "harness/trace/read_trace.h"
#include "tests/fuzz/fuzz_input.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

// What every analysis relies on.
void check(const trace::Trace& trace) {
  for (std::size_t lane = 0; lane < trace.lanes.size(); ++lane) {
    std::int64_t last_ns = INT64_MIN;
    for (const trace::TraceEvent& event : trace.lanes[lane].events) {
      const bool sound = event.start_ns >= last_ns && event.end_ns >= event.start_ns &&
                         event.lane == lane && event.name < trace.names.size();
      if (!sound) std::abort();
      last_ns = event.start_ns;
      if (const trace::OpDetail* op = trace.op_detail(event)) (void)trace.text(op->shapes);
      (void)trace.kernel_detail(event);
      if (event.kind == trace::EventKind::kSync && event.detail != ops::kNoIndex) {
        (void)trace.syncs.at(event.detail);
      }
    }
  }
  for (const trace::TraceMemory& memory : trace.memory) {
    if (memory.lane >= trace.lanes.size()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  try {
    check(trace::read_trace(file.path(), {.max_text_bytes = std::uint64_t{1} << 24}));
  } catch (const ConfigError&) {
  }
  return 0;
}
