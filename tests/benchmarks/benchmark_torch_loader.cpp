// SPDX-License-Identifier: Apache-2.0
// The engine `thread` (`inline` without workers) against torch::data::DataLoader as it is: the same
// batches in the same order, with as many jobs ahead, and memory new for each. The interval of
// `ratio` is to include 1 or lie below.
#include <malloc.h>

#include <algorithm>

#include "tests/benchmarks/paired.h"
#include "workloads/data/dataset.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/order.h"
#include "workloads/loader/thread/thread_loader.h"
#include "workloads/torch_loader/torch_cpp_loader.h"

namespace {

using namespace stepbench;

constexpr int kPairs = 41;
constexpr std::int64_t kMegabyte = 1'000'000;

const HostClock kClock;

// Batches of one sample: an integer, or the bytes of 32 images of 3 x 224 x 224 floats.
class CycleSamples final : public data::Dataset {
 public:
  CycleSamples(std::int64_t count, std::int64_t floats)
      : count_(count), fields_{{.name = "x", .shape = {floats}, .dtype = DType::kFloat32}} {}
  [[nodiscard]] std::int64_t size() const override { return count_; }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
    return std::make_unique<Scratch>();
  }
  void read(const data::SampleKey& key, data::SampleSlots out, Scratch&,
            data::ReadCost&) const override {
    auto* const first = reinterpret_cast<float*>(out[0]);
    std::fill_n(first, fields_[0].shape[0], static_cast<float>(key.index));
  }
  [[nodiscard]] std::string digest() const override { return {}; }

 private:
  std::int64_t count_;
  std::vector<FieldSpec> fields_;
};

std::unique_ptr<loader::Loader> make_ours(const data::Dataset& data,
                                          const loader::LoaderOptions& options) {
  loader::EpochOrder order = loader::sequential_order(data.size());
  if (options.num_workers > 0) {
    return loader::make_thread_loader(data, options, std::move(order), kClock);
  }
  return std::make_unique<loader::InlineLoader>(data, options, std::move(order), kClock);
}

void read_epoch(loader::Loader& loader, std::int64_t epoch) {
  loader.begin_epoch(epoch);
  while (const std::optional<Batch> batch = loader.next()) {
    benchmark::DoNotOptimize(batch->fields[0].data);
  }
  loader.reset_metrics();
}

void thread_against_torch(benchmark::State& state) {
  const std::int64_t megabytes = state.range(2);
  const std::int64_t batches = megabytes == 0 ? 1000 : 16;
  const std::int64_t floats = megabytes == 0 ? 1 : megabytes * kMegabyte / 4;
  const CycleSamples data(batches, floats);
  const loader::LoaderOptions options{.batch_size = 1,
                                      .num_workers = state.range(0),
                                      .prefetch_factor = state.range(1),
                                      .persistent_workers = true};
  const auto ours = make_ours(data, options);
  const auto theirs =
      torch_loader::make_torch_cpp_loader(data, options, loader::sequential_order(batches), kClock);
  std::int64_t epoch = 0;
  time_in_turn(
      state, [&] { read_epoch(*ours, ++epoch); }, [&] { read_epoch(*theirs, epoch); });
  state.SetItemsProcessed(state.iterations() * batches);
}
BENCHMARK(thread_against_torch)
    ->ArgNames({"workers", "prefetch", "MB"})
    ->ArgsProduct({{0}, {1}, {0, 19}})
    ->ArgsProduct({{1, 2}, {1, 2, 4}, {0, 19}})
    ->Iterations(kPairs)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  // A large batch is mapped and unmapped each time. glibc would otherwise begin to keep some in the
  // arenas of some threads, and which ones is chance.
  mallopt(M_MMAP_THRESHOLD, 1 << 17);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
