// SPDX-License-Identifier: Apache-2.0
// Shapes and arguments of an operator, as traces and workers write them, and what is computed of
// them. Input: a byte for the operator, the shapes, a line end, the arguments.
#include <array>

#include "harness/ops/flops.h"
#include "harness/ops/op_work.h"
#include "harness/trace/shapes_text.h"
#include "tests/fuzz/memory_file.h"

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

namespace {

constexpr std::array<std::string_view, 20> kOps = {
    "aten::mm",
    "aten::addmm",
    "aten::bmm",
    "aten::baddbmm",
    "aten::_scaled_mm",
    "aten::add",
    "aten::mul",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::convolution",
    "aten::_convolution",
    "aten::conv_transpose2d",
    "aten::convolution_backward",
    "aten::cudnn_convolution",
    "aten::_scaled_dot_product_flash_attention",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
    "aten::_scaled_dot_product_efficient_attention",
    "aten::_scaled_dot_product_efficient_attention_backward",
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view op = kOps.at(data[0] % kOps.size());
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  const std::size_t line = text.find('\n');
  const std::string_view shapes = text.substr(0, line);
  const std::string_view arguments =
      line == std::string_view::npos ? std::string_view{} : text.substr(line + 1);
  if (const auto work = ops::work_of(op, shapes, arguments)) {
    fuzz::require(work->flops >= 0 && work->elements >= 0 && work->masked_flops >= 0 &&
                      work->masked_flops <= work->flops,
                  "work is not negative");
  }
  (void)ops::flops(op, shapes, arguments);
  const std::string spaced = trace::spaced_array(shapes);
  fuzz::require(trace::spaced_array(spaced) == spaced, "what is spaced stays as it is");
  if (trace::are_plain_shapes(shapes)) {
    fuzz::require(trace::are_plain_shapes(trace::shapes_text(shapes)), "plain shapes stay plain");
  }
  if (trace::are_plain_arguments(arguments)) {
    fuzz::require(trace::are_plain_arguments(trace::arguments_text(arguments)),
                  "plain arguments stay plain");
  }
  return 0;
}
