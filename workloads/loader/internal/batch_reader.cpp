// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batches.h"

#include <sys/mman.h>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::loader {

ReaderOptions reader_options(const LoaderOptions& options, std::int64_t worker,
                             std::int64_t workers) {
  return {.seed = options.seed,
          .joined = options.joined,
          .drop_last = options.drop_last,
          .rank = options.rank,
          .world = options.world,
          .worker = worker,
          .workers = workers};
}

Batch BatchReader::read(const BatchSamples& samples, BatchCost& cost,
                        const std::atomic<bool>* stop) {
  cost.began_ns = cost.ended_ns = clock_.now_ns();
  Batch batch = memory_->take(static_cast<std::int64_t>(samples.indices.size()));
  if (const std::int64_t padded = length(samples); padded > 0) set_length(batch, padded);
  fill(batch, samples, cost, stop);
  return batch;
}

std::int64_t BatchReader::length(const BatchSamples& samples) const {
  const data::SampleLengths* lengths = dataset_.lengths();
  if (lengths == nullptr) return 0;
  std::int64_t longest = 0;
  for (const std::int64_t index : samples.indices) {
    longest = std::max(longest, lengths->of(index, options_.seed));
  }
  return lengths->padded(longest);
}

// Pads the sample that was read last.
void BatchReader::pad(Batch& batch, std::int64_t index) {
  const std::int64_t padded = batch.fields[0].spec->shape[0];
  const std::int64_t length = dataset_.lengths()->of(index, options_.seed);
  data::put_padding(slots_, length, padded);
  *batch.padding += padded - length;
}

void BatchReader::fill(Batch& batch, const BatchSamples& samples, BatchCost& cost,
                       const std::atomic<bool>* stop) {
  data::ReadCost reads{.clock = &clock_};
  const auto account = [&] {
    cost.ended_ns = clock_.now_ns();
    cost.fetch_ns = reads.fetch_ns;
    cost.decode_ns = reads.decode_ns;
    cost.skipped = reads.skipped;
  };
  try {
    const bool pads = dataset_.lengths() != nullptr;
    if (pads) batch.padding = 0;
    slots_.clear();
    for (const BatchField& field : batch.fields) slots_.push_back(field.data);
    std::int64_t got = 0;
    for (const std::int64_t index : samples.indices) {
      if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw Error("stopped");
      if (dataset_.iterable() != nullptr) {
        if (!next_of_stream(samples.epoch, reads)) break;
      } else {
        const data::SampleKey key{
            .index = index, .seed = options_.seed, .epoch = samples.epoch_of(got)};
        dataset_.read(key, slots_, *scratch_, reads);
        if (pads) pad(batch, index);
      }
      for (std::size_t f = 0; f < slots_.size(); ++f) slots_[f] += batch.fields[f].spec->bytes();
      ++got;
    }
    if (got < batch.size) {
      batch.size = options_.drop_last ? 0 : got;
      batch.partial = true;
    }
    account();
  } catch (...) {
    account();
    throw;
  }
}

bool BatchReader::next_of_stream(std::int64_t epoch, data::ReadCost& reads) {
  if (!stream_ || stream_epoch_ != epoch) {
    stream_epoch_ = epoch;
    stream_ended_ = false;
    open_stream(epoch);
  }
  while (!stream_ended_) {
    if (stream_->next(slots_, reads)) return pass_yields_ = true;
    if (options_.joined && pass_yields_) {
      open_stream(pass_ + 1);
    } else {
      stream_ended_ = true;
    }
  }
  return false;
}

void BatchReader::open_stream(std::int64_t pass) {
  pass_ = pass;
  pass_yields_ = false;
  stream_ = dataset_.iterable()->stream({.seed = options_.seed,
                                         .epoch = pass,
                                         .rank = options_.rank,
                                         .world = options_.world,
                                         .worker = options_.worker,
                                         .workers = options_.workers});
}

namespace {

constexpr std::size_t kAlignment = 64;

// Large blocks request huge pages: otherwise the kernel takes a fifth of a reader's time to map an
// image batch. Only a hint; the memory is the same without it.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kManyBytes = 2 * kHugePage;

std::byte* allocate(std::size_t bytes) {
  const bool huge = bytes >= kManyBytes;
  void* memory = nullptr;
  if (::posix_memalign(&memory, huge ? kHugePage : kAlignment, bytes) != 0) throw std::bad_alloc();
  if (huge) (void)::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}
void release(void* memory) noexcept { std::free(memory); }

// Header of a block: the owners' counter, so that sharing a batch allocates nothing, then the pool.
constexpr std::size_t kCounterBytes = kAlignment;
constexpr std::size_t kHeader = kCounterBytes + kAlignment;

}  // namespace

struct BatchMemory::Pool {
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (std::byte* memory : free) release(memory);
  }

  [[nodiscard]] std::byte* take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex);
      if (!free.empty()) {
        std::byte* memory = free.back();
        free.pop_back();
        return memory;
      }
      free.reserve(++made);  // so that give_back() cannot throw
    }
    return allocate(bytes);
  }
  void give_back(std::byte* memory) noexcept {
    const std::lock_guard lock(mutex);
    free.push_back(memory);
  }

  std::mutex mutex;
  std::vector<std::byte*> free;
  std::size_t made = 0;
};

// Allocator that puts the counter into the block and releases the block with the counter. `From` is
// a std::shared_ptr<Pool>, null if the memory is to be freed; it is stored in the block because
// allocators are copied often.
template <typename T, typename From>
struct InBlock {
  using value_type = T;
  InBlock(std::byte* memory, From from) : block(memory) {
    static_assert(sizeof(From) <= kHeader - kCounterBytes);
    std::construct_at(pool(), std::move(from));
  }
  template <typename U>
  explicit InBlock(const InBlock<U, From>& other) : block(other.block) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(sizeof(T) <= kCounterBytes && alignof(T) <= kAlignment);
    if (count != 1) throw std::bad_alloc();
    return reinterpret_cast<T*>(block);
  }
  void deallocate(T*, std::size_t) noexcept {
    const From from = std::move(*pool());
    std::destroy_at(pool());
    if (from) {
      from->give_back(block);
    } else {
      release(block);
    }
  }
  bool operator==(const InBlock&) const = default;

  [[nodiscard]] From* pool() const { return reinterpret_cast<From*>(block + kCounterBytes); }

  std::byte* block;
};

BatchMemory::BatchMemory(std::vector<FieldSpec> fields, std::int64_t batch_size, bool reuse)
    : layout_(std::move(fields), batch_size) {
  if (reuse) pool_ = std::make_shared<Pool>();
}

Batch BatchMemory::take(std::int64_t size) const {
  const std::size_t bytes = kHeader + layout_.bytes();
  std::byte* const block = pool_ ? pool_->take(bytes) : allocate(bytes);
  std::byte* const memory = block + kHeader;
  std::shared_ptr<void> owner(
      memory, [](void*) {}, InBlock<std::byte, std::shared_ptr<Pool>>(block, pool_));
  return layout_.place(memory, size, std::move(owner));
}

namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

BatchLayout::BatchLayout(std::vector<FieldSpec> fields, std::int64_t batch_size)
    : batch_size_(batch_size) {
  for (FieldSpec& field : fields) {
    offsets_.push_back(bytes_);
    const std::size_t bytes = field.bytes() * static_cast<std::size_t>(batch_size);
    bytes_ += (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    fields_.push_back(std::make_shared<const FieldSpec>(std::move(field)));
  }
}

Batch BatchLayout::place(std::byte* memory, std::int64_t size, std::shared_ptr<void> owner) const {
  Batch batch{.fields = {},
              .size = size,
              .index = 0,
              .partial = size < batch_size_,
              .owner = std::move(owner)};
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    batch.fields.emplace_back(memory == nullptr ? nullptr : memory + offsets_[i], fields_[i]);
  }
  return batch;
}

void RepeatedBatches::observe(const Batch& batch) {
  constexpr std::size_t kMaxBytes = 1 << 16;  // per tensor: enough to distinguish it
  constexpr std::size_t kMix = 0x9e3779b97f4a7c15;
  if (digests_.size() >= wanted()) return;
  std::size_t digest = static_cast<std::size_t>(batch.size);
  for (const BatchField& field : batch.fields) {
    const std::size_t bytes = field.spec->bytes() * static_cast<std::size_t>(batch.size);
    const std::string_view content(reinterpret_cast<const char*>(field.data),
                                   std::min(bytes, kMaxBytes));
    digest = digest * kMix + std::hash<std::string_view>{}(content);
  }
  digests_.push_back(digest);
}

bool RepeatedBatches::repeat() const {
  if (wanted() == 0 || digests_.size() < wanted()) return false;
  for (std::size_t i = 0; i < digests_.size(); ++i) {
    if (digests_[i] != digests_[i / workers_ * workers_]) return false;
  }
  return digests_.front() != digests_.back();
}

}  // namespace stepbench::loader
