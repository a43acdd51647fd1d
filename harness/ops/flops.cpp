// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/flops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <string>
#include <utility>

namespace stepbench::ops {
namespace {

using Shapes = std::vector<Shape>;
using Count = std::optional<std::int64_t>;

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// Cuts "a, b" at the top level: brackets nest.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  Count integer() {
    skip_blanks();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return number;
  }
  std::optional<Shape> integers() {
    if (!take('[')) return std::nullopt;
    Shape shape;
    while (!take(']')) {
      if (!shape.empty() && !take(',')) return std::nullopt;
      const Count number = integer();
      if (!number) return std::nullopt;
      shape.push_back(*number);
    }
    return shape;
  }
  bool at_end() {
    skip_blanks();
    return text_.empty();
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  std::string_view text_;
};

// The inputs that are no tensors, by position; each stands in quotes.
class Arguments {
 public:
  explicit Arguments(std::string_view text) {
    for (std::size_t open = text.find('"'); open != std::string_view::npos;) {
      const std::size_t close = text.find('"', open + 1);
      if (close == std::string_view::npos) break;
      all_.push_back(text.substr(open + 1, close - open - 1));
      open = text.find('"', close + 1);
    }
  }

  [[nodiscard]] std::string_view text(std::size_t at) const {
    return at < all_.size() ? all_[at] : std::string_view();
  }
  // One number stands for all dimensions.
  [[nodiscard]] std::optional<Shape> extents(std::size_t at, std::size_t dimensions) const {
    Scanner scanner(text(at));
    std::optional<Shape> list = scanner.integers();
    if (!list || list->empty()) return std::nullopt;
    if (list->size() == 1) list->resize(dimensions, list->front());
    return list->size() == dimensions ? list : std::nullopt;
  }
  [[nodiscard]] bool is_true(std::size_t at) const {
    return text(at) == "True" || text(at) == "true" || text(at) == "1";
  }

 private:
  std::vector<std::string_view> all_;
};

Count matrix(const Shapes& in, std::size_t first, bool batched) {
  if (in.size() < first + 2) return std::nullopt;
  const Shape& a = in[first];
  const Shape& b = in[first + 1];
  const std::size_t dimensions = batched ? 3 : 2;
  if (a.size() != dimensions || b.size() != dimensions) return std::nullopt;
  return matrix_flops(batched ? a[0] : 1, a[dimensions - 2], b[dimensions - 1], a[dimensions - 1]);
}

Count elementwise(const Shapes& in) {
  if (in.empty()) return std::nullopt;
  Shape result = in[0];
  if (in.size() > 1) {
    const Shape& other = in[1];
    if (other.size() > result.size()) {
      result.insert(result.begin(), other.size() - result.size(), 1);
    }
    for (std::size_t i = 0; i < other.size(); ++i) {
      std::int64_t& extent = result[result.size() - other.size() + i];
      extent = std::max(extent, other[i]);
    }
  }
  return result.empty() ? Count(1) : Count(product(result));
}

// Inputs: input, weight, bias, stride, padding, dilation, groups.
Count convolution(const Shapes& in, const Arguments& arguments) {
  if (in.size() < 2 || in[0].size() < 3 || in[0].size() != in[1].size()) return std::nullopt;
  const Shape& input = in[0];
  const Shape& weight = in[1];
  const std::size_t dimensions = input.size() - 2;
  const auto stride = arguments.extents(3, dimensions);
  const auto padding = arguments.extents(4, dimensions);
  const auto dilation = arguments.extents(5, dimensions);
  if (!stride || !padding || !dilation) return std::nullopt;
  Shape output = {input[0], weight[0]};
  for (std::size_t i = 0; i < dimensions; ++i) {
    if ((*stride)[i] <= 0) return std::nullopt;
    const std::int64_t reach = (*dilation)[i] * (weight[i + 2] - 1) + 1;
    output.push_back((input[i + 2] + 2 * (*padding)[i] - reach) / (*stride)[i] + 1);
  }
  return convolution_flops(output, weight);
}

Count transposed_convolution(const Shapes& in) {
  if (in.size() < 2 || in[0].size() < 3 || in[0].size() != in[1].size()) return std::nullopt;
  return convolution_flops(in[0], in[1]);
}

// Inputs: grad_output, input, weight, bias sizes, stride, padding, dilation, transposed, output
// padding, groups, which gradients.
Count convolution_backward(const Shapes& in, const Arguments& arguments) {
  if (in.size() < 3 || in[0].size() < 3 || in[2].size() != in[0].size()) return std::nullopt;
  const std::string_view wanted = arguments.text(10);
  std::int64_t gradients = 2;
  if (!wanted.empty()) {
    std::string lower;
    for (const char c : wanted) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const std::string_view rest(lower);
    const std::size_t comma = rest.find(',');
    const std::size_t second = comma == std::string_view::npos ? comma : rest.find(',', comma + 1);
    const auto asked = [](std::string_view one) {
      return one.find("true") != std::string_view::npos || one.find('1') != std::string_view::npos;
    };
    if (second != std::string_view::npos) {
      gradients = asked(rest.substr(0, comma)) + asked(rest.substr(comma, second - comma));
    }
  }
  const bool transposed = arguments.is_true(7);
  return gradients * convolution_flops(transposed ? in[1] : in[0], in[2]);
}

Count attention(const Shapes& in, std::size_t query) {
  if (in.size() < query + 3) return std::nullopt;
  const Shape& q = in[query];
  const Shape& k = in[query + 1];
  const Shape& v = in[query + 2];
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  return 2 * q[0] * q[1] * q[2] * k[2] * (q[3] + v[3]);
}

Count attention_backward(const Shapes& in) {
  const Count forward = attention(in, 1);  // behind grad_out
  return forward ? Count(*forward / 2 * 5) : std::nullopt;
}

struct Formula {
  std::string_view name;
  Count (*count)(const Shapes&, const Arguments&);
};

constexpr std::array kFormulas = {
    Formula{"aten::mm", [](const Shapes& in, const Arguments&) { return matrix(in, 0, false); }},
    Formula{"aten::addmm", [](const Shapes& in, const Arguments&) { return matrix(in, 1, false); }},
    Formula{"aten::bmm", [](const Shapes& in, const Arguments&) { return matrix(in, 0, true); }},
    Formula{"aten::baddbmm",
            [](const Shapes& in, const Arguments&) { return matrix(in, 1, true); }},
    Formula{"aten::add", [](const Shapes& in, const Arguments&) { return elementwise(in); }},
    Formula{"aten::mul", [](const Shapes& in, const Arguments&) { return elementwise(in); }},
    Formula{"aten::conv1d", convolution},
    Formula{"aten::conv2d", convolution},
    Formula{"aten::conv3d", convolution},
    Formula{"aten::conv_transpose1d",
            [](const Shapes& in, const Arguments&) { return transposed_convolution(in); }},
    Formula{"aten::conv_transpose2d",
            [](const Shapes& in, const Arguments&) { return transposed_convolution(in); }},
    Formula{"aten::conv_transpose3d",
            [](const Shapes& in, const Arguments&) { return transposed_convolution(in); }},
    Formula{"aten::convolution_backward", convolution_backward},
};

bool is_attention(std::string_view name) {
  constexpr std::array<std::string_view, 4> kKernels = {
      "aten::_scaled_dot_product_flash_attention_for_cpu",
      "aten::_scaled_dot_product_flash_attention", "aten::_scaled_dot_product_efficient_attention",
      "aten::_scaled_dot_product_cudnn_attention"};
  return std::find(kKernels.begin(), kKernels.end(), name) != kKernels.end();
}

}  // namespace

std::int64_t matrix_flops(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
  return 2 * batch * m * n * k;
}

std::int64_t convolution_flops(std::span<const std::int64_t> output,
                               std::span<const std::int64_t> weight) {
  return 2 * output[0] * product(output.subspan(2)) * product(weight);
}

std::optional<std::vector<Shape>> parse_shapes(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.take('[')) return std::nullopt;
  std::vector<Shape> shapes;
  while (!scanner.take(']')) {
    if (!shapes.empty() && !scanner.take(',')) return std::nullopt;
    std::optional<Shape> shape = scanner.integers();
    if (!shape) return std::nullopt;
    shapes.push_back(std::move(*shape));
  }
  return scanner.at_end() ? std::optional(std::move(shapes)) : std::nullopt;
}

std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                  std::string_view arguments) {
  constexpr std::string_view kBackward = "_backward";
  const auto formula = std::find_if(kFormulas.begin(), kFormulas.end(),
                                    [&](const Formula& each) { return each.name == name; });
  const bool forward = is_attention(name);
  const bool backward =
      name.ends_with(kBackward) && is_attention(name.substr(0, name.size() - kBackward.size()));
  if (formula == kFormulas.end() && !forward && !backward) return std::nullopt;
  const auto in = parse_shapes(shapes);
  if (!in) return std::nullopt;
  if (forward) return attention(*in, 0);
  if (backward) return attention_backward(*in);
  return formula->count(*in, Arguments(arguments));
}

}  // namespace stepbench::ops
