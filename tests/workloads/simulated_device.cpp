// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/simulated_device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/as_strided_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstring>
#include <deque>
#include <mutex>
#include <random>

namespace stepbench::test {

constexpr int kPoolStreams = 4;
constexpr float kPoison = -1e9F;
constexpr unsigned kMostLag = 24;
constexpr std::size_t kFaster = 8;

thread_local c10::StreamId current_stream = 0;

struct EventState {
  std::int64_t recorded = 0;  // requested versions
  std::int64_t passed = 0;    // versions reached by the device
};
using Event = std::shared_ptr<EventState>;

struct Work {
  std::function<void()> run;
  Event wait_for = {};
  std::int64_t version = 0;
  [[nodiscard]] bool free_to_run() const { return !wait_for || wait_for->passed >= version; }
};

struct Piece {
  std::unique_ptr<float[]> memory;
  std::size_t bytes = 0;
  c10::StreamId stream = 0;           // of its allocation
  std::set<c10::StreamId> used = {};  // other streams, from record_stream
  int waits = 0;                      // of those, not passed since it was freed
  bool free = false;
};

class SimulatedDevice::Impl {
 public:
  explicit Impl(unsigned seed)
      : random_(seed),
        lag_(1 + static_cast<unsigned>(random_()) % kMostLag),
        favoured_(static_cast<std::size_t>(random_()) % 2),
        streams_(kPoolStreams + 1) {}

  void enqueue(c10::StreamId stream, Work work) {
    const std::lock_guard lock(mutex_);
    streams_.at(static_cast<std::size_t>(stream)).push_back(std::move(work));
    some();
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    while (one()) {
    }
    for (const auto& stream : streams_) {
      if (!stream.empty()) throw std::logic_error("streams wait for each other");
    }
  }

  Event make_event() {
    const std::lock_guard lock(mutex_);
    auto event = std::make_shared<EventState>();
    events_.insert(event);
    return event;
  }
  void destroy(const Event& event) {
    const std::lock_guard lock(mutex_);
    events_.erase(event);
  }
  void record(const Event& event, c10::StreamId stream) {
    std::unique_lock lock(mutex_);
    const std::int64_t version = ++event->recorded;
    lock.unlock();
    enqueue(stream, {.run = [event, version] { event->passed = version; }});
  }
  void block(const Event& event, c10::StreamId stream) {
    std::unique_lock lock(mutex_);
    const std::int64_t version = event->recorded;
    lock.unlock();
    enqueue(stream, {.run = [] {}, .wait_for = event, .version = version});
  }
  bool query(const Event& event) {
    const std::lock_guard lock(mutex_);
    some();
    return event->passed == event->recorded;
  }
  c10::StreamId pool_stream() {
    const std::lock_guard lock(mutex_);
    next_stream_ = next_stream_ % kPoolStreams + 1;
    return next_stream_;
  }

  Piece* allocate(std::size_t bytes, c10::StreamId stream) {
    const std::lock_guard lock(mutex_);
    some();
    for (auto& [memory, piece] : pieces_) {
      if (piece.free && piece.waits == 0 && piece.bytes == bytes && piece.stream == stream) {
        piece.free = false;
        return &piece;
      }
    }
    Piece piece{.memory = std::make_unique<float[]>(bytes / sizeof(float) + 1),
                .bytes = bytes,
                .stream = stream};
    const void* key = piece.memory.get();
    return &pieces_.emplace(key, std::move(piece)).first->second;
  }
  void release(const void* memory) {
    std::unique_lock lock(mutex_);
    Piece& piece = pieces_.at(memory);
    piece.free = true;
    const std::set<c10::StreamId> used = std::exchange(piece.used, {});
    piece.waits = static_cast<int>(used.size());
    lock.unlock();
    for (const c10::StreamId stream : used) {
      enqueue(stream, {.run = [&piece] { --piece.waits; }});
    }
  }
  void record_use(const void* memory, c10::StreamId stream) {
    const std::lock_guard lock(mutex_);
    Piece& piece = pieces_.at(memory);
    if (piece.stream != stream) piece.used.insert(stream);
  }

  std::size_t live_events() {
    const std::lock_guard lock(mutex_);
    return events_.size();
  }

 private:
  // Devices differ in their lag behind the host, and streams in their speed.
  void some() {
    if (random_() % lag_ != 0) return;
    for (unsigned left = static_cast<unsigned>(random_()) % 4; left > 0 && one(); --left) {
    }
  }
  bool one() {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (streams_[i].empty() || !streams_[i].front().free_to_run()) continue;
      ready.insert(ready.end(), i % 2 == favoured_ ? kFaster : 1, i);
    }
    if (ready.empty()) return false;
    std::deque<Work>& stream = streams_[ready[static_cast<std::size_t>(random_()) % ready.size()]];
    stream.front().run();
    stream.pop_front();
    return true;
  }

  std::mutex mutex_;
  std::mt19937 random_;
  unsigned lag_;
  std::size_t favoured_;
  std::vector<std::deque<Work>> streams_;
  std::set<Event> events_;
  std::map<const void*, Piece> pieces_;
  c10::StreamId next_stream_ = 0;
};

namespace {

SimulatedDevice::Impl* installed = nullptr;  // torch's registries own no state of ours

SimulatedDevice::Impl& device() {
  if (installed == nullptr) throw std::logic_error("no simulated device stands");
  return *installed;
}

c10::Stream stream_of(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, kSimulatedDevice, id);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
  static Event& event_of(void* event) { return *static_cast<Event*>(event); }

  c10::DeviceType type() const override { return c10::DeviceType::PrivateUse1; }
  c10::Device exchangeDevice(c10::Device) const override { return kSimulatedDevice; }
  c10::Device getDevice() const override { return kSimulatedDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 0; }  // no threads for autograd
  c10::Stream getStream(c10::Device) const override { return stream_of(current_stream); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream_of(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override {
    return stream_of(device().pool_stream());
  }
  c10::Stream exchangeStream(c10::Stream to) const override {
    return stream_of(std::exchange(current_stream, to.id()));
  }
  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event(device().make_event());
    device().record(event_of(*event), stream.id());
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event != nullptr) device().block(event_of(event), stream.id());
  }
  bool queryEvent(void* event) const override {
    return event == nullptr || device().query(event_of(event));
  }
  double elapsedTime(void*, void*, c10::DeviceIndex) const override { return 0; }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    if (event == nullptr) return;
    device().destroy(event_of(event));
    delete static_cast<Event*>(event);
  }
  void synchronizeStream(const c10::Stream&) const override { device().finish(); }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    device().record_use(data.get(), stream.id());
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Memory final : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = device().allocate(bytes, current_stream)->memory.get();
    return {memory, memory, &give_back, kSimulatedDevice};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void*, const void*, std::size_t) const override {
    throw std::logic_error("not on the host's time");
  }
  static void give_back(void* memory) { device().release(memory); }
};

Memory& memory() {
  static Memory the_only;
  return the_only;
}

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &memory(), kKeys, type.value_or(at::kFloat), format);
}
at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &memory(), kKeys,
                                           type.value_or(at::kFloat));
}
// Like the driver: the addresses are read now, the bytes when the stream reaches the copy.
at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  TORCH_CHECK(from.is_contiguous() && to.is_contiguous() && from.nbytes() == to.nbytes());
  device().enqueue(current_stream,
                   {.run = [target = to.data_ptr(), source = from.data_ptr(),
                            bytes = from.nbytes()] { std::memcpy(target, source, bytes); }});
  if (!non_blocking) device().finish();
  return to;
}
void record_stream(at::Tensor& tensor, at::Stream stream) {
  device().record_use(tensor.storage().data_ptr().get(), stream.id());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", &empty);
  library.impl("empty_strided", &empty_strided);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("_copy_from", &copy_from);
  library.impl("record_stream", &record_stream);
}

}  // namespace

SimulatedDevice::SimulatedDevice(unsigned seed) : impl_(std::make_unique<Impl>(seed)) {
  installed = impl_.get();
}
SimulatedDevice::~SimulatedDevice() {
  impl_->finish();
  installed = nullptr;
}
void SimulatedDevice::compute(std::function<void()> work) {
  impl_->enqueue(current_stream, {.run = std::move(work)});
}
void SimulatedDevice::finish() { impl_->finish(); }
std::size_t SimulatedDevice::live_events() const { return impl_->live_events(); }

Batch numbered_batch(std::int64_t index, std::int64_t size,
                     std::shared_ptr<std::atomic<int>> live) {
  auto numbers = std::make_unique<std::vector<float>>(size, static_cast<float>(index));
  auto* data = reinterpret_cast<std::byte*>(numbers->data());
  ++*live;
  const auto let_go = [live = std::move(live)](std::vector<float>* memory) {
    // Kept, like pinned memory in its pool: a late copy reads wrong numbers, not foreign memory.
    static std::mutex mutex;
    static std::vector<std::unique_ptr<std::vector<float>>> pool;
    const std::lock_guard lock(mutex);
    std::fill(memory->begin(), memory->end(), kPoison);
    pool.emplace_back(memory);
    --*live;
  };
  return {.fields = {{data, {.name = "x", .shape = {}}}, {data, {.name = "y", .shape = {}}}},
          .size = size,
          .index = index,
          .owner = std::shared_ptr<std::vector<float>>(numbers.release(), let_go)};
}

}  // namespace stepbench::test
