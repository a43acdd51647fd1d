// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "tests/fuzz/memory_file.h"
#include "workloads/data/dataset.h"

namespace stepbench::fuzz {

// Opens a data set and reads its first samples. An Error is an answer; anything else is not caught.
void read_samples(const std::function<std::unique_ptr<data::Dataset>()>& open);

// The two files of a set in one input: a little-endian u16 with the length of the first, both.
struct TwoFiles {
  std::span<const std::uint8_t> first, second;
};
[[nodiscard]] TwoFiles split(std::span<const std::uint8_t> input);

}  // namespace stepbench::fuzz
