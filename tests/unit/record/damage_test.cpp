// SPDX-License-Identifier: Apache-2.0
// Result files cut short or damaged anywhere: used as far as possible, or rejected with a reason.
#include <gmock/gmock.h>

#include <random>
#include <string>

#include "harness/base/error.h"
#include "harness/estimate/launch_estimate.h"
#include "harness/record/reader.h"
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

// Reading either succeeds or throws ConfigError.
void read_anything(const std::filesystem::path& file, int& refused) {
  try {
    for (const Launch& launch : read_results(file).launches) (void)estimate::estimate_of(launch);
  } catch (const ConfigError& error) {
    ++refused;
    ASSERT_EQ(error.where().rfind(file.string(), 0), 0U) << error.what();
  }
}

TEST(DamagedFile, RandomDamage_NeverCrashes) {
  const TemporaryFolder folder;
  const std::string text = small_file();
  std::mt19937_64 random(20260131);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  int refused = 0;
  constexpr int kDamages = 5000;
  constexpr std::string_view kTokens = "{}[],:\"\\\n0-9.eE tfn\0\xFF";
  for (int i = 0; i < kDamages; ++i) {
    std::string damaged = text;
    const std::size_t at = below(damaged.size());
    switch (below(5)) {
      case 0:
        damaged[at] = static_cast<char>(random());
        break;
      case 1:
        damaged[at] = kTokens[below(kTokens.size())];
        break;
      case 2:
        damaged.erase(at, 1 + below(40));
        break;
      case 3:
        damaged.insert(at, damaged.substr(below(damaged.size()), 1 + below(200)));
        break;
      default:
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << below(8)));
    }
    read_anything(write_file(folder / "a.jsonl", damaged), refused);
  }
  EXPECT_GT(refused, kDamages / 10) << "damage is noticed";
}

}  // namespace
}  // namespace stepbench::record
