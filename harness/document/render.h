// SPDX-License-Identifier: Apache-2.0
// Renders a document in the requested format. Pure; any thread.
#pragma once

#include <string>

#include "harness/document/document.h"

namespace stepbench::document {

struct RenderStyle {
  bool markdown = false;
  bool colour = false;  // terminal only
  int columns = 100;    // terminal only; at least 20
};

[[nodiscard]] std::string render(const Document& document, const RenderStyle& style);

}  // namespace stepbench::document
