// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/row_names.h"

#include "harness/text/utf8.h"

#include <algorithm>
#include <array>

namespace stepbench::analyze {

bool is_tensor_core_eligible(std::string_view op) {
  // Sorted.
  constexpr std::array<std::string_view, 52> kOps = {
      "AddbmmBackward",
      "AddmmBackward",
      "AddmvBackward",
      "BmmBackward0",
      "CudnnConvolutionBackward",
      "CudnnConvolutionTransposeBackward",
      "MmBackward",
      "MvBackward",
      "aten::_convolution",
      "aten::_scaled_dot_product_cudnn_attention",
      "aten::_scaled_dot_product_cudnn_attention_backward",
      "aten::_scaled_dot_product_efficient_attention",
      "aten::_scaled_dot_product_efficient_attention_backward",
      "aten::_scaled_dot_product_flash_attention",
      "aten::_scaled_dot_product_flash_attention_backward",
      "aten::_thnn_fused_gru_cell",
      "aten::_thnn_fused_lstm_cell",
      "aten::addbmm",
      "aten::addmm",
      "aten::addmm_",
      "aten::addmv",
      "aten::addr",
      "aten::baddbmm",
      "aten::bmm",
      "aten::chain_matmul",
      "aten::conv1d",
      "aten::conv2d",
      "aten::conv3d",
      "aten::conv_tbc",
      "aten::conv_transpose1d",
      "aten::conv_transpose2d",
      "aten::conv_transpose3d",
      "aten::convolution",
      "aten::convolution_backward",
      "aten::cudnn_convolution",
      "aten::cudnn_convolution_backward",
      "aten::cudnn_convolution_backward_input",
      "aten::cudnn_convolution_backward_weight",
      "aten::cudnn_convolution_transpose",
      "aten::cudnn_convolution_transpose_backward",
      "aten::cudnn_convolution_transpose_backward_input",
      "aten::cudnn_convolution_transpose_backward_weight",
      "aten::gru_cell",
      "aten::linalg_multi_dot",
      "aten::linear",
      "aten::lstm_cell",
      "aten::matmul",
      "aten::mm",
      "aten::mv",
      "aten::prelu",
      "aten::rnn_relu_cell",
      "aten::rnn_tanh_cell"};
  return std::binary_search(kOps.begin(), kOps.end(), op);
}

bool probably_uses_tensor_cores(std::string_view kernel) {
  constexpr std::array<std::string_view, 8> kParts = {"nvjet",      "wgmma",     "tensorop",
                                                      "tensor16x8", "sm90_xmma", "xmma_fprop",
                                                      "xmma_dgrad", "xmma_wgrad"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return kernel.find(part) != std::string_view::npos;
  });
}

bool is_collective(std::string_view row) {
  return row.starts_with("nccl:") || row.starts_with("gloo:");
}

std::string short_row_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid) && name.ends_with(')')) {
    name.remove_prefix(kVoid.size());
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
      if (name[i] == ')') ++depth;
      if (name[i] == '(' && --depth == 0) {
        name = name.substr(0, i);
        break;
      }
    }
  }
  return text::shortened_inside(name, kLongest);
}

}  // namespace stepbench::analyze
