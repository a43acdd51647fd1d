// SPDX-License-Identifier: Apache-2.0
// loader.pin_memory, and copies to a device by the pin thread; memory and device are scripted. For
// the engine fork see fork_upload_test.cpp.
#include <latch>

#include "tests/testing.h"
#include "tests/unit/loading/scripted_upload.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/inline_loader.h"
#include "workloads/loader/internal/thread/thread_loader.h"

namespace stepbench {
namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

const HostClock kUploadClock;

loader::LoaderOptions pinning(test::ScriptedPinnedMemory& memory, std::int64_t workers) {
  return {.batch_size = 2, .num_workers = workers, .pin_memory = true, .pinned = &memory};
}

TEST(Pinning, NoWorkers_PinInsideNext) {
  const test::IndexDataset data(5);
  const TickClock clock;
  test::ScriptedPinnedMemory memory;
  loader::InlineLoader loader(data, pinning(memory, 0), loader::sequential_order(5), clock);
  EXPECT_EQ(test::pinned_epoch(loader, 0, memory), (Batches{{0, 1}, {2, 3}, {4}}));
  EXPECT_THAT(memory.threads(), ElementsAre(std::this_thread::get_id()));
  const loader::LoaderMetrics& m = loader.metrics();
  EXPECT_EQ(m.pin_ns, 3);  // one tick per batch
  EXPECT_EQ(m.pinning_ns, 3);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
}

TEST(Pinning, PeakOfHeldBytes_IsCounted) {
  const test::IndexDataset data(5);
  test::ScriptedPinnedMemory memory;
  loader::InlineLoader loader(data, pinning(memory, 0), loader::sequential_order(5), kUploadClock);
  EXPECT_EQ(memory.peak_bytes(), 0);
  std::int64_t sample = 0;
  for (const FieldSpec& field : data.fields()) sample += static_cast<std::int64_t>(field.bytes());
  loader.begin_epoch(0);
  const std::optional<Batch> first = loader.next();
  EXPECT_EQ(memory.peak_bytes(), 2 * sample);
  { const std::optional<Batch> second = loader.next(); }
  const std::optional<Batch> third = loader.next();
  EXPECT_EQ(memory.peak_bytes(), 4 * sample);
}

TEST(Pinning, Workers_ShareOnePinThread) {
  const test::IndexDataset data(8);
  for (const bool persistent : {false, true}) {
    test::ScriptedPinnedMemory memory;
    loader::LoaderOptions options = pinning(memory, 2);
    options.persistent_workers = persistent;
    const auto loader =
        loader::make_thread_loader(data, options, loader::sequential_order(8), kUploadClock);
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      EXPECT_EQ(test::pinned_epoch(*loader, epoch, memory),
                (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    }
    EXPECT_FALSE(memory.threads().contains(std::this_thread::get_id()));
    EXPECT_EQ(memory.entered, 2);  // the thread is started again for each epoch
    EXPECT_EQ(memory.out(), 0U);
    EXPECT_GT(loader->metrics().pin_ns, 0);
    EXPECT_EQ(loader->metrics().pinning_ns, 0);
  }
}

TEST(Pinning, NoPinnedMemory_FailsTheBatch) {
  const test::IndexDataset data(4);
  test::ScriptedPinnedMemory memory;
  int asked = 0;
  memory.before = [&] {
    if (++asked == 2) throw Error("no page-locked memory left");
  };
  const auto loader = loader::make_thread_loader(data, pinning(memory, 1),
                                                 loader::sequential_order(4), kUploadClock);
  loader->begin_epoch(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0, 1));
  EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("no page-locked memory left"));
}

struct UploadScene {
  loader::LoaderOptions options(std::int64_t workers) {
    return {.batch_size = 2,
            .num_workers = workers,
            .pin_memory = true,
            .pinned = &memory,
            .upload = &upload};
  }
  test::ScriptedPinnedMemory memory;
  test::ScriptedUpload upload{memory};
};

TEST(Upload, PinThread_CopiesInOrder) {
  const test::IndexDataset data(9);
  for (const bool persistent : {false, true}) {
    UploadScene scene;
    loader::LoaderOptions options = scene.options(2);
    options.persistent_workers = persistent;
    const auto loader =
        loader::make_thread_loader(data, options, loader::shuffled_order(9, 3), kUploadClock);
    const auto plain = loader::make_thread_loader(data, {.batch_size = 2, .num_workers = 2},
                                                  loader::shuffled_order(9, 3), kUploadClock);
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      EXPECT_EQ(test::uploaded_epoch(*loader, epoch), test::epoch(*plain, epoch));
    }
    EXPECT_EQ(scene.upload.order().size(), 10U);
    EXPECT_EQ(scene.upload.entered, 2);  // the thread is started again for each epoch
    EXPECT_EQ(scene.upload.threads(), scene.memory.threads());
    EXPECT_FALSE(scene.upload.threads().contains(std::this_thread::get_id()));
    EXPECT_EQ(scene.upload.there(), 0);
  }
}

TEST(Upload, FreeQueue_RunsAheadAsFarAsPrefetching) {
  const test::IndexDataset data(64);
  UploadScene scene;
  loader::LoaderOptions options = scene.options(2);
  options.prefetch_factor = 3;
  std::latch ahead(6);  // 2 workers * 3
  scene.upload.before = [&](const Batch&) {
    if (!ahead.try_wait()) ahead.count_down();
  };
  const auto loader =
      loader::make_thread_loader(data, options, loader::sequential_order(64), kUploadClock);
  loader->begin_epoch(0);
  ahead.wait();  // before any request
  std::int64_t batches = 0;
  while (const std::optional<Batch> held = loader->next()) ++batches;
  EXPECT_EQ(batches, 32);
  EXPECT_LE(scene.upload.most(), 6 + 1);  // and the one held by the consumer
}

TEST(Upload, UploadTime_IsNotPinningTime) {
  const test::IndexDataset data(6);
  const TickClock clock;
  UploadScene scene;
  scene.upload.before = [&](const Batch&) {
    for (int tick = 0; tick < 1000; ++tick) (void)clock.now_ns();
  };
  const auto loader =
      loader::make_thread_loader(data, scene.options(1), loader::sequential_order(6), clock);
  (void)test::uploaded_epoch(*loader, 0);
  EXPECT_GT(loader->metrics().pin_ns, 0);
  EXPECT_LT(loader->metrics().pin_ns, 3000);
  EXPECT_GE(loader->metrics().upload_ns, 3 * 1000);
  EXPECT_EQ(loader->metrics().pinning_ns, 0);
}

TEST(Upload, CopyError_IsTheErrorOfItsBatch) {
  const test::IndexDataset data(8);
  UploadScene scene;
  scene.upload.before = [](const Batch& batch) {
    if (batch.index == 1) throw Error("device out of memory");
  };
  const auto loader =
      loader::make_thread_loader(data, scene.options(2), loader::sequential_order(8), kUploadClock);
  loader->begin_epoch(0);
  EXPECT_THAT(test::ScriptedUpload::of(*loader->next()).samples, ElementsAre(0, 1));
  EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("device out of memory"));
  EXPECT_THAT(test::ScriptedUpload::of(*loader->next()).samples, ElementsAre(4, 5));
  EXPECT_THAT(test::ScriptedUpload::of(*loader->next()).samples, ElementsAre(6, 7));
  EXPECT_FALSE(loader->next().has_value());
  EXPECT_EQ(scene.upload.there(), 0);
  EXPECT_EQ(scene.memory.out(), 0U);
}

TEST(Upload, WorkerError_ReachesNoDevice) {
  const test::IndexDataset data(4, [](const data::SampleKey& key) {
    if (key.index == 1) throw Error("corrupt");
  });
  UploadScene scene;
  const auto loader =
      loader::make_thread_loader(data, scene.options(1), loader::sequential_order(4), kUploadClock);
  loader->begin_epoch(0);
  EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("loader worker 0: corrupt"));
  EXPECT_THAT(test::ScriptedUpload::of(*loader->next()).samples, ElementsAre(2, 3));
  EXPECT_THAT(scene.upload.order(), ElementsAre(1));
}

class NoDevice final : public loader::BatchUpload {
 public:
  void enter_thread() override { throw Error("no such device"); }
  std::shared_ptr<const void> upload(const Batch&) override { return nullptr; }
};

TEST(Upload, UnusableDevice_EndsTheLoader) {
  const test::IndexDataset data(4);
  test::ScriptedPinnedMemory memory;
  NoDevice none;
  const auto loader = loader::make_thread_loader(
      data,
      {.batch_size = 2, .num_workers = 1, .pin_memory = true, .pinned = &memory, .upload = &none},
      loader::sequential_order(4), kUploadClock);
  loader->begin_epoch(0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("no such device"));
  }
}

TEST(Upload, UntakenBatches_AreReleased) {
  const test::IndexDataset data(40);
  for (const bool persistent : {false, true}) {
    for (const bool in_order : {false, true}) {
      UploadScene scene;
      std::optional<Batch> kept;
      {
        loader::LoaderOptions options = scene.options(2);
        options.persistent_workers = persistent;
        options.in_order = in_order;
        const auto loader =
            loader::make_thread_loader(data, options, loader::sequential_order(40), kUploadClock);
        loader->begin_epoch(0);
        (void)loader->next();
        EXPECT_EQ(test::uploaded_epoch(*loader, 1).size(), 20U);  // restarted in mid-epoch
        EXPECT_EQ(scene.upload.there(), 0);
        loader->begin_epoch(2);
        kept = loader->next();  // and ends there
      }
      EXPECT_EQ(scene.upload.there(), 1);
      EXPECT_EQ(test::ScriptedUpload::of(*kept).samples, test::indices(*kept));
      kept.reset();
      EXPECT_EQ(scene.upload.there(), 0);
      EXPECT_EQ(scene.memory.out(), 0U);
    }
  }
}

}  // namespace
}  // namespace stepbench
