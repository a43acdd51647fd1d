// SPDX-License-Identifier: Apache-2.0
// Files that stepbench keeps to go on with: a search for a commit, a night that was cut off, what
// the machine can show. The first byte tells which.
#include <algorithm>
#include <chrono>

#include "harness/base/error.h"
#include "harness/bisect/search_file.h"
#include "harness/campaign/kept_machine.h"
#include "harness/campaign/unfinished_night.h"
#include "harness/record/launch_rows.h"
#include "tests/fuzz/memory_file.h"
#include "tests/temporary_folder.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

void search(const test::TemporaryFolder& folder, std::string_view text) {
  folder.write(bisect::kSearchFile, text);
  bisect::BisectRun read;
  try {
    read = bisect::read_search_file(folder.path());
  } catch (const Error&) {
    return;
  }
  folder.write(bisect::kSearchFile, bisect::search_json(read));
  const bisect::BisectRun again = bisect::read_search_file(folder.path());
  const auto same = [](const bisect::Commit& one, const bisect::Commit& other) {
    return one.id == other.id && one.title == other.title;
  };
  fuzz::require(again.build == read.build && again.metric == read.metric &&
                    std::ranges::equal(again.commits, read.commits, same),
                "a search is read as it was written");
}

void machine_of(const test::TemporaryFolder& folder, std::string_view text) {
  folder.write("stepbench/machine-h.json", text);
  const machine::Variables variables = {{"XDG_STATE_HOME", folder.path().string()}};
  const auto kept = campaign::kept_machine(variables, {{"host", std::string("h")}});
  fuzz::require(kept.noise.has_value() != !kept.problem.empty(), "it is known, or said why not");
}

void night(const test::TemporaryFolder& folder, std::string_view text) {
  const auto now = std::chrono::sys_days{std::chrono::year{2026} / 3 / 4} + std::chrono::hours{3};
  std::filesystem::path file;
  {
    campaign::UnfinishedNight fresh(folder.path(), "fuzz", now);
    fresh.begun("e", folder.path());
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (entry.path().filename().string().starts_with(record::kUnfinishedNight)) file = entry;
    }
  }
  folder.write(file.filename().string(), text);
  const campaign::UnfinishedNight read(folder.path(), "fuzz", now);
  fuzz::require(read.goes_on() || read.folder_of("e").empty(), "what is not read has no folder");
  std::filesystem::remove(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::TemporaryFolder folder;
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      search(folder, text);
      break;
    case 1:
      machine_of(folder, text);
      break;
    default:
      night(folder, text);
  }
  return 0;
}
