// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "harness/ops/dtype.h"

namespace stepbench::ops {
namespace {

using Shape = std::vector<std::int64_t>;
using Shapes = std::vector<Shape>;
using Count = std::optional<std::int64_t>;
using Work = std::optional<OpWork>;

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 48;
// Sizes from a damaged file saturate here, so that sums of a few of them do not overflow.
constexpr std::int64_t kMax = std::int64_t{1} << 58;

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > kMax ? kMax : product;
}

std::int64_t product(std::span<const std::int64_t> extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all = times(all, extent);
  return all;
}

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  return product(std::span(factors.begin(), factors.size()));
}

// Splits "a, b" at the top level of nested brackets.
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
      if (!number || *number < 0 || *number > kMaxExtent) return std::nullopt;
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

// The inputs that are not tensors, by position; each is quoted.
class Arguments {
 public:
  explicit Arguments(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view text(std::size_t at) const { return quoted_text(text_, at); }
  // A single number applies to all dimensions.
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
  std::string_view text_;
};

std::optional<Shapes> parse_shapes(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.take('[')) return std::nullopt;
  Shapes shapes;
  while (!scanner.take(']')) {
    if (!shapes.empty() && !scanner.take(',')) return std::nullopt;
    std::optional<Shape> shape = scanner.integers();
    if (!shape) return std::nullopt;
    shapes.push_back(std::move(*shape));
  }
  return scanner.at_end() ? std::optional(std::move(shapes)) : std::nullopt;
}

// Product of inputs `first` and `first` + 1; an input before them is added to it.
Work matrix(const Shapes& in, std::size_t first, std::size_t dimensions) {
  if (in.size() < first + 2) return std::nullopt;
  const Shape& a = in[first];
  const Shape& b = in[first + 1];
  if (a.size() != dimensions || b.size() != dimensions) return std::nullopt;
  const std::int64_t batch = dimensions == 3 ? a[0] : 1;
  const std::int64_t m = a[dimensions - 2];
  const std::int64_t k = a[dimensions - 1];
  const std::int64_t n = b[dimensions - 1];
  return OpWork{.kind = WorkKind::kMatrix,
                .flops = product({2, batch, m, n, k}),
                .elements = product(a) + product(b) + product({batch, m, n}) +
                            (first == 0 ? 0 : product(in[0])),
                .typed_input = first};
}

// Inputs: input, weight of [outputs, inputs], bias.
Work linear(const Shapes& in) {
  if (in.size() < 2 || in[0].empty() || in[1].size() != 2) return std::nullopt;
  const std::int64_t rows = product(std::span(in[0]).first(in[0].size() - 1));
  const std::int64_t outputs = in[1][0];
  return OpWork{.kind = WorkKind::kMatrix,
                .flops = product({2, rows, outputs, in[1][1]}),
                .elements = product(in[0]) + product(in[1]) + times(rows, outputs) +
                            (in.size() > 2 && !in[2].empty() ? product(in[2]) : 0)};
}

Work elementwise(const Shapes& in) {
  if (in.empty()) return std::nullopt;
  Shape result = in[0];
  std::int64_t inputs = product(in[0]);
  if (in.size() > 1) {
    const Shape& other = in[1];
    inputs += product(other);
    if (other.size() > result.size()) {
      result.insert(result.begin(), other.size() - result.size(), 1);
    }
    for (std::size_t i = 0; i < other.size(); ++i) {
      std::int64_t& extent = result[result.size() - other.size() + i];
      extent = std::max(extent, other[i]);
    }
  }
  return OpWork{.kind = WorkKind::kElementwise,
                .flops = product(result),
                .elements = inputs + product(result)};
}

// One multiply-add per output and weight of its output channel and group. The weight is [C_out,
// C_in / groups, kernel...]; for a transposed convolution [C_in, C_out / groups, kernel...].
std::int64_t convolution_flops(std::span<const std::int64_t> output, const Shape& weight) {
  return product({2, output[0], product(output.subspan(2)), product(weight)});
}

bool are_convolved(const Shapes& in) {
  return in.size() >= 2 && in[0].size() >= 3 && in[0].size() == in[1].size();
}

// Inputs: input, weight, bias, stride, padding, dilation, groups.
Work convolution(const Shapes& in, const Arguments& arguments) {
  if (!are_convolved(in)) return std::nullopt;
  const Shape& input = in[0];
  const Shape& weight = in[1];
  const std::size_t dimensions = input.size() - 2;
  const auto stride = arguments.extents(3, dimensions);
  const auto padding = arguments.extents(4, dimensions);
  const auto dilation = arguments.extents(5, dimensions);
  if (!stride || !padding || !dilation) return std::nullopt;
  Shape output = {input[0], weight[0]};
  for (std::size_t i = 0; i < dimensions; ++i) {
    if ((*stride)[i] <= 0 || weight[i + 2] <= 0) return std::nullopt;
    const std::int64_t reach = times((*dilation)[i], weight[i + 2] - 1) + 1;
    const std::int64_t extent = (input[i + 2] + 2 * (*padding)[i] - reach) / (*stride)[i] + 1;
    if (extent <= 0) return std::nullopt;
    output.push_back(extent);
  }
  return OpWork{.kind = WorkKind::kConvolution,
                .flops = convolution_flops(output, weight),
                .elements = product(input) + product(weight) + product(output) +
                            (in.size() > 2 && !in[2].empty() ? product(in[2]) : 0)};
}

// Its operations do not depend on the output.
Work transposed_convolution(const Shapes& in, const Arguments& /*arguments*/) {
  if (!are_convolved(in)) return std::nullopt;
  return OpWork{.kind = WorkKind::kConvolution, .flops = convolution_flops(in[0], in[1])};
}

// Inputs: input, weight, bias, stride, padding, dilation, transposed.
Work any_convolution(const Shapes& in, const Arguments& arguments) {
  return arguments.is_true(6) ? transposed_convolution(in, arguments) : convolution(in, arguments);
}

// `gradients` gradients of a convolution; `output` is the output of its forward.
Work gradients_of(const Shape& output, const Shape& input, const Shape& weight,
                  std::int64_t gradients, bool transposed) {
  if (output.size() < 3 || weight.size() != output.size()) return std::nullopt;
  return OpWork{.kind = WorkKind::kConvolution,
                .backward = true,
                .flops = times(gradients, convolution_flops(transposed ? input : output, weight)),
                .elements = times(gradients, product(output) + product(input) + product(weight))};
}

// Number of requested gradients (input, weight) in "[True, False, True]"; default: both.
std::int64_t wanted_gradients(std::string_view mask) {
  const std::size_t comma = mask.find(',');
  const std::size_t second = comma == std::string_view::npos ? comma : mask.find(',', comma + 1);
  if (second == std::string_view::npos) return 2;
  const auto asked = [](std::string_view one) {
    return one.find("rue") != std::string_view::npos || one.find('1') != std::string_view::npos;
  };
  return std::int64_t{asked(mask.substr(0, comma))} +
         std::int64_t{asked(mask.substr(comma, second - comma))};
}

// Inputs: grad_output, input, weight, bias sizes, stride, padding, dilation, transposed, output
// padding, groups, which gradients.
Work convolution_backward(const Shapes& in, const Arguments& arguments) {
  if (in.size() < 3 || in[1].size() != in[0].size()) return std::nullopt;
  return gradients_of(in[0], in[1], in[2], wanted_gradients(arguments.text(10)),
                      arguments.is_true(7));
}

// torch before 1.11. Inputs: input, grad_output, weight, padding, stride, dilation, groups, three
// flags, requested gradients.
Work cudnn_convolution_backward(const Shapes& in, const Arguments& arguments) {
  if (in.size() < 3 || in[1].size() != in[0].size()) return std::nullopt;
  return gradients_of(in[1], in[0], in[2], wanted_gradients(arguments.text(10)), false);
}

struct AttentionKernel {
  std::string_view name;
  std::size_t causal;  // position of is_causal
  std::size_t causal_backward;
};

constexpr std::array kAttentionKernels = {
    AttentionKernel{"aten::_scaled_dot_product_flash_attention_for_cpu", 4, 7},
    AttentionKernel{"aten::_scaled_dot_product_flash_attention", 4, 11},
    AttentionKernel{"aten::_scaled_dot_product_efficient_attention", 6, 11},
    AttentionKernel{"aten::_scaled_dot_product_cudnn_attention", 6, 14}};

// Query, key, value: [batch, heads, length, width]; with grouped queries, keys have fewer heads.
Work attention(const Shapes& in, const Arguments& arguments, const AttentionKernel& kernel,
               bool backward) {
  const std::size_t query = backward ? 1 : 0;  // after grad_out
  if (in.size() < query + 3) return std::nullopt;
  const Shape& q = in[query];
  const Shape& k = in[query + 1];
  const Shape& v = in[query + 2];
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  const std::int64_t forward = product({2, q[0], q[1], q[2], k[2], q[3] + v[3]});
  const bool causal = arguments.is_true(backward ? kernel.causal_backward : kernel.causal);
  const std::int64_t flops = backward ? times(forward / 2, 5) : forward;
  return OpWork{.kind = WorkKind::kAttention,
                .backward = backward,
                .flops = flops,
                .masked_flops = causal && q[2] == k[2] ? flops / 2 : 0,
                .elements = times(backward ? 2 : 1, product(q) + product(k) + product(v) +
                                                        product({q[0], q[1], q[2], v[3]})),
                .typed_input = query};
}

struct Formula {
  std::string_view name;
  Work (*work)(const Shapes&, const Arguments&);
  bool counted_elsewhere = false;
};

constexpr std::array kFormulas = {
    Formula{"aten::mm", [](const Shapes& in, const Arguments&) { return matrix(in, 0, 2); }},
    Formula{"aten::addmm", [](const Shapes& in, const Arguments&) { return matrix(in, 1, 2); }},
    Formula{"aten::_addmm_activation",
            [](const Shapes& in, const Arguments&) { return matrix(in, 1, 2); }},
    Formula{"aten::bmm", [](const Shapes& in, const Arguments&) { return matrix(in, 0, 3); }},
    Formula{"aten::baddbmm", [](const Shapes& in, const Arguments&) { return matrix(in, 1, 3); }},
    Formula{"aten::_scaled_mm",
            [](const Shapes& in, const Arguments&) { return matrix(in, 0, 2); }},
    Formula{"aten::linear", [](const Shapes& in, const Arguments&) { return linear(in); }, true},
    Formula{"aten::add", [](const Shapes& in, const Arguments&) { return elementwise(in); }},
    Formula{"aten::mul", [](const Shapes& in, const Arguments&) { return elementwise(in); }},
    Formula{"aten::conv1d", convolution},
    Formula{"aten::conv2d", convolution},
    Formula{"aten::conv3d", convolution},
    Formula{"aten::conv_transpose1d", transposed_convolution},
    Formula{"aten::conv_transpose2d", transposed_convolution},
    Formula{"aten::conv_transpose3d", transposed_convolution},
    Formula{"aten::convolution", any_convolution, true},
    Formula{"aten::convolution_backward", convolution_backward},
    Formula{"aten::cudnn_convolution_backward", cudnn_convolution_backward},
};

const Formula* formula_of(std::string_view name) {
  const auto* found = std::ranges::find(kFormulas, name, &Formula::name);
  return found == kFormulas.end() ? nullptr : found;
}

constexpr std::string_view kBackward = "_backward";

const AttentionKernel* attention_kernel(std::string_view name) {
  if (name.ends_with(kBackward)) name.remove_suffix(kBackward.size());
  const auto* found = std::ranges::find(kAttentionKernels, name, &AttentionKernel::name);
  return found == kAttentionKernels.end() ? nullptr : found;
}

}  // namespace

bool has_work(std::string_view name) {
  return formula_of(name) != nullptr || attention_kernel(name) != nullptr;
}

bool is_counted_elsewhere(std::string_view name) {
  const Formula* formula = formula_of(name);
  return formula != nullptr && formula->counted_elsewhere;
}

std::optional<OpWork> work_of(std::string_view name, std::string_view shapes,
                              std::string_view arguments) {
  const Formula* formula = formula_of(name);
  const AttentionKernel* kernel = formula == nullptr ? attention_kernel(name) : nullptr;
  if (formula == nullptr && kernel == nullptr) return std::nullopt;
  const auto in = parse_shapes(shapes);
  if (!in) return std::nullopt;
  const Arguments others(arguments);
  const Work work = formula != nullptr ? formula->work(*in, others)
                                       : attention(*in, others, *kernel, name.ends_with(kBackward));
  return work && work->flops < kMax && work->elements < kMax ? work : std::nullopt;
}

std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                  std::string_view arguments) {
  if (is_counted_elsewhere(name)) return std::nullopt;
  const std::optional<OpWork> work = work_of(name, shapes, arguments);
  return work ? std::optional(work->flops) : std::nullopt;
}

}  // namespace stepbench::ops
