// SPDX-License-Identifier: Apache-2.0
// A row of the table behind data.kind: the kind in the catalogue, its data for a model, and how its
// data set is opened. And options that several kinds share. Each kind declares its row next to its
// code; the table is data_kinds.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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

// Options that several kinds share.

// data.path: a file or folder that must exist.
[[nodiscard]] Option path_option(std::string doc);
// Number of samples of a synthetic data set.
[[nodiscard]] Option samples_option();
[[nodiscard]] Option image_size_option();
[[nodiscard]] Option augment_option();
[[nodiscard]] Option decode_option();
[[nodiscard]] Option jpeg_decoder_option();
[[nodiscard]] Option on_error_option();
[[nodiscard]] Option split_option();
// `otherwise` is the default: float32 or stored.
[[nodiscard]] Option dtype_option(const std::string& otherwise);
// A null `default_value`: unset unless the file sets it.
[[nodiscard]] Option classes_option(Value default_value, std::string doc);

// data.jpeg_decoder: own
[[nodiscard]] bool has_own_jpeg_decoder(const ResolvedCase& resolved);
// data.on_error: skip
[[nodiscard]] bool skips_errors(const ResolvedCase& resolved);
// data.dtype: float32
[[nodiscard]] bool wants_floats(const ResolvedCase& resolved);

}  // namespace stepbench::data
