// SPDX-License-Identifier: Apache-2.0
// Result files cut short anywhere: used as far as possible. Damaged ones are the fuzzer's
// (tests/fuzz, result).
#include "harness/record/result_file.h"
#include "tests/testing.h"
#include "tests/unit/record/sample_rows.h"

namespace stepbench::record {
namespace {

using test::TemporaryFolder;
using testing::write_file;

std::string small_file() {
  std::string text = encode(testing::run_row()) + '\n';
  for (int launch = 0; launch < 2; ++launch) {
    const auto key = testing::key("00112233aabbccdd", launch);
    text += encode(StartRow{.key = key, .attempt = 0, .started_utc = "t"}) + '\n';
    text += encode(testing::samples_row(key)) + '\n' + encode(testing::launch_row(key)) + '\n';
  }
  return text + encode(EndRow{.measured = 2, .reason = "complete", .ended_utc = "t"}) + '\n';
}

// A launch counts when its line is complete, with or without the newline.
std::size_t committed_before(const std::string& text, std::size_t cut) {
  std::size_t launches = 0;
  for (std::size_t at = 0; (at = text.find("{\"kind\":\"launch\"", at)) != std::string::npos;
       ++at) {
    if (text.find('\n', at) <= cut) ++launches;
  }
  return launches;
}

TEST(CutFile, AnyCut_KeepsFinishedLaunches) {
  const TemporaryFolder folder;
  const std::string text = small_file();
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const auto file = write_file(folder / "a.jsonl", text.substr(0, cut));
    const Results results = read_results(file);
    ASSERT_EQ(results.launches.size(), committed_before(text, cut)) << "cut at " << cut;
    const bool at_line_end = cut > 0 && (text[cut - 1] == '\n' || text[cut] == '\n');
    ASSERT_EQ(results.warnings.empty(), at_line_end) << "cut at " << cut;
  }
}

}  // namespace
}  // namespace stepbench::record
