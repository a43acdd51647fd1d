// SPDX-License-Identifier: Apache-2.0
// A torch-free worker whose data sets are on storage of a known speed (section `storage`), for
// planted_storage.py.
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "harness/worker/worker_main.h"
#include "workloads/built_in.h"
#include "workloads/loader/engines.h"
#include "workloads/loader/loader_workload.h"

namespace stepbench {
namespace {

using Time = std::chrono::steady_clock::time_point;
using std::chrono::nanoseconds;

struct Storage {
  double latency_us = 0;      // of a read, until its first byte
  double bandwidth_mb_s = 0;  // shared by all readers; 0: no limit
};

// A read's bytes pass one link after those of earlier reads, while its latency overlaps them.
class SlowStorage {
 public:
  explicit SlowStorage(Storage storage) : storage_(storage) {}

  // Waits until a read of `bytes` that started at `began` is complete.
  void wait(Time began, std::uint64_t bytes) {
    std::int64_t passed = began.time_since_epoch() / nanoseconds(1);
    if (storage_.bandwidth_mb_s > 0) {
      const auto takes = std::llround(1e3 * static_cast<double>(bytes) / storage_.bandwidth_mb_s);
      const std::int64_t began_ns = passed;
      std::int64_t link_free = free_ns_.load();
      do {
        passed = std::max(began_ns, link_free) + takes;
      } while (!free_ns_.compare_exchange_weak(link_free, passed));
    }
    ::prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 us is a hundredth of a read
    std::this_thread::sleep_until(
        Time(nanoseconds(passed + std::llround(1e3 * storage_.latency_us))));
  }

 private:
  Storage storage_;
  std::atomic<std::int64_t> free_ns_ = 0;  // when the link has passed all requested bytes
};

class OnSlowStorage final : public data::Dataset {
 public:
  OnSlowStorage(const data::Dataset& files, Storage storage) : files_(files), storage_(storage) {
    for (const FieldSpec& field : files_.fields()) sample_bytes_ += field.bytes();
  }
  [[nodiscard]] std::int64_t size() const override { return files_.size(); }
  [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return files_.fields(); }
  [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
    return files_.make_scratch();
  }
  void read(const data::SampleKey& key, data::SampleSlots out, Scratch& scratch,
            data::ReadCost& cost) const override {
    const Time began = std::chrono::steady_clock::now();
    files_.read(key, out, scratch, cost);
    storage_.wait(began, sample_bytes_);
  }
  [[nodiscard]] std::string digest() const override { return files_.digest(); }

 private:
  const data::Dataset& files_;
  mutable SlowStorage storage_;
  std::uint64_t sample_bytes_ = 0;
};

Section storage_section() {
  const auto number = [](const char* name, const char* doc) {
    return Option{.name = name,
                  .type = OptionType::kNumber,
                  .doc = doc,
                  .default_value = 0.0,
                  .min = 0,
                  .identity_default = 0.0};
  };
  return {.name = "storage",
          .doc = "Of what speed it is.",
          .selector = {},
          .options = {number("latency_us", "Of a read, until its first byte."),
                      number("bandwidth_mb_s", "That all readers share. 0: no limit.")}};
}

const Catalogue& catalogue() {
  static const Catalogue with_storage = [] {
    Catalogue made = built_in_catalogue();
    made.sections.push_back(storage_section());
    for (WorkloadSpec& workload : made.workloads) {
      if (workload.name == "loader") workload.sections.push_back("storage");
    }
    return made;
  }();
  return with_storage;
}

// Settings of the one case that this process measures.
Storage asked;
std::unique_ptr<OnSlowStorage> made;

std::unique_ptr<loader::Loader> make_slow(const data::Dataset& dataset,
                                          const loader::LoaderOptions& options,
                                          loader::EpochOrder order, const WorkerContext& context) {
  made = std::make_unique<OnSlowStorage>(dataset, asked);
  const char* const engine = options.num_workers == 0 ? "inline" : "thread";
  return loader::find_engine(loader::engines(), engine)
      ->make(*made, options, std::move(order), context);
}

std::unique_ptr<Workload> make_loader(const ResolvedCase& resolved, WorkerContext& context) {
  static const std::vector<loader::Engine> engines = [] {
    std::vector<loader::Engine> all;
    for (const char* name : {"inline", "thread"}) {
      all.push_back(*loader::find_engine(loader::engines(), name));
      all.back().make = make_slow;
    }
    return all;
  }();
  asked = {.latency_us = resolved.number_or("storage.latency_us", 0),
           .bandwidth_mb_s = resolved.number_or("storage.bandwidth_mb_s", 0)};
  return std::make_unique<loader::LoaderWorkload>(resolved, context, engines);
}

}  // namespace
}  // namespace stepbench

int main(int argc, char** argv) {
  const stepbench::WorkloadType workloads[] = {{"loader", stepbench::make_loader}};
  return stepbench::worker_main(argc, argv, stepbench::catalogue(), workloads, {},
                                {.rules = stepbench::built_in_rules()});
}
