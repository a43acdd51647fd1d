// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/reference_program.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/campaign/internal/script_files.h"
#include "harness/machine/environment.h"
#include "harness/nights/night_store.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/run/worker_program.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// Makes the same plan with the reference program.
PairedReference plan_with(const RunRequest& request, const ChosenReference& reference,
                          const fs::path& program, bool uses_own_interpreter,
                          const CampaignContext& context) {
  RunRequest same = request;
  same.resume.clear();
  if (reference.tonight.is_script) {
    same.set.push_back("script.path=" + program.string());
  } else {
    same.worker = program.string();
  }
  PairedReference paired_reference{.run = reference.stored_program.run,
                                   .build = reference.stored_program.build,
                                   .planned = plan_experiment(same, context, true)};
  if (uses_own_interpreter) {
    // After planning: the interpreter is no part of a case's id.
    for (plan::PlannedCase& each : paired_reference.planned.planned.plan.cases) {
      each.resolved.options["env." + std::string(run::kInterpreterVariable)] =
          stored_interpreter(program).path;
    }
  }
  return paired_reference;
}

}  // namespace

ChosenReference choose_reference(const RunRequest& request, const PlannedRun& tonight,
                                 const std::string& experiment, nights::TrackStore& store,
                                 std::string_view host, const CampaignContext& context) {
  ChosenReference reference{.tonight = night_program(tonight, context.variables),
                            .stored_program = nights::stored_reference(store, host, experiment)};
  const auto without = [&](nights::NightReason why, std::string reason = {}) {
    reference.why = why;
    reference.reason = std::move(reason);
    return std::move(reference);
  };
  if (!reference.tonight.why_not.empty()) {
    return without(nights::NightReason::kCannotStore, reference.tonight.why_not);
  }
  if (reference.stored_program.build.empty()) {
    const bool has_reason = reference.stored_program.why != nights::NightReason::kMeasured;
    return without(has_reason ? reference.stored_program.why : nights::NightReason::kNoReference);
  }
  if (reference.stored_program.build == reference.tonight.build) {
    return without(nights::NightReason::kSameProgram);
  }
  const std::vector<nights::TrackedRun> runs = store.runs();
  const auto program = find_program(store, reference.stored_program.build, host,
                                    nights::find_run(runs, reference.stored_program.run));
  if (!program) return without(nights::NightReason::kReferenceMissing);
  const ScriptInterpreter interpreter = stored_interpreter(*program);
  const InterpreterState state = state_of(interpreter, reference.tonight.interpreter);
  if (state == InterpreterState::kMissing) {
    return without(nights::NightReason::kReferenceMissing,
                   formatted("its interpreter {} ({}) does not exist any more", interpreter.path,
                             interpreter.versions));
  }
  try {
    const bool uses_own = state == InterpreterState::kUnchanged;
    reference.paired_reference = plan_with(request, reference, *program, uses_own, context);
  } catch (const Error& error) {
    return without(nights::NightReason::kReferenceFails, error.what());
  }
  return reference;
}

namespace {

// Only code identifies a program; e.g. a log that it writes next to itself does not.
bool is_code(const fs::path& file) {
  const fs::path kind = file.extension();
  std::error_code ignored;
  const fs::perms may = fs::status(file, ignored).permissions();
  return kind == ".py" || kind == ".sh" || kind == ".so" ||
         (!ignored && (may & fs::perms::owner_exec) != fs::perms::none);
}

std::vector<fs::path> code_of(const fs::path& folder, std::vector<fs::path> files) {
  std::erase_if(files, [&](const fs::path& file) { return !is_code(folder / file); });
  return files;
}

// Beside a script that is kept: the interpreter that measured it, its path and its versions.
constexpr const char* kInterpreterFile = ".stepbench-interpreter";

// Versions that make an interpreter another program; only torch is asked for, which is not
// imported.
constexpr const char* kAskVersions = R"(
import importlib.metadata, sys
print(sys.implementation.name, sys.version.split()[0], end="")
try:
    print(", torch", importlib.metadata.version("torch"), end="")
except importlib.metadata.PackageNotFoundError:
    pass
)";
constexpr std::chrono::seconds kAskLimit{20};

std::string versions_of(const std::string& interpreter) {
  const os::CommandResult asked =
      os::run_command({interpreter, "-c", kAskVersions}, "", kAskLimit, {.most_output = 4096});
  const bool answers = asked.started && !asked.timed_out && asked.exit_status == 0;
  return std::string(answers ? os::trim(asked.out) : std::string_view());
}

std::string interpreter_text(const ScriptInterpreter& interpreter) {
  return interpreter.path + '\n' + interpreter.versions;
}

ScriptInterpreter parse_interpreter(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return {.path = text};
  return {.path = text.substr(0, end), .versions = text.substr(end + 1)};
}

// The same versions in another folder are the same program.
const std::string& identity_of(const ScriptInterpreter& interpreter) {
  return interpreter.versions.empty() ? interpreter.path : interpreter.versions;
}

// Build id of a program without other files, else a digest of all files. `interpreter`: that
// kInterpreterFile will hold; without a path if that is among the files, or there is none.
std::string build_of(const fs::path& program, std::vector<fs::path> files,
                     const ScriptInterpreter& interpreter = {}) {
  if (files.empty() && interpreter.path.empty()) return run::program_build_id(program);
  files.push_back(program.filename());
  if (!interpreter.path.empty()) files.emplace_back(kInterpreterFile);
  std::ranges::sort(files);
  std::string text;
  for (const fs::path& file : files) {
    const auto read = [&] { return os::read_text(program.parent_path() / file).value_or(""); };
    const std::string content = file != kInterpreterFile   ? read()
                                : interpreter.path.empty() ? identity_of(parse_interpreter(read()))
                                                           : identity_of(interpreter);
    text += formatted("{}\n{}\n", file.generic_string(), digest(content));
  }
  return digest(text);
}

std::vector<std::string> tracked_files(const fs::path& folder) {
  const os::CommandResult listed = os::run_git(folder, {"ls-files", "-z"});
  if (!listed.started || listed.exit_status != 0) return {};
  std::vector<std::string> files;
  for (std::size_t at = 0, end = 0; (end = listed.out.find('\0', at)) != std::string::npos;
       at = end + 1) {
    files.push_back(listed.out.substr(at, end - at));
  }
  return files;
}

fs::path repository_of(const fs::path& folder) {
  const os::CommandResult top = os::run_git(folder, {"rev-parse", "--show-toplevel"});
  return top.exit_status == 0 ? fs::path(os::trim(top.out)) : fs::path{};
}

// The interpreter of all cases; no path: none is found, or they differ.
ScriptInterpreter interpreter_of(const plan::Plan& plan, const machine::Variables& variables) {
  std::set<std::string> found;
  for (const plan::PlannedCase& each : plan.cases) {
    try {
      found.insert(
          run::find_interpreter(machine::launcher_environment(variables, each.resolved).variables));
    } catch (const ConfigError&) {
      return {};
    }
  }
  if (found.size() != 1) return {};
  return {.path = *found.begin(), .versions = versions_of(*found.begin())};
}

NightProgram night_script(const plan::Plan& plan, const machine::Variables& variables) {
  std::set<std::string> scripts;
  for (const plan::PlannedCase& each : plan.cases) {
    scripts.insert(each.resolved.text_or("script.path", ""));
  }
  NightProgram script{.program = fs::absolute(*scripts.begin()).lexically_normal(),
                      .interpreter = interpreter_of(plan, variables),
                      .is_script = true};
  const fs::path folder = script.program.parent_path();
  const auto refuse = [&](std::string why) {
    script.why_not = std::move(why);
    script.build = run::program_build_id(script.program);
    return script;
  };
  if (scripts.size() > 1) return refuse("the experiment measures several scripts");
  const std::vector<std::string> tracked = tracked_files(folder);
  if (std::ranges::find(tracked, script.program.filename().string()) == tracked.end()) {
    return refuse(script.program.string() + " is not in a git repository: commit it");
  }
  std::uintmax_t bytes = 0;
  for (const std::string& file : tracked) {
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(folder / file, missing);
    if (missing) continue;
    bytes += size;
    if (file != script.program.filename()) script.files.emplace_back(file);
  }
  if (bytes > kMaxProgramBytes) {
    return refuse(formatted("the tracked files of {} are {}, more than {}", folder.string(),
                            text::byte_text(static_cast<double>(bytes)),
                            text::byte_text(static_cast<double>(kMaxProgramBytes))));
  }
  const fs::path repository = repository_of(folder);
  const std::string module =
      module_elsewhere(script.program, script.files, tracked_files(repository),
                       folder.lexically_relative(repository));
  if (!module.empty()) {
    return refuse(formatted("it imports {}, which lies in the repository outside of {}", module,
                            folder.string()));
  }
  script.build = build_of(script.program, script.files, script.interpreter);
  return script;
}

// Safe folder name for a build id, which the program itself may choose.
std::string folder_name(const std::string& build) {
  const bool plain = !build.empty() && build.size() <= 64 && !build.starts_with('.') &&
                     std::ranges::all_of(build, [](char letter) {
                       return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                              std::string_view("._-").find(letter) != std::string_view::npos;
                     });
  return plain ? build : digest(build);
}

// nullopt: missing or unreadable.
std::optional<std::string> build_at(const fs::path& program, const std::vector<fs::path>& files,
                                    const ScriptInterpreter& interpreter = {}) {
  std::error_code error;
  if (!fs::is_regular_file(program, error)) return std::nullopt;
  try {
    return build_of(program, files, interpreter);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

std::vector<fs::path> files_below(const fs::path& home, const fs::path& program) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(home, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored) || at->path() == program) continue;
    files.push_back(at->path().lexically_relative(home));
  }
  return files;
}

// For a Python script all files count, for other programs only code.
bool is_whole(const nights::StoredBuild& stored) {
  const fs::path home = stored.worker.parent_path();
  const std::vector<fs::path> files = files_below(home, stored.worker);
  return build_at(stored.worker, files) == stored.build_id ||
         build_at(stored.worker, code_of(home, files)) == stored.build_id;
}

void copy_into(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
  fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write, fs::perm_options::add);
}

// The temporary name is the same for all processes, so that leftovers are overwritten.
void copy_program(const NightProgram& program, const fs::path& home) {
  const fs::path folder = program.program.parent_path();
  const fs::path unfinished = home.string() + ".unfinished";
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);
  copy_into(program.program, unfinished / program.program.filename());
  for (const fs::path& file : program.files) copy_into(folder / file, unfinished / file);
  if (!program.interpreter.path.empty()) {
    std::ofstream file(unfinished / kInterpreterFile, std::ios::binary);
    file << interpreter_text(program.interpreter);
    if (!file.flush()) {
      throw fs::filesystem_error("", std::make_error_code(std::errc::io_error));
    }
  }
  fs::remove_all(home);
  fs::rename(unfinished, home);
}

}  // namespace

NightProgram night_program(const PlannedRun& run, const machine::Variables& variables) {
  const run::WorkerProgram& worker = run.worker.value();
  if (run::is_script_worker(worker.path)) return night_script(run.planned.plan, variables);
  NightProgram program{.program = fs::absolute(worker.path).lexically_normal()};
  ScriptFiles files = files_of_script(program.program);
  program.files = std::move(files.local_files);
  for (const fs::path& elsewhere : files.elsewhere) {
    program.notes.push_back(formatted(
        "{} names {}, which is not kept with it: if it changes, the reference changes too",
        program.program.filename().string(), elsewhere.string()));
  }
  const std::vector<fs::path> code = code_of(program.program.parent_path(), program.files);
  program.build = code.empty() ? worker.build_id : build_of(program.program, code);
  return program;
}

std::string store_program(nights::TrackStore& store, const NightProgram& program,
                          const fs::path& keep, std::string_view host, const std::string& now_utc) {
  if (!program.why_not.empty()) return program.why_not;
  const fs::path home = fs::absolute(keep).lexically_normal() / folder_name(program.build);
  const nights::StoredBuild stored{.build_id = program.build,
                                   .host = std::string(host),
                                   .worker = home / program.program.filename(),
                                   .stored_utc = now_utc};
  if (!is_whole(stored)) {
    const std::vector<fs::path> files =
        program.is_script ? program.files : code_of(program.program.parent_path(), program.files);
    if (build_at(program.program, files, program.interpreter) != program.build) {
      return program.program.string() + " changed while the night was measured";
    }
    try {
      copy_program(program, home);
    } catch (const fs::filesystem_error& error) {
      return formatted("{}: the program cannot be kept here: {}", home.string(),
                       error.code().message());
    }
    if (!is_whole(stored)) {
      std::error_code ignored;
      fs::remove_all(home, ignored);
      return program.program.string() + " changed while it was copied";
    }
  }
  const std::vector<nights::StoredBuild> builds = store.builds();
  const bool listed = std::ranges::any_of(builds, [&](const nights::StoredBuild& each) {
    return each.build_id == stored.build_id && each.host == stored.host &&
           each.worker == stored.worker;
  });
  if (!listed) store.store_build(stored);
  return {};
}

std::optional<fs::path> find_program(nights::TrackStore& store, const std::string& build,
                                     std::string_view host, const nights::TrackedRun* run) {
  for (const nights::StoredBuild& stored : store.builds()) {
    if (stored.build_id == build && stored.host == host && is_whole(stored)) return stored.worker;
  }
  if (run == nullptr || run->worker_path.empty() || run::is_script_worker(run->worker_path)) {
    return std::nullopt;
  }
  const fs::path program = fs::absolute(run->worker_path);
  const std::vector<fs::path> code =
      code_of(program.parent_path(), files_of_script(program).local_files);
  if (build_at(program, code) != build) return std::nullopt;
  return program;
}

ScriptInterpreter stored_interpreter(const fs::path& program) {
  return parse_interpreter(os::read_text(program.parent_path() / kInterpreterFile).value_or(""));
}

InterpreterState state_of(const ScriptInterpreter& stored, const ScriptInterpreter& tonight) {
  // The interpreter at the stored path may have been upgraded since; tonight's is known.
  if (stored.path.empty() || identity_of(stored) == identity_of(tonight)) {
    return InterpreterState::kReplaceable;
  }
  std::error_code error;
  const bool is_there =
      fs::is_regular_file(stored.path, error) && ::access(stored.path.c_str(), X_OK) == 0;
  if (is_there && versions_of(stored.path) == stored.versions) return InterpreterState::kUnchanged;
  return stored.path == tonight.path ? InterpreterState::kReplaceable : InterpreterState::kMissing;
}

std::string foreign_build_reason(const nights::StoredBuild& stored) {
  const fs::path home = stored.worker.parent_path();
  std::error_code error;
  if (!stored.worker.is_absolute() || stored.worker.lexically_normal() != stored.worker ||
      home.filename() != folder_name(stored.build_id)) {
    return "is not the folder of a kept program";
  }
  if (fs::is_symlink(home, error)) return "is a link";
  if (fs::exists(home, error) && !is_whole(stored)) {
    return "does not hold the program that was kept";
  }
  return {};
}

std::uint64_t bytes_below(const fs::path& home) {
  std::uint64_t bytes = 0;
  for (const fs::path& file : files_below(home, {})) {
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(home / file, ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

}  // namespace stepbench::campaign
