// SPDX-License-Identifier: Apache-2.0
// A document as its reader asked for it. Pure; any thread.
#pragma once

#include <string>

#include "harness/document/document.h"

namespace stepbench::document {

struct RenderStyle {
  bool markdown = false;
  bool colour = false;  // of a terminal
  int columns = 100;    // of a terminal, at least 20
};

[[nodiscard]] std::string render(const Document& document, const RenderStyle& style);

}  // namespace stepbench::document
