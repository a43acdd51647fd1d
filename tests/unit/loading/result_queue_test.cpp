// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/thread/thread_loader.h"

#include <thread>

#include "tests/testing.h"

namespace stepbench {
namespace {

using std::chrono::nanoseconds;

loader::LoaderResult result(std::int64_t batch) {
  loader::LoaderResult made;
  made.batch = batch;
  return made;
}

std::vector<std::int64_t> batches(const std::vector<loader::LoaderResult>& results) {
  std::vector<std::int64_t> all;
  for (const loader::LoaderResult& one : results) all.push_back(one.batch);
  return all;
}

TEST(ResultQueue, Take_ReturnsAllResults) {
  loader::ResultQueue queue;
  for (const std::int64_t batch : {3, 1}) queue.push(result(batch));
  EXPECT_EQ(queue.size(), 2U);
  std::vector<loader::LoaderResult> taken;
  queue.take(taken, nanoseconds(0));
  EXPECT_THAT(batches(taken), ElementsAre(3, 1));
  EXPECT_EQ(queue.size(), 0U);
}

// Would hang if the sleeper missed a result.
TEST(ResultQueue, EmptyQueue_SleepsUntilAResult) {
  for (int round = 0; round < 200; ++round) {
    loader::ResultQueue queue;
    std::thread worker([&] {
      for (const std::int64_t batch : {2, 1, 0}) queue.push(result(batch));
    });
    std::vector<std::int64_t> seen;
    while (seen.empty() || seen.back() != 0) {
      std::vector<loader::LoaderResult> taken;
      queue.take(taken, nanoseconds(0));
      for (const std::int64_t batch : batches(taken)) seen.push_back(batch);
    }
    EXPECT_THAT(seen, ElementsAre(2, 1, 0));
    worker.join();
  }
}

TEST(ResultQueue, TimeLimit_TakesNothing) {
  loader::ResultQueue queue;
  std::vector<loader::LoaderResult> taken;
  queue.take(taken, nanoseconds(1));
  EXPECT_THAT(taken, IsEmpty());
  EXPECT_FALSE(queue.take_one(nanoseconds(1)).has_value());
  queue.push(result(5));
  queue.take(taken, nanoseconds(1));
  EXPECT_THAT(batches(taken), ElementsAre(5));
}

TEST(ResultQueue, Interruption_EndsOneWait) {
  loader::ResultQueue queue;
  std::thread other([&] { queue.interrupt(); });
  EXPECT_FALSE(queue.take_one(nanoseconds(0)).has_value());
  other.join();
  queue.push(result(4));
  queue.interrupt();
  EXPECT_FALSE(queue.take_one(nanoseconds(0)).has_value());
  EXPECT_EQ(queue.take_one(nanoseconds(0))->batch, 4);
}

TEST(ResultQueue, SingleTakes_KeepTheOrder) {
  loader::ResultQueue queue;
  std::int64_t pushed = 0;
  std::int64_t taken = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 3; ++i) queue.push(result(pushed++));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(queue.try_take_one()->batch, taken++);
    EXPECT_EQ(queue.size(), static_cast<std::size_t>(pushed - taken));
  }
  std::vector<loader::LoaderResult> rest;
  queue.try_take(rest);
  EXPECT_EQ(rest.size(), 50U);
  EXPECT_EQ(rest.front().batch, taken);
  EXPECT_FALSE(queue.try_take_one().has_value());
}

}  // namespace
}  // namespace stepbench
