// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/document/render_text.h"
#include "harness/runs/redact_run.h"
#include "harness/text/printable.h"
#include "harness/text/utf8.h"
#include "harness/text/words.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/runs_options.h"
#include "tools/stepbench/shareable_words.h"

namespace stepbench::cli {
namespace {

constexpr const char* kRedactExamples =
    R"(The copy has the same numbers: `show` and `compare` say the same of it. Beside numbers only what is
the same for everybody stays: ids, digests, times, names of metrics and options, values that an
option lists, versions and models of hardware and software, names of torch's operations. Any other
text becomes a token, the same text the same one, <text1>: hosts, users, paths, names of experiments
and branches, labels, errors, findings, command lines, the YAML file. Traces are left out. Runs that
are to be compared with each other are copied in one call.

Examples:
  stepbench runs redact results/20260105-120000-release --output to-share
  stepbench runs redact results/monday results/tuesday --output to-share
  grep -ri "our-company" to-share

Exit status: 0 copied, 2 wrong usage, or a run that cannot be read.)";

struct RedactOptions {
  std::vector<std::string> runs = {};
  std::string output = {};
};

int redact(const RedactOptions& options, const Environment& environment) {
  const std::vector<std::filesystem::path> runs(options.runs.begin(), options.runs.end());
  const runs::RedactedRuns done = runs::redact_runs(runs, options.output, shareable_words());
  constexpr std::size_t kCells = 80;
  std::vector<std::vector<std::string>> rows = {{"in the copy", "was"}};
  for (const runs::Replaced& each : done.tokens.replaced()) {
    rows.push_back({each.token, text::shortened(text::printable(each.original), kCells)});
  }
  if (rows.size() > 1) environment.out << document::align(rows) << '\n';
  for (const runs::RedactedRun& run : done.runs) {
    environment.out << text::printable(run.run.string()) << " -> "
                    << text::printable(run.copy.string()) << ": "
                    << text::counted(static_cast<std::int64_t>(run.files), "file") << '\n';
    for (const std::string& each : run.left_out) {
      environment.out << "  left out: " << text::printable(each) << '\n';
    }
  }
  environment.out << text::counted(std::ssize(done.tokens.replaced()), "text")
                  << " replaced. The list above is not in the copy.\n"
                  << std::flush;
  return kExitOk;
}

}  // namespace

void add_runs_redact(Command runs) {
  const auto options = std::make_shared<RedactOptions>();
  const Command command = runs.add(
      "redact", "Copy runs with their numbers and no text of yours, to share", kRedactExamples);
  command.argument("RUN", options->runs, "Folders of runs", "RUN").required();
  command.option(kOutputOptions, "--output DIR", options->output, "A new folder for the copy")
      .required();
  command.on_call([runs, options, &environment = runs.environment()] {
    refuse_folder_before(runs, "redact");
    return redact(*options, environment);
  });
}

}  // namespace stepbench::cli
