// SPDX-License-Identifier: Apache-2.0
// The launches to run and their order. Agendas are pure and tested with scripted results: the
// agenda of `run` is a list, that of `ab` measures pairs in blocks until the stopping rule is met.
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
  std::size_t case_index = 0;  // index into the arm's plan
  std::string arm = {};        // "" outside `ab`
  Pass pass = Pass::kTiming;
  int launch = 0;
  int block = 0;
  int position = 0;
  std::string note = {};  // for progress: results so far
  bool counts = false;    // runs under valgrind: see count_launch.h
  // Options that replace the case's for this launch; none of them is part of its identity.
  OptionValues context = {};
};

class Agenda {
 public:
  Agenda() = default;
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;
  virtual ~Agenda() = default;
  // Returns the next launch, given all finished ones; nullopt when done.
  [[nodiscard]] virtual std::optional<Job> next(const record::Results& finished) = 0;
  // For progress: number of remaining launches, as far as known.
  [[nodiscard]] virtual std::size_t remaining() const = 0;
};

}  // namespace stepbench::run
