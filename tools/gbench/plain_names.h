// SPDX-License-Identifier: Apache-2.0
// Google Benchmark adds how a benchmark was run to its name: "/iterations:1/repeats:6/manual_time".
// Here that is the same for all, or changes with `launches`; without it a case has one name, that
// of exports, in every output. Main thread and that of the benchmarks, one after the other.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stepbench::gbench {

// A reporter of the library's, given plain names; JSON also the unit of exports, nanoseconds.
class PlainNames final : public benchmark::BenchmarkReporter {
 public:
  // `inner` outlives this. `longest`: bytes of the longest name.
  PlainNames(benchmark::BenchmarkReporter& inner, std::size_t longest);
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  benchmark::BenchmarkReporter& inner_;
  std::size_t longest_;
  bool as_exported_;
};

// As --benchmark_out_format says: json, console or csv.
[[nodiscard]] std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(
    const std::string& format);

// Whether a plain name is asked for by --benchmark_filter: a POSIX extended expression, with '-' in
// front all others. Throws ConfigError for one that is none.
[[nodiscard]] std::function<bool(const std::string& name)> name_filter(const std::string& filter);

}  // namespace stepbench::gbench
