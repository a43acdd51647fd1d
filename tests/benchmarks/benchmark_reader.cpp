// SPDX-License-Identifier: Apache-2.0
// Reading result files: 10,000 launches of 50 steps with 9 columns in 0.3 s; a million steps with
// 18 columns in 1 s.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>

#include "harness/estimate/internal/launch_estimate.h"
#include "harness/record/result_file.h"

namespace {

using stepbench::record::LaunchKey;

// Phase times of a 20 ms step, with as many digits as real ones.
stepbench::record::SamplesRow samples(const LaunchKey& key, std::int64_t first, std::int64_t steps,
                                      std::size_t columns, std::mt19937_64& random) {
  stepbench::record::SamplesRow row{.key = key, .samples = {}};
  stepbench::Series& table = row.samples.steps;
  table.names = {"index", "step_ns"};
  while (table.names.size() + 2 < columns)
    table.names.push_back("phase" + std::to_string(table.names.size()) + "_ns");
  table.names.insert(table.names.end(), {"samples", "flags"});
  table.columns.resize(columns);
  std::uniform_int_distribution<std::int64_t> time(500'000, 25'000'000);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::int64_t step = 0; step < steps; ++step) {
      std::int64_t value = time(random);
      if (column == 0) value = first + step;
      if (column + 2 == columns) value = 64;
      if (column + 1 == columns) value = 0;
      table.columns[column].push_back(value);
    }
  }
  return row;
}

class File {
 public:
  File(int launches, std::int64_t steps, std::size_t columns)
      : path_(std::filesystem::temp_directory_path() /
              ("stepbench-reader-" + std::to_string(::getpid()) + ".jsonl")) {
    std::filesystem::remove(path_);
    stepbench::record::ResultWriter writer(path_);
    writer.write(stepbench::record::RunRow{
        .run_id = "r", .name = "reader", .started_utc = "2026-01-31T12:00:00Z"});
    std::mt19937_64 random(1);
    for (int launch = 0; launch < launches; ++launch) {
      write_launch(writer, launch, steps, columns, random);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static void write_launch(stepbench::record::ResultWriter& writer, int launch, std::int64_t steps,
                           std::size_t columns, std::mt19937_64& random) {
    const LaunchKey key{
        .case_id = "case" + std::to_string(launch / 6), .arm = "", .launch = launch % 6};
    writer.write(stepbench::record::StartRow{
        .key = key, .attempt = 0, .started_utc = "2026-01-31T12:00:00Z"});
    constexpr auto kMax = static_cast<std::int64_t>(stepbench::record::kMaxStepsPerSamplesRow);
    for (std::int64_t first = 0; first < steps; first += kMax) {
      writer.write(samples(key, first, std::min(kMax, steps - first), columns, random));
    }
    stepbench::record::LaunchRow row;
    row.key = key;
    row.workload = "train_step";
    row.worker_id = "0123456789abcdef";
    for (int i = 0; i < 40; ++i) {
      row.options["loader.option_" + std::to_string(i)] = std::int64_t{i};
      row.report.effective["loader.option_" + std::to_string(i)] = std::int64_t{i};
      row.report.metrics["metric_" + std::to_string(i)] = 1.5 * i;
    }
    writer.write(row);
  }
  std::filesystem::path path_;
};

void read(benchmark::State& state, int launches, std::int64_t steps, std::size_t columns) {
  const File file(launches, steps, columns);
  for (auto _ : state) {
    const stepbench::record::Results results = stepbench::record::read_results(file.path());
    if (results.launches.size() != static_cast<std::size_t>(launches))
      state.SkipWithError("lost launches");
    benchmark::DoNotOptimize(results.launches.data());
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(file.path()));
  state.counters["MB"] = bytes / 1e6;
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

// Limit: 0.3 s.
void read_many_launches(benchmark::State& state) { read(state, 10'000, 50, 9); }
BENCHMARK(read_many_launches)->Unit(benchmark::kMillisecond)->Iterations(5)->UseRealTime();

// Limit: 1 s.
void read_a_million_steps(benchmark::State& state) { read(state, 1, 1'000'000, 18); }
BENCHMARK(read_a_million_steps)->Unit(benchmark::kMillisecond)->Iterations(5)->UseRealTime();

void sum_up_a_million_steps(benchmark::State& state) {
  const File file(1, 1'000'000, 18);
  const stepbench::record::Results results = stepbench::record::read_results(file.path());
  for (auto _ : state)
    benchmark::DoNotOptimize(stepbench::estimate::estimate_of(results.launches.at(0)));
}
BENCHMARK(sum_up_a_million_steps)->Unit(benchmark::kMillisecond)->Iterations(5)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
