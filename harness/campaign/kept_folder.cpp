// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/kept_folder.h"

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/run/run_header.h"
#include "harness/run/worker_program.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string kept_folder_name(const std::string& build_id) {
  const std::string safe = run::file_name_part(build_id);
  const bool plain = safe == build_id && !safe.starts_with('.') && safe.size() <= 64;
  return plain ? safe : digest(build_id);
}

std::optional<std::string> build_id_of(const fs::path& program) {
  std::error_code error;
  if (!fs::is_regular_file(program, error)) return std::nullopt;
  try {
    return run::program_build_id(program);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

std::string why_not_ours(const track::KeptBuild& build) {
  const fs::path home = build.worker.parent_path();
  std::error_code error;
  if (!build.worker.is_absolute() || build.worker.lexically_normal() != build.worker ||
      home.filename() != kept_folder_name(build.build_id)) {
    return "is no folder of a kept program";
  }
  if (fs::is_symlink(home, error)) return "is a link";
  if (fs::exists(home, error) && build_id_of(build.worker) != build.build_id) {
    return "does not hold the program that was kept";
  }
  return {};
}

}  // namespace stepbench::campaign
