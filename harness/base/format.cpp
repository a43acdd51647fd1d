// SPDX-License-Identifier: Apache-2.0
#include "harness/base/format.h"

namespace stepbench {

std::string formatted_text(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

}  // namespace stepbench
