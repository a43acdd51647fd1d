// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/run_folders.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/files.h"
#include "harness/os/text_file.h"
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
  return "Traces: " + text::printable(folder.string()) +
         " (open one at https://ui.perfetto.dev, or: tensorboard --logdir " +
         text::printable(text::shell_word(folder.string())) + ")\n";
}

namespace {

std::vector<estimate::CaseRow> rows_of_case(const std::vector<estimate::CaseRow>& all,
                                            const std::string& case_id) {
  std::vector<estimate::CaseRow> rows;
  for (const estimate::CaseRow& row : all) {
    if (row.case_id == case_id) rows.push_back(row);
  }
  (void)estimate::take_profiled(rows);
  return rows;
}

}  // namespace

std::vector<estimate::CaseRow> find_case(const std::vector<estimate::CaseRow>& rows,
                                         const record::Results& results,
                                         const std::string& prefix) {
  std::vector<const estimate::CaseRow*> found;
  std::vector<std::string> heads;
  for (const estimate::CaseRow& row : rows) {
    if (row.case_id == prefix) return rows_of_case(rows, prefix);
    heads.push_back(row.case_id.substr(0, prefix.size()));
    const auto same = [&](const estimate::CaseRow* other) { return other->case_id == row.case_id; };
    if (row.case_id.starts_with(prefix) && std::none_of(found.begin(), found.end(), same)) {
      found.push_back(&row);
    }
  }
  if (found.size() == 1) return rows_of_case(rows, found.front()->case_id);
  if (found.empty()) {
    throw ConfigError("--case", "no case begins with '" + prefix + "'" +
                                    text::did_you_mean(prefix, heads) +
                                    "; `stepbench show` lists the cases");
  }
  const std::vector<std::string> varying = estimate::varying_options(rows, results);
  std::string list;
  for (const estimate::CaseRow* row : found) {
    list +=
        "\n  " + row->case_id + "  " + estimate::case_name(row->options(), row->workload, varying);
  }
  throw ConfigError("--case",
                    "'" + prefix + "' matches " + std::to_string(found.size()) + " cases:" + list);
}

std::string whole_text(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) throw ConfigError(path, "cannot be read");
  return *text;
}

std::string history_url(const std::string& source) {
  const bool is_url = source.find(':') != std::string::npos && !fs::exists(source);
  return is_url ? source : "sqlite:" + source;
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

void keep_case(record::Results& results, const std::string& case_id) {
  std::erase_if(results.launches,
                [&](const record::Launch& launch) { return launch.row.key.case_id != case_id; });
  std::erase_if(results.unfinished,
                [&](const record::StartRow& start) { return start.key.case_id != case_id; });
}

}  // namespace stepbench::cli
