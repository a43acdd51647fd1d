// SPDX-License-Identifier: Apache-2.0
#include "harness/run/foreign_worker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/catalogue/json.h"
#include "harness/os/command.h"
#include "harness/os/text_file.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"
#include "harness/text/utf8.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeLimit{120};  // importing torch in Python from a cold disk

CommandResult ask(const WorkerProgram& worker, const std::string& question,
                  std::string_view input) {
  CommandResult result = run_command({worker.path.string(), question}, input, kTimeLimit);
  const std::string command = worker.path.string() + " " + question;
  if (!result.started) throw ConfigError(command, "cannot be run: " + result.reason);
  if (result.timed_out) throw ConfigError(command, "gave no answer within 120 s");
  return result;
}

void expect_success(const CommandResult& result, const std::string& command) {
  if (result.exit_status == 0) return;
  std::string last{trim(to_valid_utf8(result.err))};
  last.erase(0, last.rfind('\n') + 1);
  throw ConfigError(command, "ended with status " + std::to_string(result.exit_status) +
                                 (last.empty() ? "" : ": " + last));
}

std::optional<fs::path> cache_file(const WorkerProgram& worker, const fs::path& cache_dir) {
  struct stat facts {};
  if (cache_dir.empty() || ::stat(worker.path.c_str(), &facts) != 0) return std::nullopt;
  const std::string key = worker.path.string() + '\n' + std::to_string(facts.st_size) + '\n' +
                          std::to_string(facts.st_mtim.tv_sec) + '.' +
                          std::to_string(facts.st_mtim.tv_nsec) + '\n' + worker.build_id;
  return cache_dir / ("describe-" + digest(key) + ".json");
}

// A cache that cannot be written costs time, nothing else.
void keep(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const fs::path unfinished = file.string() + "." + std::to_string(::getpid());
  {
    std::ofstream out{unfinished, std::ios::binary};
    out << text;
    if (!out.flush()) {
      fs::remove(unfinished, ignored);
      return;
    }
  }
  fs::rename(unfinished, file, ignored);
}

}  // namespace

Catalogue describe_worker(const WorkerProgram& worker, const fs::path& cache_dir) {
  const std::string source = worker.path.string() + " describe";
  const auto file = cache_file(worker, cache_dir);
  if (const auto cached = file ? read_text(*file) : std::nullopt) {
    try {
      return catalogue_from_json(*cached, source);
    } catch (const Error&) {  // written by another version: ask again
    }
  }
  const CommandResult answer = ask(worker, "describe", "");
  expect_success(answer, source);
  const std::string& text = answer.out;
  Catalogue catalogue = catalogue_from_json(text, source);
  if (file) keep(*file, text);
  return catalogue;
}

ForeignCheck check_by(const WorkerProgram& worker) {
  return [worker](std::span<const ResolvedCase> cases, const RuleFacts& facts) {
    std::string input = protocol::encode(facts) + '\n';
    for (const ResolvedCase& resolved : cases) {
      protocol::CaseMessage message;
      message.resolved = resolved;
      input += protocol::encode(message) + '\n';
    }
    const CommandResult result = ask(worker, "check", input);
    const std::string& output = result.out;
    const std::string where = worker.path.string() + " check";
    std::vector<CheckAnswer> answers;
    if (result.exit_status != 0 && output.empty()) {  // knows no `check`: it has no rules
      answers.resize(cases.size());
      return answers;
    }
    expect_success(result, where);
    for (std::size_t at = 0; at < output.size();) {
      const std::size_t end = std::min(output.find('\n', at), output.size());
      const std::string_view line = trim(std::string_view{output}.substr(at, end - at));
      at = end + 1;
      if (line.empty()) continue;
      try {
        answers.push_back(check_answer_from_json(line));
      } catch (const Error& error) {
        throw ConfigError(where,
                          "answer " + std::to_string(answers.size() + 1) + ": " + error.what());
      }
    }
    if (answers.size() != cases.size()) {
      throw ConfigError(where, std::to_string(answers.size()) + " answers to " +
                                   std::to_string(cases.size()) +
                                   " cases: one line per case is expected");
    }
    return answers;
  };
}

fs::path cache_directory(const Variables& variables) {
  if (const auto cache = find_variable(variables, "XDG_CACHE_HOME"); cache && !cache->empty()) {
    return fs::path{*cache} / "stepbench";
  }
  if (const auto home = find_variable(variables, "HOME"); home && !home->empty()) {
    return fs::path{*home} / ".cache/stepbench";
  }
  return {};
}

}  // namespace stepbench
