// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/redact_run.h"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>

#include "harness/base/error.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/output_file.h"
#include "harness/record/input.h"
#include "harness/record/pack.h"
#include "harness/record/reader.h"
#include "harness/record/writer.h"
#include "harness/runs/redact_json.h"
#include "harness/runs/run_files.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;

bool is_packed(const fs::path& file) { return file.extension() == ".gz"; }

// A result file has a JSON text in each line, other files are one.
void for_each_json(const fs::path& file, bool lines,
                   const std::function<void(std::string_view text)>& take) {
  const record::Input input = record::Input::read(file);
  std::string_view rest = input.text();
  if (!lines) return take(rest);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!line.empty()) take(line);
  }
}

// Without what tells a token from other text: no shell likes it in a file's name.
std::string file_name_of(std::string name) {
  std::erase_if(name, [](char c) { return c == '<' || c == '>'; });
  return name;
}

class Copier {
 public:
  Copier(const fs::path& run, text::Redactor& redactor)
      : files_(files_of_run(run)), redactor_(redactor), done_{.run = run, .copy = {}} {
    if (files_.results.empty()) {
      throw ConfigError(run.string(), "holds no result file, so it is no run's folder");
    }
    if (record::is_being_written(run))
      throw ConfigError(run.string(), "is running; copy it when it is done");
  }

  void learn() {
    for (const fs::path& file : files_.results) {
      for_each_json(file, true, [&](std::string_view text) { learn_from_json(text, redactor_); });
    }
    for (const fs::path& file : json_files()) {
      for_each_json(file, false, [&](std::string_view text) { learn_from_json(text, redactor_); });
    }
  }

  RedactedRun copy_to(const fs::path& folder_of_copy) {
    done_.copy = folder_of_copy;
    fs::create_directories(done_.copy);
    // Their names hold the host; the order in which they are read stays.
    std::size_t part = 0;
    for (const fs::path& file : files_.results) {
      const std::string name = "part-" + std::to_string(++part) + ".jsonl";
      write(file, done_.copy / (is_packed(file) ? name + ".gz" : name), redacted(file, true));
    }
    for (const fs::path& file : json_files()) {
      const fs::path folder =
          file.parent_path().filename() == kTraces ? done_.copy / kTraces : done_.copy;
      fs::create_directories(folder);
      write(file, folder / file_name_of(redactor_.redact(file.filename().string())),
            redacted(file, false));
    }
    for (const fs::path& file : files_.others) {
      if (file.filename() != campaign::kExperimentCopy) continue;
      const std::string text{record::Input::read(file).text()};
      write(file, done_.copy / file.filename(), redactor_.redact(text));
    }
    for (const fs::path& file : files_.foreign) {
      done_.left_out.push_back(file.filename().string() + ": is not of a run");
    }
    check();
    return std::move(done_);
  }

 private:
  [[nodiscard]] std::vector<fs::path> json_files() const {
    std::vector<fs::path> files = files_.traces;
    for (const fs::path& file : files_.others) {
      if (file.filename() == kVerdictFile) files.push_back(file);
    }
    return files;
  }

  std::string redacted(const fs::path& file, bool lines) {
    std::string text;
    std::size_t damaged = 0;
    for_each_json(file, lines, [&](std::string_view json) {
      if (const auto other = redact_json(json, redactor_)) {
        text += *other;
        if (lines) text += '\n';
      } else {
        ++damaged;
      }
    });
    if (damaged > 0) {
      done_.left_out.push_back(file.filename().string() + ": " + std::to_string(damaged) +
                               (lines ? " damaged lines" : ", it is no JSON"));
    }
    return text;
  }

  void write(const fs::path& from, const fs::path& to, const std::string& text) {
    std::error_code error;
    if (fs::exists(to, error)) {
      throw ConfigError(from.string(), "has the same name as another file without its host");
    }
    os::write_output_file({}, to, is_packed(to) ? record::gzip_text(text) : text);
    ++done_.files;
  }

  // The numbers are those of the run.
  void check() const {
    const record::Results before = record::read_results(done_.run);
    const record::Results after = record::read_results(done_.copy);
    const auto same = [](const record::Launch& a, const record::Launch& b) {
      const auto samples = [](const record::CycleSamples& x, const record::CycleSamples& y) {
        return x.cycle == y.cycle && x.steps.names == y.steps.names &&
               x.steps.columns == y.steps.columns;
      };
      return a.row.key == b.row.key && a.row.outcome.kind == b.row.outcome.kind &&
             a.row.report.metrics == b.row.report.metrics &&
             std::equal(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(),
                        samples);
    };
    if (!std::equal(before.launches.begin(), before.launches.end(), after.launches.begin(),
                    after.launches.end(), same)) {
      throw Error(done_.copy.string() + ": the copy has not the numbers of " + done_.run.string());
    }
  }

  RunFiles files_;
  text::Redactor& redactor_;
  RedactedRun done_;
};

void refuse_output(std::span<const fs::path> runs, const fs::path& output) {
  std::error_code error;
  if (fs::exists(output, error) && (!fs::is_directory(output, error) || !fs::is_empty(output))) {
    throw ConfigError("--output", output.string() + " is there already; name a new folder");
  }
  std::set<std::string> names;
  for (const fs::path& run : runs) {
    if (!fs::is_directory(run, error)) {
      throw ConfigError(run.string(), "is no folder of a run");
    }
    const fs::path inside = fs::relative(fs::weakly_canonical(output), fs::canonical(run));
    if (!inside.empty() && *inside.begin() != "..") {
      throw ConfigError("--output", output.string() + " lies in the run itself");
    }
    if (!names.insert(campaign::run_id_of(run)).second) {
      throw ConfigError(run.string(), "has the same name as another run");
    }
  }
}

}  // namespace

RedactedRuns redact_runs(std::span<const fs::path> runs, const fs::path& output) {
  refuse_output(runs, output);
  text::Redactor redactor;
  std::vector<Copier> copiers;
  for (const fs::path& run : runs) copiers.emplace_back(run, redactor);
  for (Copier& copier : copiers) copier.learn();
  RedactedRuns done;
  try {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::string name = file_name_of(redactor.redact(campaign::run_id_of(runs[i])));
      done.runs.push_back(copiers[i].copy_to(runs.size() == 1 ? output : output / name));
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(output, ignored);
    throw;
  }
  done.replaced = redactor.replaced();
  return done;
}

}  // namespace stepbench::runs
