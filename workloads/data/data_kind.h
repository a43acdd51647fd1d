// SPDX-License-Identifier: Apache-2.0
// One row of the table behind data.kind: the kind's catalogue entry, the model input it provides,
// and how to open its data set. Each kind declares its row in its own file; data_kinds.h has the
// table.
#pragma once

#include <cstdint>
#include <memory>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "workloads/data/dataset.h"

namespace stepbench::data {

struct Maker;

// The model input of a sample. kImage: three channels. kVector: numbers of any other shape. kAny:
// known only once the files are open.
enum class InputKind : std::uint8_t { kImage, kVector, kTokens, kAny };

struct DataKind {
  Variant variant;
  InputKind (*input)(const ResolvedCase& resolved) = nullptr;
  // Throws ConfigError naming the invalid file or folder. Null: PythonParts opens it.
  std::unique_ptr<Dataset> (*open)(const ResolvedCase& resolved) = nullptr;
  // Samples come as streams and have no indices to shuffle.
  bool iterable = false;
  // Makes such files for `stepbench data make`; null: not supported.
  const Maker* maker = nullptr;
};

}  // namespace stepbench::data
