// SPDX-License-Identifier: Apache-2.0
// Planted cases: each gives its verdict and no other.
#include "workloads/loader/analysis/loader_findings.h"

#include <gmock/gmock.h>

#include "tests/unit/loading/case.h"
#include "workloads/loader/analysis/loader_analysis.h"
#include "workloads/loader/analysis/loader_facts.h"
#include "workloads/loader/repeated_batches.h"

namespace stepbench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSteps = 100;

std::int64_t batch_ms_of(const loader::LoaderFacts& facts) {
  return (facts.measured.fetch_ns + facts.measured.decode_ns + facts.measured.collate_ns) /
         (kSteps * kMs);
}

// A run of `kSteps` steps in steady state by the model: the consumer needs `consumer_ms` for a
// step, a worker `batch_ms` for a batch, all of it decoding.
loader::LoaderFacts steady(std::int64_t workers, std::int64_t cores, std::int64_t consumer_ms,
                           std::int64_t batch_ms) {
  loader::LoaderFacts facts;
  facts.engine = workers == 0 ? "inline" : "thread";
  facts.options.num_workers = workers;
  facts.options.persistent_workers = true;
  facts.cores = static_cast<double>(cores);
  const std::int64_t step_ms =
      workers == 0 ? consumer_ms + batch_ms : std::max(consumer_ms, batch_ms / workers);
  facts.window.elapsed_ns = kSteps * step_ms * kMs;
  facts.window.used.user_ns = kSteps * (consumer_ms + batch_ms) * kMs;
  facts.machine.others_ns = 0;
  facts.machine.training = machine::ThreadTimes{
      .cpu_ns = kSteps * (workers == 0 ? consumer_ms + batch_ms : consumer_ms) * kMs};
  loader::LoaderMetrics& m = facts.measured;
  m.wait_ns.assign(kSteps, (step_ms - consumer_ms) * kMs);
  m.samples = m.batches = kSteps;
  m.decode_ns = kSteps * batch_ms * kMs * 9 / 10;
  m.collate_ns = kSteps * batch_ms * kMs - m.decode_ns;
  for (std::int64_t i = 0; i < workers; ++i) {
    const std::int64_t busy_ns = kSteps * batch_ms * kMs / workers;
    m.workers.push_back({.busy_ns = busy_ns, .idle_ns = facts.window.elapsed_ns - busy_ns});
    facts.machine.workers.cpu_ns += busy_ns;
    facts.machine.workers_lived_ns += facts.window.elapsed_ns;
  }
  return facts;
}

// Of batches of samples of different lengths, so much is padding; sorted, so much would be.
loader::LoaderFacts padded(std::int64_t percent, double sorted) {
  loader::LoaderFacts facts = steady(1, 4, 100, 10);
  facts.measured.elements = kSteps * 100;
  facts.measured.padding = kSteps * percent;
  facts.padding_sorted = sorted;
  return facts;
}

TEST(LoaderFindings, PaddingIsToldWithWhatSortingWouldLeave) {
  const auto found = loader::loader_findings(padded(38, 0.02));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "loader.padding");
  EXPECT_THAT(found[0].text, HasSubstr("38.0 % of the tokens in the batches are padding"));
  EXPECT_EQ(found[0].remedy, "Sorted by length within 64 batches, 2.0 % would be.");
  EXPECT_EQ(found[0].set.at(0).option, "loader.bucket_batches");
}

TEST(LoaderFindings, PaddingThatIsLittleOrThatSortingLeavesIsNoFinding) {
  EXPECT_THAT(loader::loader_findings(padded(9, 0.01)), IsEmpty());
  EXPECT_THAT(loader::loader_findings(padded(38, 0.30)), IsEmpty());
  loader::LoaderFacts unknown = padded(38, 0);
  unknown.padding_sorted.reset();
  EXPECT_THAT(loader::loader_findings(unknown), IsEmpty());
}

TEST(LoaderFindings, WhereAllIsPaddedToTheLongestSampleOfAllTheBatchesOwnIsProposed) {
  loader::LoaderFacts facts = padded(60, 0.60);
  facts.pads_to_longest = false;
  const auto found = loader::loader_findings(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].set.at(0).option, "data.padding");
}

// The readers hardly compute: they sleep.
void block(loader::LoaderFacts& facts) {
  std::swap(facts.measured.fetch_ns, facts.measured.decode_ns);
  facts.window.used.user_ns -= kSteps * batch_ms_of(facts) * kMs;
  facts.machine.workers.cpu_ns = 0;
  if (facts.options.num_workers == 0) {
    facts.machine.training->cpu_ns -= kSteps * batch_ms_of(facts) * kMs;
  }
}

void wait_for_storage(loader::LoaderFacts& facts) {
  block(facts);
  facts.machine.storage_bytes = kSteps << 20;
  facts.machine.storage_stalled_ns = facts.window.elapsed_ns / 2;
}

// Another program computes all the time on `cores`; the workers wait for a CPU half of their time.
void share_with_others(loader::LoaderFacts& facts, std::int64_t cores) {
  facts.machine.others_ns = cores * facts.window.elapsed_ns;
  facts.machine.workers.waited_ns = facts.machine.workers.cpu_ns /= 2;
  facts.window.used.user_ns = facts.machine.training->cpu_ns + facts.machine.workers.cpu_ns;
}

std::vector<std::string> ids(const loader::LoaderFacts& facts) {
  std::vector<std::string> all;
  for (const Finding& finding : loader::loader_findings(facts)) all.push_back(finding.id);
  return all;
}

Finding only(const loader::LoaderFacts& facts) {
  const std::vector<Finding> all = loader::loader_findings(facts);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? Finding{} : all.front();
}

std::string set_of(const Finding& finding) {
  std::string text;
  for (const auto& [option, value] : finding.set) text += option + '=' + value + ' ';
  return text;
}

TEST(LoaderFindings, SayNothingWhenNothingLimits) {
  EXPECT_THAT(loader::loader_findings(steady(2, 8, 10, 16)), IsEmpty());
  EXPECT_THAT(loader::loader_findings(steady(0, 8, 100, 1)), IsEmpty());
  EXPECT_THAT(loader::loader_findings(loader::LoaderFacts{}), IsEmpty()) << "nothing measured";
}

TEST(LoaderFindings, OfAnIterableOnlyTheWaitIsKnownAndNoWorkersAreAdvised) {
  for (const std::int64_t workers : {0, 2}) {
    loader::LoaderFacts facts = steady(workers, 8, 10, 60);
    facts.engine = "iterable";
    const Finding finding = only(facts);
    EXPECT_EQ(finding.id, "loader.iterable");
    EXPECT_THAT(finding.text, HasSubstr(workers == 0 ? "waits 85.7 %" : "waits 66.7 %"));
    EXPECT_THAT(finding.set, IsEmpty());
    loader::LoaderFacts keeps_up = steady(workers, 8, 100, 5);
    keeps_up.engine = "iterable";
    EXPECT_THAT(ids(keeps_up), IsEmpty());
    loader::LoaderFacts without_step = steady(workers, 8, 0, 60);
    without_step.engine = "iterable";
    EXPECT_THAT(ids(without_step), IsEmpty()) << "the loader is the limit by design";
  }
}

TEST(LoaderFindings, WithoutWorkersTheStepWaitsForItsOwnReading) {
  const Finding finding = only(steady(0, 8, 10, 30));
  EXPECT_EQ(finding.id, "loader.no_workers");
  EXPECT_EQ(finding.text,
            "no workers: the step waits 75.0 % of its time for data; decoding takes 90.0 % of that "
            "wait (computing)");
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_NEAR(*finding.share, 0.75, 1e-9) << "three workers hide all of it";
  EXPECT_EQ(set_of(finding), "loader.num_workers=3 ");
}

TEST(LoaderFindings, WithoutWorkersOnOneCoreOneWorkerCannotHelp) {
  loader::LoaderFacts facts = steady(0, 1, 10, 30);
  facts.may_decode_faster = true;
  EXPECT_EQ(set_of(only(facts)), "data.decode=fast ");
}

TEST(LoaderFacts, FasterDecodingIsThereWhereverJpegFilesAreDecodedExactly) {
  const auto may_decode_faster = [](const char* kind, const Value& decode) {
    const ResolvedCase resolved = test::loader_case({{"data.kind", kind}, {"data.decode", decode}});
    return loader::loader_facts(resolved, {}, {}).may_decode_faster;
  };
  EXPECT_TRUE(may_decode_faster("jpeg_folder", "exact"));
  EXPECT_TRUE(may_decode_faster("webdataset", "exact"));
  EXPECT_FALSE(may_decode_faster("webdataset", "fast"));
  EXPECT_FALSE(may_decode_faster("synthetic", Value())) << "has no such option";
}

TEST(LoaderFindings, WorkersThatSaturateTheCoresAreTheLimitInPlainWords) {
  const Finding finding = only(steady(2, 2, 10, 40));
  EXPECT_EQ(finding.id, "loader.core_bound");
  EXPECT_EQ(finding.text,
            "decoding takes 90.0 % of the workers' time; 2 workers, 100 % busy (computing); "
            "2 cores, 100 % in use; the step waits 50.0 % of its time for data");
  EXPECT_THAT(finding.set, IsEmpty()) << "no number of workers helps";
  EXPECT_THAT(finding.remedy, HasSubstr("do less per sample"));
}

TEST(LoaderFindings, TheLoaderAloneIsItsOwnLimitAndNoComplaint) {
  const Finding finding = only(steady(2, 2, 0, 40));
  EXPECT_EQ(finding.text,
            "decoding takes 90.0 % of the workers' time; 2 workers, 100 % busy (computing); "
            "2 cores, 100 % in use");
  EXPECT_EQ(finding.severity, Severity::kInfo);
  EXPECT_EQ(finding.share, std::nullopt);
}

TEST(LoaderFindings, WaitsAtEpochBordersAreNotSteadyWaits) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.measured.wait_ns[50] = 400 * kMs;
  facts.window.borders = 1;
  facts.window.border_ns = 410 * kMs;
  facts.window.border_next_ns = 400 * kMs;
  facts.window.elapsed_ns += facts.window.border_ns;
  EXPECT_EQ(only(facts).id, "loader.epoch_drain");
}

TEST(LoaderFindings, MoreWorkersAreProposedWhileThereAreCores) {
  const Finding finding = only(steady(1, 8, 10, 40));
  EXPECT_EQ(finding.id, "loader.worker_bound");
  EXPECT_THAT(finding.text, HasSubstr("1 worker, 100 % busy (computing); 1.2 of 8 cores in use"));
  EXPECT_EQ(set_of(finding), "loader.num_workers=4 ");
  EXPECT_NEAR(*finding.share, 0.75, 1e-9);
}

TEST(LoaderFindings, WaitingForStorageIsOverlappedByMoreWorkersThanCores) {
  loader::LoaderFacts facts = steady(2, 2, 10, 160);
  wait_for_storage(facts);
  const Finding finding = only(facts);
  EXPECT_THAT(finding.text, AllOf(HasSubstr("reading takes 90.0 % of the workers' time"),
                                  HasSubstr("100 % busy (waiting for storage)")));
  EXPECT_EQ(set_of(finding), "loader.num_workers=16 ");
}

TEST(LoaderFindings, WaitingForSomethingElseIsNotCalledStorage) {
  loader::LoaderFacts facts = steady(2, 2, 10, 160);
  block(facts);
  facts.machine.storage_bytes = 0;
  EXPECT_THAT(only(facts).text, HasSubstr("neither a CPU nor storage)"));
  EXPECT_THAT(only(facts).remedy, HasSubstr("unless they wait for one another"));
  facts.machine.storage_bytes = std::nullopt;
  EXPECT_THAT(only(facts).text, HasSubstr("(waiting for what is not known)"));
}

TEST(LoaderFindings, WaitingForAServerIsCalledTheNetworkWhateverTheDiskDid) {
  loader::LoaderFacts facts = steady(2, 2, 10, 160);
  wait_for_storage(facts);
  facts.measured.remote.bytes = kSteps << 10;
  EXPECT_THAT(only(facts).text, HasSubstr("100 % busy (waiting for the network)"));
  EXPECT_THAT(only(facts).remedy, HasSubstr("as far as the server and the link to it give more"));
}

TEST(LoaderFindings, ReadingThatComputesIsNeverCalledWaitingHoweverManyCoresAreFree) {
  loader::LoaderFacts facts = steady(2, 2, 10, 40);
  facts.engine = "python";
  std::swap(facts.measured.fetch_ns, facts.measured.decode_ns);
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.core_bound");
  EXPECT_THAT(finding.text, HasSubstr("__getitem__ takes 90.0 % of the workers' time"));
  EXPECT_THAT(finding.set, IsEmpty()) << "no worker more than there are cores";
}

TEST(LoaderFindings, WithoutCountersOfTheKernelNothingIsGuessed) {
  loader::LoaderFacts facts = steady(2, 2, 10, 160);
  block(facts);
  facts.machine = {};
  const Finding finding = only(facts);
  EXPECT_THAT(finding.text, HasSubstr("2 workers, 100 % busy; 0.1 of 2 cores in use"));
  EXPECT_THAT(finding.set, IsEmpty());
}

TEST(LoaderFindings, OtherProgramsAreNamedWhereWorkersWaitForTheirCores) {
  loader::LoaderFacts facts = steady(2, 2, 10, 40);
  share_with_others(facts, 1);
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.other_programs");
  EXPECT_THAT(finding.text,
              AllOf(HasSubstr("computing 50.0 %, waiting for a CPU 50.0 %"),
                    HasSubstr("other programs use 1 of 2 cores"), HasSubstr("waits 50.0 %")));
  EXPECT_NEAR(*finding.share, 0.25, 1e-9) << "the CPU time of all needs 15 ms on two cores";
  EXPECT_THAT(finding.set, IsEmpty());
}

TEST(LoaderFindings, WorkersThatSleepAreBlockedAndNotHeldUpByOthers) {
  loader::LoaderFacts facts = steady(2, 2, 10, 160);
  wait_for_storage(facts);
  facts.machine.others_ns = facts.window.elapsed_ns * 19 / 10;
  facts.machine.workers.waited_ns = facts.machine.workers_lived_ns / 6;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.worker_bound");
  EXPECT_THAT(finding.text, HasSubstr("other programs use 1.9 of 2 cores"));
  EXPECT_EQ(set_of(finding), "loader.num_workers=13 ") << "what they need of the cores is little";
}

TEST(LoaderFindings, OneWorkerBesideAProgramOnTheOtherCoreIsNotAskedToBecomeTwo) {
  loader::LoaderFacts facts = steady(1, 2, 0, 40);
  facts.machine.others_ns = facts.window.elapsed_ns;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.core_bound");
  EXPECT_THAT(finding.text, HasSubstr("other programs use 1 of 2 cores"));
  EXPECT_THAT(finding.remedy, HasSubstr("end these"));
  EXPECT_THAT(finding.set, IsEmpty());
}

TEST(LoaderFindings, AQuotaIsTheNumberOfCores) {
  loader::LoaderFacts facts = steady(2, 8, 0, 40);
  facts.cores = 1.5;
  facts.window.used.user_ns = facts.window.elapsed_ns * 3 / 2;
  facts.machine.workers.cpu_ns = facts.machine.workers.cpu_ns * 3 / 4;
  facts.machine.throttled_ns = facts.machine.workers.cpu_ns / 3;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.core_bound");
  EXPECT_THAT(finding.text, AllOf(HasSubstr("computing 75.0 %, waiting for a CPU 25.0 %"),
                                  HasSubstr("1.5 cores, 100 % in use")));
}

TEST(LoaderFindings, OtherProgramsBesideAQuotaAreCountedOnTheCoresOfTheMachine) {
  loader::LoaderFacts facts = steady(2, 2, 10, 40);
  share_with_others(facts, 1);
  facts.machine_cores = 16;
  EXPECT_THAT(only(facts).text, testing::Not(HasSubstr("other programs")))
      << "fifteen cores are left for two";
  facts.machine_cores = 3;
  facts.machine.others_ns = 2 * facts.window.elapsed_ns;
  EXPECT_THAT(only(facts).text, HasSubstr("other programs use 2 of 3 cores"));
}

loader::LoaderFacts with_gil_held(double held_ms) {
  loader::LoaderFacts facts = steady(1, 8, 0, 20);
  facts.engine = "python";
  facts.measured.queue_thread_wait_ns = static_cast<std::int64_t>(held_ms * kSteps * kMs);
  return facts;
}

TEST(LoaderFindings, ALockThatKeepsFinishedBatchesIsNamedWithTheOptionThatTriesToHelp) {
  loader::LoaderFacts facts = with_gil_held(9);
  const std::vector<Finding> all = loader::loader_findings(facts);
  EXPECT_THAT(ids(facts), ElementsAre("loader.worker_bound", "loader.gil"));
  EXPECT_THAT(all[1].text, HasSubstr("waits 9.00 ms for Python's lock (GIL)"));
  EXPECT_EQ(set_of(all[1]), "loader.switch_interval_us=100 ");
  EXPECT_EQ(all[1].severity, Severity::kInfo) << "the worker is never idle";
  facts.options.switch_interval_us = 100;
  EXPECT_EQ(set_of(loader::loader_findings(facts)[1]), "");
  facts.machine.workers.waited_ns = facts.machine.workers.cpu_ns * 3 / 10;
  facts.machine.workers.cpu_ns = facts.machine.workers.cpu_ns * 7 / 10;
  EXPECT_THAT(ids(facts), testing::Not(testing::Contains("loader.gil"))) << "it had no CPU";
  EXPECT_THAT(ids(with_gil_held(0.1)), ElementsAre("loader.worker_bound"));
}

// One worker makes a batch in 20 ms and waits until its four tensors are fetched.
loader::LoaderFacts with_slow_memory(double ms_for_each) {
  loader::LoaderFacts facts = with_gil_held(0);
  const auto held_ns = static_cast<std::int64_t>(4 * ms_for_each * kMs);
  facts.measured.memories = 4 * kSteps;
  facts.measured.memory_wait_ns = kSteps * held_ns;
  facts.measured.receive_ns = kSteps * held_ns;
  facts.window.elapsed_ns += kSteps * held_ns;
  facts.machine.workers_lived_ns += kSteps * held_ns;
  facts.measured.workers[0].idle_ns += kSteps * held_ns;
  facts.measured.wait_ns.assign(kSteps, 20 * kMs + held_ns);
  return facts;
}

TEST(LoaderFindings, ALockThatHoldsUpTheStepIsTheCause) {
  const Finding finding = only(with_slow_memory(5));
  EXPECT_EQ(finding.id, "loader.gil");
  EXPECT_EQ(finding.text,
            "a finished batch waits 20.0 ms for Python's lock (GIL), which its worker's own "
            "reading holds; the step waits 100 % of its time for data");
  EXPECT_NEAR(finding.share.value_or(0), 0.5, 1e-9) << "20 of 40 ms";
}

TEST(LoaderFindings, ALockThatBusyWorkersHoldIsNoCauseBesideTheirNumber) {
  loader::LoaderFacts facts = with_slow_memory(5);
  facts.measured.workers[0].busy_ns += std::exchange(facts.measured.workers[0].idle_ns, 0);
  facts.measured.fetch_ns = facts.measured.workers[0].busy_ns - facts.measured.decode_ns;
  facts.machine.workers.cpu_ns = facts.measured.workers[0].busy_ns;
  EXPECT_THAT(ids(facts), ElementsAre("loader.worker_bound", "loader.gil"));
}

TEST(LoaderFindings, ManyTensorsThatAreHandedOverAtOnceWaitForNoLock) {
  loader::LoaderFacts facts = with_slow_memory(0.2);
  facts.measured.memories *= 25;
  facts.measured.memory_wait_ns *= 25;
  facts.measured.receive_ns *= 25;
  facts.window.elapsed_ns *= 2;
  facts.machine.workers_lived_ns *= 2;
  facts.measured.workers[0].idle_ns += facts.window.elapsed_ns / 2;
  facts.measured.wait_ns.assign(kSteps, 41 * kMs);
  EXPECT_THAT(ids(facts), ElementsAre("loader.transport"));
}

TEST(LoaderFindings, AnAdviceIsOneThatTheEngineTakes) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.measured.bytes = kSteps * 4096 * 1000;
  facts.window.used.minor_faults = kSteps * 1010;
  facts.window.used.system_ns = facts.window.used.user_ns / 2;
  facts.offers = [](std::string_view option) { return option != "loader.buffers"; };
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.page_faults");
  EXPECT_THAT(finding.set, IsEmpty());
  EXPECT_THAT(finding.remedy, HasSubstr("always makes fresh memory"));
}

TEST(LoaderFacts, OptionsThatAnEngineRefusesAreNotOffered) {
  const auto offers = [](const Value& buffers) {
    const ResolvedCase resolved = test::loader_case({{"loader.buffers", buffers}});
    return loader::loader_facts(resolved, {}, {}).offers("loader.buffers");
  };
  EXPECT_TRUE(offers("fresh"));
  EXPECT_FALSE(offers(Value()));
}

TEST(LoaderFindings, ASlowConsumerLeavesTooManyWorkersIdle) {
  const Finding finding = only(steady(4, 8, 100, 10));
  EXPECT_EQ(finding.id, "loader.idle_workers");
  EXPECT_EQ(finding.text, "4 workers are busy only 2.5 % of their time");
  EXPECT_THAT(finding.remedy, HasSubstr("1 worker would do"));
  EXPECT_EQ(set_of(finding), "loader.num_workers=1 ");
  EXPECT_EQ(finding.severity, Severity::kInfo);
  EXPECT_EQ(finding.share, std::nullopt) << "the step does not get faster";
}

TEST(LoaderFindings, MoreWorkersThanCoresAreSaidToShareThem) {
  loader::LoaderFacts facts = steady(8, 2, 10, 80);
  facts.window.used.user_ns = 2 * facts.window.elapsed_ns;
  EXPECT_THAT(ids(facts), ElementsAre("loader.oversubscribed"));
  EXPECT_EQ(set_of(only(facts)), "loader.num_workers=2 ");
}

TEST(LoaderFindings, TooManyWorkersOnCoresThatAreTheLimitAreOneFinding) {
  loader::LoaderFacts facts = steady(8, 2, 10, 320);
  facts.machine.workers.cpu_ns /= 4;
  facts.machine.workers.waited_ns = 3 * facts.machine.workers.cpu_ns;
  facts.window.used.user_ns = 2 * facts.window.elapsed_ns;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.oversubscribed");
  EXPECT_EQ(finding.text,
            "8 workers share 2 cores, which are 100 % in use; they are computing 25.0 %, waiting "
            "for a CPU 75.0 %; the step waits 75.0 % of its time for data");
  EXPECT_THAT(finding.remedy, HasSubstr("do less per sample"));
}

TEST(LoaderFindings, AStragglerStallsInOrderOnly) {
  loader::LoaderFacts facts = steady(2, 8, 10, 12);
  facts.measured.wait_ns[50] = 200 * kMs;
  facts.measured.stalled_ns = 190 * kMs;
  facts.window.elapsed_ns += 200 * kMs;
  for (auto& worker : facts.measured.workers) worker.idle_ns += 200 * kMs;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.straggler");
  EXPECT_EQ(set_of(finding), "loader.in_order=false ");
  EXPECT_NEAR(*finding.share, 190.0 / 1200, 1e-9);
  facts.options.in_order = false;
  EXPECT_THAT(ids(facts), testing::Not(testing::Contains("loader.straggler")));
}

TEST(LoaderFindings, UnevenBatchesAskForMoreToBeReadAhead) {
  loader::LoaderFacts facts = steady(2, 8, 10, 12);
  facts.measured.wait_ns.assign(kSteps, 2 * kMs);
  facts.window.elapsed_ns = kSteps * 12 * kMs;
  for (auto& worker : facts.measured.workers) {
    worker.idle_ns = facts.window.elapsed_ns - worker.busy_ns;
  }
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.uneven");
  EXPECT_THAT(finding.text, HasSubstr("at most 4 finished batches can make up for it"));
  EXPECT_EQ(set_of(finding), "loader.prefetch_factor=4 ");
}

TEST(LoaderFindings, BatchesThatAreAlikeAreNotCalledUneven) {
  loader::LoaderFacts facts = steady(2, 8, 1, 2);
  facts.measured.wait_ns.assign(kSteps, 3 * kMs);
  facts.measured.blocked_ns = kSteps * 3 * kMs;
  facts.window.elapsed_ns = kSteps * 4 * kMs;
  facts.machine.workers_lived_ns = 2 * facts.window.elapsed_ns;
  for (auto& worker : facts.measured.workers) {
    worker.idle_ns = facts.window.elapsed_ns - worker.busy_ns;
  }
  facts.measured.busy_us_squared = kSteps * 2000.0 * 2000.0;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.tiny_batches");
  EXPECT_THAT(finding.text, HasSubstr("a batch takes 2.00 ms to make"));
  facts.measured.busy_us_squared *= 2;
  EXPECT_EQ(only(facts).id, "loader.uneven");
  facts.machine.workers.waited_ns = facts.machine.workers.cpu_ns / 2;
  facts.machine.workers.cpu_ns /= 2;
  EXPECT_THAT(loader::loader_findings(facts), IsEmpty()) << "what waits for a CPU is uneven anyway";
}

TEST(LoaderFindings, OfSlowSamplesTheOrderIsTheCauseBeforeTheNumberOfWorkers) {
  loader::LoaderFacts facts = steady(2, 8, 0, 20);
  block(facts);
  const std::int64_t waits_ns = facts.window.elapsed_ns / 3;
  facts.window.elapsed_ns += waits_ns;
  facts.machine.workers_lived_ns += 2 * waits_ns;
  for (auto& worker : facts.measured.workers) worker.idle_ns += waits_ns;
  facts.measured.wait_ns.assign(kSteps, facts.window.elapsed_ns / kSteps);
  facts.measured.stalled_ns = facts.window.elapsed_ns * 9 / 10;
  facts.measured.busy_us_squared = kSteps * 2 * 20e3 * 20e3;
  const Finding finding = loader::loader_findings(facts).front();
  EXPECT_EQ(finding.id, "loader.straggler");
  EXPECT_EQ(finding.text,
            "finished batches wait for a late one in 90.0 % of the time; in any order a step "
            "would take 25.0 % less");
  EXPECT_NEAR(finding.share.value_or(0), 0.25, 1e-9) << "what the workers could do, not the wait";
  facts.measured.busy_us_squared = kSteps * 20e3 * 20e3;
  EXPECT_EQ(loader::loader_findings(facts).front().id, "loader.worker_bound") << "alike";
  for (auto& worker : facts.measured.workers) {
    std::swap(worker.busy_ns, worker.idle_ns);
    worker.busy_ns /= 2;
  }
  EXPECT_THAT(ids(facts), testing::Not(testing::Contains("loader.straggler"))) << "hardly read";
}

TEST(LoaderFindings, WorkersThatStartAnewEachEpochAreJudgedBetweenTheBorders) {
  loader::LoaderFacts facts = steady(2, 2, 0, 20);
  facts.options.persistent_workers = false;
  facts.window.borders = 4;
  facts.window.border_ns = 4 * 220 * kMs;  // 200 ms to start, and the first batch
  facts.window.border_next_ns = 4 * 20 * kMs;
  facts.window.elapsed_ns += 4 * 200 * kMs;
  for (auto& worker : facts.measured.workers) worker.idle_ns += 4 * 200 * kMs;
  facts.machine.workers_lived_ns += 4 * 400 * kMs;
  const loader::LoaderAnalysis r(facts);
  EXPECT_LT(r.busy_ns / r.worker_ns, 0.6);
  EXPECT_GT(r.utilisation(), 0.95);
  EXPECT_THAT(ids(facts), ElementsAre("loader.worker_bound", "loader.epoch_gap"));
}

TEST(LoaderFindings, WorkersThatStartAnewEachEpochShowAtTheBorder) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.options.persistent_workers = false;
  facts.window.borders = 2;
  facts.window.border_ns = 300 * kMs;
  facts.window.elapsed_ns += facts.window.border_ns;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.epoch_gap");
  EXPECT_THAT(finding.text, HasSubstr("stands still for 150 ms"));
  EXPECT_EQ(set_of(finding), "loader.persistent_workers=true ");
}

TEST(LoaderFindings, WorkersThatPersistStillBeginAnEpochWithNothingReadAhead) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.window.borders = 2;
  facts.window.border_ns = 300 * kMs;
  facts.window.elapsed_ns += facts.window.border_ns;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.epoch_drain");
  EXPECT_THAT(finding.text, HasSubstr("the next epoch's first batch is not read before"));
  EXPECT_EQ(set_of(finding), "loader.epochs=joined ");
}

TEST(LoaderFindings, SharesAreOfTheWholeTimeBordersIncluded) {
  loader::LoaderFacts facts = steady(1, 8, 10, 40);
  const std::int64_t without_ns = facts.window.elapsed_ns;
  facts.measured.wait_ns.push_back(0);
  facts.window.borders = 1;
  facts.window.border_ns = without_ns / 4;
  facts.window.elapsed_ns += facts.window.border_ns;
  const loader::LoaderAnalysis r(facts);
  EXPECT_NEAR(r.wait_share, 0.75 * 0.8, 1e-9) << "the waits between borders";
  EXPECT_NEAR(r.gain_with(4), (1 - 10 / r.step_ns * kMs) * 0.8, 1e-9);
}

TEST(LoaderFindings, ALateFirstBatchIsAStartUpCost) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.first_wait_ns = 3000 * kMs;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.start_up");
  EXPECT_EQ(finding.text,
            "the first batch came after 3.00 s, while a worker needs 16.0 ms for one");
}

TEST(LoaderFindings, FreshBuffersThatCostTheKernelItsTimeAskForReuse) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.measured.bytes = kSteps * 4096 * 1000;
  facts.window.used.minor_faults = kSteps * 1010;
  facts.window.used.system_ns = facts.window.used.user_ns / 2;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.page_faults");
  EXPECT_THAT(finding.text, AllOf(HasSubstr("1,010 page faults per batch"), HasSubstr("33.3 %")));
  EXPECT_EQ(set_of(finding), "loader.buffers=reused ");
  facts.transport = "torch_fd";
  EXPECT_EQ(set_of(only(facts)), "loader.transport=shm_ring ");
  facts.options.reuse_buffers = true;
  EXPECT_THAT(loader::loader_findings(facts), IsEmpty());
}

// The lock is no cause of its own where workers wait for a CPU as well.
TEST(LoaderFindings, HandingOverNamesWhatFinishedBatchesMayWaitFor) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.measured.queue_thread_wait_ns = kSteps * 6 * kMs;
  facts.machine.workers.waited_ns = kSteps * 8 * kMs;
  facts.machine.training->waited_ns = facts.window.elapsed_ns / 5;
  facts.measured.receive_ns = facts.window.elapsed_ns / 4;
  facts.measured.transport_ns = facts.measured.receive_ns;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.transport");
  EXPECT_THAT(
      finding.text,
      HasSubstr("of the workers'; a finished batch waits 6.00 ms for its worker's lock (GIL) "
                "or for a CPU; the training thread waits 20.0 % of its time for a CPU"));
}

TEST(LoaderFindings, HandingOverIsNamedWithTheShareOfBothSides) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.transport = "torch_fd";
  facts.measured.receive_ns = facts.window.elapsed_ns / 4;
  facts.measured.transport_ns = facts.measured.receive_ns + facts.window.elapsed_ns / 10;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.transport");
  EXPECT_THAT(finding.text, AllOf(HasSubstr("25.0 % of the training thread's time"),
                                  HasSubstr("5.0 % of the workers'")));
  EXPECT_EQ(set_of(finding), "loader.transport=shm_ring ");
}

TEST(LoaderFindings, PinningInTheStepsOwnThreadIsNamed) {
  loader::LoaderFacts facts = steady(0, 8, 100, 1);
  facts.measured.pinning_ns = facts.window.elapsed_ns / 10;
  EXPECT_EQ(only(facts).id, "loader.pinning");
}

TEST(LoaderFindings, ADataSetThatEveryWorkerReadsWholeIsAProblem) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.measured.workers_repeat = true;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.repeated_samples");
  EXPECT_EQ(finding.severity, Severity::kProblem);
  EXPECT_THAT(finding.text, HasSubstr("every sample comes 2 times in an epoch"));
}

// Batches of one number each.
bool repeat(std::int64_t workers, std::vector<std::int64_t> numbers) {
  const auto spec = std::make_shared<const FieldSpec>(
      FieldSpec{.name = "x", .shape = {}, .dtype = DType::kInt64});
  loader::RepeatedBatches batches(workers);
  for (std::int64_t& number : numbers) {
    Batch batch;
    batch.size = 1;
    batch.fields.emplace_back(reinterpret_cast<std::byte*>(&number), spec);
    batches.look_at(batch);
  }
  return batches.repeat();
}

TEST(RepeatedBatches, AreThoseOfWorkersThatAllDeliverTheSame) {
  EXPECT_TRUE(repeat(2, {5, 5, 6, 6, 7, 8}));
  EXPECT_TRUE(repeat(3, {5, 5, 5, 6, 6, 6}));
  EXPECT_FALSE(repeat(2, {5, 6, 7, 8}));
  EXPECT_FALSE(repeat(2, {5, 5, 6, 7}));
  EXPECT_FALSE(repeat(2, {5, 5, 5, 5})) << "all samples are alike: nothing is known";
  EXPECT_FALSE(repeat(2, {5, 5, 6})) << "too few";
  EXPECT_FALSE(repeat(1, {5, 5, 6, 6}));
}

TEST(LoaderFindings, SamplesThatNeverCameAreAProblem) {
  loader::LoaderFacts facts = steady(2, 8, 10, 16);
  facts.engine = "torch_cpp";
  facts.measured.lost_samples = 16;
  const Finding finding = only(facts);
  EXPECT_EQ(finding.id, "loader.lost_samples");
  EXPECT_EQ(finding.severity, Severity::kProblem);
}

TEST(LoaderAnalysis, CallsAtEpochBordersAreNoSteadySteps) {
  constexpr std::int64_t kBorders = 20;
  loader::LoaderFacts facts = steady(1, 4, 10, 40);
  facts.measured.wait_ns.resize(kSteps + kBorders, 5 * kMs);
  facts.window.borders = kBorders;
  facts.window.border_ns = kBorders * 6 * kMs;
  facts.window.border_next_ns = kBorders * 5 * kMs;
  facts.window.elapsed_ns += facts.window.border_ns;
  const loader::LoaderAnalysis r(facts);
  EXPECT_DOUBLE_EQ(r.step_ns, 40 * kMs);
  EXPECT_DOUBLE_EQ(r.consumer_ns, 10 * kMs);
}

TEST(LoaderAnalysis, TheTrainingThreadsSleepIsSplitBetweenReadingAndTheStepOnlyWhereThatIsSure) {
  loader::LoaderFacts facts = steady(0, 2, 1, 40);
  EXPECT_DOUBLE_EQ(loader::LoaderAnalysis(facts).reading->computing, 1);
  wait_for_storage(facts);
  EXPECT_NEAR(loader::LoaderAnalysis(facts).reading->blocked, 1, 0.03);
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kStorage);
  facts = steady(0, 2, 40, 40);
  facts.machine.training->cpu_ns /= 2;  // one of both slept
  EXPECT_FALSE(loader::LoaderAnalysis(facts).reading);
}

TEST(LoaderAnalysis, StorageIsWaitedForWhereBytesCameAndTasksStalled) {
  loader::LoaderFacts facts = steady(2, 2, 1, 40);
  wait_for_storage(facts);
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kStorage);
  facts.machine.storage_stalled_ns = 0;
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kElse)
      << "nothing stalled meanwhile";
  facts.machine.storage_stalled_ns = std::nullopt;
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kStorage);
  facts.machine.storage_bytes = 4096;
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kElse);
}

TEST(LoaderAnalysis, AWorkerThatIsNeededInPartIsNeeded) {
  EXPECT_EQ(loader::LoaderAnalysis(steady(1, 8, 10, 45)).workers_that_keep_up(), 5);
  EXPECT_EQ(loader::LoaderAnalysis(steady(1, 8, 10, 50)).workers_that_keep_up(), 5);
  EXPECT_EQ(loader::LoaderAnalysis(steady(1, 4, 10, 45)).workers_that_keep_up(), 4)
      << "one per core";
}

}  // namespace
}  // namespace stepbench
