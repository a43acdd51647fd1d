// SPDX-License-Identifier: Apache-2.0
// Properties of op and kernel names beyond trace/name_facts.h. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::analyze {

// Matrix products, convolutions, attention and recurrent cells: ops that automatic mixed precision
// casts, so that their kernels can use tensor cores.
[[nodiscard]] bool is_tensor_core_eligible(std::string_view op);

// Newer kernel names that use tensor cores but are not covered by the names that published numbers
// are based on: "nvjet_...", "..._wgmma_...".
[[nodiscard]] bool probably_uses_tensor_cores(std::string_view kernel);

// A kernel's name without its return type, parameters and namespaces:
// "vectorized_elementwise_kernel <4, CUDAFunctor_add<float>, array<char*, 3ul> >".
[[nodiscard]] std::string readable_row_name(std::string_view name);

// At most `cells` cells each; similar names are cut to show where they differ.
[[nodiscard]] std::vector<std::string> distinct_row_names(std::span<const std::string_view> names,
                                                          std::size_t cells);

// "[[8, 32], [32, 64], [], []]" -> "[8, 32] [32, 64]".
[[nodiscard]] std::string tensor_shapes(std::string_view shapes);

// The readable name, shortened in the middle if long; for sentences.
[[nodiscard]] std::string short_row_name(std::string_view name);

}  // namespace stepbench::analyze
