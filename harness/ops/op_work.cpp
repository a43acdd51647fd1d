// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
    text_.remove_prefix(std::size_t(end - text_.data()));
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

namespace {

// Indexed by Dtype.
constexpr std::array<std::int64_t, 13> kBytes = {0, 8, 4, 4, 2, 2, 1, 8, 4, 2, 1, 8, 16};

struct DtypeText {
  std::string_view text;  // lower case, without "c10::"
  Dtype dtype;
};

constexpr DtypeText kTexts[] = {{"double", Dtype::kFp64},
                                {"float", Dtype::kFp32},
                                {"half", Dtype::kFp16},
                                {"bfloat16", Dtype::kBf16},
                                {"long int", Dtype::kInt64},
                                {"long", Dtype::kInt64},
                                {"int", Dtype::kInt32},
                                {"short int", Dtype::kInt16},
                                {"short", Dtype::kInt16},
                                {"signed char", Dtype::kInt8},
                                {"char", Dtype::kInt8},
                                {"unsigned char", Dtype::kInt8},
                                {"byte", Dtype::kInt8},
                                {"bool", Dtype::kInt8},
                                {"complex<float>", Dtype::kComplex64},
                                {"complexfloat", Dtype::kComplex64},
                                {"complex<double>", Dtype::kComplex128},
                                {"complexdouble", Dtype::kComplex128}};

}  // namespace

Dtype dtype_named(std::string_view text) {
  constexpr std::string_view kNamespace = "c10::";
  if (text.starts_with(kNamespace)) text.remove_prefix(kNamespace.size());
  std::string lower;
  for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (lower.starts_with("float8")) return Dtype::kFp8;
  const auto* known = std::ranges::find(kTexts, lower, &DtypeText::text);
  if (known != std::end(kTexts)) return known->dtype;
  return one_of<Dtype>(lower).value_or(Dtype::kUnknown);
}

std::int64_t element_bytes(Dtype dtype) { return kBytes[std::size_t(dtype)]; }

std::string_view quoted_text(std::string_view list, std::size_t index) {
  std::size_t open = list.find('"');
  while (open != std::string_view::npos) {
    const std::size_t close = list.find('"', open + 1);
    if (close == std::string_view::npos) break;
    if (index-- == 0) return list.substr(open + 1, close - open - 1);
    open = list.find('"', close + 1);
  }
  return {};
}

namespace {

// In TFLOP/s.
struct Rates {
  double fp64, fp32, tf32, bf16, fp16, fp8;
  std::string_view source;
};

// Half of the data sheets' rates where these are with sparsity.
constexpr Rates kGb200 = {40, 80, 1250, 2500, 2500, 5000, "NVIDIA GB200 NVL72 data sheet, per GPU"};
constexpr Rates kB200 = {37, 75, 1125, 2250, 2250, 4500, "NVIDIA HGX B200 data sheet, per GPU"};
constexpr Rates kHopperSxm = {
    67, 67, 494.5, 989.5, 989.5, 1979, "NVIDIA H100 SXM, H200 SXM and GH200 data sheets"};
constexpr Rates kHopperNvl = {
    60, 60, 417.5, 835.5, 835.5, 1671, "NVIDIA H100 NVL and H200 NVL data sheets"};
constexpr Rates kH100Pcie = {51, 51, 378, 756, 756, 1513, "NVIDIA H100 PCIe data sheet"};
constexpr Rates kA100 = {19.5, 19.5, 156, 312, 312, 0, "NVIDIA A100 data sheet"};
constexpr Rates kA40 = {0, 37.4, 74.8, 149.7, 149.7, 0, "NVIDIA A40 data sheet"};
constexpr Rates kA30 = {10.3, 10.3, 82, 165, 165, 0, "NVIDIA A30 data sheet"};
constexpr Rates kA10g = {0, 31.5, 35, 70, 70, 0, "NVIDIA A10G data sheet"};
constexpr Rates kA10 = {0, 31.2, 62.5, 125, 125, 0, "NVIDIA A10 data sheet"};
constexpr Rates kL40s = {0, 91.6, 183, 362, 362, 733, "NVIDIA L40S data sheet"};
constexpr Rates kL40 = {0, 90.5, 90.5, 181, 181, 362, "NVIDIA L40 data sheet"};
constexpr Rates kL4 = {0, 30.3, 60, 121, 121, 242.5, "NVIDIA L4 data sheet"};
constexpr Rates kT4 = {0, 8.1, 0, 0, 65, 0, "NVIDIA T4 data sheet"};
constexpr Rates kV100Sxm = {
    7.8, 15.7, 0, 0, 125, 0, "NVIDIA V100 SXM2 and DGX Station data sheets"};
constexpr Rates kV100Pcie = {7, 14, 0, 0, 112, 0, "NVIDIA V100 PCIe data sheet"};
constexpr Rates kRtx4090 = {
    0, 82.6, 82.6, 165.2, 165.2, 330.3, "NVIDIA Ada GPU architecture white paper, appendix A"};
constexpr Rates kRtx3090 = {
    0, 35.6, 35.6, 71, 71, 0, "NVIDIA Ampere GA102 GPU architecture white paper, appendix A"};
constexpr Rates kMi355x = {
    78.6, 157.3, 0, 2516.6, 2516.6, 5033.2, "AMD Instinct MI355X data sheet"};
constexpr Rates kMi300x = {
    163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, "AMD Instinct MI300X and MI325X data sheets"};
// The device is one of a module's two dies.
constexpr Rates kMi250x = {
    47.9, 47.9, 0, 191.5, 191.5, 0, "AMD Instinct MI250X data sheet, per die"};
constexpr Rates kMi210 = {45.3, 45.3, 0, 181, 181, 0, "AMD Instinct MI210 data sheet"};

struct NamedRates {
  std::string_view name;  // without the maker's name
  Rates rates;
  double memory_gb;  // per second
};

constexpr NamedRates kDevices[] = {
    {"GB200", kGb200, 8000},
    {"B200", kB200, 8000},
    {"H200", kHopperSxm, 4800},
    {"H200 NVL", kHopperNvl, 4800},
    {"GH200 480GB", kHopperSxm, 4000},
    {"GH200 144G HBM3e", kHopperSxm, 4900},
    {"H100 80GB HBM3", kHopperSxm, 3350},
    {"H100 NVL", kHopperNvl, 3900},
    {"H100 PCIe", kH100Pcie, 2000},
    {"A100-SXM4-40GB", kA100, 1555},
    {"A100-SXM4-80GB", kA100, 2039},
    {"A100-PCIE-40GB", kA100, 1555},
    {"A100-PCIE-80GB", kA100, 1935},
    {"A100 80GB PCIe", kA100, 1935},
    {"A40", kA40, 696},
    {"A30", kA30, 933},
    {"A10G", kA10g, 600},
    {"A10", kA10, 600},
    {"L40S", kL40s, 864},
    {"L40", kL40, 864},
    {"L4", kL4, 300},
    {"T4", kT4, 320},
    {"V100-SXM2-16GB", kV100Sxm, 900},
    {"V100-SXM2-32GB", kV100Sxm, 900},
    {"V100-DGXS-16GB", kV100Sxm, 900},
    {"V100-DGXS-32GB", kV100Sxm, 900},
    {"V100-PCIE-16GB", kV100Pcie, 900},
    {"V100-PCIE-32GB", kV100Pcie, 900},
    {"GeForce RTX 4090", kRtx4090, 1008},
    {"GeForce RTX 3090", kRtx3090, 936},
    {"Instinct MI355X", kMi355x, 8000},
    {"Instinct MI325X", kMi300x, 6000},
    {"Instinct MI300X", kMi300x, 5300},
    {"Instinct MI250X", kMi250x, 1638},
    {"Instinct MI210", kMi210, 1638},
};

// "NVIDIA A100-SXM4-40GB" (older drivers: without NVIDIA), "Tesla T4", "AMD Instinct MI300X".
std::string_view without_maker(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Tesla ", "AMD "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  return name;
}

}  // namespace

std::optional<double> DevicePeaks::flops(Dtype dtype) const {
  const auto known = [](double rate) { return rate > 0 ? std::optional(rate) : std::nullopt; };
  switch (dtype) {
    case Dtype::kFp64:
      return known(fp64_flops);
    case Dtype::kFp32:
      return known(fp32_flops);
    case Dtype::kTf32:
      return known(tf32_flops);
    case Dtype::kBf16:
      return known(bf16_flops);
    case Dtype::kFp16:
      return known(fp16_flops);
    case Dtype::kFp8:
      return known(fp8_flops);
    default:
      return std::nullopt;
  }
}

std::optional<DevicePeaks> device_peaks(std::string_view device_name) {
  const std::string_view name = without_maker(device_name);
  const auto* row = std::ranges::find(kDevices, name, &NamedRates::name);
  if (row == std::end(kDevices)) return std::nullopt;
  constexpr double kTera = 1e12;
  const Rates& rates = row->rates;
  return DevicePeaks{.fp64_flops = rates.fp64 * kTera,
                     .fp32_flops = rates.fp32 * kTera,
                     .tf32_flops = rates.tf32 * kTera,
                     .bf16_flops = rates.bf16 * kTera,
                     .fp16_flops = rates.fp16 * kTera,
                     .fp8_flops = rates.fp8 * kTera,
                     .memory_bytes = row->memory_gb * 1e9,
                     .source = rates.source};
}

}  // namespace stepbench::ops
