// SPDX-License-Identifier: Apache-2.0
#include "harness/document/render.h"

#include <algorithm>
#include <cstddef>

namespace stepbench::document {

std::string render(const Document& document, const RenderStyle& style) {
  constexpr int kMinColumns = 20;
  if (style.markdown) return render_markdown(document);
  const auto columns = static_cast<std::size_t>(std::max(style.columns, kMinColumns));
  return render_text(document, columns, style.colour);
}

}  // namespace stepbench::document
