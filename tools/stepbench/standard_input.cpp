// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/standard_input.h"

#include <iostream>

#include "harness/plan/plan.h"
#include "harness/plan/yaml_document.h"

namespace stepbench::cli {

std::optional<std::string> text_if_standard_input(const std::string& file) {
  if (file != plan::kStandardInput) return std::nullopt;
  return plan::read_config_text(std::cin, plan::source_name(file));
}

}  // namespace stepbench::cli
