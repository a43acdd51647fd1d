// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/loading/loader_contract.h"

#include <thread>

#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/data/internal/synthetic/synthetic.h"
#include "workloads/data/internal/synthetic/synthetic_tokens.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/inline_loader.h"

namespace stepbench::test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::ThrowsMessage;
using Batches = std::vector<std::vector<std::int64_t>>;

namespace {

const HostClock kContractClock;

std::vector<std::vector<std::byte>> two_epochs(loader::Loader& loader) {
  std::vector<std::vector<std::byte>> batches;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    loader.begin_epoch(epoch);
    while (const auto batch = loader.next()) batches.push_back(bytes(*batch));
    batches.emplace_back();
  }
  return batches;
}

// Content, shape and padding of a batch of samples of different lengths.
struct Padded {
  std::vector<std::byte> numbers;
  std::vector<std::int64_t> shape;
  std::optional<std::int64_t> padding;
  bool operator==(const Padded&) const = default;
};

std::vector<Padded> padded_batches(loader::Loader& loader, std::int64_t count) {
  std::vector<Padded> batches;
  loader.begin_epoch(0);
  while (std::ssize(batches) < count) {
    const auto batch = loader.next();
    if (!batch) break;
    batches.push_back({bytes(*batch), batch->fields[1].spec->shape, batch->padding});
  }
  return batches;
}

// The next batch, after any number of timeouts on a slow machine.
Batch patiently(loader::Loader& loader) {
  for (;;) {
    try {
      return std::move(*loader.next());
    } catch (const Error&) {
    }
  }
}

}  // namespace

std::unique_ptr<loader::Loader> LoaderContract::make(const data::Dataset& data,
                                                     const loader::LoaderOptions& options) {
  return make(data, options, loader::sequential_order(data.size()), kContractClock);
}

TEST_P(LoaderContract, PaddingAndBuckets_MatchInline) {
  const data::SyntheticTokens data(
      {.samples = 50,
       .sequence_length = 40,
       .vocabulary = 1000,
       .lengths = data::SampleLengths({.shortest = 3, .longest = 40, .multiple_of = 4})});
  for (const bool joined : {false, true}) {
    for (const std::int64_t bucket : {1, 4}) {
      loader::LoaderOptions options{.batch_size = 4,
                                    .bucket_batches = bucket,
                                    .lengths = data.lengths(),
                                    .seed = 5,
                                    .joined = joined};
      loader::InlineLoader reference(data, options, loader::shuffled_order(50, 5), kContractClock);
      const auto expected = padded_batches(reference, 30);
      options.num_workers = 2;
      const auto loader = make(data, options, loader::shuffled_order(50, 5), kContractClock);
      EXPECT_EQ(padded_batches(*loader, 30), expected) << joined << bucket;
      EXPECT_EQ(loader->metrics().padding, reference.metrics().padding);
      EXPECT_EQ(loader->metrics().elements, reference.metrics().elements);
    }
  }
}

TEST_P(LoaderContract, AnyOptions_GiveTheSamplesOfInline) {
  const data::Synthetic data({.samples = 23, .shape = {2, 3, 5}});
  for (int bits = 0; bits < 1 << 6; ++bits) {
    const auto bit = [&](int which) { return (bits >> which & 1) != 0; };
    loader::LoaderOptions options{.batch_size = bit(0) ? 4 : 32,
                                  .seed = 11,
                                  .persistent_workers = bit(1),
                                  .drop_last = bit(2)};
    const loader::EpochOrder order =
        bit(3) ? loader::shuffled_order(23, 11) : loader::sequential_order(23);
    loader::InlineLoader reference(data, options, order, kContractClock);
    options.num_workers = 1 + bits % 4;
    options.prefetch_factor = bit(4) ? 1 : 3;
    options.reuse_buffers = bit(5);
    const auto loader = make(data, options, order, kContractClock);
    ASSERT_EQ(two_epochs(*loader), two_epochs(reference)) << bits;
    EXPECT_EQ(loader->batches_per_epoch(), reference.batches_per_epoch());
  }
}

TEST_P(LoaderContract, Error_NamesWorkerAndCause) {
  const IndexDataset data(6, [](const data::SampleKey& key) {
    if (key.index == 3) throw Error("cat/3.jpg: corrupt");
  });
  const auto loader = make(data, {.num_workers = 2});
  loader->begin_epoch(0);
  for (const std::int64_t index : {0, 1, 2})
    EXPECT_THAT(indices(*loader->next()), ElementsAre(index));
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>(MatchesRegex("loader worker [01]: cat/3.jpg: corrupt")));
  for (const std::int64_t index : {4, 5}) EXPECT_THAT(indices(*loader->next()), ElementsAre(index));
  EXPECT_FALSE(loader->next().has_value());
}

TEST_P(LoaderContract, FailingBatches_EndTheEpoch) {
  const IndexDataset data(9, [](const data::SampleKey&) { throw 42; });
  const auto loader = make(data, {.num_workers = 3});
  loader->begin_epoch(0);
  int failed = 0;
  bool ended = false;
  while (failed <= 9 && !ended) {
    try {
      ended = !loader->next().has_value();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("not a std::exception"));
      ++failed;
    }
  }
  EXPECT_TRUE(ended);
  if (GetParam().survives_errors) {
    EXPECT_EQ(failed, 9);
  } else {
    EXPECT_GE(failed, 1);
  }
}

TEST_P(LoaderContract, InOrder_WaitsForAStraggler) {
  const SharedGate gate(4);
  const IndexDataset data(4, [&](const data::SampleKey& key) {
    if (key.index == 0) gate.pass(0);
  });
  const auto loader = make(data, {.num_workers = 2, .timeout_s = 0.01});
  loader->begin_epoch(0);
  gate.wait_until_begun(0);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("the loader timed out after 0.01 seconds (loader.timeout_s)"));
  gate.open(0);
  for (const std::int64_t index : {0, 1, 2, 3}) EXPECT_EQ(patiently(*loader).index, index);
}

TEST_P(LoaderContract, OutOfOrder_PassesAStraggler) {
  const SharedGate gate(5);
  const IndexDataset data(5, [&](const data::SampleKey& key) {
    if (key.index == 0) gate.pass(0);
  });
  const auto loader = make(data, {.num_workers = 2, .prefetch_factor = 1, .in_order = false});
  loader->begin_epoch(0);
  for (const std::int64_t index : {1, 2, 3, 4})
    EXPECT_THAT(indices(*loader->next()), ElementsAre(index));
  gate.open(0);
  EXPECT_THAT(indices(*loader->next()), ElementsAre(0));
  EXPECT_FALSE(loader->next().has_value());
}

TEST_P(LoaderContract, ReadAhead_IsBounded) {
  const Shared<std::atomic<std::int64_t>> begun(1);
  const IndexDataset data(60, [&](const data::SampleKey&) { ++begun[0]; });
  const auto loader = make(data, {.num_workers = 3, .prefetch_factor = 2});
  loader->begin_epoch(0);
  std::int64_t yielded = 0;
  while (loader->next()) {
    ++yielded;
    EXPECT_LE(begun[0], yielded + 6);
  }
  EXPECT_EQ(yielded, 60);
}

// Waits outside next() for the next sample to be started: it hangs unless next() itself sent the
// task.
TEST_P(LoaderContract, Next_RefillsTheWorkers) {
  const SharedSemaphores begun(12);
  const IndexDataset data(12, [&](const data::SampleKey& key) { begun.post(key.index); });
  const auto loader = make(data, {.num_workers = 2, .prefetch_factor = 2});
  loader->begin_epoch(0);
  for (std::int64_t yielded = 0; yielded < 12; ++yielded) {
    for (std::int64_t i = yielded == 0 ? 0 : yielded + 3;
         i < std::min<std::int64_t>(yielded + 4, 12); ++i)
      begun.wait(i);
    EXPECT_THAT(indices(*loader->next()), ElementsAre(yielded));
  }
}

TEST_P(LoaderContract, AbandonedEpoch_LeavesNothing) {
  for (const bool persistent : {false, true}) {
    const IndexDataset data(8);
    const auto loader =
        make(data, {.batch_size = 2, .num_workers = 2, .persistent_workers = persistent});
    loader->begin_epoch(0);
    EXPECT_THAT(indices(*loader->next()), ElementsAre(0, 1));
    EXPECT_EQ(epoch(*loader, 1), (Batches{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    loader->begin_epoch(2);
    EXPECT_EQ(epoch(*loader, 3).size(), 4U) << "not one batch of epoch 2 was taken";
    loader->begin_epoch(4);  // and stops in mid-epoch
  }
}

TEST_P(LoaderContract, Batches_OutliveTheLoader) {
  for (const bool reuse : {false, true}) {
    std::optional<Batch> kept;
    {
      const IndexDataset data(4);
      const auto loader = make(data, {.batch_size = 2, .num_workers = 1, .reuse_buffers = reuse});
      loader->begin_epoch(0);
      kept = loader->next();
    }
    EXPECT_THAT(indices(*kept), ElementsAre(0, 1));
    EXPECT_EQ(kept->fields[0].spec->name, "index");
  }
}

TEST_P(LoaderContract, Parts_SumToTheirTotals) {
  const IndexDataset data(50);
  const TickClock clock;
  const auto loader =
      make(data, {.batch_size = 2, .num_workers = 2}, loader::sequential_order(50), clock);
  (void)epoch(*loader, 0);
  const loader::LoaderMetrics& m = loader->metrics();
  EXPECT_EQ(m.wait_ns.size(), 25U);
  EXPECT_EQ(std::accumulate(m.wait_ns.begin(), m.wait_ns.end(), std::int64_t{0}),
            m.blocked_ns + m.read_ns + m.receive_ns + m.pinning_ns + m.dispatch_ns);
  EXPECT_LE(m.stalled_ns, m.blocked_ns);
  const std::int64_t busy = m.workers.at(0).busy_ns + m.workers.at(1).busy_ns;
  EXPECT_GT(busy, 0);
  EXPECT_EQ(busy, m.fetch_ns + m.decode_ns + m.collate_ns);
  EXPECT_EQ(m.batches, 25);
  EXPECT_EQ(m.samples, 50);
  EXPECT_EQ(m.bytes, 400);
}

TEST_P(LoaderContract, JoinedEpochs_GiveFullBatches) {
  constexpr std::int64_t kBatches = 25;
  for (int bits = 0; bits < 36; ++bits) {
    const std::int64_t size = std::array{3, 8, 10}.at(bits % 3);
    const std::int64_t batch_size = std::array{1, 4, 16}.at(bits / 3 % 3);
    const bool in_order = bits / 9 % 2 == 0;
    const EpochDataset data(size);
    const loader::LoaderOptions options{.batch_size = batch_size,
                                        .joined = true,
                                        .num_workers = bits < 18 ? 1 : 3,
                                        .in_order = in_order};
    const auto expected = joined_batches(loader::shuffled_order(size, 3), batch_size, 2 * kBatches);
    const auto loader = make(data, options, loader::shuffled_order(size, 3), kContractClock);
    EXPECT_LT(loader->batches_per_epoch(), 0);
    for (int time = 0; time < 2; ++time) {  // it may be restarted
      loader->begin_epoch(0);
      std::set<std::int64_t> seen;
      for (std::int64_t i = 0; i < kBatches; ++i) {
        const auto batch = loader->next();
        ASSERT_TRUE(batch.has_value());
        EXPECT_FALSE(batch->partial);
        EXPECT_TRUE(seen.insert(batch->index).second && (!in_order || batch->index == i));
        ASSERT_EQ(indices(*batch), expected.at(static_cast<std::size_t>(batch->index)));
      }
    }
    EXPECT_EQ(loader->metrics().epoch_end_ns, 0);
  }
}

TEST_P(LoaderContract, Ready_IsBoundedByReadAhead) {
  const IndexDataset data(64);
  const auto loader = make(data, {.joined = true, .num_workers = 2, .prefetch_factor = 3},
                           loader::sequential_order(64), kContractClock);
  loader->begin_epoch(0);
  (void)loader->next();
  while (*loader->ready() < 6) std::this_thread::yield();
  (void)loader->next();
  EXPECT_GE(*loader->ready(), 5);
  EXPECT_LE(*loader->ready(), 6);
}

// As many draws as num_samples, for any size of the data set; also none.
TEST_P(LoaderContract, Epoch_IsAsLongAsItsOrder) {
  const IndexDataset data(3);
  const auto none = make(data, {.batch_size = 4, .num_workers = 2, .drop_last = true});
  EXPECT_EQ(none->batches_per_epoch(), 0);
  EXPECT_EQ(epoch(*none, 0), Batches{});
  const auto order = [](std::int64_t) { return std::vector<std::int64_t>{2, 2, 0, 1, 2}; };
  const auto five =
      make(data, {.batch_size = 2, .num_samples = 5, .num_workers = 2}, order, kContractClock);
  EXPECT_EQ(five->batches_per_epoch(), 3);
  EXPECT_EQ(epoch(*five, 0), (Batches{{2, 2}, {0, 1}, {2}}));
}

}  // namespace stepbench::test
