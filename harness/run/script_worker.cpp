// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_program.h"

#include <algorithm>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/text_file.h"

namespace stepbench::run {
namespace {

constexpr const char* kPackage = "stepbench_worker";
constexpr const char* kMain = "__main__.py";

std::string digest_of_modules(const std::filesystem::path& package) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(package)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const auto& file : files) {
    text += formatted("{}\n{}\n", file.filename().string(), os::read_text(file).value_or(""));
  }
  return digest(text);
}

}  // namespace

WorkerProgram find_script_worker(const std::filesystem::path& program_dir) {
  for (const char* place : {"", "../share/stepbench/python", "../.."}) {
    const std::filesystem::path package = program_dir / place / kPackage;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(package / kMain, ignored)) {
      return {.path = (package / kMain).lexically_normal(),
              .build_id = digest_of_modules(package),
              .by_interpreter = true};
    }
  }
  throw ConfigError((program_dir / kPackage).string(),
                    "the Python package that runs scripts is missing: build or install stepbench "
                    "again");
}

bool is_script_worker(const std::filesystem::path& worker) {
  return worker.filename() == kMain && worker.parent_path().filename() == kPackage;
}

std::string interpreter_at(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.starts_with("{worktree}")) return path;  // filled in by bisect
  if (path.find('/') == std::string::npos && !fs::is_directory(path)) return path;
  const fs::path absolute = fs::absolute(path).lexically_normal();
  return (fs::is_directory(absolute) ? absolute / "bin" / "python" : absolute).string();
}

}  // namespace stepbench::run
