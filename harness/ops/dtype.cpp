// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/dtype.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace stepbench::ops {
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

std::int64_t element_bytes(Dtype dtype) { return kBytes[static_cast<std::size_t>(dtype)]; }

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

}  // namespace stepbench::ops
