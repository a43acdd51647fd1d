// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/runs_options.h"

#include <filesystem>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/near_file.h"
#include "harness/text/age.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/run_folders.h"

namespace stepbench::cli {

CommandOption add_which_runs(Command command, WhichRuns& which) {
  const CommandOption folder =
      command.option(kWhichRuns, "--results DIR", which.folder, "The folder that holds the runs")
          .with_default();
  command
      .option(kWhichRuns, "--name PATTERN", which.name,
              "Only runs whose name or folder is like this: \"resnet*\" (quoted, so that the "
              "shell leaves it alone)")
      .common();
  command.repeated(kWhichRuns, "--label KEY[=VALUE]", which.labels,
                   "Only runs with this label; KEY alone: with any value. Several must all hold");
  return folder;
}

void add_older_than(Command command, std::string& age) {
  command.option(kWhichRuns, "--older-than AGE", age,
                 "Only runs that began longer ago than this: 30d, 36h, 2w, 90min");
}

std::chrono::seconds age_option(const std::string& flag, const std::string& text) {
  if (const auto age = text::parse_age(text)) return *age;
  throw ConfigError(flag, "expected " + std::string(text::kAgeExamples) + ", found '" + text + "'");
}

void refuse_folder_before(Command runs, const std::string& command) {
  for (const CommandOption& option : runs.options()) {
    if (!option.is_given() || option.name() == "--help" || option.name() == "--color") continue;
    throw ConfigError("stepbench runs", "what belongs to `" + command +
                                            "` stands behind it: stepbench runs " + command +
                                            " --results DIR");
  }
}

std::vector<runs::RunSummary> runs_of(const WhichRuns& which) {
  std::error_code error;
  if (!std::filesystem::is_directory(which.folder, error)) {
    const bool there = std::filesystem::exists(which.folder, error);
    throw ConfigError(which.folder, there ? "is no folder; give the one that holds the runs"
                                          : "no such folder" + os::near_file(which.folder));
  }
  return runs::summarise_runs(which.folder);
}

runs::RunFilter filter_of(const WhichRuns& which) {
  return {.name = which.name, .labels = which.labels};
}

runs::Moment current_time() { return std::chrono::system_clock::now(); }

}  // namespace stepbench::cli
