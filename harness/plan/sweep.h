// SPDX-License-Identifier: Apache-2.0
// `sweep: {matrix, zip, exclude, include}` as lists of checked values. Points are numbered: first
// matrix x zip in the order of nested loops as written (the last one fastest, zip innermost), then
// each include. --sweep adds to it and replaces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/settings.h"

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
  std::string where = {};  // the key `sweep` of the file, or "--sweep"
  std::vector<SweepAxis> axes = {};
  std::vector<SweepEntry> excludes = {};
  std::vector<SweepEntry> includes = {};
  std::vector<std::string> notes = {};

  // Points of matrix x zip before exclude; 0 without axes when there are includes, 1 without a
  // sweep. Saturates.
  [[nodiscard]] std::int64_t grid() const;
  [[nodiscard]] std::int64_t points() const;  // grid() and includes
  void add_to_matrix(SweepAxis::Key key);     // behind what is there, before zip
};

// What a point sets, in order of axes and keys.
struct PointValue {
  const SweepAxis::Key* key;
  const SweptValue* swept;
};

// `values` is cleared first. `point` in 0 .. sweep.points() - 1.
void values_of(const Sweep& sweep, std::int64_t point, std::vector<PointValue>& values);

// Notes errors: empty sweep or list, unknown keys, unequal zip lengths, a key in matrix and zip,
// options that are no part of a case's identity.
[[nodiscard]] Sweep read_sweep(const ConfigNode& root, const ParseContext& context);

// One option with its values as `matrix` has it; nullopt, and an error noted, if it is wrong.
[[nodiscard]] std::optional<SweepAxis::Key> read_matrix_key(const ConfigEntry& entry,
                                                            const ParseContext& context);

// `--sweep model.precision=fp32,bf16`, in order: the values are a YAML list without its brackets,
// or with them. An option of `matrix` or `zip` takes these values instead of the file's; another
// one becomes the last of `matrix`. An include that names the option is left out, with a note;
// excludes stay. Notes errors, as for lists of `zip` that are no longer of one length.
void apply_sweep(std::span<const std::string> arguments, const ParseContext& context, Sweep& sweep);

}  // namespace stepbench::plan
