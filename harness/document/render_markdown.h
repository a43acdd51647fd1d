// SPDX-License-Identifier: Apache-2.0
// Renders a document as a comment on a pull request. Its text cannot end a row or begin a link
// (printable.h). Pure; any thread.
#pragma once

#include <string>

#include "harness/document/document.h"

namespace stepbench::document {

[[nodiscard]] std::string render_markdown(const Document& document);
// Without its title.
[[nodiscard]] std::string markdown_table(const Table& table);

}  // namespace stepbench::document
