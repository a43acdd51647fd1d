// SPDX-License-Identifier: Apache-2.0
// Tensors without torch: the fields of a sample, and a batch of samples that owns its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"

namespace stepbench {

enum class DType : std::uint8_t {
  kUInt8,
  kInt32,
  kInt64,
  kFloat32,
  kBool,
  kInt16,
  kFloat16,
  kBFloat16,
  kFloat64
};
constexpr EnumNames<9> names_of(DType) {  // torch's
  return {"uint8", "int32", "int64", "float32", "bool", "int16", "float16", "bfloat16", "float64"};
}
[[nodiscard]] std::size_t size_of(DType dtype);

// Shape and type of one field of a sample, without the batch dimension: image {3, 224, 224}
// kFloat32, label {} kInt64.
struct FieldSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  DType dtype = DType::kFloat32;
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::size_t bytes() const;
};

using SharedSpec = std::shared_ptr<const FieldSpec>;  // shared by all batches of a loader

// One field of a batch: `data` holds size * spec->bytes() bytes, first dimension = sample,
// row-major.
struct BatchField {
  BatchField() = default;
  BatchField(std::byte* memory, SharedSpec shared) : data(memory), spec(std::move(shared)) {}
  BatchField(std::byte* memory, FieldSpec own)
      : BatchField(memory, std::make_shared<const FieldSpec>(std::move(own))) {}

  std::byte* data = nullptr;
  SharedSpec spec;
};

// The fields of a batch. Up to kFew are stored inline: allocating memory in one thread and freeing
// it in another costs more than everything else in handing over a small batch.
class BatchFields {
 public:
  BatchFields() = default;
  BatchFields(const BatchFields&) = default;
  BatchFields& operator=(const BatchFields&) = default;
  BatchFields(BatchFields&& other) noexcept
      : few_(std::move(other.few_)),
        many_(std::move(other.many_)),
        size_(std::exchange(other.size_, 0)) {}
  BatchFields& operator=(BatchFields&& other) noexcept {
    few_ = std::move(other.few_);
    many_ = std::move(other.many_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~BatchFields() = default;
  BatchFields(std::initializer_list<BatchField> fields) {
    for (const BatchField& field : fields) push_back(field);
  }

  void push_back(BatchField field);
  void emplace_back(std::byte* memory, SharedSpec spec) {
    push_back(BatchField(memory, std::move(spec)));
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const BatchField& operator[](std::size_t field) const { return begin()[field]; }
  [[nodiscard]] BatchField& operator[](std::size_t field) { return begin()[field]; }
  [[nodiscard]] const BatchField& at(std::size_t field) const;  // throws std::out_of_range
  [[nodiscard]] const BatchField* begin() const {
    return many_.empty() ? few_.data() : many_.data();
  }
  [[nodiscard]] const BatchField* end() const { return begin() + size_; }
  [[nodiscard]] BatchField* begin() { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] BatchField* end() { return begin() + size_; }

 private:
  static constexpr std::size_t kFew = 2;
  std::array<BatchField, kFew> few_;
  std::vector<BatchField> many_;  // all fields, if more than kFew
  std::size_t size_ = 0;
};

// A collated batch. `owner` holds the memory, which returns to its pool or is freed with the last
// copy of the pointer, on any thread.
struct Batch {
  BatchFields fields = {};
  std::int64_t size = 0;   // samples; the last batch of an epoch may be smaller
  std::int64_t index = 0;  // position in the epoch's order
  bool partial = false;    // size < batch_size
  std::shared_ptr<void> owner;
  // Set by the loader's pin thread if it copies to a device (BatchUpload). May be released on any
  // thread, even while the copy is under way.
  std::shared_ptr<const void> device_copy = {};
  // Padding elements of the first field; nullopt: samples have one length.
  std::optional<std::int64_t> padding = {};
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::int64_t elements() const;  // of the first field
};

// For samples of different lengths: sets the first dimension of every field to `length`.
void set_length(Batch& batch, std::int64_t length);

}  // namespace stepbench
