// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/plain_names.h"

#include <cstring>
#include <regex>

#include "harness/base/error.h"

namespace stepbench::gbench {

PlainNames::PlainNames(benchmark::BenchmarkReporter& inner, std::size_t longest)
    : inner_(inner),
      longest_(longest),
      as_exported_(dynamic_cast<benchmark::JSONReporter*>(&inner) != nullptr) {}

bool PlainNames::ReportContext(const Context& context) {
  inner_.SetOutputStream(&GetOutputStream());
  inner_.SetErrorStream(&GetErrorStream());
  Context plain = context;
  plain.name_field_width = longest_ + std::strlen("_stddev");
  return inner_.ReportContext(plain);
}

void PlainNames::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> plain = runs;
  for (Run& run : plain) {
    run.run_name.iterations.clear();
    run.run_name.repetitions.clear();
    run.run_name.time_type.clear();
    // compare.py pairs rows of the same unit.
    if (as_exported_) run.time_unit = benchmark::kNanosecond;
  }
  inner_.ReportRuns(plain);
}

void PlainNames::Finalize() { inner_.Finalize(); }

std::unique_ptr<benchmark::BenchmarkReporter> file_reporter(const std::string& format) {
  using benchmark::ConsoleReporter;
  if (format == "console") return std::make_unique<ConsoleReporter>(ConsoleReporter::OO_None);
  if (format == "csv") {
    BENCHMARK_DISABLE_DEPRECATED_WARNING
    return std::make_unique<benchmark::CSVReporter>();
    BENCHMARK_RESTORE_DEPRECATED_WARNING
  }
  return std::make_unique<benchmark::JSONReporter>();
}

std::function<bool(const std::string& name)> name_filter(const std::string& filter) {
  if (filter.empty() || filter == "all") return [](const std::string&) { return true; };
  const bool others = filter.front() == '-';
  try {
    const std::regex wanted(filter.substr(others ? 1 : 0), std::regex::extended);
    return [wanted, others](const std::string& name) {
      return std::regex_search(name, wanted) != others;
    };
  } catch (const std::regex_error& error) {
    throw ConfigError("--benchmark_filter",
                      "'" + filter + "' is not a regular expression: " + error.what());
  }
}

}  // namespace stepbench::gbench
