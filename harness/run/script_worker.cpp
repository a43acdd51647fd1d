// SPDX-License-Identifier: Apache-2.0
#include "harness/run/script_worker.h"

#include <algorithm>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "harness/run/worker_process.h"

namespace stepbench {
namespace {

std::string digest_of_modules(const std::filesystem::path& package) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(package)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const auto& file : files) {
    text += file.filename().string() + '\n' + read_text(file).value_or("") + '\n';
  }
  return digest(text);
}

}  // namespace

WorkerProgram find_script_worker(const std::filesystem::path& program_dir) {
  for (const char* place : {"stepbench_worker", "../share/stepbench/python/stepbench_worker",
                            "../../stepbench_worker"}) {
    const std::filesystem::path package = program_dir / place;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(package / "__main__.py", ignored)) {
      return {.path = (package / "__main__.py").lexically_normal(),
              .build_id = digest_of_modules(package),
              .by_interpreter = true};
    }
  }
  throw ConfigError((program_dir / "stepbench_worker").string(),
                    "the Python package that runs scripts is missing: build or install stepbench "
                    "again");
}

std::string interpreter_of(const ResolvedCase& resolved, const Variables& environment) {
  const std::string asked = resolved.text_or("script.interpreter", "auto");
  if (asked != "auto") {
    try {
      return resolve_program(asked, environment);
    } catch (const ConfigError& error) {
      throw ConfigError("script.interpreter", error.what());
    }
  }
  const std::string active{find_variable(environment, "VIRTUAL_ENV").value_or("")};
  try {
    return resolve_program(active.empty() ? "python3" : active + "/bin/python", environment);
  } catch (const ConfigError& error) {
    throw ConfigError("script.interpreter",
                      "no Python was found: " + std::string(error.what()) +
                          "; activate a virtual environment, or name one: --set "
                          "script.interpreter=VENV/bin/python");
  }
}

}  // namespace stepbench
