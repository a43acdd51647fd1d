// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/resolved_case.h"
#include "harness/workload.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::test {

using Options = std::map<std::string, Value>;

// A train_step case on the CPU with every default of the built-in catalogue, changed by `set`,
// which also selects the variants.
[[nodiscard]] ResolvedCase train_case(const Options& set);

// A tiny image model on 32 samples of synthetic images: trains in milliseconds.
[[nodiscard]] Options tiny_images(const std::string& model);

// "model.kind=gpt": true and false, integers and numbers are parsed.
void set_option(Options& options, const std::string& text);

}  // namespace stepbench::test
