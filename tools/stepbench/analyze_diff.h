// SPDX-License-Identifier: Apache-2.0
// `stepbench analyze NEW --diff BASE`.
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
  std::vector<analyze::TraceDiff> diffs = {};  // where a report is wanted
};

// Pairs the traces of both sides: those of one case of stepbench, of one rank, or of one file name
// up to its time; a side with one trace or case is paired with the other's one. Throws ConfigError
// where there is no pair; says on the terminal what has no counterpart.
[[nodiscard]] AnalyzeOutput diff_pages(const AnalyzeOptions& options,
                                       const document::RenderStyle& style,
                                       const std::vector<std::filesystem::path>& bases,
                                       const std::vector<std::filesystem::path>& news,
                                       const Environment& environment);

}  // namespace stepbench::cli
