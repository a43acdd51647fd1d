// SPDX-License-Identifier: Apache-2.0
// `stepbench analyze NEW --diff BASE`; the command itself is in the .cpp only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/analyze/diff.h"
#include "harness/document/render.h"
#include "tools/stepbench/analyze_input.h"

namespace stepbench::cli {

struct AnalyzeOutput {
  std::string text = {};
  int status = 0;
  std::vector<analyze::TraceDiff> diffs = {};  // for the report, if requested
};

// Pairs the traces of both sides by stepbench case, by rank, or by file name up to its time stamp;
// a single trace or case per side is paired with that of the other. Throws ConfigError if there is
// no pair; prints which traces have no counterpart.
[[nodiscard]] AnalyzeOutput diff_pages(const AnalyzeOptions& options,
                                       const document::RenderStyle& style,
                                       const std::vector<std::filesystem::path>& bases,
                                       const std::vector<std::filesystem::path>& news,
                                       const Environment& environment);

}  // namespace stepbench::cli
