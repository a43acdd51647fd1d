// SPDX-License-Identifier: Apache-2.0
// Activity buffers as filled by CUPTI on a device, kept in a text file and read on machines without
// one. Kernel names are outside the buffers: their text is stored with the pointer's offset.
#pragma once

#include <iosfwd>

#include "harness/cuda/internal/cupti_api.h"
#include "harness/ops/op_log.h"
#include "tests/testing.h"

namespace stepbench::cuda {

struct RecordedBuffer {
  std::vector<std::uint8_t> bytes = {};
  std::vector<std::size_t> records = {};          // offset of each one
  std::map<std::size_t, std::string> names = {};  // text of the pointer at this offset
};

struct RecordedActivity {
  std::uint32_t version = 0;                                                      // of CUPTI
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> callbacks = {};  // domain, number
  std::vector<RecordedBuffer> buffers = {};
};

void write(const RecordedActivity& recorded, std::ostream& out);
[[nodiscard]] RecordedActivity read_recorded(std::istream& in);  // throws Error

// Wraps `api`: its buffers are copied to `into`, which must outlive it, as they are read.
[[nodiscard]] CuptiApi recording(CuptiApi api, RecordedActivity& into);

// The collector's records, one line per kind and name, and the sums of the window.
[[nodiscard]] std::string summary_text(const ops::OpLog& log);

}  // namespace stepbench::cuda
