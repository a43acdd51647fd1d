// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/runs/compress_run.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/runs_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kCompressExamples =
    R"(Result files (.jsonl) and traces (.json) become .gz files, 5 to 20 times smaller. Every command reads
both forms, and so do Perfetto and TensorBoard. A file is read back and compared before the plain one
goes. A run that is running is refused.

Examples:
  stepbench runs compress results/20260105-120000-release
  stepbench runs compress --older-than 7d
  stepbench runs compress --name nightly --older-than 2w --dry-run

Exit status: 0 packed, or nothing to pack; 2 wrong usage, or a file that could not be packed.)";

struct CompressOptions {
  WhichRuns which = {};
  std::vector<std::string> runs = {};
  std::string older_than = {};
  bool dry_run = false;
};

// A run that is chosen by its age and is running is left alone without a word of error.
std::vector<std::filesystem::path> chosen_runs(const CompressOptions& options) {
  const bool by_filter =
      !options.older_than.empty() || !options.which.name.empty() || !options.which.labels.empty();
  if (!options.runs.empty()) {
    if (by_filter) {
      throw ConfigError("runs compress",
                        "takes runs by their paths or by --older-than, --name and "
                        "--label, not by both");
    }
    return {options.runs.begin(), options.runs.end()};
  }
  if (!by_filter) {
    throw ConfigError("runs compress",
                      "says not what to pack: name runs, or give --older-than AGE, --name PATTERN "
                      "or --label KEY=VALUE");
  }
  const runs::Moment now = current_time();
  const runs::RunFilter filter = filter_of(options.which);
  std::vector<std::filesystem::path> chosen;
  for (const runs::RunSummary& run : runs_of(options.which)) {
    if (!run.broken.empty() || run.state == runs::RunState::kRunning || !runs::passes(run, filter))
      continue;
    const auto time = runs::begun(run);
    const bool young = !options.older_than.empty() &&
                       (!time || now - *time <= age_option("--older-than", options.older_than));
    if (!young) chosen.push_back(run.folder);
  }
  return chosen;
}

int compress(const CompressOptions& options, const Environment& environment) {
  std::uintmax_t before = 0;
  std::uintmax_t after = 0;
  int status = kExitOk;
  const auto bytes = [](std::uintmax_t count) {
    return text::byte_text(static_cast<double>(count));
  };
  for (const std::filesystem::path& run : chosen_runs(options)) {
    try {
      if (options.dry_run) {
        const std::uintmax_t plain = runs::plain_bytes(run);
        before += plain;
        if (plain > 0)
          environment.out << text::printable(run.string()) << ": " << bytes(plain) << '\n';
        continue;
      }
      const runs::Compressed done = runs::compress_run(run);
      for (const std::string& problem : done.problems) {
        environment.err << "stepbench: error: " << text::printable(problem) << '\n';
        status = kExitUsage;
      }
      before += done.before;
      after += done.after;
      if (done.files == 0) continue;
      environment.out << text::printable(run.string()) << ": "
                      << text::counted(static_cast<std::int64_t>(done.files), "file") << ", "
                      << bytes(done.before) << " -> " << bytes(done.after) << '\n';
    } catch (const Error& failure) {
      environment.err << "stepbench: error: " << text::printable(failure.what()) << '\n';
      status = kExitUsage;
    }
  }
  if (before == 0) {
    environment.out << (status == kExitOk ? "nothing to pack\n" : "nothing was packed\n");
  } else if (options.dry_run) {
    environment.out << bytes(before) << " to pack; nothing was changed (--dry-run)\n";
  } else {
    environment.out << "packed " << bytes(before) << " into " << bytes(after) << '\n';
  }
  return status;
}

}  // namespace

void add_runs_compress(Command runs) {
  const auto options = std::make_shared<CompressOptions>();
  const Command command =
      runs.add("compress", "Pack result files and traces with gzip", kCompressExamples);
  command.argument("RUN", options->runs, "Run folders or result files", "RUN");
  add_which_runs(command, options->which);
  add_older_than(command, options->older_than);
  command.flag(kRunOptions, "--dry-run", options->dry_run, "Only list what would be packed");
  command.on_call([runs, options, &environment = runs.environment()] {
    refuse_folder_before(runs, "compress");
    return compress(*options, environment);
  });
}

}  // namespace stepbench::cli
