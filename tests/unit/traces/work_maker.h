// SPDX-License-Identifier: Apache-2.0
// Operators with inputs, for traces of known work.
#pragma once

#include <string_view>

#include "tests/unit/traces/trace_maker.h"

namespace stepbench {

struct ShapedOp {
  std::string_view name = "aten::mm";
  std::string_view shapes = {};
  std::string_view types = {};
  std::string_view arguments = {};
};

inline traces::TraceEvent& shaped_op(TraceMaker& maker, std::uint32_t lane, const ShapedOp& op,
                                     std::int64_t begin_ns, std::int64_t end_ns) {
  traces::OpDetail detail;
  const auto text = [&](std::string_view words) {
    return words.empty() ? ops::kNoIndex : maker.builder.text(words);
  };
  detail.shapes = text(op.shapes);
  detail.types = text(op.types);
  detail.arguments = text(op.arguments);
  const std::uint32_t index = maker.builder.detail(detail);
  traces::TraceEvent& made = maker.row(lane, traces::EventKind::kOp, op.name, begin_ns, end_ns);
  made.detail = index;
  return made;
}

inline void name_device(TraceMaker& maker, std::string_view name, int id = 0) {
  maker.builder.trace().devices.push_back({.id = id, .name = std::string(name)});
}

}  // namespace stepbench
