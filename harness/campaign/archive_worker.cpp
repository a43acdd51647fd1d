// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/archive_worker.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/campaign/confirm_claims.h"
#include "harness/campaign/kept_folder.h"
#include "harness/campaign/prune_programs.h"
#include "harness/campaign/script_files.h"
#include "harness/machine/environment.h"
#include "harness/os/output_file.h"
#include "harness/os/text_file.h"
#include "harness/run/script_worker.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

void copy_into(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  const auto content = os::read_text(from);
  if (!content) throw ConfigError(from.string(), "cannot be read");
  os::write_output_file({}, to, *content);
  fs::permissions(to, fs::status(from).permissions());
}

constexpr std::string_view kUnfinished = " unfinished";

// What a process that was killed has left of a copy. Another machine's is for that one to tell.
void remove_unfinished(const fs::path& dir) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool copy = name.find(std::string(kUnfinished) + " on ") != std::string::npos;
    if (copy && claimant_is_gone(name, machine::host_name("/"))) left.push_back(at->path());
  }
  for (const fs::path& each : left) fs::remove_all(each, error);
}

// Nothing half-made is ever seen under the name of the build.
void copy_program(const fs::path& program, const ScriptFiles& files, const fs::path& home) {
  const fs::path unfinished =
      home.parent_path() /
      claimant_name(home.filename().string() + std::string(kUnfinished), machine::host_name("/"));
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);
  try {
    copy_into(program, unfinished / program.filename());
    fs::permissions(unfinished / program.filename(), fs::perms::owner_exec | fs::perms::owner_read,
                    fs::perm_options::add);
    for (const fs::path& file : files.beside) {
      copy_into(program.parent_path() / file, unfinished / file);
    }
    fs::remove_all(home);
    fs::rename(unfinished, home);
  } catch (const std::exception& error) {
    fs::remove_all(unfinished, ignored);
    const auto* system = dynamic_cast<const fs::filesystem_error*>(&error);
    throw ConfigError(home.string(),
                      "the worker cannot be kept here: " +
                          (system == nullptr ? error.what() : system->code().message()));
  }
}

class Keeper {
 public:
  Keeper(track::TrackStore& store, const track::TrackedRun& run, const fs::path& dir,
         const std::string& now_utc)
      : store_(store), run_(run), dir_(fs::absolute(dir).lexically_normal()), now_utc_(now_utc) {}

  KeepReport take() {
    remove_unfinished(dir_);
    if (run_.build_id.empty() || run_.worker_path.empty()) {
      note("run " + run_.run_id + " does not say which worker measured it: nothing was kept");
    } else if (run::is_script_worker(run_.worker_path)) {
      note("run " + run_.run_id +
           " measured a Python script: nothing was kept, for what changes from night to night is "
           "the script and what it imports; check the version of an alert out of your repository "
           "and measure it with `stepbench ab --python`");
    } else {
      keep();
    }
    remove_old();
    return std::move(report_);
  }

 private:
  void note(std::string text) { report_.notes.push_back(std::move(text)); }

  void keep() {
    const fs::path program = run_.worker_path;
    const fs::path home = dir_ / kept_folder_name(run_.build_id);
    const fs::path copy = home / program.filename();
    const ScriptFiles files = files_of_script(program);
    if (build_id_of(copy) == run_.build_id) {
      if (!is_listed(copy)) record(copy);
      note_changes(program, files, home);
      return;
    }
    const auto now = build_id_of(program);
    if (!now) {
      note(program.string() + " is not here: build " + run_.build_id + " was not kept");
      return;
    }
    if (*now != run_.build_id) {
      note(program.string() + " is build " + *now + " by now: build " + run_.build_id +
           ", which measured " + run_.run_id + ", was not kept");
      return;
    }
    copy_program(program, files, home);
    if (build_id_of(copy) != run_.build_id) {
      std::error_code ignored;
      fs::remove_all(home, ignored);
      note(program.string() + " changed while it was copied: it was not kept");
      return;
    }
    for (const fs::path& elsewhere : files.elsewhere) {
      note(program.filename().string() + " names " + elsewhere.string() +
           ", which is not kept with it: where that changes, the kept worker does too");
    }
    report_.kept = record(copy);
  }

  // The build id of a script is of its own text.
  void note_changes(const fs::path& program, const ScriptFiles& files, const fs::path& home) {
    for (const fs::path& file : files.beside) {
      const auto before = build_id_of(home / file);
      if (before && before != build_id_of(program.parent_path() / file)) {
        note(file.string() + " beside " + program.filename().string() +
             " changed, and its build id did not: the one of before stays; name the version in "
             "the script to tell them apart");
        return;
      }
    }
  }

  [[nodiscard]] bool is_listed(const fs::path& copy) {
    const std::vector<track::KeptBuild> builds = store_.builds();
    return std::any_of(builds.begin(), builds.end(), [&](const track::KeptBuild& each) {
      return each.build_id == run_.build_id && each.worker == copy;
    });
  }

  track::KeptBuild record(const fs::path& copy) {
    const track::KeptBuild build{
        .build_id = run_.build_id, .host = run_.host, .worker = copy, .stored_utc = now_utc_};
    store_.keep_build(build);
    return build;
  }

  void remove_old() {
    PrunedPrograms pruned =
        prune_programs(store_, {.host = run_.host, .now_utc = run_.started_utc, .folder = dir_});
    for (const KeptProgram& each : pruned.programs) {
      if (each.removed) report_.removed.push_back(each.build.build_id);
    }
    for (std::string& text : pruned.notes) note(std::move(text));
  }

  track::TrackStore& store_;
  const track::TrackedRun& run_;
  fs::path dir_;
  std::string now_utc_;
  KeepReport report_;
};

}  // namespace

KeepReport archive_worker(track::TrackStore& store, const track::TrackedRun& run,
                          const fs::path& dir, const std::string& now_utc) {
  return Keeper(store, run, dir, now_utc).take();
}

}  // namespace stepbench::campaign
