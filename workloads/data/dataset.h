// SPDX-License-Identifier: Apache-2.0
// The interface of a data set to a loader: samples by index, or streams of them, written into the
// caller's memory; and a row of the table behind data.kind: the kind in the catalogue, its data for
// a model, and how its data set is opened. Each kind declares its row next to its code; the table
// is data_kinds.h.
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
#include "harness/base/error.h"
#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "workloads/data/batch.h"

namespace stepbench::data {

// Destination of one sample's fields: one pointer per FieldSpec, each with room for spec.bytes().
using SampleSlots = std::span<std::byte* const>;

struct SampleKey {
  std::int64_t index = 0;  // in the data set
  std::uint64_t seed = 0;  // augmentation depends on (seed, epoch, index), never on the worker
  std::int64_t epoch = 0;
};

// Time spent inside read(), by kind; the caller sums over a batch.
struct ReadCost {
  const Clock* clock = nullptr;  // null: no timing
  std::int64_t fetch_ns = 0;     // reading bytes from storage
  std::int64_t decode_ns = 0;    // converting bytes to a tensor
  std::int64_t skipped = 0;      // samples replaced because of on_error: skip
};

// The conversion from bytes to pixel values: byte * scale + shift, per channel. The default is
// torchvision's ToTensor.
struct PixelScale {
  std::array<float, 3> scale = {1.0F / 255, 1.0F / 255, 1.0F / 255};
  std::array<float, 3> shift = {0, 0, 0};
};

// Information about a data set for display.
struct DatasetFacts {
  std::vector<std::string> class_names = {};  // by label; empty: unknown
  // For a float32 picture in the first field; nullopt: its values do not come from bytes.
  std::optional<PixelScale> pixels = {};
  std::vector<std::string> notes = {};  // sentences, e.g. about skipped files
};

class IterableDataset;
class SampleLengths;

// A map-style data set. read() may be called from many threads at once, each with its own scratch.
class Dataset {
 public:
  // Per-thread state (decoder handle, buffers). Constructed by the reading thread.
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

  [[nodiscard]] virtual std::int64_t size() const = 0;  // negative: iterable, length unknown
  // Not null if samples come as streams; size() and read() must not be used then.
  [[nodiscard]] virtual const IterableDataset* iterable() const { return nullptr; }
  [[nodiscard]] virtual const std::vector<FieldSpec>& fields() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Scratch> make_scratch() const = 0;
  // Null: all samples have the shapes of fields(). Otherwise the first dimension in fields() is the
  // longest sample's, read() writes only the sample's own elements, and the caller pads the batch.
  [[nodiscard]] virtual const SampleLengths* lengths() const { return nullptr; }
  // Writes one sample. Throws Error naming the file (and offset) if the data is invalid.
  virtual void read(const SampleKey& key, SampleSlots out, Scratch& scratch,
                    ReadCost& cost) const = 0;
  // The first samples for this seed, collated by the data set itself; repeats samples if the data
  // set is smaller. nullopt: use read().
  [[nodiscard]] virtual std::optional<Batch> first_batch(std::int64_t, std::uint64_t) const {
    return std::nullopt;
  }
  // Number of classes or vocabulary size, which a model's output must match; 0: none.
  [[nodiscard]] virtual std::int64_t classes() const { return 0; }
  // The class of every sample as read() writes it for this seed; empty if samples have no class.
  // Throws as read() does.
  [[nodiscard]] virtual std::vector<std::int64_t> labels(std::uint64_t) const { return {}; }
  [[nodiscard]] virtual DatasetFacts facts() const { return {}; }
  // The file of a sample; empty if samples do not have one file each.
  [[nodiscard]] virtual std::string file_of(std::int64_t) const { return {}; }
  // Releases the pages of mapped files, which the kernel cannot evict while they are mapped.
  virtual void release_pages() const {}
  // Content digest from count and bytes; must match in comparisons.
  [[nodiscard]] virtual std::string digest() const = 0;
};

// The part of an iterable data set that one reader gets: shards are dealt round-robin to ranks, and
// a rank's shards round-robin to its workers.
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
  // Writes the next sample; false at the end. Throws Error naming the file (and offset) if the data
  // is invalid; the next call then continues after it.
  [[nodiscard]] virtual bool next(SampleSlots out, ReadCost& cost) = 0;
};

// A data set without indices, like Python's IterableDataset. A stream's samples are a function of
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
  // Parts that are only read whole: further readers get nothing. 0: unknown.
  [[nodiscard]] virtual std::int64_t parts() const { return 0; }
};

// A row of the table behind data.kind: the kind in the catalogue, its data for a model, and how its
// data set is opened. And options that several kinds share. Each kind declares its row next to its
// code; the table is data_kinds.h.

struct Maker;

// The model input of a sample. kImage: three channels. kVector: numbers of any other shape. kAny:
// known only once the files are open.
enum class InputKind : std::uint8_t { kImage, kVector, kTokens, kAny };

struct DataKind {
  Variant variant;
  InputKind (*input)(const ResolvedCase& resolved) = nullptr;
  // Throws ConfigError naming the invalid file or folder. Null: PythonParts opens it.
  std::unique_ptr<Dataset> (*open)(const ResolvedCase& resolved) = nullptr;
  // Samples come as streams and have no indices to shuffle.
  bool iterable = false;
  // Makes such files for `stepbench data make`; null: not supported.
  const Maker* maker = nullptr;
};

// Options that several kinds share.

// data.path: a file or folder that must exist.
[[nodiscard]] Option path_option(std::string doc);
// Number of samples of a synthetic data set.
[[nodiscard]] Option samples_option();
[[nodiscard]] Option image_size_option();
[[nodiscard]] Option augment_option();
[[nodiscard]] Option decode_option();
[[nodiscard]] Option jpeg_decoder_option();
[[nodiscard]] Option on_error_option();
[[nodiscard]] Option split_option();
// `otherwise` is the default: float32 or stored.
[[nodiscard]] Option dtype_option(const std::string& otherwise);
// A null `default_value`: unset unless the file sets it.
[[nodiscard]] Option classes_option(Value default_value, std::string doc);

// data.jpeg_decoder: own
[[nodiscard]] bool has_own_jpeg_decoder(const ResolvedCase& resolved);
// data.on_error: skip
[[nodiscard]] bool skips_errors(const ResolvedCase& resolved);
// data.dtype: float32
[[nodiscard]] bool wants_floats(const ResolvedCase& resolved);

}  // namespace stepbench::data
