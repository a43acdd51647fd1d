// SPDX-License-Identifier: Apache-2.0
// The count that moved between the ends of a search. One launch that records operations tells the
// side of a commit by it, where pairs of launches would have to be timed. Main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "harness/bisect/bisect_run.h"
#include "harness/bisect/bisection.h"
#include "harness/record/reader.h"

namespace stepbench::bisect {

class MovedCount {
 public:
  // Launches of the commit at `place` that record operations; nullopt: a signal ended them. Throws
  // ConfigError where nothing can be counted.
  using Count =
      std::function<std::optional<record::Results>(std::size_t place, std::int64_t launches)>;
  explicit MovedCount(Count count) : count_(std::move(count)) {}

  // Counts both ends, unless a comparison of pairs did (`pairs`, by the count `name`). False: a
  // signal ended it. Where nothing can be counted, or nothing moved, nothing is known.
  bool find(std::size_t good, std::size_t bad);
  void take(record::Results pairs, std::string name);

  [[nodiscard]] bool is_known() const { return good_.has_value(); }
  [[nodiscard]] const std::string& name() const { return name_; }  // "op_calls"
  void forget() { good_.reset(); }

  enum class Told { kSide, kSignal, kNothing };
  // Tells the search the side of its commit.
  Told tell(const SearchStep& step, Bisection& bisection, JudgedStep& judged) const;

 private:
  Count count_;
  std::optional<record::Results> good_ = {};  // of the good end
  std::string arm_ = {};                      // of its launches in `good_`
  std::string name_ = {};
  bool by_pairs_ = false;  // the search knows the ends' step of it
  double moved_by_ = 0;    // else: log ratio of the ends
};

}  // namespace stepbench::bisect
