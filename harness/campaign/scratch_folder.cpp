// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "harness/base/error.h"

namespace stepbench::campaign {

ScratchFolder::ScratchFolder(const std::string& prefix)
    : path_((std::filesystem::temp_directory_path() / (prefix + "-XXXXXX")).string()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw ConfigError(path_, "cannot be made: " + std::generic_category().message(errno));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace stepbench::campaign
