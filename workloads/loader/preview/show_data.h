// SPDX-License-Identifier: Apache-2.0
// `stepbench data show`, from a case to what is printed: in the program itself, or in a worker that
// is asked by `WORKER data`.
#pragma once

#include <string>
#include <string_view>

#include "workloads/loader/preview/data_preview.h"

namespace stepbench::loader {

struct ShowDataRequest {
  std::int64_t samples = 8;
  std::int64_t batches = 2;
  std::string png = {};  // the folder of the pictures, which is made; empty: none are made
  bool json = false;
  std::string title = {};  // for people, behind the case's id
  std::int64_t columns = 100;
};

// The second line that `WORKER data` reads, and back. Throws Error naming the field.
[[nodiscard]] std::string encode(const ShowDataRequest& request);
[[nodiscard]] ShowDataRequest decode_show_data(std::string_view line);

// What is to be printed. Throws ConfigError naming a picture's file if that is there already,
// before anything is read, and what preview_data() throws.
[[nodiscard]] std::string show_data(const ResolvedCase& resolved, const ShowDataRequest& request,
                                    const std::vector<Engine>& table, const OrderMaker& order,
                                    data::PythonParts* python = nullptr);

}  // namespace stepbench::loader
