// SPDX-License-Identifier: Apache-2.0
// Post-processing after the last profiled step: turns a log of a million ops into a table and a
// trace on tmpfs. Goal: at most 2 s and 300 MB; torch.profiler takes about a minute.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>

#include "harness/ops/op_table.h"
#include "harness/traces/op_table_of.h"
#include "harness/traces/trace_files.h"

namespace stepbench {
namespace {

constexpr std::int64_t kOps = 1'000'000;
constexpr std::int64_t kOpsPerStep = 1'000;

// Like the log of a native collector: one thread, every fourth op encloses the next three, memory
// in every other one.
ops::OpLog recorded(bool memory) {
  ops::OpLog log;
  log.process = 4711;
  log.threads = {{4711, "step"}};
  for (int i = 0; i < 60; ++i) log.names.push_back("aten::some_operator_" + std::to_string(i));
  for (const char* phase : {"forward", "backward", "optimizer"}) log.names.emplace_back(phase);
  for (int i = 0; i < 40; ++i) {
    log.shapes.push_back("[[8, " + std::to_string(32 + i) + "], [" + std::to_string(32 + i) +
                         ", 64], []]");
  }
  log.ops.reserve(kOps);
  std::int64_t now_ns = 1'000'000;
  for (std::int64_t i = 0; i < kOps; ++i) {
    if (i % kOpsPerStep == 0) {
      const std::int64_t step_ns = kOpsPerStep * 500;
      log.marks.push_back({now_ns, now_ns + step_ns, i / kOpsPerStep, ops::kNoIndex});
      for (std::uint32_t phase = 0; phase < 3; ++phase) {
        log.marks.push_back({now_ns + phase * step_ns / 3, now_ns + (phase + 1) * step_ns / 3,
                             i / kOpsPerStep, 60 + phase});
      }
    }
    const bool outer = i % 4 == 0;
    log.ops.push_back({.start_ns = now_ns,
                       .end_ns = now_ns + (outer ? 1900 : 400),
                       .sequence = i / 4,
                       .name = static_cast<std::uint32_t>(i * 7 % 60),
                       .shapes = static_cast<std::uint32_t>(i * 3 % 40)});
    if (memory && i % 2 == 1) {
      log.memory.push_back({.at_ns = now_ns + 100,
                            .bytes = i % 4 == 1 ? 4096 : -4096,
                            .address = 0x7f0000000000,
                            .total_allocated = 4096,
                            .thread = 0});
    }
    now_ns += outer ? 40 : 500;
    if (i % 4 == 3) now_ns += 460;
  }
  return log;
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1e3;
}

void table_and_trace(benchmark::State& state, const char* suffix, bool memory) {
  const std::filesystem::path path =
      std::filesystem::path("/dev/shm") / ("stepbench_benchmark_trace" + std::string(suffix));
  const ops::OpLog log = recorded(memory);
  std::size_t rows = 0;
  for (auto _ : state) {
    const traces::Trace trace =
        traces::trace_of(log, {.engine = "native", .shapes = true, .memory = memory});
    const ops::OpTable table = traces::op_table_of(trace);
    rows = table.rows.size();
    traces::write_trace(trace, path);
  }
  state.counters["rows"] = static_cast<double>(rows);
  state.counters["trace_MB"] = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  state.counters["peak_MB"] = peak_megabytes();
  std::filesystem::remove(path);
}

void table(benchmark::State& state) {
  const ops::OpLog log = recorded(false);
  for (auto _ : state) benchmark::DoNotOptimize(traces::op_table_of(traces::trace_of(log)));
  state.counters["peak_MB"] = peak_megabytes();
}

void frames(benchmark::State& state) {
  const ops::OpTable made = traces::op_table_of(traces::trace_of(recorded(false)));
  for (auto _ : state) benchmark::DoNotOptimize(ops::frames_of(made));
}

BENCHMARK(table)->Unit(benchmark::kMillisecond);
BENCHMARK(frames)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(table_and_trace, plain, ".json", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(table_and_trace, with_memory, ".json", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(table_and_trace, compressed, ".json.gz", false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepbench

BENCHMARK_MAIN();
