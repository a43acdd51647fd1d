// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/arguments.h"

#include <charconv>
#include <optional>
#include <string>

#include "harness/base/error.h"

namespace stepbench::worker {
namespace {

using Mode = WorkerArguments::Mode;

int descriptor_of(std::string_view text) {
  int descriptor = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), descriptor);
  if (error != std::errc() || end != text.data() + text.size() || descriptor < 0) {
    throw ConfigError("--control-fd",
                      "expected a file descriptor, found '" + std::string(text) + "'");
  }
  return descriptor;
}

}  // namespace

const std::string_view kWorkerHelp =
    R"(Measures one case in this process. `stepbench run` starts it; by hand:

  WORKER --case FILE      measure the case in FILE (one line as stepbench sends it);
                          the answer goes to standard output, line by line
  WORKER describe         print what this worker can measure, as JSON
  WORKER check            read cases from standard input, answer ok, skip or error for each
  WORKER data             read a case and a request, print what the case's loader delivers
  WORKER --control-fd=N   talk to stepbench on an inherited socket

Example, under a debugger:
  gdb --args WORKER --case case.json
)";

WorkerArguments parse_worker_arguments(std::span<const char* const> arguments) {
  WorkerArguments out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&](std::string_view name) -> std::optional<std::string_view> {
      if (!argument.starts_with(name)) return std::nullopt;
      const std::string_view rest = argument.substr(name.size());
      if (rest.starts_with('=')) return rest.substr(1);
      if (!rest.empty()) return std::nullopt;
      if (i + 1 == arguments.size()) throw ConfigError(std::string(name), "needs a value");
      return arguments[++i];
    };
    if (argument == "--help" || argument == "-h") return {};
    if (argument == "describe") {
      out.mode = Mode::kDescribe;
    } else if (argument == "check") {
      out.mode = Mode::kCheck;
    } else if (argument == "data") {
      out.mode = Mode::kData;
    } else if (const auto descriptor = value("--control-fd")) {
      out.mode = Mode::kControlled;
      out.control_descriptor = descriptor_of(*descriptor);
    } else if (const auto file = value("--case")) {
      out.mode = Mode::kCaseFile;
      out.case_file = *file;
    } else {
      throw ConfigError(
          std::string(argument),
          "unknown argument; known: --control-fd, --case, describe, check, data, --help");
    }
  }
  return out;
}

}  // namespace stepbench::worker
