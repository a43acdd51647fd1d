// SPDX-License-Identifier: Apache-2.0
// A night that is under way, on disk: which experiments were begun, and in which folders. A night
// that a signal, a crash or a power cut ended goes on where it was, because the same command finds
// this file. One thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace stepbench::campaign {

// What was begun longer ago belongs to another night and is forgotten.
inline constexpr std::chrono::hours kNightLasts{20};

class UnfinishedNight {
 public:
  // In the folder `results`, which need not be there. `key` tells this night from others that are
  // measured into the same folder: host, experiments, options. Reads what an earlier call left.
  UnfinishedNight(const std::filesystem::path& results, const std::string& key,
                  std::chrono::system_clock::time_point now);

  // An earlier call left something to go on with.
  [[nodiscard]] bool goes_on() const { return goes_on_; }
  // When the first call of this night began.
  [[nodiscard]] const std::string& began_utc() const { return began_utc_; }
  // Where the experiment was begun; empty: not yet.
  [[nodiscard]] std::filesystem::path folder_of(const std::string& experiment) const;

  // Tonight begins now, whatever an earlier call left.
  void begin_anew(std::chrono::system_clock::time_point now);
  // The experiment's launches lie in `folder`. On disk when this returns. Throws ConfigError.
  void begun(const std::string& experiment, const std::filesystem::path& folder);
  // Everything was measured and told: the next call is another night.
  void end();

 private:
  void read(const std::string& oldest_utc);
  std::filesystem::path file_;
  std::string began_utc_;
  std::map<std::string, std::string> folders_;
  bool goes_on_ = false;
};

}  // namespace stepbench::campaign
