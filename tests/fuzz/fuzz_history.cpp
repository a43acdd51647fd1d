// SPDX-License-Identifier: Apache-2.0
// What a history keeps as text: fields, command lines, the file of events.
#include "harness/base/error.h"
#include "harness/track/event_file.h"
#include "harness/track/row_json.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  try {
    const std::string written = track::fields_json(track::fields_from_json(text));
    fuzz::require(track::fields_json(track::fields_from_json(written)) == written,
                  "fields are read as they were written");
  } catch (const ConfigError&) {
  }
  try {
    const std::string written = track::asked_json(track::asked_from_json(text));
    fuzz::require(track::asked_json(track::asked_from_json(written)) == written,
                  "a command line is read as it was written");
  } catch (const ConfigError&) {
  }
  try {
    const fuzz::MemoryFile file({data, size});
    (void)track::read_events(file.path());
  } catch (const ConfigError&) {
  }
  return 0;
}
