// SPDX-License-Identifier: Apache-2.0
// transfer.placement: pin_thread on a scripted device: its calls and their order.
#include <mutex>

#include "tests/testing.h"
#include "tests/unit/loading/scripted_pinned_memory.h"
#include "tests/unit/loading/test_data.h"
#include "tests/workloads/test_case.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/thread/thread_loader.h"
#include "workloads/transfer/internal/copy_ahead.h"
#include "workloads/transfer/transfer.h"

namespace stepbench {
namespace {

// Each mark is one microsecond later on the device than the previous one; `reached` marks have
// passed.
struct DeviceScript {
  void say(std::string what) {
    const std::lock_guard lock(mutex);
    log.push_back(std::move(what));
  }
  std::mutex mutex;
  std::vector<std::string> log;
  std::atomic<int> marks = 0;
  std::atomic<int> reached = 0;
  std::atomic<int> marks_alive = 0;
};

class ScriptedMark final : public transfer::StreamMark {
 public:
  explicit ScriptedMark(DeviceScript& script) : script_(script), number_(++script.marks) {
    ++script_.marks_alive;
  }
  ~ScriptedMark() override { --script_.marks_alive; }
  bool passed() const override { return number_ <= script_.reached; }
  double ns_since(const transfer::StreamMark& earlier) const override {
    EXPECT_TRUE(passed() && earlier.passed());
    return 1000.0 * (number_ - static_cast<const ScriptedMark&>(earlier).number_);
  }
  [[nodiscard]] std::string name() const { return std::to_string(number_); }

 private:
  DeviceScript& script_;
  int number_;
};

class ScriptedUploads final : public transfer::UploadStream {
 public:
  explicit ScriptedUploads(DeviceScript& script) : script_(script) {}

  void enter_thread() override { script_.say("enter"); }
  std::shared_ptr<const transfer::StreamMark> mark() override {
    auto mark = std::make_shared<const ScriptedMark>(script_);
    script_.say("mark " + mark->name());
    return mark;
  }
  transfer::BatchTensors copy(const Batch& batch) override {
    script_.say("copy " + std::to_string(batch.index));
    if (batch.index == fails_at) throw std::runtime_error("out of memory");
    const transfer::BatchTensors host = transfer::batch_tensors(batch);
    return {.input = host.input.clone(), .target = host.target.clone()};
  }
  void make_compute_stream_wait(const transfer::StreamMark& mark) override {
    script_.say("compute waits for " + static_cast<const ScriptedMark&>(mark).name());
  }
  void used_by_compute(const transfer::BatchTensors&) override { script_.say("used by compute"); }
  void finish() override {
    script_.say("finish");
    script_.reached = script_.marks.load();
  }

  std::int64_t fails_at = -1;

 private:
  DeviceScript& script_;
};

struct PinThreadScene {
  Batch pinned(std::int64_t index) {
    const std::size_t bytes = sizeof(float);
    std::shared_ptr<void> owner = memory.take(bytes);
    auto* data = static_cast<std::byte*>(owner.get());
    const auto value = static_cast<float>(index);
    std::memcpy(data, &value, bytes);
    return {.fields = {{data, {.name = "x", .shape = {}}}, {data, {.name = "y", .shape = {}}}},
            .size = 1,
            .index = index,
            .owner = std::move(owner)};
  }
  Batch uploaded(std::int64_t index) {
    Batch batch = pinned(index);
    batch.device_copy = upload->upload(batch);
    return batch;
  }

  TickClock clock;
  StepRecorder step{clock};
  test::ScriptedPinnedMemory memory;
  DeviceScript script;
  ScriptedUploads* stream = new ScriptedUploads(script);
  std::optional<transfer::PinThreadUpload> upload{std::in_place,
                                                  std::unique_ptr<transfer::UploadStream>(stream)};
};

TEST(PinThread, Copy_IsMarkedAndWaitedFor) {
  PinThreadScene scene;
  scene.upload->enter_thread();
  Batch batch = scene.uploaded(0);
  EXPECT_THAT(scene.script.log, ElementsAre("enter", "mark 1", "copy 0", "mark 2"));
  scene.script.log.clear();
  scene.step.start_step(0);
  const transfer::BatchTensors tensors =
      scene.upload->next([&] { return std::move(batch); }, scene.step);
  EXPECT_THAT(scene.script.log, ElementsAre("compute waits for 2", "used by compute"));
  EXPECT_EQ(tensors.input[0].item<float>(), 0.0F);
  const auto h2d = static_cast<std::uint32_t>(PhaseId::kH2d);
  EXPECT_NE(scene.step.current().occurred >> h2d & 1U, 0U);
}

TEST(PinThread, Source_StaysUntilItsCopyEnds) {
  PinThreadScene scene;
  { const Batch dropped = scene.uploaded(0); }
  { const Batch dropped = scene.uploaded(1); }
  EXPECT_EQ(scene.memory.out(), 2U);  // both copies are under way
  scene.script.reached = 3;           // the first one's end, the second one's begin
  { const Batch dropped = scene.uploaded(2); }
  EXPECT_EQ(scene.memory.out(), 2U);
  scene.script.reached = 6;
  scene.upload->window(Edge::kBegin);
  EXPECT_EQ(scene.memory.out(), 0U);
  EXPECT_EQ(scene.script.marks_alive, 0);
}

TEST(PinThread, End_WaitsForCopiesAndFrees) {
  PinThreadScene scene;
  { const Batch dropped = scene.uploaded(0); }
  scene.script.log.clear();
  EXPECT_EQ(scene.memory.out(), 1U);
  scene.upload.reset();
  EXPECT_THAT(scene.script.log, ElementsAre("finish"));
  EXPECT_EQ(scene.memory.out(), 0U);
  EXPECT_EQ(scene.script.marks_alive, 0);
}

TEST(PinThread, BatchInUse_OutlivesTheUpload) {
  PinThreadScene scene;
  const Batch kept = scene.uploaded(0);
  scene.upload.reset();
  EXPECT_EQ(scene.memory.out(), 1U);
  EXPECT_EQ(scene.script.marks_alive, 1);
}

TEST(PinThread, FailingCopy_KeepsItsSource) {
  PinThreadScene scene;
  scene.stream->fails_at = 1;
  scene.upload->window(Edge::kBegin);
  EXPECT_THROW((void)scene.uploaded(1), std::runtime_error);
  EXPECT_THAT(scene.script.log, ElementsAre("mark 1", "copy 1", "mark 2"));
  EXPECT_EQ(scene.memory.out(), 1U);
  scene.script.reached = 2;
  { const Batch next = scene.uploaded(2); }
  EXPECT_EQ(scene.memory.out(), 1U);
  EXPECT_EQ(scene.upload->device_ns(), std::nullopt);  // it is not counted as a copy
}

TEST(PinThread, CopiesEndingInWindows_AreTimed) {
  PinThreadScene scene;
  { const Batch before = scene.uploaded(0); }
  scene.script.reached = 2;
  scene.upload->window(Edge::kBegin);
  { const Batch during = scene.uploaded(1); }
  { const Batch during = scene.uploaded(2); }
  scene.script.reached = 5;  // the second is not finished when the window ends
  scene.upload->window(Edge::kEnd);
  { const Batch after = scene.uploaded(3); }
  scene.script.reached = 8;
  scene.upload->window(Edge::kBegin);
  EXPECT_THAT(scene.upload->device_ns(), Optional(1000.0));
}

TEST(PinThread, MissingCopy_IsAnError) {
  PinThreadScene scene;
  scene.step.start_step(0);
  EXPECT_THROW((void)scene.upload->next([&] { return scene.pinned(0); }, scene.step), Error);
  EXPECT_THAT(scene.script.log, IsEmpty());
}

// Two numbers per sample: 10 * index and its index.
class PairDataset final : public test::IndexDataset {
 public:
  using IndexDataset::IndexDataset;
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
  void read(const data::SampleKey& key, data::SampleSlots out, Scratch& scratch,
            data::ReadCost& cost) const override {
    const auto value = static_cast<float>(10 * key.index);
    std::memcpy(out[0], &value, sizeof value);
    IndexDataset::read(key, out.subspan(1), scratch, cost);
  }

 private:
  std::vector<FieldSpec> fields_ = {{.name = "x", .shape = {}},
                                    {.name = "y", .shape = {}, .dtype = DType::kInt64}};
};

TEST(PinThread, Samples_AreInInlineOrder) {
  const PairDataset data(20);
  const HostClock clock;
  PinThreadScene scene;
  transfer::Transfer transfer(test::train_case({{"transfer.placement", std::string("pin_thread")}}),
                              at::Device(at::kCPU));
  transfer.take_from(*scene.upload);
  {
    const auto loader = loader::make_thread_loader(data,
                                                   {.batch_size = 4,
                                                    .num_workers = 2,
                                                    .pin_memory = true,
                                                    .pinned = &scene.memory,
                                                    .upload = &*scene.upload},
                                                   loader::shuffled_order(20, 1), clock);
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      loader->begin_epoch(epoch);
      std::vector<std::int64_t> samples;
      for (std::int64_t k = 0; k < 5; ++k) {
        scene.step.start_step(k);
        const transfer::BatchTensors tensors =
            transfer.next([&] { return loader->next().value(); }, scene.step);
        for (std::int64_t i = 0; i < 4; ++i) {
          samples.push_back(tensors.target[i].item<std::int64_t>());
          EXPECT_EQ(tensors.input[i].item<float>(), 10.0F * static_cast<float>(samples.back()));
        }
      }
      EXPECT_EQ(samples, loader::shuffled_order(20, 1)(epoch));
      EXPECT_FALSE(loader->next().has_value());
    }
    loader->begin_epoch(2);  // and stops in the middle, with copies under way
  }
  scene.upload.reset();
  EXPECT_EQ(scene.memory.out(), 0U);
  EXPECT_EQ(scene.script.marks_alive, 0);
}

}  // namespace
}  // namespace stepbench
