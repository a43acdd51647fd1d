// SPDX-License-Identifier: Apache-2.0
// Records on disk which experiments of a night were begun, and in which folders. After a signal,
// crash or power cut, the same command finds this file and resumes the night. One thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace stepbench::campaign {

// Older files belong to another night and are ignored.
inline constexpr std::chrono::hours kNightLasts{20};

class UnfinishedNight {
 public:
  // The file is in the folder `results`, which need not exist. `key` distinguishes nights that are
  // measured into the same folder: host, experiments, options. Reads what an earlier call left.
  UnfinishedNight(const std::filesystem::path& results, const std::string& key,
                  std::chrono::system_clock::time_point now);

  // An earlier call left a night to resume.
  [[nodiscard]] bool resumes() const { return resumes_; }
  // Start of the first call of this night.
  [[nodiscard]] const std::string& began_utc() const { return began_utc_; }
  // Folder of the experiment; empty: not begun.
  [[nodiscard]] std::filesystem::path folder_of(const std::string& experiment) const;

  // Starts a new night and ignores what an earlier call left.
  void restart(std::chrono::system_clock::time_point now);
  // The experiment's launches are in `folder`. On disk when this returns. Throws ConfigError.
  void begun(const std::string& experiment, const std::filesystem::path& folder);
  // The night was measured and reported: the next call starts a new one.
  void end();

 private:
  void read(const std::string& oldest_utc);
  std::filesystem::path file_;
  std::string began_utc_;
  std::map<std::string, std::string> folders_;
  bool resumes_ = false;
};

}  // namespace stepbench::campaign
