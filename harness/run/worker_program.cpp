// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/catalogue/json.h"
#include "harness/estimate/columns.h"
#include "harness/os/descriptor.h"
#include "harness/os/files.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/worker_process.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;

template <class Header>
bool read_at(const os::Descriptor& file, std::uint64_t offset, Header& into) {
  return ::pread(file.value(), &into, sizeof into, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(sizeof into);
}

std::size_t align4(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

std::optional<std::string> build_id_in_notes(std::string_view notes) {
  for (Elf64_Nhdr header{}; notes.size() >= sizeof header;) {
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t name_at = sizeof header;
    const std::size_t value_at = name_at + align4(header.n_namesz);
    const std::size_t end = value_at + align4(header.n_descsz);
    if (end > notes.size()) return std::nullopt;
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(name_at, 4) == std::string_view{"GNU\0", 4}) {
      return hex_text(notes.substr(value_at, header.n_descsz));
    }
    notes.remove_prefix(end);
  }
  return std::nullopt;
}

std::optional<std::string> elf_build_id(const fs::path& path) {
  const os::Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  Elf64_Ehdr elf{};
  if (!file.is_open() || !read_at(file, 0, elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  constexpr std::size_t kMaxNoteBytes = std::size_t{1} << 20;
  for (std::size_t index = 0; index < elf.e_phnum; ++index) {
    Elf64_Phdr segment{};
    if (!read_at(file, elf.e_phoff + index * sizeof segment, segment)) return std::nullopt;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNoteBytes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (::pread(file.value(), notes.data(), notes.size(), static_cast<off_t>(segment.p_offset)) !=
        static_cast<ssize_t>(notes.size())) {
      continue;
    }
    if (auto id = build_id_in_notes(notes)) return id;
  }
  return std::nullopt;
}

constexpr std::size_t kMaxOutput = std::size_t{64} << 20;

os::CommandResult ask(const WorkerProgram& worker, const std::string& question,
                      std::string_view input, std::chrono::milliseconds limit) {
  os::CommandResult result =
      os::run_command({worker.path.string(), question}, input, limit, {.most_output = kMaxOutput});
  const std::string command = worker.path.string() + " " + question;
  if (!result.started) throw ConfigError(command, "cannot be run: " + result.reason);
  if (result.flooded) {
    throw ConfigError(command, formatted("wrote more than {} and was killed",
                                         text::byte_text(static_cast<double>(kMaxOutput))));
  }
  if (result.timed_out) {
    const double seconds = std::chrono::duration<double>{limit}.count();
    throw ConfigError(
        command,
        formatted(
            "gave no answer within {} and was killed; --set limits.ask_s=N waits for N seconds",
            text::seconds_text(seconds)));
  }
  return result;
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)};
}

constexpr int kKilled = 128;  // statuses above: killed by a signal, as in a shell

// "ended with status 7: its last line".
std::string end_of(const os::CommandResult& result) {
  std::string last{os::trim(text::to_valid_utf8(result.err))};
  last.erase(0, last.rfind('\n') + 1);
  return (result.exit_status > kKilled
              ? "was killed by " + os::signal_text(result.exit_status - kKilled)
              : formatted("ended with status {}", result.exit_status)) +
         (last.empty() ? "" : ": " + last);
}

void expect_success(const os::CommandResult& result, const std::string& command) {
  if (result.exit_status != 0) throw ConfigError(command, end_of(result));
}

// For a worker that does not support `check`: it has no rules.
std::vector<CheckAnswer> unasked(std::size_t cases, const std::string& why) {
  std::vector<CheckAnswer> answers(cases);
  if (cases > 0) answers.front().notes.push_back("the worker's rules were not checked: " + why);
  return answers;
}

// `cut`: the last line may be unfinished.
std::vector<CheckAnswer> answers_in(std::string_view output, const std::string& where, bool cut) {
  if (cut) output = output.substr(0, output.rfind('\n') + 1);
  std::vector<CheckAnswer> answers;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string_view line = os::trim(output.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    try {
      answers.push_back(protocol::decode_answer(line));
    } catch (const Error& error) {
      throw ConfigError(where, formatted("answer {}: {}", answers.size() + 1, error.what()));
    }
  }
  return answers;
}

// A script's own file does not show changes of programs it runs: its output is not cached.
bool is_elf(const fs::path& path) {
  const os::Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, SELFMAG> magic{};
  return file.is_open() && read_at(file, 0, magic) &&
         std::memcmp(magic.data(), ELFMAG, SELFMAG) == 0;
}

std::optional<fs::path> cache_file(const WorkerProgram& worker, const fs::path& cache_dir) {
  struct stat facts {};
  if (cache_dir.empty() || !is_elf(worker.path) || ::stat(worker.path.c_str(), &facts) != 0)
    return std::nullopt;
  const std::string key = formatted("{}\n{}\n{}.{}\n{}", worker.path.string(), facts.st_size,
                                    facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, worker.build_id);
  return cache_dir / formatted("describe-{}.json", digest(key));
}

// A cache that cannot be written costs only time.
void keep(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  try {
    os::write_output_file({}, file, text);
  } catch (const ConfigError&) {
    return;
  }
}

}  // namespace

std::string program_build_id(const fs::path& file) {
  if (auto id = elf_build_id(file)) return *id;
  const auto content = os::read_text(file);
  if (!content) throw ConfigError(file.string(), "cannot be read");
  return digest(*content);
}

WorkerProgram find_worker(const std::string& asked, const fs::path& program_dir) {
  if (!asked.empty()) {
    std::error_code ignored;
    const bool here = asked.find('/') == std::string::npos && fs::is_regular_file(asked, ignored);
    const std::string path = resolve_program(here ? "./" + asked : asked, {});
    return {fs::absolute(path), program_build_id(path)};
  }
  const std::vector<fs::path> places = {program_dir / "stepbench-worker",
                                        program_dir / "../libexec/stepbench/stepbench-worker"};
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored) && ::access(place.c_str(), X_OK) == 0) {
      return {place, program_build_id(place)};
    }
  }
  throw ConfigError(places.front().string(),
                    "there is no worker program. Build it with `tools/setup && cmake --preset ci "
                    "&& cmake --build "
                    "--preset ci --target stepbench-worker`, or name one with --worker PATH");
}

Catalogue describe_worker(const WorkerProgram& worker, const fs::path& cache_dir,
                          std::chrono::milliseconds limit) {
  const std::string source = worker.path.string() + " describe";
  const auto file = cache_file(worker, cache_dir);
  if (const auto cached = file ? os::read_text(*file) : std::nullopt) {
    try {
      return catalogue::catalogue_from_json(*cached, source, estimate::harness_metrics());
    } catch (const Error&) {  // written by another version: ask again
    }
  }
  const os::CommandResult answer = ask(worker, "describe", "", limit);
  expect_success(answer, source);
  const std::string& text = answer.out;
  Catalogue catalogue = catalogue::catalogue_from_json(text, source, estimate::harness_metrics());
  if (file) keep(*file, text);
  return catalogue;
}

std::chrono::milliseconds ask_limit(std::span<const std::string> set) {
  constexpr std::string_view kOption = "limits.ask_s=";
  double seconds = kAskSeconds;
  for (const std::string& assignment : set) {
    if (!assignment.starts_with(kOption)) continue;
    const char* const end = assignment.data() + assignment.size();
    double value = 0;
    const auto [rest, error] = std::from_chars(assignment.data() + kOption.size(), end, value);
    if (error == std::errc{} && rest == end) seconds = value;  // else the plan rejects it
  }
  return milliseconds_of(seconds);
}

plan::ForeignCheck check_by(const WorkerProgram& worker) {
  return [worker](std::span<const ResolvedCase> cases, const RuleFacts& facts) {
    std::string input = protocol::encode(facts) + '\n';
    double seconds = 0;
    for (const ResolvedCase& resolved : cases) {
      protocol::CaseMessage message;
      message.resolved = resolved;
      input += protocol::encode(message) + '\n';
      seconds = std::max(seconds, resolved.number_or("limits.ask_s", kAskSeconds));
    }
    const os::CommandResult result = ask(worker, "check", input, milliseconds_of(seconds));
    const std::string where = worker.path.string() + " check";
    const bool crashed = result.exit_status >= kKilled || result.exit_status == kExitBug;
    if (result.exit_status != 0 && !crashed && result.out.empty()) {
      return unasked(cases.size(), where + " " + end_of(result));
    }
    if (!crashed) expect_success(result, where);
    std::vector<CheckAnswer> answers = answers_in(result.out, where, crashed);
    if (crashed && answers.size() < cases.size()) {
      const bool plugin = cases[answers.size()].text_or("model.kind", "") == "plugin";
      answers.push_back({.kind = CheckAnswer::Kind::kError,
                         .option = plugin ? "model.path" : "workload",
                         .reason = "the worker that checked this case " + end_of(result)});
      answers.resize(cases.size());
      return answers;
    }
    if (answers.size() != cases.size()) {
      throw ConfigError(where, formatted("{} answers to {} cases: one line per case is expected",
                                         answers.size(), cases.size()));
    }
    return answers;
  };
}

std::string data_shown_by(const WorkerProgram& worker, const ResolvedCase& resolved,
                          const std::string& request) {
  protocol::CaseMessage message;
  message.resolved = resolved;
  // Includes set-up, because the worker prepares the case's data, too.
  const double seconds = resolved.number_or("limits.ask_s", kAskSeconds) +
                         resolved.number_or("limits.set_up_s", kAskSeconds);
  os::CommandResult result =
      ask(worker, "data", formatted("{}\n{}\n", protocol::encode(message), request),
          milliseconds_of(seconds));
  if (result.exit_status == 0) return std::move(result.out);
  std::string words{os::trim(text::to_valid_utf8(result.err))};
  if (words.empty() || result.exit_status > kKilled) words = end_of(result);
  throw ConfigError(worker.path.string() + " data", words);
}

fs::path cache_directory(const machine::Variables& variables) {
  if (const auto cache = machine::find_variable(variables, "XDG_CACHE_HOME");
      cache && !cache->empty()) {
    return fs::path{*cache} / "stepbench";
  }
  if (const auto home = machine::find_variable(variables, "HOME"); home && !home->empty()) {
    return fs::path{*home} / ".cache/stepbench";
  }
  return {};
}

std::string find_interpreter(const machine::Variables& environment) {
  const auto value_of = [&](std::string_view name) {
    return std::string(machine::find_variable(environment, name).value_or(""));
  };
  std::string program = value_of(kInterpreterVariable);
  for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string folder = value_of(active);
    if (program.empty() && !folder.empty()) program = folder + "/bin/python";
  }
  try {
    return resolve_program(program.empty() ? "python3" : program, environment);
  } catch (const ConfigError& error) {
    throw ConfigError("no Python interpreter",
                      std::string(error.what()) +
                          "; activate an environment (venv, conda or uv), or name one with "
                          "--interpreter PATH, as in --interpreter .venv/bin/python");
  }
}

}  // namespace stepbench::run
