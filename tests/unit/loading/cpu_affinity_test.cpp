// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/cpu_affinity.h"
#include "harness/text/numbers.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <thread>

#include "harness/base/error.h"

namespace stepbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const std::vector<int> kCores = {0, 1, 2, 3, 8, 9, 10, 11};

TEST(Affinity, NoneLeavesWorkersWhereTheyAre) {
  EXPECT_THAT(loader::worker_cores("none", 4, kCores), IsEmpty());
}
TEST(Affinity, CompactTakesNeighboursAndBeginsAnew) {
  EXPECT_THAT(loader::worker_cores("compact", 3, kCores), ElementsAre(0, 1, 2));
  EXPECT_THAT(loader::worker_cores("compact", 3, {5, 7}), ElementsAre(5, 7, 5));
}
TEST(Affinity, SpreadTakesCoresFarApart) {
  EXPECT_THAT(loader::worker_cores("spread", 2, kCores), ElementsAre(0, 8));
  EXPECT_THAT(loader::worker_cores("spread", 3, kCores), ElementsAre(0, 2, 9));
  EXPECT_THAT(loader::worker_cores("spread", 3, {5, 7}), ElementsAre(5, 7, 5));
}
TEST(Affinity, AListIsTakenInItsOrder) {
  EXPECT_THAT(loader::worker_cores("9,1-3", 5, kCores), ElementsAre(9, 1, 2, 3, 9));
}
TEST(Affinity, ACoreThatIsNotOursIsRefusedByNumber) {
  EXPECT_THAT([] { (void)loader::worker_cores("1,4", 2, kCores); },
              ThrowsMessage<ConfigError>(HasSubstr("core 4 is not among")));
}
TEST(Affinity, OtherTextIsRefused) {
  for (const char* text : {"", "all", "1,", "3-1", "-1", "1-2-3"}) {
    EXPECT_THAT([&] { (void)loader::worker_cores(text, 2, kCores); },
                ThrowsMessage<ConfigError>(HasSubstr("loader.affinity")))
        << text;
  }
}

TEST(CoresText, NamesRangesAndWorkersOnlyWhereTheyDiffer) {
  EXPECT_EQ(text::cpu_list_text(std::vector{0, 2, 3, 4, 7}), "0,2-4,7");
  EXPECT_EQ(loader::cores_text({{0, 1}, {0, 1}}), "0-1");
  EXPECT_EQ(loader::cores_text({{0}, {1}, {}}), "worker 0: 0; worker 1: 1; worker 2: not known");
  EXPECT_EQ(loader::cores_text({}), "");
}

TEST(CoresOfThread, AreThoseOfThatThreadAlone) {
  EXPECT_EQ(loader::cores_of_thread(0), loader::cores_of_this_process());
  pid_t other = 0;
  std::vector<int> seen;
  const int core = loader::cores_of_this_process().back();
  std::thread([&] {
    loader::run_on_core(core);
    other = ::gettid();
    seen = loader::cores_of_thread(other);
  }).join();
  EXPECT_EQ(seen, std::vector<int>{core});
}

}  // namespace
}  // namespace stepbench
