// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/report_source.h"

#include <filesystem>
#include <ostream>
#include <utility>

#include "harness/base/error.h"
#include "harness/record/reader.h"
#include "harness/report/export_source.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/run_folders.h"

namespace stepbench::cli {
namespace {

ReportContent runs_content(const std::vector<std::string>& sources, DrawOptions& draw) {
  const Results results =
      read_results(std::vector<std::filesystem::path>(sources.begin(), sources.end()));
  draw.show_command = "stepbench show " + join(sources, " ", shell_word);
  return run_content(results, sources, draw);
}

}  // namespace

void choose_sources(std::vector<std::string>& sources, std::ostream& err) {
  for (std::string& source : sources) {
    if (export_source(source) == ExportSource::kRun) source = choose_run(source, err).string();
  }
}

Report read_report(const std::vector<std::string>& sources, ReportOptions options,
                   const Environment& environment) {
  (void)environment;
  options.sources = sources;
  ReportContent content = runs_content(sources, options.draw);
  return report_of(std::move(content), options);
}

}  // namespace stepbench::cli
