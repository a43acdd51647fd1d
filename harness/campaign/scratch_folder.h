// SPDX-License-Identifier: Apache-2.0
// A temporary folder for results that are not kept.
#pragma once

#include <string>

namespace stepbench::campaign {

// Removed with its content on destruction.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& prefix);  // in the folder for temporary files
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace stepbench::campaign
