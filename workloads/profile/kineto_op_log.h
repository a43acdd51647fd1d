// SPDX-License-Identifier: Apache-2.0
// Translates what libtorch's profiler recorded. For files of this folder.
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

// `shapes`: whether they were recorded. `before`: what was allocated when the window began, where
// it is known. The calling thread is step_thread.
[[nodiscard]] ops::OpLog make_op_log(const torch::autograd::profiler::ProfilerResult& result,
                                     bool shapes, const AllocatedBytes& before);

// What a copy's name says: "Memcpy HtoD (Pageable -> Device)" is a copy from the host's pageable
// memory. How many bytes it moved stands in headers that wheels lack.
void describe_kineto_copy(std::string_view name, ops::DeviceActivity& activity);

// That calls started work of which the profiler has no record, for people; or nothing.
[[nodiscard]] std::optional<std::string> missing_work(const ops::OpLog& log);

}  // namespace stepbench::profile
