// SPDX-License-Identifier: Apache-2.0
// What the loader costs beyond the work it does. Two questions:
// - decoding: images per second of the engines against bare threads that decode the same files and
// do nothing else;
//   thread with 2 workers is to reach 0.92 of two bare threads.
// - hand-over: one batch of one ready scalar through the engine `thread` against a bare pair of
// mutex and
//   condition-variable queues; at most 1.3 times as long.
// Compare the lines of one run only: the ratios hold, the times are the machine's.
#include <benchmark/benchmark.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "workloads/data/jpeg_folder.h"
#include "workloads/data/make_jpeg_folder.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/thread_loader.h"

namespace {

using namespace stepbench;

constexpr std::int64_t kImages = 256;
constexpr std::int64_t kBatch = 32;

const HostClock kClock;

const JpegFolder& images() {
  static const JpegFolder data = [] {
    const std::filesystem::path folder =
        std::filesystem::path(STEPBENCH_BINARY_DIR) / "benchmark-images";
    (void)make_jpeg_folder({.out = folder, .images = kImages}, {});
    return JpegFolder({.path = folder});
  }();
  return data;
}

void bare_threads(benchmark::State& state) {
  const JpegFolder& data = images();
  const auto threads = state.range(0);
  std::int64_t epoch = 0;
  for (auto _ : state) {
    std::vector<std::jthread> workers;
    for (std::int64_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        const auto scratch = data.make_scratch();
        std::vector<std::byte> image(data.fields()[0].bytes());
        std::int64_t label = 0;
        const std::array<std::byte*, 2> slots = {image.data(),
                                                 reinterpret_cast<std::byte*>(&label)};
        ReadCost cost;
        for (std::int64_t i = worker; i < kImages; i += threads) {
          data.read({.index = i, .epoch = epoch}, slots, *scratch, cost);
        }
      });
    }
    workers.clear();
    ++epoch;
  }
  state.SetItemsProcessed(state.iterations() * kImages);
}
BENCHMARK(bare_threads)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// Whole epochs, first batch to last, with persistent workers and reused memory.
void read_epochs(benchmark::State& state, Loader& loader, std::int64_t samples) {
  std::int64_t epoch = 0;
  const auto read_all = [&] {
    loader.begin_epoch(epoch++);
    while (const std::optional<Batch> batch = loader.next())
      benchmark::DoNotOptimize(batch->fields[0].data);
  };
  read_all();
  for (auto _ : state) read_all();
  state.SetItemsProcessed(state.iterations() * samples);
}

void engine_inline(benchmark::State& state) {
  InlineLoader loader(images(), {.batch_size = kBatch, .reuse_buffers = true},
                      sequential_order(kImages), kClock);
  read_epochs(state, loader, kImages);
}
BENCHMARK(engine_inline)->UseRealTime()->Unit(benchmark::kMillisecond);

void engine_thread(benchmark::State& state) {
  const auto loader = make_thread_loader(images(),
                                         {.batch_size = kBatch,
                                          .num_workers = state.range(0),
                                          .persistent_workers = true,
                                          .reuse_buffers = true},
                                         sequential_order(kImages), kClock);
  read_epochs(state, *loader, kImages);
}
BENCHMARK(engine_thread)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

constexpr std::int64_t kMessages = 20'000;

// One ready scalar per sample.
class Scalars final : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return kMessages; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
    return std::make_unique<Scratch>();
  }
  void read(const SampleKey& key, SampleSlots out, Scratch&, ReadCost&) const override {
    std::memcpy(out[0], &key.index, sizeof key.index);
  }
  [[nodiscard]] std::string digest() const override { return {}; }

 private:
  std::vector<FieldSpec> fields_ = {{.name = "scalar", .shape = {}, .dtype = DType::kInt64}};
};

struct Queue {
  void push(std::int64_t value) {
    {
      const std::lock_guard lock(mutex);
      values.push_back(value);
    }
    filled.notify_one();
  }
  std::int64_t pop() {
    std::unique_lock lock(mutex);
    filled.wait(lock, [this] { return !values.empty(); });
    const std::int64_t value = values.front();
    values.pop_front();
    return value;
  }
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<std::int64_t> values;
};

void hand_over_bare_queues(benchmark::State& state) {
  const auto ahead = 2 * state.range(0);
  std::vector<Queue> tasks(static_cast<std::size_t>(state.range(0)));
  Queue results;
  std::vector<std::jthread> workers;
  for (Queue& queue : tasks) {
    workers.emplace_back([&queue, &results] {
      for (std::int64_t value = queue.pop(); value >= 0; value = queue.pop()) results.push(value);
    });
  }
  const auto send = [&](std::int64_t i) {
    tasks[static_cast<std::size_t>(i) % tasks.size()].push(i);
  };
  for (auto _ : state) {
    for (std::int64_t i = 0; i < ahead; ++i) send(i);
    for (std::int64_t i = ahead; i < kMessages + ahead; ++i) {
      benchmark::DoNotOptimize(results.pop());
      if (i < kMessages) send(i);
    }
  }
  for (Queue& queue : tasks) queue.push(-1);
  state.SetItemsProcessed(state.iterations() * kMessages);
}
BENCHMARK(hand_over_bare_queues)
    ->Arg(1)
    ->Arg(2)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void hand_over_engine_thread(benchmark::State& state) {
  const Scalars data;
  const auto loader = make_thread_loader(data,
                                         {.batch_size = 1,
                                          .num_workers = state.range(0),
                                          .persistent_workers = true,
                                          .reuse_buffers = true},
                                         sequential_order(kMessages), kClock);
  read_epochs(state, *loader, kMessages);
}
BENCHMARK(hand_over_engine_thread)
    ->Arg(1)
    ->Arg(2)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
