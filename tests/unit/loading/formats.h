// SPDX-License-Identifier: Apache-2.0
// A small set of every format of numeric files, and ways to read samples.
#pragma once

#include <cstring>
#include <ostream>

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/loading/test_images.h"
#include "workloads/data/data_kinds.h"
#include "workloads/data/internal/formats/cifar_bin.h"
#include "workloads/data/internal/formats/mnist_idx.h"
#include "workloads/data/internal/formats/tensor_files.h"
#include "workloads/data/internal/formats/token_bin.h"

namespace stepbench::test {

using Changes = std::map<std::string, std::int64_t, std::less<>>;

inline const data::Maker& maker(const std::string& kind) {
  for (const data::Maker* row : data::makers()) {
    if (row->kind == kind) return *row;
  }
  throw Error("no maker " + kind);
}

inline data::MadeFolder make(const std::string& kind, const fs::path& out, const Changes& changes) {
  data::MakerValues values = data::maker_values(maker(kind), out);
  for (const auto& [name, value] : changes) values.options.at(name) = value;
  return data::make_data(maker(kind), values, {});
}

// The fields of a sample, byte by byte.
inline std::vector<std::vector<std::byte>> sample(const data::Dataset& data,
                                                  const data::SampleKey& key,
                                                  data::ReadCost* cost = nullptr) {
  std::vector<std::vector<std::byte>> fields;
  std::vector<std::byte*> slots;
  for (const FieldSpec& spec : data.fields()) fields.emplace_back(spec.bytes());
  for (auto& field : fields) slots.push_back(field.data());
  data::ReadCost own;
  const auto scratch = data.make_scratch();
  data.read(key, slots, *scratch, cost != nullptr ? *cost : own);
  return fields;
}

template <typename T>
std::vector<T> numbers(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

inline std::vector<std::int64_t> labels(const data::Dataset& data) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    all.push_back(numbers<std::int64_t>(sample(data, {.index = i}).at(1)).at(0));
  }
  return all;
}

struct SmallFormat {
  std::string name;
  std::string kind;
  Changes changes;
  std::vector<std::string> files;
  std::function<std::unique_ptr<data::Dataset>(const fs::path& folder, bool skip)> open;
};

inline void PrintTo(const SmallFormat& format, std::ostream* out) { *out << format.name; }

inline std::vector<SmallFormat> small_formats() {
  using Path = fs::path;
  const auto tokens = [](const Path& folder, bool skip) {
    return std::make_unique<data::TokenBin>(data::TokenBinOptions{
        .path = folder / "train.bin", .sequence_length = 4, .vocabulary = 90, .skip_errors = skip});
  };
  const auto cifar = [](bool hundred) {
    return [hundred](const Path& folder, bool skip) {
      return data::open_cifar_bin(data::find_cifar_files(folder, hundred, false), hundred,
                                  {.skip_errors = skip});
    };
  };
  return {
      {"mnist_idx",
       "mnist_idx",
       {{"samples", 4}, {"size", 3}},
       {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"},
       [](const Path& folder, bool skip) {
         return data::open_mnist_idx(data::find_idx_files(folder, false), {.skip_errors = skip});
       }},
      {"cifar10", "cifar_bin", {{"samples", 5}}, {"data_batch_2.bin"}, cifar(false)},
      {"cifar100", "cifar_bin", {{"samples", 2}, {"labels", 1}}, {"train.bin"}, cifar(true)},
      {"nanogpt", "token_bin", {{"tokens", 14}, {"vocabulary", 90}}, {"train.bin"}, tokens},
      {"llm_c",
       "token_bin",
       {{"tokens", 14}, {"vocabulary", 90}, {"header", 1}},
       {"train.bin"},
       tokens},
      {"llm_c_wide",
       "token_bin",
       {{"tokens", 9}, {"vocabulary", 90}, {"header", 1}, {"token-type", 1}},
       {"train.bin"},
       tokens},
      {"safetensors",
       "safetensors",
       {{"samples", 4}, {"size", 2}},
       {"data.safetensors"},
       [](const Path& folder, bool skip) {
         return data::open_safetensors(
             {.common = {.path = folder, .classes = 10, .skip_errors = skip}});
       }},
      {"raw_tensor",
       "raw_tensor",
       {{"samples", 3}, {"size", 2}},
       {"input.bin", "target.bin"},
       [](const Path& folder, bool skip) {
         return data::open_raw_tensor(
             {.common = {.path = folder, .classes = 10, .skip_errors = skip},
              .shape = {3, 2, 2},
              .stored = DType::kUInt8});
       }},
  };
}

}  // namespace stepbench::test
