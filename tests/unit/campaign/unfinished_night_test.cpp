// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/measure_night.h"

#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::testing {
namespace {

using namespace std::chrono_literals;

const auto kEvening = std::chrono::system_clock::time_point{1'770'000'000s};

class UnfinishedNightFile : public ::testing::Test {
 protected:
  UnfinishedNightFile() { fs::create_directory(run_); }
  [[nodiscard]] campaign::UnfinishedNight open(std::chrono::system_clock::time_point now,
                                               const std::string& key = "a.yaml b.yaml") const {
    return {folder_.path(), key, now};
  }
  [[nodiscard]] fs::path file() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().extension() == ".jsonl") return entry.path();
    }
    return {};
  }
  const test::TemporaryFolder folder_;
  const fs::path run_ = folder_ / "20260201-120000-a";
};

TEST_F(UnfinishedNightFile, BegunNight_IsResumedNextCall) {
  campaign::UnfinishedNight first = open(kEvening);
  EXPECT_FALSE(first.resumes());
  first.begun("a.yaml", run_);
  const campaign::UnfinishedNight second = open(kEvening + 3h);
  EXPECT_TRUE(second.resumes());
  EXPECT_EQ(second.folder_of("a.yaml"), run_);
  EXPECT_EQ(second.folder_of("b.yaml"), fs::path{});
  EXPECT_EQ(second.began_utc(), first.began_utc()) << "it is still the same night";
}

TEST_F(UnfinishedNightFile, EndedOrRestarted_IsForgotten) {
  for (const bool ends : {true, false}) {
    open(kEvening).begun("a.yaml", run_);
    campaign::UnfinishedNight night = open(kEvening + 1h);
    if (ends) night.end();
    if (!ends) night.restart(kEvening + 1h);
    EXPECT_EQ(file(), fs::path{});
    EXPECT_FALSE(open(kEvening + 1h).resumes());
    if (ends) continue;
    EXPECT_FALSE(night.resumes());
    EXPECT_EQ(night.folder_of("a.yaml"), fs::path{});
  }
}

TEST_F(UnfinishedNightFile, PreviousNight_IsForgotten) {
  open(kEvening).begun("a.yaml", run_);
  EXPECT_TRUE(open(kEvening + nights::kNightLasts).resumes());
  campaign::UnfinishedNight next = open(kEvening + nights::kNightLasts + 1s);
  EXPECT_FALSE(next.resumes());
  next.begun("b.yaml", run_);
  EXPECT_EQ(open(kEvening + 24h).folder_of("a.yaml"), fs::path{});
}

TEST_F(UnfinishedNightFile, ForeignOrDamaged_StartsOver) {
  open(kEvening).begun("a.yaml", run_);
  EXPECT_FALSE(open(kEvening + 1h, "c.yaml").resumes());
  fs::remove(run_);
  EXPECT_EQ(open(kEvening + 1h).folder_of("a.yaml"), fs::path{});
  std::ofstream{file()} << "{\"began_utc\":7}\nno json\n{\"expe";
  EXPECT_FALSE(open(kEvening + 1h).resumes());
}

}  // namespace
}  // namespace stepbench::testing
