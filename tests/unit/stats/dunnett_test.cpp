// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include "tests/testing.h"

namespace stepbench::stats {
namespace {

// C. W. Dunnett, "A multiple comparison procedure for comparing several treatments with a control",
// JASA 50 (1955), table 1a: one-sided, joint confidence 95 %; and table 1b: 99 %.
TEST(Dunnett, PublishedTables_AreMatched) {
  struct Entry {
    std::size_t comparisons;
    double degrees;
    double confidence;
    double value;
  };
  for (const Entry& entry :
       {Entry{1, 5, 0.95, 2.02}, Entry{2, 5, 0.95, 2.44}, Entry{9, 5, 0.95, 3.30},
        Entry{1, 10, 0.95, 1.81}, Entry{2, 10, 0.95, 2.15}, Entry{9, 10, 0.95, 2.81},
        Entry{3, 20, 0.95, 2.19}, Entry{2, 1e6, 0.95, 1.92}, Entry{9, 1e6, 0.95, 2.42},
        Entry{1, 1e6, 0.99, 2.33}, Entry{2, 1e6, 0.99, 2.56}}) {
    EXPECT_NEAR(dunnett_one_sided(entry.comparisons, entry.degrees, entry.confidence), entry.value,
                0.009)
        << entry.comparisons << ' ' << entry.degrees;
  }
}

TEST(Dunnett, MoreComparisons_NeedMore) {
  EXPECT_GT(dunnett_one_sided(49, 20, 0.95), dunnett_one_sided(9, 20, 0.95));
  EXPECT_GT(dunnett_one_sided(9, 5, 0.95), dunnett_one_sided(9, 50, 0.95));
  EXPECT_GT(dunnett_one_sided(999, 5000, 0.95), 3.5);
}

}  // namespace
}  // namespace stepbench::stats
