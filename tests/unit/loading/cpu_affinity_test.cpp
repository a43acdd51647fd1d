// SPDX-License-Identifier: Apache-2.0
#include "harness/text/numbers.h"
#include "workloads/loader/internal/worker_cpus.h"

#include <unistd.h>

#include <thread>

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench {
namespace {

const std::vector<int> kCores = {0, 1, 2, 3, 8, 9, 10, 11};

TEST(Affinity, Workers_GetCoresInTurn) {
  const auto cores = [](const char* text, int workers, const std::vector<int>& of = kCores) {
    return loader::worker_cores(text, workers, of);
  };
  EXPECT_THAT(cores("none", 4), IsEmpty());
  EXPECT_THAT(cores("compact", 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(cores("compact", 3, {5, 7}), ElementsAre(5, 7, 5));
  EXPECT_THAT(cores("spread", 2), ElementsAre(0, 8));
  EXPECT_THAT(cores("spread", 3), ElementsAre(0, 2, 9));
  EXPECT_THAT(cores("spread", 3, {5, 7}), ElementsAre(5, 7, 5));
  EXPECT_THAT(cores("9,1-3", 5), ElementsAre(9, 1, 2, 3, 9));
  EXPECT_THAT([&] { (void)cores("1,4", 2); },
              ThrowsMessage<ConfigError>(HasSubstr("core 4 is not among")));
  for (const char* text : {"", "all", "1,", "3-1", "-1", "1-2-3"}) {
    EXPECT_THAT([&] { (void)cores(text, 2); },
                ThrowsMessage<ConfigError>(HasSubstr("loader.affinity")))
        << text;
  }
}

TEST(CoresText, Ranges_NameDifferingWorkersOnly) {
  EXPECT_EQ(text::cpu_list_text(std::vector{0, 2, 3, 4, 7}), "0,2-4,7");
  EXPECT_EQ(loader::cores_text({{0, 1}, {0, 1}}), "0-1");
  EXPECT_EQ(loader::cores_text({{0}, {1}, {}}), "worker 0: 0; worker 1: 1; worker 2: not known");
  EXPECT_EQ(loader::cores_text({}), "");
}

TEST(CoresOfThread, Thread_HasItsOwnCores) {
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
