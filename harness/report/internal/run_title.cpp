// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/run_title.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/base/format.h"
#include "harness/document/document.h"
#include "harness/document/render.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// "2x NVIDIA H100", "no GPU"; empty if not recorded.
std::string gpu_text(const Fields& environment) {
  const auto count = number_of(environment, "gpu.count");
  if (!count) return {};
  if (*count == 0) return "no GPU";
  const std::string model = text_of(environment, "gpu.0", "GPU");
  return *count == 1 ? model : text::short_number(*count) + "x " + model;
}

std::vector<std::string> machine_texts(const Fields& environment) {
  std::vector<std::string> texts;
  const std::string model = text_of(environment, "cpu.model");
  const auto cpus = number_of(environment, "cpu.logical");
  if (!model.empty()) texts.push_back(cpus ? text::short_number(*cpus) + "x " + model : model);
  if (std::string gpu = gpu_text(environment); !gpu.empty()) texts.push_back(std::move(gpu));
  const std::string torch = text_of(environment, "torch");
  if (!torch.empty()) texts.push_back("torch " + torch);
  return texts;
}

const record::WorkerRow* worker_of(const std::string& run_id,
                                   const std::vector<estimate::CaseRow>& rows,
                                   const record::Results& results) {
  for (const estimate::CaseRow& row : rows) {
    if (row.run_id != run_id || row.measured.empty()) continue;
    const std::string& id = row.measured.front().launch->row.worker_id;
    for (const record::WorkerRow& worker : results.workers) {
      if (worker.worker_id == id) return &worker;
    }
  }
  return nullptr;
}

// "3 launches per case", "2 to 6 launches per case"; empty if nothing was measured.
std::string launches_text(const std::string& run_id, const std::vector<estimate::CaseRow>& rows) {
  std::set<std::size_t> counts;
  std::size_t cases = 0;
  for (const estimate::CaseRow& row : rows) {
    if (row.run_id != run_id || row.measured.empty()) continue;
    counts.insert(row.measured.size());
    ++cases;
  }
  if (counts.empty()) return {};
  const std::string most = text::counted(*counts.rbegin(), "launch");
  const std::string text = counts.size() == 1 ? most : formatted("{} to {}", *counts.begin(), most);
  return cases == 1 ? text : text + " per case";
}

std::string title_of(const record::RunRow& run, const std::vector<estimate::CaseRow>& rows,
                     const record::Results& results) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) parts.push_back(part);
  };
  add(run.name.empty() ? run.run_id : run.name);
  add(text::minute_text(run.started_utc));
  if (const record::WorkerRow* worker = worker_of(run.run_id, rows, results)) {
    for (const std::string& text : machine_texts(worker->environment)) add(text);
  }
  add(launches_text(run.run_id, rows));
  if (run.smoke) {
    add(record::is_first_look(run) ? "first look: not for comparison"
                                   : "smoke run: not for comparison");
  }
  if (results.running && run.run_id == results.runs.back().run_id) add("still running");
  return text::join(parts);
}

// Uses a fence that does not occur in the text.
std::string fenced(const std::string& text, const std::string& language) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  const std::string safe = text::printable(text, text::LineEnds::kKeep);
  return formatted("{}{}\n{}{}{}\n", fence, language, safe, safe.ends_with('\n') ? "" : "\n",
                   fence);
}

std::string environment_table(const record::WorkerRow& worker) {
  document::Table grid{.columns = {document::words("environment"), document::words("")},
                       .rows = {{{"worker", worker.path}}}};
  for (const auto& [name, value] : worker.environment) {
    grid.rows.push_back({{name, to_text(value)}});
  }
  return document::markdown_table(grid);
}

}  // namespace

std::vector<const record::RunRow*> distinct_runs(const record::Results& results) {
  std::vector<const record::RunRow*> runs;
  std::set<std::string_view> seen;
  for (const record::RunRow& run : results.runs) {
    if (seen.insert(run.run_id).second) runs.push_back(&run);
  }
  return runs;
}

std::vector<std::string> run_titles(const std::vector<estimate::CaseRow>& rows,
                                    const record::Results& results) {
  const estimate::RowNames names(rows, results);
  std::vector<std::string> titles;
  for (const record::RunRow* run : distinct_runs(results)) {
    std::string title = title_of(*run, rows, results);
    if (names.has_runs()) title = names.run({.case_id = {}, .run_id = run->run_id}) + ": " + title;
    titles.push_back(text::printable(title));
  }
  return titles;
}

std::string run_title(const estimate::CaseRow& row, const record::Results& results) {
  for (const record::RunRow* run : distinct_runs(results)) {
    if (run->run_id == row.run_id) return text::printable(title_of(*run, {row}, results));
  }
  return {};
}

std::string markdown_details(const record::Results& results) {
  std::string text;
  for (const record::RunRow* run : distinct_runs(results)) {
    text += formatted("\n<details><summary>How {} was measured</summary>\n\n",
                      text::markdown_cell(run->name.empty() ? run->run_id : run->name));
    const std::string file = run->config_path.empty() ? "" : " of " + run->config_path;
    text += text::markdown_line("run " + run->run_id + file) + "\n\n";
    if (!run->argv.empty())
      text += fenced(text::join(run->argv, " ", text::shell_word) + '\n', "sh") + '\n';
    if (run == &results.runs.front()) {
      for (const record::WorkerRow& worker : results.workers)
        text += environment_table(worker) + '\n';
    }
    if (!run->config_text.empty()) text += fenced(run->config_text, "yaml") + '\n';
    text += "</details>\n";
  }
  return text;
}

void add_runs(json::JsonText& json, const record::Results& results) {
  json.open_array("runs");
  for (const record::RunRow* run : distinct_runs(results)) {
    json.open_object().text("run_id", run->run_id).text("name", run->name);
    json.text("started_utc", run->started_utc).texts("argv", run->argv);
    json.text("stepbench_version", run->stepbench_version);
    json.text("config_path", run->config_path).text("config_text", run->config_text);
    json.values("labels", run->labels).values("context", run->context).close_object();
  }
  json.close_array().open_array("environments");
  for (const record::WorkerRow& worker : results.workers) {
    json.open_object().text("worker_id", worker.worker_id).text("path", worker.path);
    json.text("build_id", worker.build_id).values("environment", worker.environment);
    json.close_object();
  }
  json.close_array();
}

}  // namespace stepbench::report
