// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/run_folders.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/files.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::cli {

namespace fs = std::filesystem;

std::vector<fs::path> runs_in(const fs::path& directory) {
  std::vector<fs::path> runs;
  try {
    runs = campaign::run_folders(directory);
  } catch (const ConfigError&) {
    return {};
  }
  std::erase_if(runs, [](const fs::path& folder) {
    return !campaign::is_run_name(folder.filename().string()) || !campaign::holds_results(folder);
  });
  return runs;
}

namespace {

// " (did you mean 'results/20260131-120000-sweep'?)": the newest run whose name begins so, else the
// one with the most similar name, in the path's folder or in results. Else suggests a file.
std::string similar_run_hint(const fs::path& path) {
  const std::string name = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path("results");
  std::vector<std::string> names;
  for (const fs::path& run : runs_in(folder)) names.push_back(run.filename().string());
  const auto begins = std::find_if(names.rbegin(), names.rend(), [&](const std::string& each) {
    return !name.empty() && each.starts_with(name);
  });
  const std::string similar = begins == names.rend() ? text::nearest(name, names) : *begins;
  return similar.empty() ? os::similar_file_hint(path)
                         : text::did_you_mean((folder / similar).string());
}

}  // namespace

fs::path choose_run(const fs::path& path, std::ostream& err) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (!fs::exists(status)) {
    throw ConfigError(path.string(),
                      os::why_absent(path, "no such file or directory" + similar_run_hint(path)));
  }
  if (!fs::is_directory(status) || campaign::holds_results(path)) return path;
  const std::vector<fs::path> runs = runs_in(path);
  if (runs.empty()) {
    throw ConfigError(
        path.string(),
        "no results in it: neither .jsonl files nor directories of runs. `stepbench run "
        "configs/quickstart.yaml` writes some");
  }
  err << "showing " << text::printable(runs.back().string()) << '\n';
  return runs.back();
}

std::string traces_text(const fs::path& run) {
  std::error_code ignored;
  const fs::path folder = run / "traces";
  if (!fs::is_directory(folder, ignored) || fs::is_empty(folder, ignored)) return {};
  return formatted(
      "Traces: {} (open one at https://ui.perfetto.dev, or: tensorboard --logdir {})\n",
      text::printable(folder.string()), text::printable(text::shell_word(folder.string())));
}

bool has_measured(const record::Results& results) {
  return std::ranges::any_of(results.launches, [](const record::Launch& launch) {
    return launch.row.outcome.kind == Outcome::Kind::kMeasured;
  });
}

void print_warnings(const record::Results& results, std::ostream& err) {
  for (const std::string& warning : results.warnings) {
    err << "warning: " << text::printable(warning) << '\n';
  }
}

}  // namespace stepbench::cli
