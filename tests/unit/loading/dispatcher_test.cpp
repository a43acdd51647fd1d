// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/internal/prefetching_loader.h"

#include "tests/testing.h"
#include "workloads/data/random.h"

namespace stepbench {
namespace {

using Task = loader::Dispatcher::Task;
using State = loader::Dispatcher::State;

std::vector<Task> prime(loader::Dispatcher& dispatcher, std::int64_t tasks) {
  std::vector<Task> sent;
  dispatcher.begin_epoch(tasks);
  for (std::int64_t i = 0; i < dispatcher.capacity(); ++i) {
    if (const auto task = dispatcher.dispatch()) sent.push_back(*task);
  }
  return sent;
}

TEST(Dispatcher, EachEpoch_StartsAtTheFirstWorker) {
  loader::Dispatcher dispatcher(3, 1, true);
  EXPECT_THAT(prime(dispatcher, 1), ElementsAre(Task{0, 0}));
  EXPECT_THAT(prime(dispatcher, 1), ElementsAre(Task{0, 0}));
}

// Workers finish in a random order of their own queues; every rule of Python's loader is checked at
// every step.
TEST(Dispatcher, RandomSchedules_KeepAllPromises) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    data::Philox random(seed, 1);
    const int workers = 1 + static_cast<int>(random.below(5));
    const auto prefetch = static_cast<std::int64_t>(1 + random.below(4));
    const auto tasks = static_cast<std::int64_t>(random.below(25));
    const bool in_order = random.below(2) == 0;
    loader::Dispatcher dispatcher(workers, prefetch, in_order);
    std::map<int, std::deque<std::int64_t>> queues;
    const auto send = [&](const Task& task) {
      ASSERT_TRUE(!in_order || task.worker == task.index % workers);
      queues[task.worker].push_back(task.index);
    };
    for (const Task& task : prime(dispatcher, tasks)) send(task);

    std::vector<std::int64_t> yielded;
    while (dispatcher.state() != State::kEnd) {
      if (dispatcher.state() == State::kReceive) {
        std::erase_if(queues, [](const auto& entry) { return entry.second.empty(); });
        ASSERT_FALSE(queues.empty()) << "waits although no worker has a task";
        auto chosen =
            std::next(queues.begin(), static_cast<std::ptrdiff_t>(random.below(queues.size())));
        const std::int64_t index = chosen->second.front();
        chosen->second.pop_front();
        dispatcher.received(index);
      } else {
        yielded.push_back(dispatcher.yield().index);
        if (const auto task = dispatcher.dispatch()) send(*task);
      }
      ASSERT_LE(dispatcher.unyielded(), prefetch * workers);
      ASSERT_EQ(dispatcher.unyielded(),
                std::min(prefetch * workers, tasks - static_cast<std::int64_t>(yielded.size())));
    }
    std::vector<std::int64_t> all(static_cast<std::size_t>(tasks));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    if (!in_order) std::ranges::sort(yielded);
    ASSERT_EQ(yielded, all) << "seed " << seed;
  }
}

// One line of the record: the Dispatcher's actions for the same arrivals.
std::string retraced(std::istringstream line) {
  int workers = 0, in_order = 0;
  std::int64_t prefetch_factor = 0, tasks = 0;
  line >> workers >> prefetch_factor >> in_order >> tasks;
  loader::Dispatcher dispatcher(workers, prefetch_factor, in_order != 0);
  std::ostringstream out;
  const auto dispatch = [&](const std::optional<Task>& task) {
    if (task) out << " D " << task->index << ' ' << task->worker;
  };
  const std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  for (const Task& task : prime(dispatcher, tasks < 0 ? endless : tasks)) dispatch(task);
  while (dispatcher.state() != State::kEnd) {
    if (dispatcher.state() == State::kYield) {
      const std::int64_t yielded = dispatcher.yield().index;
      dispatch(dispatcher.dispatch());
      out << " Y " << yielded;
      continue;
    }
    std::string what;
    while (line >> what && what != "R" && what != "X") {
    }
    std::int64_t number = -1;
    if (!(line >> number)) return "waits for more than arrives:" + out.str();
    out << ' ' << what << ' ' << number;
    if (what == "R") {
      dispatcher.received(number);
    } else {
      dispatcher.ended(static_cast<int>(number));
      dispatch(dispatcher.dispatch());
    }
  }
  return out.str() + " E";
}

// As recorded by tests/workloads/dispatch_order.py.
TEST(Dispatcher, RecordedOrders_MatchTorchsDataLoader) {
  std::ifstream file(STEPBENCH_SOURCE_DIR "/tests/unit/loading/data/dispatch_orders.txt");
  int compared = 0;
  for (std::string line; std::getline(file, line); ++compared) {
    EXPECT_EQ(retraced(std::istringstream(line)), line.substr(line.find(" D "))) << line;
  }
  EXPECT_EQ(compared, 60);
}

}  // namespace
}  // namespace stepbench
