// SPDX-License-Identifier: Apache-2.0
// Ids of the chapters of a comparison; a page uses them to reorder the chapters.
#pragma once

namespace stepbench::report::comparison_chapters {

inline constexpr const char* kDesign = "design";
inline constexpr const char* kCases = "cases";
inline constexpr const char* kCauses = "causes";
inline constexpr const char* kRemarks = "remarks";
inline constexpr const char* kDoubts = "doubts";

}  // namespace stepbench::report::comparison_chapters
