// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/cpu_affinity.h"

#include <gmock/gmock.h>

#include "harness/error.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const std::vector<int> kCores = {0, 1, 2, 3, 8, 9, 10, 11};

TEST(Affinity, NoneLeavesWorkersWhereTheyAre) {
  EXPECT_THAT(worker_cores("none", 4, kCores), IsEmpty());
}
TEST(Affinity, CompactTakesNeighboursAndBeginsAnew) {
  EXPECT_THAT(worker_cores("compact", 3, kCores), ElementsAre(0, 1, 2));
  EXPECT_THAT(worker_cores("compact", 3, {5, 7}), ElementsAre(5, 7, 5));
}
TEST(Affinity, SpreadTakesCoresFarApart) {
  EXPECT_THAT(worker_cores("spread", 2, kCores), ElementsAre(0, 8));
  EXPECT_THAT(worker_cores("spread", 3, kCores), ElementsAre(0, 2, 9));
  EXPECT_THAT(worker_cores("spread", 3, {5, 7}), ElementsAre(5, 7, 5));
}
TEST(Affinity, AListIsTakenInItsOrder) {
  EXPECT_THAT(worker_cores("9,1-3", 5, kCores), ElementsAre(9, 1, 2, 3, 9));
}
TEST(Affinity, ACoreThatIsNotOursIsRefusedByNumber) {
  EXPECT_THAT([] { (void)worker_cores("1,4", 2, kCores); },
              ThrowsMessage<ConfigError>(HasSubstr("core 4 is not among")));
}
TEST(Affinity, OtherTextIsRefused) {
  for (const char* text : {"", "all", "1,", "3-1", "-1", "1-2-3"}) {
    EXPECT_THAT([&] { (void)worker_cores(text, 2, kCores); },
                ThrowsMessage<ConfigError>(HasSubstr("loader.affinity")))
        << text;
  }
}

}  // namespace
}  // namespace stepbench
