// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/row_names.h"

#include "harness/text/utf8.h"

#include <algorithm>
#include <array>
#include <cctype>

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
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; });
}

std::string readable_row_name(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (!name.starts_with(kVoid) || !name.ends_with(')')) return std::string(name);
  name.remove_prefix(kVoid.size());
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      name = name.substr(0, i);
      break;
    }
  }
  // Scopes are less informative than the name itself.
  constexpr std::array<std::string_view, 7> kScopes = {
      "at::native::", "at::cuda::", "(anonymous namespace)::", "at::detail::", "std::",
      "c10::",        "cub::"};
  std::string text;
  while (!name.empty()) {
    const auto scope = std::ranges::find_if(
        kScopes, [&](std::string_view each) { return name.starts_with(each); });
    const bool at_its_start =
        text.empty() ||
        (std::isalnum(static_cast<unsigned char>(text.back())) == 0 && text.back() != '_');
    if (scope != kScopes.end() && at_its_start) {
      name.remove_prefix(scope->size());
      continue;
    }
    text += name.front();
    name.remove_prefix(1);
  }
  return text;
}

std::string short_row_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  return text::shortened_inside(readable_row_name(name), kLongest);
}

std::vector<std::string> distinct_row_names(std::span<const std::string_view> names,
                                            std::size_t cells) {
  std::vector<std::string> readable;
  std::vector<std::string> cut;
  for (const std::string_view name : names) {
    readable.push_back(readable_row_name(name));
    cut.push_back(text::shortened_inside(readable.back(), cells));
  }
  text::keep_apart(readable, cells, cut);
  return cut;
}

std::string tensor_shapes(std::string_view shapes) {
  if (shapes.size() < 2) return std::string(shapes);
  std::string out;
  for (std::size_t open = shapes.find('[', 1); open != std::string_view::npos;) {
    const std::size_t close = shapes.find(']', open);
    if (close == std::string_view::npos) break;
    if (close > open + 1) {
      out += (out.empty() ? "" : " ") + std::string(shapes.substr(open, close - open + 1));
    }
    open = shapes.find('[', close);
  }
  return out;
}

}  // namespace stepbench::analyze
