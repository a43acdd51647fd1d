// SPDX-License-Identifier: Apache-2.0
// Keeps two processes, here or on another machine, from confirming the same case of the same night.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/track/track_store.h"

namespace stepbench::campaign {

// Gives back on destruction what it claimed. The store outlives it.
class CaseClaims {
 public:
  // `who`: user@host. A claim that is never given back ends after `lasts`, and at once where its
  // process ran on this machine and is gone.
  CaseClaims(track::TrackStore& store, std::string who, std::chrono::seconds lasts);
  CaseClaims(const CaseClaims&) = delete;
  CaseClaims& operator=(const CaseClaims&) = delete;
  ~CaseClaims();

  // False: another process confirms it now.
  [[nodiscard]] bool claim(const std::string& night, const std::string& case_id);

 private:
  track::TrackStore& store_;
  std::string who_;
  std::string claimant_;  // who, and which process of this machine
  std::chrono::seconds lasts_;
  std::vector<std::string> held_;
};

// "user@host#1234.567": a process, told apart from a later one with the same number.
[[nodiscard]] std::string claimant_name(const std::string& who, const std::string& host);
// Whether it ran on this machine and is gone.
[[nodiscard]] bool claimant_is_gone(const std::string& claimant, const std::string& host);

}  // namespace stepbench::campaign
