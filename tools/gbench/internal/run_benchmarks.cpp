// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/internal/run_benchmarks.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/session.h"
#include "harness/catalogue/json.h"
#include "harness/run/run_header.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/gbench/internal/register_cases.h"
#include "tools/stepbench/session.h"

namespace stepbench::gbench {
namespace {

namespace fs = std::filesystem;

// Owns the command line, since Google Benchmark keeps pointers to it. Its Initialize ends the
// program for --help and for invalid values of its own options.
class BenchmarkLine {
 public:
  explicit BenchmarkLine(const std::vector<std::string>& words) : texts_{"stepbench-gbench"} {
    texts_.insert(texts_.end(), words.begin(), words.end());
    for (std::string& text : texts_) pointers_.push_back(text.data());
    int count = static_cast<int>(pointers_.size());
    benchmark::Initialize(&count, pointers_.data());
    if (count > 1) {
      throw ConfigError(pointers_[1], "unknown to Google Benchmark, or its value is invalid");
    }
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

// Adds to the benchmark's JSON what readers need to find the run.
void add_context(const record::RunRow& header, const fs::path& folder) {
  benchmark::AddCustomContext("stepbench_version", header.stepbench_version);
  benchmark::AddCustomContext("stepbench_run_id", header.run_id);
  benchmark::AddCustomContext("stepbench_results", folder.string());
  benchmark::AddCustomContext("stepbench_experiment", text::printable(header.config_path));
  for (const auto& [name, value] : header.labels) {
    benchmark::AddCustomContext("label_" + text::printable(name), text::printable(to_text(value)));
  }
}

void report_benchmarks(const Arguments& arguments, const std::vector<std::string>& names) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  PlainNames display(*benchmark::CreateDefaultDisplayReporter(), longest);
  if (!arguments.writes) {
    benchmark::RunSpecifiedBenchmarks(&display);
    return;
  }
  const std::unique_ptr<benchmark::BenchmarkReporter> inner = file_reporter(arguments.format);
  PlainNames file(*inner, longest);
  benchmark::RunSpecifiedBenchmarks(&display, &file);
}

int status_of(const campaign::Session& session, const record::Results& results) {
  if (session.signal()) return exit_status_of_signal(*session.signal());
  return campaign::run_exit_status(results);
}

}  // namespace

int run_benchmarks(const Arguments& arguments, const cli::Environment& environment) {
  const BenchmarkLine line(arguments.benchmark);
  const campaign::RunRequest& request = arguments.request;
  const campaign::CampaignContext context = cli::campaign_context(environment);
  const campaign::PlannedRun run = campaign::plan_experiment(request, context, !arguments.lists);
  const auto& [catalogue, plan] = run.planned;
  LaunchHandOver queue;
  const std::string filter = benchmark::GetBenchmarkFilter();
  const std::vector<std::string> names = register_cases(
      plan, queue,
      {.in_unit = arguments.in_unit, .repeats = arguments.repeats, .wanted = name_filter(filter)});
  if (names.empty()) {
    environment.err << "no benchmark is called " << text::printable(filter) << '\n';
    return kExitNothingMeasured;
  }
  if (arguments.lists) {
    for (const std::string& name : names) environment.out << name << '\n';
    return kExitOk;
  }
  benchmark::SetBenchmarkFilter("all");  // only wanted cases are registered
  const cli::Measurement measuring(environment, context, /*quiet=*/true);
  campaign::Session session{measuring.launching};
  std::set<std::string> devices;
  campaign::add_devices(plan, devices);
  if (!session.begin(devices, request.lock)) return exit_status_of_signal(*session.signal());
  record::RunRow header = session.header({.plan = plan,
                                          .catalogue = catalogue,
                                          .worker = run.worker.value(),
                                          .smoke = request.smoke,
                                          .asked = campaign::asked_for(request, request.set)});
  header.labels = campaign::parse_labels(request.labels);
  const fs::path folder = campaign::Session::open_folder("", request.results, header);
  add_context(header, folder);
  std::thread benchmarks([&] {
    report_benchmarks(arguments, names);
    queue.close();
  });
  record::Results finished;
  try {
    if (queue.wait_for_first()) {
      campaign::RunRequest again = request;
      again.file = campaign::readable_again(request.file, plan.config_text, folder);
      session.measure({.arms = {{.plan = plan,
                                 .worker = run.worker.value(),
                                 .catalogue_digest = catalogue::catalogue_digest(catalogue),
                                 .repeat_prefix = campaign::repeat_prefix(again)}},
                       .run_dir = folder,
                       .smoke = request.smoke},
                      header, run::columns_of(plan, catalogue), {}, queue, finished);
    }
  } catch (...) {
    queue.end();
    benchmarks.join();
    throw;
  }
  queue.end();
  benchmarks.join();
  environment.err << "Results: " << text::printable(folder.string()) << '\n';
  return status_of(session, finished);
}

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
