// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_programs.h"

#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

std::optional<run::WorkerProgram> if_it_is(const fs::path& file, const std::string& build_id) {
  std::error_code ignored;
  if (build_id.empty() || file.empty() || !fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    std::string id = run::program_build_id(file);
    if (id != build_id) return std::nullopt;
    return run::WorkerProgram{fs::absolute(file), std::move(id)};
  } catch (const ConfigError&) {  // it cannot be read
    return std::nullopt;
  }
}

// Links in `to` to all that `from` holds, but for `without`. What cannot be linked is left out: a
// program that needs it says so when it starts.
void link_all(const fs::path& from, const fs::path& without, const fs::path& to) {
  std::error_code error;
  for (fs::directory_iterator at(from, error), end; !error && at != end; at.increment(error)) {
    if (at->path() == without) continue;
    std::error_code ignored;
    fs::create_symlink(at->path(), to / at->path().filename(), ignored);
  }
}

}  // namespace

std::optional<run::WorkerProgram> program_of_night(const track::TrackedRun& night,
                                                   std::span<const track::KeptBuild> kept) {
  for (const track::KeptBuild& build : kept) {
    if (build.build_id != night.build_id) continue;
    if (auto found = if_it_is(build.worker, night.build_id)) return found;
  }
  return if_it_is(night.worker_path, night.build_id);
}

run::WorkerProgram fresh_copy(const run::WorkerProgram& program, const fs::path& folder) {
  try {
    const fs::path original = fs::canonical(program.path);
    const fs::path home = original.parent_path();
    const fs::path above = home.parent_path();
    const bool at_root = home == home.root_path();
    const fs::path copied_home = at_root ? folder / "bin" : folder / home.filename();
    fs::create_directories(copied_home);
    const fs::path copy = copied_home / original.filename();
    fs::copy_file(original, copy, fs::copy_options::overwrite_existing);
    link_all(home, original, copied_home);
    if (!at_root && above != above.root_path()) link_all(above, home, folder);
    return {fs::absolute(copy), program.build_id};
  } catch (const fs::filesystem_error& error) {
    throw ConfigError(folder.string(), "cannot take a copy of " + program.path.string() + ": " +
                                           error.code().message());
  }
}

FreshFolder::FreshFolder(fs::path path) : path_(fs::absolute(path)) {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FreshFolder::~FreshFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

FreshFolder::Places FreshFolder::places(std::uint64_t seed) const {
  constexpr std::uint64_t kLengths = 29;
  constexpr std::uint64_t kLeastApart = 7;
  const std::uint64_t good = 1 + seed % kLengths;
  const std::uint64_t more = kLeastApart + seed / kLengths % kLengths;
  return {path_ / std::string(good, 'a'), path_ / std::string(good + more, 'b')};
}

}  // namespace stepbench::campaign
