// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/campaign/run_folder.h"
#include "harness/nights/night_store.h"
#include "harness/record/result_file.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/run_folders.h"
#include "tools/stepbench/internal/track_options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

struct TrackAddArguments {
  std::vector<std::string> paths = {};
  HistoryFlags history = {};
};

// Replaces a folder of runs by all its runs. Reports empty folders on `err`.
std::vector<fs::path> runs_to_add(const std::vector<std::string>& paths, std::ostream& err) {
  std::vector<fs::path> runs;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error) || campaign::holds_results(path)) {
      runs.emplace_back(path);
      continue;
    }
    const std::vector<fs::path> inside = runs_in(path);
    if (inside.empty()) {
      err << "warning: " << text::printable(path) << ": no result files and no runs\n";
    }
    runs.insert(runs.end(), inside.begin(), inside.end());
  }
  return runs;
}

void print_report(const nights::ImportReport& report, const nights::TrackStore& store,
                  const Environment& environment) {
  std::ostream& out = environment.out;
  const auto count = [](std::size_t number, std::string_view noun) {
    return text::counted(static_cast<std::int64_t>(number), noun);
  };
  out << text::printable(store.name()) << ": " << count(report.new_launches, "launch")
      << " added from " << count(report.runs.size(), "run") << ", "
      << count(report.points, "point");
  if (report.known_launches > 0) {
    out << "; " << count(report.known_launches, "launch")
        << (report.known_launches == 1 ? " was" : " were") << " already stored";
  }
  out << '\n';
  if (!report.exclusions.empty()) {
    out << "skipped: " << text::join(report.exclusions, ", ", [](const auto& each) {
      return formatted("{} ({})", each.second, each.first);
    }) << '\n';
  }
  for (const std::string& note : report.notes) out << "note: " << text::printable(note) << '\n';
  out << std::flush;
  for (const std::string& conflict : report.conflicts) {
    environment.err << "warning: " << text::printable(conflict) << '\n';
  }
}

nights::ImportReport add_one(nights::TrackStore& store, const fs::path& path,
                             const Environment& environment) {
  const record::Results results = record::read_results(path);
  print_warnings(results, environment.err);
  return store.add(results, path, {.catalogue = &built_in_catalogue()});
}

int track_add(const TrackAddArguments& arguments, const Environment& environment) {
  const std::vector<fs::path> runs = runs_to_add(arguments.paths, environment.err);
  if (runs.empty()) return kExitNothingMeasured;
  nights::TrackStore store = open_history(arguments.history, true);
  nights::ImportReport all;
  for (const fs::path& path : runs) {
    try {
      all += add_one(store, path, environment);
    } catch (const ConfigError& error) {
      if (all.runs.empty()) throw;
      print_report(all, store, environment);
      throw ConfigError(path.string(),
                        formatted("{} (what {} before it added is stored)", error.what(),
                                  text::counted(std::ssize(all.runs), "run")));
    }
  }
  print_report(all, store, environment);
  return all.runs.empty() ? kExitNothingMeasured : kExitOk;
}

}  // namespace

void add_track_add(Command& command) {
  TrackAddArguments& arguments = command.calls(track_add);
  command
      .argument("RUN", arguments.paths,
                "Run folders, result files, or a folder of runs for all of them", "RUN")
      .required();
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
