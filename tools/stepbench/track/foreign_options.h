// SPDX-License-Identifier: Apache-2.0
// How files of other programs are read: options that `track add` and `track screen` share.
#pragma once

#include "harness/foreign/read_foreign.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_foreign_options(Command command, foreign::ForeignOptions& options);

// Whether any of them was given.
[[nodiscard]] bool is_given(const foreign::ForeignOptions& options);

// With this machine's name, where neither the file nor an option names one.
[[nodiscard]] foreign::ForeignOptions complete(foreign::ForeignOptions options);

}  // namespace stepbench::cli
