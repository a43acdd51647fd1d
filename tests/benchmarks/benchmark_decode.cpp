// SPDX-License-Identifier: Apache-2.0
// data.decode: fast against exact on the same files and crops. `ratio` is the time of fast over
// that of exact: to be 1 at most at 500 x 375, where hardly a crop can shrink and both do the same
// (two readers of the same kind differ by 3 % by where their memory lies), 0.8 at most at 3000 x
// 2000; decode_instructions.py holds that by counts.
#include <array>
#include <filesystem>
#include <string>

#include "tests/benchmarks/paired.h"
#include "workloads/data/generate/make_jpeg_folder.h"
#include "workloads/data/jpeg/jpeg_folder.h"

namespace {

using namespace stepbench;

constexpr int kPairs = 21;
constexpr int kQuality = 90;

std::filesystem::path folder_of(int width, int height, std::int64_t images) {
  const std::filesystem::path folder =
      std::filesystem::path(STEPBENCH_BINARY_DIR) / ("benchmark-images-" + std::to_string(width));
  data::JpegFolderPlan plan;
  plan.out = folder;
  plan.images = images;
  plan.classes = 2;
  plan.width = width;
  plan.height = height;
  plan.quality = kQuality;
  (void)data::make_jpeg_folder(plan, {});
  return folder;
}

class Reader {
 public:
  Reader(const std::filesystem::path& folder, bool fast)
      : data_({.path = folder, .fast_decode = fast}), scratch_(data_.make_scratch()) {
    image_.resize(data_.fields()[0].bytes());
  }
  void read_all(std::int64_t epoch) {
    const std::array<std::byte*, 2> slots = {image_.data(), reinterpret_cast<std::byte*>(&label_)};
    data::ReadCost cost;
    for (std::int64_t i = 0; i < data_.size(); ++i) {
      data_.read({.index = i, .epoch = epoch}, slots, *scratch_, cost);
    }
  }

 private:
  data::JpegFolder data_;
  std::unique_ptr<data::Dataset::Scratch> scratch_;
  std::vector<std::byte> image_;
  std::int64_t label_ = 0;
};

void fast_against_exact(benchmark::State& state) {
  const auto width = static_cast<int>(state.range(0));
  const std::int64_t images = width > 1000 ? 8 : 32;
  const std::filesystem::path folder = folder_of(width, static_cast<int>(state.range(1)), images);
  Reader fast(folder, true);
  Reader exact(folder, false);
  std::int64_t epochs[] = {0, 0};  // the same crops for both
  time_in_turn(
      state, [&] { fast.read_all(epochs[0]++); }, [&] { exact.read_all(epochs[1]++); });
  state.SetItemsProcessed(state.iterations() * images);
}
BENCHMARK(fast_against_exact)
    ->ArgNames({"width", "height"})
    ->Args({500, 375})
    ->Args({3000, 2000})
    ->Iterations(kPairs)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
