// SPDX-License-Identifier: Apache-2.0
// What is run, in which order. Agendas are pure and tested with scripted results: that of `run` is
// a list, that of `ab` measures pairs in blocks until the rule is satisfied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/record/reader.h"
#include "harness/record/rows.h"

namespace stepbench::run {

struct Job {
  std::size_t case_index = 0;  // in the arm's plan
  std::string arm = {};        // "" outside `ab`
  Pass pass = Pass::kTiming;
  int launch = 0;
  int block = 0;
  int position = 0;
  std::string note = {};  // for progress: what is known so far
  bool counts = false;    // under valgrind: see count_launch.h
  // Options that this launch has in place of the case's: none that is part of its identity.
  OptionValues context = {};
};

class Agenda {
 public:
  Agenda() = default;
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;
  virtual ~Agenda() = default;
  // The next launch, given everything finished so far; nullopt when all is done.
  [[nodiscard]] virtual std::optional<Job> next(const record::Results& finished) = 0;
  // For progress: launches still to come as far as it is known.
  [[nodiscard]] virtual std::size_t remaining() const = 0;
};

}  // namespace stepbench::run
