// SPDX-License-Identifier: Apache-2.0
// Speed of reading a trace: 255 MB with 605,604 rows, written as for a training run. Goals: 450
// MB/s and 0.9 us per row on one core, 200 MB/s of text from gzip, a peak of half the text; ten
// million rows (4.2 GB) within 2.5 GiB. Speed of analysing it: 0.25 s for all rows, 10 ms for ten
// steps of 1,100 rows and their causes. Times are CPU time, so other load does not matter.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "harness/findings/finding.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace_files.h"

namespace stepbench {
namespace {

constexpr std::int64_t kRows = 605'604;
constexpr std::int64_t kLaunchesPerStep = 1'100;
constexpr std::int64_t kRowsPerLaunch = 8;  // including both ends of the arrow
constexpr std::int64_t kLaunchNs = 90'000;
constexpr std::size_t kNames = 120;

// Steps of `n` launches each: nested ops, the call, the kernel, and a memory change.
class Recording {
 public:
  explicit Recording(std::int64_t rows, std::int64_t launches_per_step = kLaunchesPerStep)
      : launches_(rows / kRowsPerLaunch), launches_per_step_(launches_per_step) {
    log_.process = 4711;
  }

  ops::OpLog make() {
    log_.threads = {{4711, "step"}, {4712, "autograd"}};
    for (std::size_t i = 0; i < kNames; ++i) {
      const std::string number = std::to_string(i);
      // Every twelfth name has a work formula.
      log_.names.push_back(i % 12 == 0 ? "aten::conv2d" : "aten::operator_number_" + number);
      log_.names.push_back(kernel_name(number));
      log_.modules.push_back("model.layer" + number + ".residual_block.1.convolution_2");
    }
    log_.names.emplace_back("cudaLaunchKernel");
    for (int i = 0; i < 200; ++i) {
      const std::string width = std::to_string(32 + i);
      log_.shapes.push_back("[[64, 256, " + width + ", " + width +
                            "], [256, 256, 3, 3], [256], [256], [256], [], [], [], [], [64, 256, " +
                            width + ", " + width + "], [], [], []]");
    }
    for (std::int64_t i = 0; i < launches_; ++i) launch(i);
    return std::move(log_);
  }

 private:
  static constexpr int kDepth = 3;  // nested ops

  // As long as the names of kernel templates.
  static std::string kernel_name(const std::string& number) {
    std::string name = "void at::native::(anonymous namespace)::vectorized_elementwise_kernel<4";
    for (const char* part : {"Forward", "Backward", "Reduction"}) {
      name += std::string(", at::native::BinaryFunctor<float, float, float, at::native::") + part +
              "Operation" + number + "<float, at::detail::Array<char*, 3> > >";
    }
    return name + ">(int, at::native::Functor, at::detail::Array<char*, 3>)";
  }

  void launch(std::int64_t i) {
    const std::int64_t at_ns = 1'000'000 + i * kLaunchNs;
    if (i % launches_per_step_ == 0) {
      log_.marks.push_back(
          {at_ns, at_ns + launches_per_step_ * kLaunchNs, i / launches_per_step_, ops::kNoIndex});
    }
    const auto name = static_cast<std::uint32_t>(static_cast<std::size_t>(i * 7) % kNames * 2);
    const auto thread = static_cast<std::uint32_t>(i / 100 % 2);
    const auto shapes = static_cast<std::uint32_t>(i % 200);
    for (int depth = 0; depth < kDepth; ++depth) {
      log_.ops.push_back({.start_ns = at_ns + depth * 3'001,
                          .end_ns = at_ns + 80'007 - depth * 9'000,
                          .sequence = i,
                          .name = name,
                          .shapes = shapes,
                          .module = name / 2,
                          .thread = thread,
                          .end_thread = thread});
    }
    const auto op = static_cast<std::uint32_t>(log_.ops.size() - 1);
    const auto correlation = static_cast<std::uint64_t>(i + 1);
    log_.activities.push_back({.start_ns = at_ns + 10'003,
                               .end_ns = at_ns + 14'777,
                               .correlation = correlation,
                               .name = static_cast<std::uint32_t>(2 * kNames),
                               .op = op,
                               .thread = thread,
                               .kind = ops::ActivityKind::kRuntime});
    log_.activities.push_back({.start_ns = at_ns + 16'111,
                               .end_ns = at_ns + 95'222,
                               .correlation = correlation,
                               .name = name + 1,
                               .op = op,
                               .stream = 7,
                               .kind = ops::ActivityKind::kKernel,
                               .grid = {static_cast<std::int32_t>(100 + i % 900), 1, 1},
                               .block = {256, 1, 1},
                               .registers_per_thread = 40,
                               .shared_memory_bytes = 4096});
    log_.memory.push_back({.at_ns = at_ns + 5'000,
                           .bytes = i % 2 == 0 ? 1 << 20 : -(1 << 20),
                           .address = 0x7f0000000000,
                           .total_allocated = 1 << 28,
                           .total_reserved = 1 << 30,
                           .thread = thread,
                           .device = 0});
  }

  std::int64_t launches_;
  std::int64_t launches_per_step_;
  ops::OpLog log_;
};

void write_recording(std::int64_t rows, const std::filesystem::path& path) {
  traces::TraceHeader header{.engine = "native", .shapes = true, .memory = true};
  header.devices = {{.id = 0,
                     .name = "Scripted GPU",
                     .total_memory_bytes = std::int64_t{16} << 30,
                     .max_threads_per_multiprocessor = 2048,
                     .registers_per_block = 65536,
                     .multiprocessors = 108}};
  traces::write_trace(traces::trace_of(Recording(rows).make(), header), path);
}

// Made once, on tmpfs, so that no disk is measured.
std::filesystem::path made(std::int64_t rows, const char* suffix) {
  const std::filesystem::path folder =
      std::filesystem::path("/dev/shm") / ("stepbench_traces_" + std::to_string(::getuid()));
  std::filesystem::create_directories(folder);
  std::filesystem::path path = folder / (std::to_string(rows) + suffix);
  if (std::filesystem::exists(path)) return path;
  write_recording(rows, path);
  return path;
}

// Resets the peak, so that it covers the reading without the writing before it.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024 / 1e6;
  }
  return 0;
}

void read(benchmark::State& state, std::int64_t rows, const char* suffix) {
  const std::filesystem::path path = made(rows, suffix);
  reset_peak();
  const double before = peak_megabytes();
  double text_bytes = 0;
  double read_rows = 0;
  for (auto _ : state) {
    const traces::Trace trace = traces::read_trace(path);
    text_bytes = static_cast<double>(trace.reading.text_bytes);
    read_rows = static_cast<double>(trace.reading.rows);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text_bytes) * state.iterations());
  state.counters["rows"] = read_rows;
  state.counters["us_per_row"] =
      benchmark::Counter(read_rows * static_cast<double>(state.iterations()) / 1e6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["text_MB"] = text_bytes / 1e6;
  state.counters["peak_of_text"] = (peak_megabytes() - before) * 1e6 / text_bytes;
  state.counters["peak_MB"] = peak_megabytes();
  if (rows <= kRows) return;
  std::filesystem::remove(path);
  constexpr double kMostMegabytes = 2.5 * 1024 * 1.048576;
  if (peak_megabytes() - before > kMostMegabytes) state.SkipWithError("more than 2.5 GiB");
}

void analyse_rows(benchmark::State& state, std::int64_t rows,
                  const traces::AnalysisOptions& options) {
  const traces::Trace trace = traces::trace_of(Recording(rows).make());
  for (auto _ : state) {
    const traces::Analysis analysis = traces::analyse(trace, options);
    benchmark::DoNotOptimize(analysis.idle.data());
  }
  state.counters["us_per_row"] =
      benchmark::Counter(static_cast<double>(rows) * static_cast<double>(state.iterations()) / 1e6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Post-processing of a profiled launch: from its log to the causes.
void report_of_a_worker(benchmark::State& state, std::int64_t steps, std::int64_t rows_of_step) {
  const ops::OpLog log = Recording(steps * rows_of_step, rows_of_step / kRowsPerLaunch).make();
  for (auto _ : state) {
    const traces::Trace trace = traces::trace_of(log);
    const std::vector<Finding> causes = traces::find_causes(trace, traces::analyse(trace));
    benchmark::DoNotOptimize(causes.data());
  }
}

BENCHMARK_CAPTURE(report_of_a_worker, ten_steps, 10, 1'100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(analyse_rows, all, kRows, {})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, plain, kRows, ".json")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, gzip, kRows, ".json.gz")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, ten_million, 10'000'000, ".json")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace stepbench

// --write-trace FILE [ROWS]: writes the trace (compressed, if FILE ends in .gz) and measures
// nothing.
int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "--write-trace") {
    const std::int64_t rows = argc > 3 ? std::stoll(argv[3]) : stepbench::kRows;
    stepbench::write_recording(rows, argv[2]);
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
