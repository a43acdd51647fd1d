// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "harness/base/resolved_case.h"
#include "harness/workload.h"

namespace stepbench::test {

using Options = std::map<std::string, Value>;

// A train_step case on the CPU with every default of the built-in catalogue, then `set`. The
// variants are those that `set` names.
[[nodiscard]] ResolvedCase train_case(const Options& set);

// Each reading is one nanosecond later than the one before.
class CountingClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return ++now_; }

 private:
  mutable std::int64_t now_ = 0;
};

// A tiny image model on 32 samples of synthetic images: trains in milliseconds.
[[nodiscard]] Options tiny_images(const std::string& model);

// "model.kind=gpt": true and false, integers and numbers are taken as such.
void set_option(Options& options, const std::string& text);

}  // namespace stepbench::test
