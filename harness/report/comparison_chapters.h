// SPDX-License-Identifier: Apache-2.0
// The ids of the chapters of a comparison, by which a page puts them in its own order.
#pragma once

namespace stepbench::report::comparison_chapters {

inline constexpr const char* kDesign = "design";
inline constexpr const char* kCases = "cases";
inline constexpr const char* kCauses = "causes";
inline constexpr const char* kRemarks = "remarks";
inline constexpr const char* kDoubts = "doubts";

}  // namespace stepbench::report::comparison_chapters
