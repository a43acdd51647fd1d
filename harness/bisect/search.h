// SPDX-License-Identifier: Apache-2.0
// Which commit is to be judged next, and what is known when none is left. Halving; a commit that
// cannot be judged is left out, and may hide the culprit. Pure; one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "harness/bisect/sequential_test.h"

namespace stepbench::bisect {

class Search {
 public:
  // Places 0, the good end, to `last`, the bad one; at least 1.
  explicit Search(std::size_t last) : bad_(last) {}

  // The one to judge; nullopt: the culprit is among those behind good() up to bad().
  [[nodiscard]] std::optional<std::size_t> next() const;
  // The next one and those that may follow it, nearest first, at most so many.
  [[nodiscard]] std::vector<std::size_t> ahead(std::size_t most) const;
  // Of what next() gave. kOpen, and a commit that cannot be built: it is left out.
  void take(std::size_t place, Side side);

  [[nodiscard]] std::size_t good() const { return good_; }  // the last one that is
  [[nodiscard]] std::size_t bad() const { return bad_; }    // the first one that is
  [[nodiscard]] bool named() const { return bad_ - good_ == 1; }

 private:
  std::size_t good_ = 0;
  std::size_t bad_;
  std::set<std::size_t> left_out_;
};

}  // namespace stepbench::bisect
