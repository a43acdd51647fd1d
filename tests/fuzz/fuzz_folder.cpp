// SPDX-License-Identifier: Apache-2.0
// The files of a run, joined. Input: u16 with the length of the first file, the first, the second.
#include <array>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/record/reader.h"
#include "tests/fuzz/fuzz_input.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::TwoFiles files = fuzz::split({data, size});
  const fuzz::MemoryFile first(files.first);
  const fuzz::MemoryFile second(files.second);
  const std::array<std::filesystem::path, 2> paths = {first.path(), second.path()};
  try {
    const record::Results results = record::read_results(paths);
    std::set<std::pair<std::string, record::LaunchKey>> keys;
    for (const record::Launch& launch : results.launches) {
      fuzz::require(launch.run < results.runs.size(), "a launch is one of a run");
      fuzz::require(keys.emplace(results.runs[launch.run].run_id, launch.row.key).second,
                    "a launch of a run counts once");
    }
  } catch (const ConfigError&) {
  }
  return 0;
}
