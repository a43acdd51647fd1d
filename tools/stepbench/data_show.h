// SPDX-License-Identifier: Apache-2.0
// `stepbench data show`: what the loader of a case delivers.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Adds the command to `data`.
void add_data_show(Command data);

}  // namespace stepbench::cli
