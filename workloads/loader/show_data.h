// SPDX-License-Identifier: Apache-2.0
// `stepbench data show`, from a case to its output, as text or JSON: in the program itself, or in a
// worker that `WORKER data` asks.
#pragma once

#include <string>
#include <string_view>

#include "workloads/loader/internal/preview/data_preview.h"

namespace stepbench::loader {

// True if the loaders of both cases deliver the same samples, transformed alike, in one order.
[[nodiscard]] bool same_samples(const ResolvedCase& a, const ResolvedCase& b);

struct ShowDataRequest {
  std::int64_t samples = 8;
  std::int64_t batches = 2;
  std::string png = {};  // folder for the pictures, created; empty: no pictures
  bool json = false;
  std::string title = {};  // follows the case's id in text
  std::int64_t columns = 100;
};

// The second input line of `WORKER data`, encoded and decoded. Throws Error naming the field.
[[nodiscard]] std::string encode(const ShowDataRequest& request);
[[nodiscard]] ShowDataRequest decode_show_data(std::string_view line);

// Returns the output. Throws ConfigError naming the first picture's file if it exists, before
// reading anything, and what preview_data() throws.
[[nodiscard]] std::string show_data(const ResolvedCase& resolved, const ShowDataRequest& request,
                                    const std::vector<Engine>& table, const OrderMaker& order,
                                    data::PythonParts* python = nullptr);

// Output: a DataPreview as text or JSON. Pure; any thread.

// `title` follows the case's id; may be empty. Lines fit `columns` if possible.
[[nodiscard]] std::string preview_text(const DataPreview& preview, const std::string& title,
                                       std::size_t columns);
// One JSON object on one line.
[[nodiscard]] std::string preview_json(const DataPreview& preview);

}  // namespace stepbench::loader
