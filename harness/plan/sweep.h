// SPDX-License-Identifier: Apache-2.0
// `sweep: {matrix, zip, exclude, include}` as lists of checked values. Points are numbered: first
// matrix x zip in the order of nested loops as written (the last one fastest, zip innermost), then
// each include.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/settings.h"

namespace stepbench {

struct SweptValue {
  Value value;
  Mark mark = {};
};

// Keys that advance together: one of `matrix`, or all of `zip`.
struct Axis {
  struct Key {
    std::string name;
    Mark mark = {};
    std::vector<SweptValue> values = {};
  };
  std::vector<Key> keys;
  [[nodiscard]] std::size_t size() const { return keys.front().values.size(); }
};

// One entry of `exclude` (each key matches any of its values) or `include` (one value each).
struct SweepEntry {
  Mark mark = {};
  std::vector<Axis::Key> keys = {};
};

struct Sweep {
  bool present = false;
  Mark mark = {};
  std::vector<Axis> axes = {};
  std::vector<SweepEntry> excludes = {};
  std::vector<SweepEntry> includes = {};

  // Points of matrix x zip before exclude; 0 without axes when there are includes, 1 without a
  // sweep. Saturates.
  [[nodiscard]] std::int64_t grid() const;
  [[nodiscard]] std::int64_t points() const;  // grid() and includes
};

// What a point sets, in order of axes and keys.
struct PointValue {
  const std::string* name;
  const SweptValue* swept;
};

// `values` is cleared first. `point` in 0 .. sweep.points() - 1.
void values_of(const Sweep& sweep, std::int64_t point, std::vector<PointValue>& values);

// Notes errors: empty sweep or list, unknown keys, unequal zip lengths, a key in matrix and zip,
// options that are no part of a case's identity.
[[nodiscard]] Sweep read_sweep(const ConfigNode& root, const ParseContext& context);

}  // namespace stepbench
