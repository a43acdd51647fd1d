// SPDX-License-Identifier: Apache-2.0
// What a worker answers to `describe` and to `check`.
#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/plan/foreign_check.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  try {
    (void)plan::check_answer_from_json(text);
  } catch (const Error&) {
  }
  std::string written;
  try {
    written = catalogue::to_json(catalogue::catalogue_from_json(text, "input"));
  } catch (const Error&) {
    return 0;
  }
  fuzz::require(catalogue::to_json(catalogue::catalogue_from_json(written, "input")) == written,
                "a catalogue is read as it was written");
  return 0;
}
