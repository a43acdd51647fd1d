// SPDX-License-Identifier: Apache-2.0
// Tells collectors whether running operations repeat those of a forward pass, so that they can
// count only the model's own.
#pragma once

namespace stepbench::model {

// Thread-local like module_listener: the code that counts operations gets no context either.
inline constinit thread_local bool recomputing = false;

class [[nodiscard]] RecomputingScope {
 public:
  RecomputingScope() { recomputing = true; }
  RecomputingScope(const RecomputingScope&) = delete;
  RecomputingScope& operator=(const RecomputingScope&) = delete;
  ~RecomputingScope() { recomputing = false; }
};

}  // namespace stepbench::model
