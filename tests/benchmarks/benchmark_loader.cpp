// SPDX-License-Identifier: Apache-2.0
// What the loader costs beyond the work it does: images per second of the engines against bare
// threads that decode the same files and do nothing else.
// `thread` with 2 workers is to reach 0.92 of two bare threads.
// Compare the lines of one run only: the ratios hold, the times are the machine's.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "workloads/data/generate/make_jpeg_folder.h"
#include "workloads/data/jpeg/jpeg_folder.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/thread/thread_loader.h"

namespace {

using namespace stepbench;

constexpr std::int64_t kImages = 256;
constexpr std::int64_t kBatch = 32;

const HostClock kClock;

const data::JpegFolder& images() {
  static const data::JpegFolder data = [] {
    const std::filesystem::path folder =
        std::filesystem::path(STEPBENCH_BINARY_DIR) / "benchmark-images";
    (void)data::make_jpeg_folder({.out = folder, .images = kImages}, {});
    return data::JpegFolder({.path = folder});
  }();
  return data;
}

void bare_threads(benchmark::State& state) {
  const data::JpegFolder& data = images();
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
        data::ReadCost cost;
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
void read_epochs(benchmark::State& state, loader::Loader& loader, std::int64_t samples) {
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
  loader::InlineLoader loader(images(), {.batch_size = kBatch, .reuse_buffers = true},
                              loader::sequential_order(kImages), kClock);
  read_epochs(state, loader, kImages);
}
BENCHMARK(engine_inline)->UseRealTime()->Unit(benchmark::kMillisecond);

void engine_thread(benchmark::State& state) {
  const auto loader = loader::make_thread_loader(images(),
                                                 {.batch_size = kBatch,
                                                  .num_workers = state.range(0),
                                                  .persistent_workers = true,
                                                  .reuse_buffers = true},
                                                 loader::sequential_order(kImages), kClock);
  read_epochs(state, *loader, kImages);
}
BENCHMARK(engine_thread)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
