// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/redact_run.h"

#include <algorithm>
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

class Copier {
 public:
  Copier(const fs::path& run, const KnownWords& known, Tokens& tokens)
      : files_(files_of_run(run)), known_(known), tokens_(tokens), done_{.run = run, .copy = {}} {
    if (files_.results.empty()) {
      throw ConfigError(run.string(), "holds no result file, so it is no run's folder");
    }
    if (record::is_being_written(run))
      throw ConfigError(run.string(), "is running; copy it when it is done");
  }

  RedactedRun copy_to(const fs::path& folder_of_copy) {
    done_.copy = folder_of_copy;
    fs::create_directories(done_.copy);
    // Their names hold the host; the order in which they are read stays.
    std::size_t part = 0;
    for (const fs::path& file : files_.results) {
      const std::string name = "part-" + std::to_string(++part) + ".jsonl";
      write(done_.copy / (is_packed(file) ? name + ".gz" : name), redacted(file, true));
    }
    for (const fs::path& file : files_.others) {
      if (file.filename() == campaign::kVerdictFile) {
        write(done_.copy / file.filename(), redacted(file, false));
      } else {
        leave_out(file, "is text");
      }
    }
    for (const fs::path& file : files_.traces) leave_out(file, "is a trace, which names your code");
    for (const fs::path& file : files_.foreign) leave_out(file, "is not of a run");
    check();
    return std::move(done_);
  }

 private:
  void leave_out(const fs::path& file, const std::string& why) {
    done_.left_out.push_back(file.filename().string() + ": " + why);
  }

  // A result file has a JSON text in each line, a verdict is one.
  std::string redacted(const fs::path& file, bool lines) {
    const record::Input input = record::Input::read(file);
    std::string text;
    std::size_t damaged = 0;
    for (std::string_view rest = input.text(); !rest.empty();) {
      const std::string_view json = lines ? rest.substr(0, rest.find('\n')) : rest;
      rest.remove_prefix(std::min(json.size() + 1, rest.size()));
      if (json.empty()) continue;
      const auto other = redact_json(json, known_, tokens_);
      text += other ? *other + '\n' : "";
      damaged += other ? 0 : 1;
    }
    if (damaged > 0) leave_out(file, std::to_string(damaged) + " damaged lines");
    return text;
  }

  void write(const fs::path& to, const std::string& text) {
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
  const KnownWords& known_;
  Tokens& tokens_;
  RedactedRun done_;
};

void refuse_output(std::span<const fs::path> runs, const fs::path& output) {
  std::error_code error;
  if (fs::exists(output, error) && (!fs::is_directory(output, error) || !fs::is_empty(output))) {
    throw ConfigError("--output", output.string() + " is there already; name a new folder");
  }
  for (const fs::path& run : runs) {
    if (!fs::is_directory(run, error)) {
      throw ConfigError(run.string(), "is no folder of a run");
    }
    const fs::path inside = fs::relative(fs::weakly_canonical(output), fs::canonical(run));
    if (!inside.empty() && *inside.begin() != "..") {
      throw ConfigError("--output", output.string() + " lies in the run itself");
    }
  }
}

}  // namespace

RedactedRuns redact_runs(std::span<const fs::path> runs, const fs::path& output,
                         const KnownWords& known) {
  refuse_output(runs, output);
  Tokens tokens;
  std::vector<Copier> copiers;
  for (const fs::path& run : runs) copiers.emplace_back(run, known, tokens);
  RedactedRuns done;
  try {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::string name = "run-" + std::to_string(i + 1);
      done.runs.push_back(copiers[i].copy_to(runs.size() == 1 ? output : output / name));
    }
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(output, ignored);
    throw;
  }
  done.tokens = std::move(tokens);
  return done;
}

}  // namespace stepbench::runs
