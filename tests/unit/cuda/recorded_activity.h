// SPDX-License-Identifier: Apache-2.0
// Activity buffers as CUPTI filled them on a device, kept in a text file and read again where there
// is none. Kernel names lie outside the buffers: their text stands beside the pointer's place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/cuda/cupti_api.h"
#include "harness/ops/op_log.h"

namespace stepbench::cuda {

struct RecordedBuffer {
  std::vector<std::uint8_t> bytes = {};
  std::vector<std::size_t> records = {};          // where each begins
  std::map<std::size_t, std::string> names = {};  // what the pointer at this place points to
};

struct RecordedActivity {
  std::uint32_t version = 0;                                                      // of CUPTI
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> callbacks = {};  // domain, number
  std::vector<RecordedBuffer> buffers = {};
};

void write(const RecordedActivity& recorded, std::ostream& out);
[[nodiscard]] RecordedActivity read_recorded(std::istream& in);  // throws Error

// `api`, whose buffers are copied to `into` as they are read. `into` outlives it.
[[nodiscard]] CuptiApi recording(CuptiApi api, RecordedActivity& into);

// What the collector read, one line for each kind and name, and the sums of the window.
[[nodiscard]] std::string summary_text(const ops::OpLog& log);

}  // namespace stepbench::cuda
