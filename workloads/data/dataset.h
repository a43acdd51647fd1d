// SPDX-License-Identifier: Apache-2.0
// What a data set is to a loader: samples by index, or streams of them, written into memory of the
// caller.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "workloads/data/batch.h"

namespace stepbench::data {

// Where one sample's fields go: one pointer per FieldSpec, each with room for spec.bytes().
using SampleSlots = std::span<std::byte* const>;

struct SampleKey {
  std::int64_t index = 0;  // in the data set
  std::uint64_t seed =
      0;  // augmentation is a function of (seed, epoch, index), never of the worker
  std::int64_t epoch = 0;
};

// Time spent inside read(), by kind; summed by the caller over a batch.
struct ReadCost {
  const Clock* clock = nullptr;  // null: times are not taken
  std::int64_t fetch_ns = 0;     // bytes from storage
  std::int64_t decode_ns = 0;    // bytes to tensor
  std::int64_t skipped = 0;      // samples replaced because of on_error: skip
};

// How the numbers of a picture were made from bytes: byte * scale + shift, per channel. As it
// stands: torchvision's ToTensor.
struct PixelScale {
  std::array<float, 3> scale = {1.0F / 255, 1.0F / 255, 1.0F / 255};
  std::array<float, 3> shift = {0, 0, 0};
};

// What a person should know of a data set beside its samples.
struct DatasetFacts {
  std::vector<std::string> class_names = {};  // by label; empty: not known
  // Of a float32 picture, the first field; nullopt: its numbers were never bytes.
  std::optional<PixelScale> pixels = {};
  std::vector<std::string> notes = {};  // sentences, e.g. of files that are left out
};

class IterableDataset;
class SampleLengths;

// A map-style data set. read() may be called from many threads at once, each with a scratch of its
// own.
class Dataset {
 public:
  // Per-thread state (decoder handle, buffers). Made by the reading thread.
  class Scratch {
   public:
    Scratch() = default;
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    virtual ~Scratch() = default;
  };

  Dataset() = default;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  virtual ~Dataset() = default;

  [[nodiscard]] virtual std::int64_t size() const = 0;  // negative: iterable, length not known
  // Not null when samples come as streams: then size() and read() are not for use.
  [[nodiscard]] virtual const IterableDataset* iterable() const { return nullptr; }
  [[nodiscard]] virtual const std::vector<FieldSpec>& fields() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch() const = 0;
  // Null: all samples have the shapes of fields(). Else the first dimension there is that of the
  // longest, read() writes so many elements as the sample has, and whoever makes the batch pads it.
  [[nodiscard]] virtual const SampleLengths* lengths() const { return nullptr; }
  // Writes one sample. Throws Error naming the file (and offset) when the data is bad.
  virtual void read(const SampleKey& key, SampleSlots out, Scratch& scratch,
                    ReadCost& cost) const = 0;
  // The first samples under this seed, collated by the data set itself; a smaller one is repeated.
  // Nothing: read() is all that there is to it.
  [[nodiscard]] virtual std::optional<Batch> first_batch(std::int64_t, std::uint64_t) const {
    return std::nullopt;
  }
  // Number of classes or vocabulary size, 0 where there is none: what a model's output must fit.
  [[nodiscard]] virtual std::int64_t classes() const { return 0; }
  // The class of every sample as read() writes it under this seed; empty where a sample has none.
  // Throws as read() does.
  [[nodiscard]] virtual std::vector<std::int64_t> labels(std::uint64_t) const { return {}; }
  [[nodiscard]] virtual DatasetFacts facts() const { return {}; }
  // The file of a sample; empty where samples have none of their own.
  [[nodiscard]] virtual std::string file_of(std::int64_t) const { return {}; }
  // Gives up the pages of mapped files, which the kernel does not forget while they are mapped.
  virtual void release_pages() const {}
  // Content digest: count and bytes; a must-match field of comparisons.
  [[nodiscard]] virtual std::string digest() const = 0;
};

// Which part of an iterable data set one reader gets: shards go round the ranks, and those of a
// rank round its workers.
struct StreamShare {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t rank = 0;
  std::int64_t world = 1;
  std::int64_t worker = 0;
  std::int64_t workers = 1;
};

// One pass over a share. One thread.
class SampleStream {
 public:
  SampleStream() = default;
  SampleStream(const SampleStream&) = delete;
  SampleStream& operator=(const SampleStream&) = delete;
  virtual ~SampleStream() = default;
  // Writes the next sample; false at the end. Throws Error naming the file (and offset) when the
  // data is bad; what follows is then read by the next call.
  [[nodiscard]] virtual bool next(SampleSlots out, ReadCost& cost) = 0;
};

// A data set without indices, as Python's IterableDataset. What a stream yields is a function of
// its share. stream() may be called from many threads at once.
class IterableDataset : public Dataset {
 public:
  [[nodiscard]] std::int64_t size() const override { return -1; }
  [[nodiscard]] const IterableDataset* iterable() const final { return this; }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const final {
    return std::make_unique<Scratch>();
  }
  void read(const SampleKey& key, SampleSlots out, Scratch& scratch, ReadCost& cost) const final;
  [[nodiscard]] virtual std::unique_ptr<SampleStream> stream(const StreamShare& share) const = 0;
  // Parts that are read whole: readers beyond this number get nothing. 0: not known.
  [[nodiscard]] virtual std::int64_t parts() const { return 0; }
};

}  // namespace stepbench::data
