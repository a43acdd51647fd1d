// SPDX-License-Identifier: Apache-2.0
#include "workloads/python/launcher.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>

#include "harness/base/error.h"
#include "harness/protocol/messages.h"
#include "harness/run/worker_program.h"
#include "harness/text/words.h"
#include "harness/worker/process.h"
#include "workloads/data/python_parts.h"

namespace stepbench::python {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHost = "stepbench_host.py";
constexpr const char* kModule = "stepbench_python.so";

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> in_path(std::string_view path, const char* program) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const fs::path candidate = fs::path(path.substr(0, end)) / program;
    if (end > 0 && is_program(candidate)) return candidate.string();
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return std::nullopt;
}

// Next to the worker in a build tree, a bundle and a wheel; else in the install location.
std::optional<fs::path> host_folder(const fs::path& worker) {
  const fs::path program_dir = worker.parent_path();
  for (const fs::path& folder :
       {program_dir / "python", program_dir / "../libexec/stepbench/python"}) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / kHost, ignored)) return fs::weakly_canonical(folder, ignored);
  }
  return std::nullopt;
}

// Folder of the Python package that the fallback uses; empty: missing.
fs::path package_folder(const fs::path& worker) {
  try {
    return run::find_script_worker(worker.parent_path()).path.parent_path().parent_path();
  } catch (const ConfigError&) {
    return {};
  }
}

// Peeks at the first line available on a socket without consuming it. Gives up on a line longer
// than the socket holds after a second without new data.
std::string peek_line(int descriptor) {
  constexpr int kPatience = 1000;
  std::string bytes(std::size_t{1} << 16, '\0');
  ssize_t before = -1;
  for (int quiet = 0; quiet < kPatience;) {
    const ssize_t got = ::recv(descriptor, bytes.data(), bytes.size(), MSG_PEEK);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    const std::string_view seen(bytes.data(), static_cast<std::size_t>(got));
    if (const std::size_t end = seen.find('\n'); end != std::string_view::npos) {
      return std::string(seen.substr(0, end));
    }
    if (seen.size() == bytes.size()) bytes.resize(2 * bytes.size());
    quiet = got == before ? quiet + 1 : 0;
    before = got;
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return {};
}

std::string take_all(int descriptor) {
  std::string text;
  std::string chunk(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk, 0, static_cast<std::size_t>(got));
  }
}

// Replaces standard input by a file that contains `text`.
void put_back(const std::string& text) {
  const int memory = ::memfd_create("stepbench-input", MFD_CLOEXEC);
  if (memory < 0) throw Error(std::string("memfd_create: ") + std::strerror(errno));
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t written = ::write(memory, left.data(), left.size());
    if (written < 0) throw Error(std::string("standard input: ") + std::strerror(errno));
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(memory, 0, SEEK_SET);
  ::dup2(memory, STDIN_FILENO);
  ::close(memory);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::vector<std::string> interpreters(const machine::Variables& variables,
                                      const std::string& of_build) {
  const auto of_environment = [&](std::string_view name) {
    return machine::find_variable(variables, name).value_or("");
  };
  if (const auto asked = of_environment(run::kInterpreterVariable); !asked.empty()) {
    const bool path = asked.find('/') != std::string_view::npos;
    const auto found =
        path ? std::nullopt : in_path(of_environment("PATH"), std::string(asked).c_str());
    return {found.value_or(std::string(asked))};
  }
  for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string_view folder = of_environment(active);
    const fs::path python = fs::path(folder) / "bin/python";
    if (!folder.empty() && is_program(python)) return {python.string()};
  }
  std::vector<std::string> found;
  if (auto python = in_path(of_environment("PATH"), "python3")) found.push_back(*python);
  if (!of_build.empty() && is_program(of_build)) found.push_back(of_build);
  return found;
}

HostCommand host_command(const fs::path& worker, std::span<const char* const> arguments,
                         const machine::Variables& variables) {
  const std::string no_module =
      "its build found no Python.h of the interpreter beside torch. On Debian: apt-get install "
      "python3-dev, then build again; pyenv, uv and conda bring the file along";
  const auto folder = host_folder(worker);
  if (!folder) return {.reason = "this stepbench was built without Python: " + no_module};
  const std::vector<std::string> python = interpreters(variables, STEPBENCH_BUILD_PYTHON);
  if (python.empty()) {
    return {.reason =
                "no Python interpreter was found: none is active (VIRTUAL_ENV, CONDA_PREFIX) and "
                "there is no python3 in PATH; name one with --interpreter PATH"};
  }
  if (!is_program(python.front())) {
    return {.reason = "'" + python.front() +
                      "' is not a Python interpreter that can be run; name one with --interpreter "
                      "PATH, e.g. .venv/bin/python"};
  }
  HostCommand command;
  command.argv = {python.front(),
                  (*folder / kHost).string(),
                  "--worker=" + worker.string(),
                  "--build-id=" + worker::build_id(),
                  "--python=" STEPBENCH_PYTHON_VERSION,
                  "--torch=" TORCH_VERSION};
  command.argv.push_back("--package=" + package_folder(worker).string());
  if (!fs::is_regular_file(*folder / kModule)) command.argv.push_back("--no-module=" + no_module);
  for (std::size_t i = 1; i < python.size(); ++i) command.argv.push_back("--else=" + python[i]);
  command.argv.emplace_back("--");
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return command;
}

std::string peek_case(std::span<const char* const> arguments) {
  using Mode = worker::WorkerArguments::Mode;
  const worker::WorkerArguments parsed = worker::parse_worker_arguments(arguments);
  switch (parsed.mode) {
    case Mode::kControlled:
      return peek_line(parsed.control_descriptor);
    case Mode::kCaseFile: {
      std::ifstream in(parsed.case_file);
      return {std::istreambuf_iterator<char>(in), {}};
    }
    case Mode::kData: {
      const std::string text = take_all(STDIN_FILENO);
      put_back(text);
      return first_line(text);
    }
    default:
      return {};
  }
}

std::string exec_python_host(std::span<const char* const> arguments,
                             const machine::Variables& variables) {
  bool needed = false;
  try {
    const std::string line = peek_case(arguments);
    needed = !line.empty() && data::uses_python(protocol::decode_case(line).resolved);
  } catch (const Error&) {
    return {};  // the worker itself reports the error
  }
  if (!needed) return {};
  const HostCommand command =
      host_command(fs::read_symlink("/proc/self/exe"), arguments, variables);
  if (command.argv.empty()) return command.reason;
  std::vector<char*> pointers;
  for (const std::string& text : command.argv) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  ::execv(pointers.front(), pointers.data());
  return command.argv.front() + " cannot be run: " + std::strerror(errno);
}

}  // namespace stepbench::python
