// SPDX-License-Identifier: Apache-2.0
// A verdict file, as `compare` and `ab` write it and `report` and `export` read it.
#include "harness/base/error.h"
#include "harness/report/comparison_json.h"
#include "harness/report/read_comparison.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<compare::Comparison> read;
  try {
    read = report::read_comparisons(std::string(fuzz::text_of(data, size)));
  } catch (const Error&) {
    return 0;
  }
  const std::string written = report::verdict_json(read);
  fuzz::require(report::verdict_json(report::read_comparisons(written)) == written,
                "a verdict is read as it was written");
  return 0;
}
