// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/comparison_words.h"

#include "harness/report/internal/estimate_text.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

using Two = std::pair<std::string, std::string>;

TEST(ComparedValues, Times_ShareAUnit) {
  EXPECT_EQ(compared_values(0.9996e6, 1.1e6, "ns"), Two("1.00 ms", "1.10 ms"));
  EXPECT_EQ(compared_values(1.1e6, 0.9e6, "ns"), Two("1.10 ms", "0.900 ms"));
  EXPECT_EQ(compared_values(450, 520, "ns"), Two("450 ns", "520 ns"));
}

TEST(ComparedValues, MissingOrNoTime_HasItsOwnUnit) {
  EXPECT_EQ(compared_values(std::numeric_limits<double>::quiet_NaN(), 1e6, "ns"),
            Two("-", "1.00 ms"));
  EXPECT_EQ(compared_values(1 << 20, 3 << 20, "bytes"), Two("1.00 MiB", "3.00 MiB"));
}

TEST(QuantityText, UnitOne_IsNotShown) {
  EXPECT_EQ(quantity_text(8, "value", "1"), "8");
  EXPECT_EQ(quantity_text(8, "calls", "calls"), "8 calls");
  EXPECT_EQ(quantity_text(299'825'960, "bus_bytes_per_s", "bytes/s"), "0.300 GB/s");
}

}  // namespace
}  // namespace stepbench::report
