// SPDX-License-Identifier: Apache-2.0
// `sweep: {matrix, zip, exclude, include}` as lists of checked values. Points are numbered: first
// matrix x zip in the order of nested loops as written (the last varies fastest, zip innermost),
// then each include. --sweep adds or replaces values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/internal/settings.h"

namespace stepbench::plan {

struct SweptValue {
  Value value;
  Mark mark = {};
};

// Keys that advance together: one of `matrix`, or all of `zip`.
struct SweepAxis {
  struct Key {
    std::string name;
    std::string source = {};  // the file, or "--sweep model.precision"
    Mark mark = {};
    std::vector<SweptValue> values = {};
  };
  std::vector<Key> keys;
  bool zip = false;
  [[nodiscard]] std::size_t size() const { return keys.front().values.size(); }
};

// One entry of `exclude` (each key matches any of its values) or `include` (one value each).
struct SweepEntry {
  Mark mark = {};
  std::vector<SweepAxis::Key> keys = {};
};

struct Sweep {
  bool present = false;
  std::string where = {};  // the file's key `sweep`, or "--sweep"
  std::vector<SweepAxis> axes = {};
  std::vector<SweepEntry> excludes = {};
  std::vector<SweepEntry> includes = {};
  std::vector<std::string> notes = {};

  // Points of matrix x zip before exclude; without axes: 0 if there are includes, else 1.
  // Saturates.
  [[nodiscard]] std::int64_t grid() const;
  [[nodiscard]] std::int64_t points() const;  // grid() and includes
  void add_to_matrix(SweepAxis::Key key);     // appended before zip
};

// A value set by a point, in order of axes and keys.
struct PointValue {
  const SweepAxis::Key* key;
  const SweptValue* swept;
};

// Clears `values` first. `point` in 0 .. sweep.points() - 1.
void values_of(const Sweep& sweep, std::int64_t point, std::vector<PointValue>& values);

// Adds errors for: empty sweep or list, unknown keys, unequal zip lengths, a key in both matrix and
// zip, options that are not part of a case's identity.
[[nodiscard]] Sweep read_sweep(const ConfigNode& root, const ParseContext& context);

// Reads one option with its values in the form of `matrix`; if invalid, adds an error and returns
// nullopt.
[[nodiscard]] std::optional<SweepAxis::Key> read_matrix_key(const ConfigEntry& entry,
                                                            const ParseContext& context);

// `--sweep model.precision=fp32,bf16`, in order: the values are a YAML list with or without
// brackets. They replace those of an option of `matrix` or `zip`; another option is appended to
// `matrix`. Includes that name the option are removed, with a note; excludes stay. Adds errors,
// such as `zip` lists of different lengths.
void apply_sweep(std::span<const std::string> arguments, const ParseContext& context, Sweep& sweep);

}  // namespace stepbench::plan
