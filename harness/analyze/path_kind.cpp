// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/path_kind.h"

namespace stepbench::analyze {}  // namespace stepbench::analyze
