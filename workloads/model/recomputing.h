// SPDX-License-Identifier: Apache-2.0
// Whether operations that run now repeat what a forward pass computed already, for those who count
// the model's own.
#pragma once

namespace stepbench::model {

// A thread-local for the reason of module_listener: what counts operations gets no context either.
inline constinit thread_local bool recomputing = false;

class [[nodiscard]] RecomputingScope {
 public:
  RecomputingScope() { recomputing = true; }
  RecomputingScope(const RecomputingScope&) = delete;
  RecomputingScope& operator=(const RecomputingScope&) = delete;
  ~RecomputingScope() { recomputing = false; }
};

}  // namespace stepbench::model
