// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/which_cases.h"

#include <deque>

#include "tests/testing.h"

namespace stepbench::report {
namespace {

// A sweep of workers 0, 1, 2, 4 and batches of 8, 16, 32 samples.
class Sweep {
 public:
  Sweep() {
    results_.runs.push_back({.swept = {"loader.num_workers", "loader.batch_size"}});
    for (const std::int64_t workers : {0, 1, 2, 4}) {
      for (const std::int64_t batch : {8, 16, 32}) {
        options_.emplace_back();
        options_.back()["loader.num_workers"] = workers;
        options_.back()["loader.batch_size"] = batch;
        rows_.push_back({.case_id = std::to_string(rows_.size())});
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].asked = &options_[i];
  }

  // Name of the rows with these numbers, 3 * index of the workers + index of the batch.
  [[nodiscard]] std::string name(const std::vector<std::size_t>& numbers) const {
    const WhichCases which(rows_, results_);
    std::vector<const estimate::CaseRow*> some;
    for (const std::size_t i : numbers) some.push_back(&rows_[i]);
    return which.name(some);
  }
  std::vector<estimate::CaseRow>& rows() { return rows_; }

 private:
  record::Results results_;
  std::deque<OptionValues> options_;
  std::vector<estimate::CaseRow> rows_;
};

TEST(WhichCases, CommonOptions_NameThem) {
  const Sweep sweep;
  EXPECT_EQ(sweep.name({4}), "num_workers=1 batch_size=16");
  EXPECT_EQ(sweep.name({6, 7, 8}), "all 3 with num_workers=2");
  EXPECT_EQ(sweep.name({6, 7}), "num_workers=2 with batch_size=8, 16");
  EXPECT_EQ(sweep.name({10, 4}), "batch_size=16 with num_workers=4, 1") << "in their order";
  EXPECT_EQ(sweep.name({3, 4, 6, 7, 9, 10}), "all 6 with num_workers=1 to 4 batch_size=8 to 16");
  EXPECT_EQ(sweep.name({0, 4}), "num_workers=0 batch_size=8; num_workers=1 batch_size=16");
  EXPECT_EQ(sweep.name({0, 4, 8, 9}), "4 of 12 cases") << "nothing tells them from the others";
  EXPECT_EQ(sweep.name({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), "all 12 cases");
}

TEST(WhichCases, SeveralRuns_AreCounted) {
  Sweep sweep;
  sweep.rows()[1].case_id = sweep.rows()[0].case_id;
  sweep.rows()[1].arm = "b";
  EXPECT_EQ(sweep.name({6, 7, 8, 9}), "4 of 12 cases");
}

}  // namespace
}  // namespace stepbench::report
