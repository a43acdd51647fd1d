// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/files.h"
#include "harness/report/pages.h"

namespace stepbench::report {
namespace {

namespace fs = std::filesystem;

// True for an incomplete site. The index is written last: until then there are only pages, their
// script, and partial files of a program that was killed.
bool is_begun_site(const fs::path& folder) {
  bool has_page = false;
  bool has_script = false;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string whole = name.substr(0, name.rfind(os::kUnfinishedPart));
    if (!is_site_page(whole) && whole != kSiteIndex && whole != kSitePlotly) {
      return false;
    }
    has_page = has_page || is_site_page(name);
    has_script = has_script || name == kSitePlotly;
  }
  return has_page || !has_script;
}

// Accepts a new folder, an empty one, or a site of ours; never mixes with or replaces other files.
void check_site_folder(const std::string& flag, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw ConfigError(flag, formatted("{} cannot be made: {}", folder.string(), error.message()));
  }
  const bool is_site = fs::is_regular_file(folder / kSiteIndex, error);
  if (!is_site && !is_begun_site(folder)) {
    throw ConfigError(flag, folder.string() +
                                " holds files, but not a site of stepbench: they stay as they are. "
                                "Name a new or an empty folder");
  }
  os::check_files({.outputs = {{flag, folder / kSiteIndex}}});
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw ConfigError(flag, formatted("{} cannot be written: {}", folder.string(),
                                      std::generic_category().message(errno)));
  }
}

}  // namespace

SiteFolder::SiteFolder(std::string flag, fs::path folder)
    : flag_(std::move(flag)), folder_(std::move(folder)) {
  check_site_folder(flag_, folder_);
}

void SiteFolder::write(const SiteFile& file) {
  const fs::path path = folder_ / file.name;
  if (file.name != kSitePlotly) os::check_files({.outputs = {{flag_, path}}});
  os::write_output_file(flag_, path, file.text);
  bytes_ += file.text.size();
}

}  // namespace stepbench::report
