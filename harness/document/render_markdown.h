// SPDX-License-Identifier: Apache-2.0
// A document as a comment on a pull request. What stands in it can end no row and begin no link
// (printable.h). Pure; any thread.
#pragma once

#include <string>

#include "harness/document/document.h"

namespace stepbench::document {

[[nodiscard]] std::string render_markdown(const Document& document);
// The table alone, without its title.
[[nodiscard]] std::string markdown_table(const Table& table);

}  // namespace stepbench::document
