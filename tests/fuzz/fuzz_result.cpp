// SPDX-License-Identifier: Apache-2.0
// A result file, plain or gzip. What was read is written and read again as the same line.
#include <string>

#include "harness/base/error.h"
#include "harness/record/decode.h"
#include "harness/record/encode.h"
#include "harness/record/input.h"
#include "harness/record/reader.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

template <typename Written>
void read_again(record::LineDecoder& decoder, const Written& row) {
  const std::string line = record::encode(row);
  std::string padded = line + '\n';
  padded.resize(padded.size() + record::Input::kPadding);
  const record::Row again = decoder.decode(std::string_view(padded).substr(0, line.size()));
  const auto* same = std::get_if<Written>(&again);
  fuzz::require(same != nullptr && record::encode(*same) == line,
                "a line is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file({data, size});
  record::LineDecoder decoder;
  try {
    const record::Results results = record::read_results(file.path());
    for (const record::RunRow& run : results.runs) read_again(decoder, run);
    for (const record::WorkerRow& worker : results.workers) read_again(decoder, worker);
    for (const record::Launch& launch : results.launches) {
      read_again(decoder, launch.row);
      for (const record::CycleSamples& samples : launch.samples) {
        read_again(decoder, record::SamplesRow{launch.row.key, samples});
      }
      for (const ops::OpFrame& frame : launch.ops) {
        read_again(decoder, record::OpsRow{launch.row.key, frame});
      }
    }
  } catch (const ConfigError&) {
  }
  return 0;
}
