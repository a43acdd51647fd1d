// SPDX-License-Identifier: Apache-2.0
// One row of the table behind data.kind: what the catalogue says of a kind, what a model gets from
// it, and how its data set is opened. Each kind declares its row beside its code; the table is
// data_kinds.h.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "workloads/data/dataset.h"

namespace stepbench::data {

struct Maker;

// What a model gets from a sample. kImage: three channels. kVector: numbers of any other shape.
// kAny: known only when the files are opened.
enum class InputKind : std::uint8_t { kImage, kVector, kTokens, kAny };

struct DataKind {
  // Name, documentation and options.
  Variant variant;
  InputKind (*input)(const ResolvedCase& resolved) = nullptr;
  // Throws ConfigError naming the file or folder that is wrong. Null: PythonParts opens it.
  std::unique_ptr<Dataset> (*open)(const ResolvedCase& resolved) = nullptr;
  // Samples come as streams, without indices to shuffle.
  bool iterable = false;
  // What `stepbench data make` makes such files with; null: nothing.
  const Maker* maker = nullptr;
};

}  // namespace stepbench::data
