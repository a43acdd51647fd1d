// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/compress_run.h"

#include <system_error>

#include "harness/base/error.h"
#include "harness/os/near_file.h"
#include "harness/os/text_file.h"
#include "harness/record/pack.h"
#include "harness/record/writer.h"
#include "harness/runs/run_files.h"

namespace stepbench::runs {
namespace {

namespace fs = std::filesystem;

// By what a file begins with: whatever else it is would be lost to those who look for its name.
bool is_result_or_trace(const fs::path& file) {
  constexpr std::size_t kBegin = 64 << 10;
  if (file.extension() == ".gz") return true;  // nothing to do
  const std::string begin = os::first_bytes(file, kBegin);
  if (file.extension() == ".jsonl") {
    return begin.substr(0, begin.find('\n')).find("\"stepbench.result\"") != std::string::npos;
  }
  if (file.extension() != ".json") return false;
  return begin.find("\"traceEvents\"") != std::string::npos ||
         begin.find("\"schemaVersion\"") != std::string::npos;
}

// Those that are not packed yet and hold something.
std::vector<fs::path> plain_files(const fs::path& run) {
  std::error_code error;
  std::vector<fs::path> all;
  if (fs::is_directory(run, error)) {
    const RunFiles files = files_of_run(run);
    if (files.results.empty()) {
      throw ConfigError(run.string(), "holds no result file, so it is no run's folder");
    }
    all = files.results;
    all.insert(all.end(), files.traces.begin(), files.traces.end());
  } else if (fs::exists(run, error)) {
    if (!is_result_or_trace(run)) {
      throw ConfigError(run.string(), "is no result file and no trace: it stays as it is");
    }
    all = {run};
  } else {
    throw ConfigError(run.string(), "no such file or directory" + os::near_file(run));
  }
  std::erase_if(all, [](const fs::path& file) {
    std::error_code ignored;
    return file.extension() == ".gz" || fs::file_size(file, ignored) == 0;
  });
  return all;
}

}  // namespace

Compressed compress_run(const fs::path& run) {
  if (record::is_being_written(run))
    throw ConfigError(run.string(), "is running; pack it when it is done");
  Compressed done;
  for (const fs::path& file : plain_files(run)) {
    try {
      const record::PackedSizes sizes = record::pack_file(file);
      ++done.files;
      done.before += sizes.before;
      done.after += sizes.after;
    } catch (const Error& failure) {
      done.problems.emplace_back(failure.what());
    }
  }
  return done;
}

std::uintmax_t plain_bytes(const fs::path& run) {
  std::uintmax_t bytes = 0;
  for (const fs::path& file : plain_files(run)) {
    std::error_code ignored;
    bytes += fs::file_size(file, ignored);
  }
  return bytes;
}

}  // namespace stepbench::runs
