// SPDX-License-Identifier: Apache-2.0
// stepbench-gbench plans, registers and measures. Each case has one name in every output,
// that of exports, without the suffixes that Google Benchmark appends
// ("/iterations:1/repeats:6/manual_time"). Main thread, then the benchmark thread.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/gbench/internal/arguments.h"
#include "tools/stepbench/command.h"

namespace stepbench::gbench {

// Returns the exit status. Throws Error for problems that the user can fix. Main thread only.
[[nodiscard]] int run_benchmarks(const Arguments& arguments, const cli::Environment& environment);

// Plain names. The suffixes are the same for all benchmarks here or depend on `launches`. Used by
// the main thread and the benchmark thread, one after the other.

// Passes plain names to a reporter of the library; for JSON also the time unit of exports,
// nanoseconds.
class PlainNames final : public benchmark::BenchmarkReporter {
 public:
  // `inner` must outlive this. `longest`: length of the longest name in bytes.
  PlainNames(benchmark::BenchmarkReporter& inner, std::size_t longest);
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  benchmark::BenchmarkReporter& inner_;
  std::size_t longest_;
  bool as_exported_;
};

// Creates the reporter for --benchmark_out_format: json, console or csv.
[[nodiscard]] std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(
    const std::string& format);

// Returns a predicate for --benchmark_filter: a POSIX extended regular expression, negated by a
// leading '-'. Throws ConfigError if it is invalid.
[[nodiscard]] std::function<bool(const std::string& name)> name_filter(const std::string& filter);

}  // namespace stepbench::gbench
