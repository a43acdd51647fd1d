// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/formats/mapped_rows.h"

#include <cassert>
#include <cstring>
#include <set>
#include <utility>

#include "harness/base/format.h"
#include "workloads/data/dataset.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
namespace {

template <typename From, typename To>
void convert(const std::byte* from, std::byte* to, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) {
    auto value = static_cast<To>(load_little<From>(from + i * sizeof(From)));
    if constexpr (std::is_same_v<From, std::uint8_t> && std::is_same_v<To, float>) value /= 255.0F;
    std::memcpy(to + i * sizeof value, &value, sizeof value);
  }
}

template <typename From>
void convert_to(DType written, const std::byte* from, std::byte* to, std::size_t elements) {
  if (written == DType::kFloat32) return convert<From, float>(from, to, elements);
  convert<From, std::int64_t>(from, to, elements);
}

void put(const MappedColumn& column, const std::byte* from, std::byte* to) {
  const std::size_t bytes = column.spec.bytes();
  const std::size_t elements = bytes / size_of(column.spec.dtype);
  if (column.stored == column.spec.dtype) {
    std::memcpy(to, from, bytes);
    return;
  }
  switch (column.stored) {
    case DType::kUInt8:
      return convert_to<std::uint8_t>(column.spec.dtype, from, to, elements);
    case DType::kInt32:
      return convert_to<std::int32_t>(column.spec.dtype, from, to, elements);
    case DType::kInt64:
      return convert_to<std::int64_t>(column.spec.dtype, from, to, elements);
    case DType::kFloat32:
    case DType::kBool:
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat64:
      assert(false);
  }
}

std::int64_t rows(const MappedColumn& column) {
  std::int64_t sum = 0;
  for (const RowRun& run : column.runs) sum += run.count;
  return sum;
}

}  // namespace

bool converts(DType stored, DType written) {
  if (stored == written) return true;
  return stored != DType::kFloat32 && (written == DType::kFloat32 || written == DType::kInt64);
}

MappedRows::MappedRows(std::vector<MappedColumn> columns, MappedRowsOptions options)
    : columns_(std::move(columns)), options_(std::move(options)) {
  for (const MappedColumn& column : columns_) {
    assert(converts(column.stored, column.spec.dtype));
    fields_.push_back(column.spec);
    record_bytes_.push_back(column.spec.bytes() / size_of(column.spec.dtype) *
                            size_of(column.stored));
  }
  size_ = rows(columns_.at(0));
}

std::unique_ptr<Dataset::Scratch> MappedRows::make_scratch() const {
  return std::make_unique<Scratch>();
}

void MappedRows::read(const SampleKey& key, SampleSlots out, Scratch&, ReadCost& cost) const {
  if (!options_.skip_errors) return read_one(key, out, cost);
  read_skipping(key, size_, cost, [&](const SampleKey& next) { read_one(next, out, cost); });
}

void MappedRows::read_one(const SampleKey& key, SampleSlots out, ReadCost& cost) const {
  const std::int64_t began = cost.clock != nullptr ? cost.clock->now_ns() : 0;
  bool converted = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const MappedColumn& column = columns_[i];
    std::int64_t row = key.index;
    const RowRun* run = column.runs.data();
    for (; row >= run->count; ++run) row -= run->count;
    const std::uint64_t offset = run->begin + static_cast<std::uint64_t>(row) * run->stride;
    put(column, run->file->bytes().data() + offset, out[i]);
    run->file->expect_whole(offset, record_bytes_[i]);
    converted |= column.stored != column.spec.dtype && !column.spec.shape.empty();
    if (column.limit == 0) continue;
    const auto value = load_little<std::int64_t>(out[i]);
    if (value < 0 || value >= column.limit) {
      throw file_error(
          run->file->path(), offset,
          formatted("{} {} is outside 0 to {}", column.spec.name, value, column.limit - 1));
    }
  }
  if (cost.clock == nullptr) return;
  // The loop that converts a mapped record also fetches it.
  (converted ? cost.decode_ns : cost.fetch_ns) += cost.clock->now_ns() - began;
}

DatasetFacts MappedRows::facts() const {
  DatasetFacts facts{.class_names = options_.class_names};
  const MappedColumn& first = columns_.front();
  if (first.stored == DType::kUInt8 && first.spec.dtype == DType::kFloat32) facts.pixels.emplace();
  return facts;
}

void MappedRows::release_pages() const {
  for (const MappedColumn& column : columns_) {
    for (const RowRun& run : column.runs) run.file->release_pages();
  }
}

std::vector<std::int64_t> MappedRows::labels(std::uint64_t) const {
  const MappedColumn& column = columns_.back();
  if (!column.spec.shape.empty() || column.spec.dtype != DType::kInt64) return {};
  std::vector<std::int64_t> labels;
  labels.reserve(static_cast<std::size_t>(size_));
  for (const RowRun& run : column.runs) {
    const std::byte* from = run.file->bytes().data() + run.begin;
    for (std::int64_t row = 0; row < run.count; ++row, from += run.stride) {
      std::int64_t label = 0;
      put(column, from, reinterpret_cast<std::byte*>(&label));
      labels.push_back(label);
    }
    run.file->expect_whole(
        run.begin, static_cast<std::uint64_t>(run.count - 1) * run.stride + record_bytes_.back());
  }
  return labels;
}

std::string MappedRows::digest() const {
  std::set<const MappedFile*> files;
  std::size_t bytes = 0;
  for (const MappedColumn& column : columns_) {
    for (const RowRun& run : column.runs) {
      if (files.insert(run.file.get()).second) bytes += run.file->bytes().size();
    }
  }
  return formatted("{}:{}:{}:{}", options_.kind, size_, bytes, options_.classes);
}

}  // namespace stepbench::data
