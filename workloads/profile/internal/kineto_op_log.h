// SPDX-License-Identifier: Apache-2.0
// Converts records of libtorch's profiler. For files of this folder.
#pragma once

#include <torch/csrc/autograd/profiler_kineto.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/ops/op_log.h"

namespace stepbench::profile {

// Bytes by device; -1 is the host.
using AllocatedBytes = std::map<std::int16_t, std::int64_t>;

// `shapes`: whether they were recorded. `before`: allocated bytes at the window's begin, if known.
// The calling thread is step_thread.
[[nodiscard]] ops::OpLog make_op_log(const torch::autograd::profiler::ProfilerResult& result,
                                     bool shapes, const AllocatedBytes& before);

// Parses a copy's name: "Memcpy HtoD (Pageable -> Device)" is a copy from the host's pageable
// memory. Its size needs headers that wheels lack.
void describe_kineto_copy(std::string_view name, ops::DeviceActivity& activity);

// Describes for people that calls started work without a record; nullopt if all has records.
[[nodiscard]] std::optional<std::string> missing_work(const ops::OpLog& log);

}  // namespace stepbench::profile
