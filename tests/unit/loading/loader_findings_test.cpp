// SPDX-License-Identifier: Apache-2.0
// Planted cases: each gives its findings and no others.
#include "workloads/loader/internal/analysis/loader_findings.h"

#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/analysis/loader_analysis.h"
#include "workloads/loader/internal/analysis/loader_facts.h"

namespace stepbench {
namespace {

using Facts = loader::LoaderFacts;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSteps = 100;

std::int64_t batch_ms_of(const Facts& facts) {
  return (facts.measured.fetch_ns + facts.measured.decode_ns + facts.measured.collate_ns) /
         (kSteps * kMs);
}

// A run of `kSteps` steps in steady state by the model: the consumer takes `consumer_ms` per step,
// a worker `batch_ms` per batch, all of it decoding.
Facts steady(std::int64_t workers, std::int64_t cores, std::int64_t consumer_ms,
             std::int64_t batch_ms) {
  Facts facts;
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

// Batches of samples of different lengths: their share of padding, and the share after sorting.
Facts padded(std::int64_t percent, double sorted) {
  Facts facts = steady(1, 4, 100, 10);
  facts.measured.elements = kSteps * 100;
  facts.measured.padding = kSteps * percent;
  facts.padding_sorted = sorted;
  return facts;
}

// The readers hardly compute: they sleep.
void block(Facts& facts) {
  std::swap(facts.measured.fetch_ns, facts.measured.decode_ns);
  facts.window.used.user_ns -= kSteps * batch_ms_of(facts) * kMs;
  facts.machine.workers.cpu_ns = 0;
  if (facts.options.num_workers == 0) {
    facts.machine.training->cpu_ns -= kSteps * batch_ms_of(facts) * kMs;
  }
}

void wait_for_storage(Facts& facts) {
  block(facts);
  facts.machine.storage_bytes = kSteps << 20;
  facts.machine.storage_stalled_ns = facts.window.elapsed_ns / 2;
}

// Another program uses `cores` all the time; the workers wait for a CPU half of their time.
void share_with_others(Facts& facts, std::int64_t cores) {
  facts.machine.others_ns = cores * facts.window.elapsed_ns;
  facts.machine.workers.waited_ns = facts.machine.workers.cpu_ns /= 2;
  facts.window.used.user_ns = facts.machine.training->cpu_ns + facts.machine.workers.cpu_ns;
}

std::string set_of(const Finding& finding) {
  std::string text;
  for (const auto& [option, value] : finding.set) text += option + '=' + value + ' ';
  return text;
}

// A batch waits `held_ms` for Python's lock.
Facts with_gil_held(double held_ms) {
  Facts facts = steady(1, 8, 0, 20);
  facts.engine = "python";
  facts.measured.queue_thread_wait_ns = static_cast<std::int64_t>(held_ms * kSteps * kMs);
  return facts;
}

// One worker makes a batch in 20 ms and waits until its four tensors are fetched.
Facts with_slow_memory(double ms_for_each) {
  Facts facts = with_gil_held(0);
  const auto held_ns = static_cast<std::int64_t>(4 * ms_for_each * kMs);
  facts.measured.memories = 4 * kSteps;
  facts.measured.memory_wait_ns = facts.measured.receive_ns = kSteps * held_ns;
  facts.window.elapsed_ns += kSteps * held_ns;
  facts.machine.workers_lived_ns += kSteps * held_ns;
  facts.measured.workers[0].idle_ns += kSteps * held_ns;
  facts.measured.wait_ns.assign(kSteps, 20 * kMs + held_ns);
  return facts;
}

// Epochs begin `borders` times in the window, for `border_ms` each.
void add_borders(Facts& facts, std::int64_t borders, std::int64_t border_ms,
                 std::int64_t next_ms = 0) {
  facts.window.borders = borders;
  facts.window.border_ns = borders * border_ms * kMs;
  facts.window.border_next_ns = borders * next_ms * kMs;
  facts.window.elapsed_ns += facts.window.border_ns;
}

// The kernel handles 1000 page faults per batch.
Facts with_faults() {
  Facts facts = steady(2, 8, 10, 16);
  facts.measured.bytes = kSteps * 4096 * 1000;
  facts.window.used.minor_faults = kSteps * 1010;
  facts.window.used.system_ns = facts.window.used.user_ns / 2;
  return facts;
}

// The step waits although workers are idle.
Facts with_waits(std::int64_t consumer_ms, std::int64_t batch_ms, std::int64_t wait_ms) {
  Facts facts = steady(2, 8, consumer_ms, batch_ms);
  facts.measured.wait_ns.assign(kSteps, wait_ms * kMs);
  facts.window.elapsed_ns = kSteps * (consumer_ms + wait_ms) * kMs;
  for (auto& worker : facts.measured.workers) {
    worker.idle_ns = facts.window.elapsed_ns - worker.busy_ns;
  }
  return facts;
}

Facts tiny_batches() {
  Facts facts = with_waits(1, 2, 3);
  facts.measured.blocked_ns = kSteps * 3 * kMs;
  facts.machine.workers_lived_ns = 2 * facts.window.elapsed_ns;
  facts.measured.busy_us_squared = kSteps * 2000.0 * 2000.0;
  return facts;
}

// Finished batches wait for a late one, which the order of slow samples delays.
Facts slow_samples() {
  Facts facts = steady(2, 8, 0, 20);
  block(facts);
  const std::int64_t waits_ns = facts.window.elapsed_ns / 3;
  facts.window.elapsed_ns += waits_ns;
  facts.machine.workers_lived_ns += 2 * waits_ns;
  for (auto& worker : facts.measured.workers) worker.idle_ns += waits_ns;
  facts.measured.wait_ns.assign(kSteps, facts.window.elapsed_ns / kSteps);
  facts.measured.stalled_ns = facts.window.elapsed_ns * 9 / 10;
  facts.measured.busy_us_squared = kSteps * 2 * 20e3 * 20e3;
  return facts;
}

// One batch in the middle is late.
Facts one_late() {
  Facts facts = steady(2, 8, 10, 12);
  facts.measured.wait_ns[50] = 200 * kMs;
  facts.measured.stalled_ns = 190 * kMs;
  facts.window.elapsed_ns += 200 * kMs;
  for (auto& worker : facts.measured.workers) worker.idle_ns += 200 * kMs;
  return facts;
}

Facts handed_over_slowly(std::int64_t of_workers) {
  Facts facts = steady(2, 8, 10, 16);
  facts.measured.receive_ns = facts.window.elapsed_ns / 4;
  facts.measured.transport_ns = facts.measured.receive_ns + of_workers;
  return facts;
}

template <typename Change>
Facts with(Facts facts, const Change& change) {
  change(facts);
  return facts;
}

// Checks all findings; the last one has this text and these settings.
void found(const char* name, const Facts& facts, const std::string& expected = "",
           const std::vector<std::string>& says = {}, const std::string& set = "",
           std::optional<double> share = {}, std::optional<Severity> severity = {}) {
  SCOPED_TRACE(name);
  const std::vector<Finding> all = loader::loader_findings(facts);
  std::string ids;
  for (const Finding& finding : all) ids += (ids.empty() ? "" : " ") + finding.id;
  ASSERT_EQ(ids, expected);
  if (all.empty()) return;
  const Finding& last = all.back();
  for (const std::string& words : says) {
    EXPECT_THAT(last.text + " | " + last.remedy, HasSubstr(words));
  }
  EXPECT_EQ(set_of(last), set);
  EXPECT_NEAR(last.share.value_or(-1), share.value_or(last.share.value_or(-1)), 1e-9);
  EXPECT_EQ(last.severity, severity.value_or(last.severity));
  EXPECT_FALSE(severity == Severity::kInfo && last.share) << "the step does not get faster";
}

TEST(LoaderFindings, LoaderInTime_HasNone) {
  Facts facts;
  found("workers in time", steady(2, 8, 10, 16));
  found("reading is short", steady(0, 8, 100, 1));
  found("nothing measured", Facts{});
  found("little padding", padded(9, 0.01));
  found("padding that sorting leaves", padded(38, 0.30));
  facts = padded(38, 0);
  facts.padding_sorted.reset();
  found("padding of an unknown order", facts);
}

TEST(LoaderFindings, Padding_SuggestsBuckets) {
  Facts facts;
  found("sorting helps", padded(38, 0.02), "loader.padding",
        {"38.0 % of the tokens", "2.0 % would be"}, "loader.bucket_batches=64 ");
  facts = padded(60, 0.60);
  facts.pads_to_longest = false;
  found("padded to the longest of all", facts, "loader.padding", {}, "data.padding=longest ");
}

TEST(LoaderFindings, Iterable_HasItsWaitOnly) {
  const auto iterable = [](Facts& facts) { facts.engine = "iterable"; };
  for (const std::int64_t workers : {0, 2}) {
    found("waits", with(steady(workers, 8, 10, 60), iterable), "loader.iterable",
          {workers == 0 ? "waits 85.7 %" : "waits 66.7 %"});
    found("keeps up", with(steady(workers, 8, 100, 5), iterable));
    found("the loader alone", with(steady(workers, 8, 0, 60), iterable));
  }
}

TEST(LoaderFindings, TooFewWorkers_SuggestMore) {
  Facts facts;
  found("none", steady(0, 8, 10, 30), "loader.no_workers",
        {"waits 75.0 %", "decoding takes 90.0 %", "(computing)"}, "loader.num_workers=3 ",
        0.75,  // three workers hide all of it
        Severity::kProblem);
  facts = steady(0, 1, 10, 30);
  facts.may_decode_faster = true;
  found("none on one core, where one cannot help", facts, "loader.no_workers", {},
        "data.decode=fast ");
  found("one of four", steady(1, 8, 10, 40), "loader.worker_bound",
        {"1 worker, 100 % busy (computing); 1.2 of 8 cores in use"}, "loader.num_workers=4 ", 0.75);
  found("waiting for storage overlaps on few cores", with(steady(2, 2, 10, 160), wait_for_storage),
        "loader.worker_bound", {"reading takes 90.0 %", "100 % busy (waiting for storage)"},
        "loader.num_workers=16 ");
  facts = steady(2, 2, 10, 160);
  block(facts);
  facts.machine.storage_bytes = 0;
  found("waiting for what is no storage", facts, "loader.worker_bound",
        {"neither a CPU nor storage)", "unless they wait for one another"},
        "loader.num_workers=16 ");
  facts = steady(2, 2, 10, 160);
  block(facts);
  facts.machine.storage_bytes = std::nullopt;
  found("waiting for what is not known", facts, "loader.worker_bound",
        {"(waiting for what is not known)"}, "loader.num_workers=16 ");
  facts = steady(2, 2, 10, 160);
  wait_for_storage(facts);
  facts.machine.others_ns = facts.window.elapsed_ns * 19 / 10;
  facts.machine.workers.waited_ns = facts.machine.workers_lived_ns / 6;
  found("sleeping workers are not held up by others", facts, "loader.worker_bound",
        {"other programs use 1.9 of 2 cores"}, "loader.num_workers=13 ");
  facts = steady(2, 2, 10, 160);
  block(facts);
  facts.machine = {};
  found("no counters of the kernel, nothing guessed", facts, "loader.worker_bound",
        {"2 workers, 100 % busy; 0.1 of 2 cores in use"});
}

TEST(LoaderFindings, LimitingCores_SuggestNoMoreWorkers) {
  Facts facts;
  found("all in use", steady(2, 2, 10, 40), "loader.core_bound",
        {"90.0 % of the workers' time", "2 workers, 100 % busy (computing)",
         "2 cores, 100 % in use", "waits 50.0 %", "do less per sample"});
  found("the loader alone is its own limit", steady(2, 2, 0, 40), "loader.core_bound",
        {"2 cores, 100 % in use"}, "", {}, Severity::kInfo);
  facts = steady(2, 2, 10, 40);
  facts.engine = "python";
  std::swap(facts.measured.fetch_ns, facts.measured.decode_ns);
  found("reading that computes", facts, "loader.core_bound", {"__getitem__ takes 90.0 %"});
  facts = steady(1, 2, 0, 40);
  facts.machine.others_ns = facts.window.elapsed_ns;
  found("another program on the other core", facts, "loader.core_bound",
        {"other programs use 1 of 2 cores", "end these"});
  facts = steady(2, 8, 0, 40);
  facts.cores = 1.5;
  facts.window.used.user_ns = facts.window.elapsed_ns * 3 / 2;
  facts.machine.workers.cpu_ns = facts.machine.workers.cpu_ns * 3 / 4;
  facts.machine.throttled_ns = facts.machine.workers.cpu_ns / 3;
  found("a quota", facts, "loader.core_bound",
        {"computing 75.0 %, waiting for a CPU 25.0 %", "1.5 cores, 100 % in use"});
  facts = steady(2, 2, 10, 40);
  share_with_others(facts, 1);
  found("shared with other programs", facts, "loader.other_programs",
        {"computing 50.0 %, waiting for a CPU 50.0 %", "other programs use 1 of 2 cores",
         "waits 50.0 %"},
        "",
        0.25);  // the CPU time of all is 15 ms on two cores
}

TEST(LoaderFindings, OtherRanks_AreNotOtherPrograms) {
  Facts facts = steady(2, 2, 10, 40);
  share_with_others(facts, 1);
  facts.has_other_ranks = true;
  for (const Finding& finding : loader::loader_findings(facts)) {
    EXPECT_NE(finding.id, "loader.other_programs");
    EXPECT_THAT(finding.text + finding.remedy, Not(HasSubstr("other programs")));
  }
}

TEST(LoaderFindings, CpuQuota_CountsOthersOnAllCores) {
  Facts facts = steady(2, 2, 10, 40);
  share_with_others(facts, 1);
  facts.machine_cores = 16;
  EXPECT_THAT(loader::loader_findings(facts).at(0).text, Not(HasSubstr("other programs")))
      << "fifteen cores are left for two";
  facts.machine_cores = 3;
  facts.machine.others_ns = 2 * facts.window.elapsed_ns;
  EXPECT_THAT(loader::loader_findings(facts).at(0).text,
              HasSubstr("other programs use 2 of 3 cores"));
}

TEST(LoaderFindings, TooManyWorkers_SuggestFewer) {
  Facts facts;
  const auto use_all = [](Facts& of) { of.window.used.user_ns = 2 * of.window.elapsed_ns; };
  found("a slow consumer", steady(4, 8, 100, 10), "loader.idle_workers",
        {"4 workers are busy only 2.5 %", "1 worker would do"}, "loader.num_workers=1 ", {},
        Severity::kInfo);
  found("more than cores", with(steady(8, 2, 10, 80), use_all), "loader.oversubscribed", {},
        "loader.num_workers=2 ");
  facts = steady(8, 2, 10, 320);
  facts.machine.workers.cpu_ns /= 4;
  facts.machine.workers.waited_ns = 3 * facts.machine.workers.cpu_ns;
  use_all(facts);
  found("and the cores are the limit", facts, "loader.oversubscribed",
        {"8 workers share 2 cores, which are 100 % in use", "computing 25.0 %", "for a CPU 75.0 %",
         "waits 75.0 %", "do less per sample"},
        "loader.num_workers=2 ");
}

TEST(LoaderFindings, PythonsLock_IsFound) {
  Facts facts;
  const auto too_little_cpu = [](Facts& of) {
    of.machine.workers.waited_ns = of.machine.workers.cpu_ns * 3 / 10;
    of.machine.workers.cpu_ns = of.machine.workers.cpu_ns * 7 / 10;
  };
  found("finished batches wait", with_gil_held(9), "loader.worker_bound loader.gil",
        {"waits 9.00 ms"}, "loader.switch_interval_us=100 ", {},
        Severity::kInfo);  // the worker is never idle
  facts = with_gil_held(9);
  facts.options.switch_interval_us = 100;
  found("its option is set", facts, "loader.worker_bound loader.gil");
  found("they hardly wait", with_gil_held(0.1), "loader.worker_bound", {}, "loader.num_workers=8 ");
  found("the step waits: it is the cause", with_slow_memory(5), "loader.gil",
        {"waits 20.0 ms", "waits 100 %"}, "loader.switch_interval_us=100 ",
        0.5);  // 20 of 40 ms
  facts = with_slow_memory(5);
  auto& worker = facts.measured.workers[0];
  worker.busy_ns += std::exchange(worker.idle_ns, 0);
  facts.measured.fetch_ns = worker.busy_ns - facts.measured.decode_ns;
  facts.machine.workers.cpu_ns = worker.busy_ns;
  found("busy workers hold it: their number is the cause", facts, "loader.worker_bound loader.gil",
        {}, "loader.switch_interval_us=100 ");
  facts = with_slow_memory(0.2);
  facts.measured.memories *= 25;
  facts.measured.memory_wait_ns *= 25;
  facts.measured.receive_ns *= 25;
  facts.window.elapsed_ns *= 2;
  facts.machine.workers_lived_ns *= 2;
  facts.measured.workers[0].idle_ns += facts.window.elapsed_ns / 2;
  facts.measured.wait_ns.assign(kSteps, 41 * kMs);
  found("many tensors at once wait for none", facts, "loader.transport");
  Facts without_cpu = with(with_gil_held(9), too_little_cpu);
  for (const Finding& finding : loader::loader_findings(without_cpu)) {
    EXPECT_NE(finding.id, "loader.gil") << "it had no CPU";
  }
}

TEST(LoaderFindings, UnevenBatches_SuggestAnyOrder) {
  Facts facts;
  const auto in_any_order = [](Facts& of) { of.options.in_order = false; };
  found("one late", one_late(), "loader.straggler", {}, "loader.in_order=false ", 190.0 / 1200);
  found("uneven", with_waits(10, 12, 2), "loader.uneven", {"at most 4 finished batches"},
        "loader.prefetch_factor=4 ");
  found("alike", tiny_batches(), "loader.tiny_batches", {"2.00 ms"});
  facts = tiny_batches();
  facts.measured.busy_us_squared *= 2;
  found("of two kinds", facts, "loader.uneven", {}, "loader.prefetch_factor=4 ");
  facts = tiny_batches();
  facts.measured.busy_us_squared *= 2;
  facts.machine.workers.waited_ns = facts.machine.workers.cpu_ns / 2;
  facts.machine.workers.cpu_ns /= 2;
  found("what waits for a CPU is uneven anyway", facts);
  const auto first_of = [](const Facts& of) { return loader::loader_findings(of).at(0); };
  // The potential of the workers, not the wait.
  EXPECT_EQ(first_of(slow_samples()).id, "loader.straggler");
  EXPECT_THAT(first_of(slow_samples()).text, HasSubstr("90.0 %"));
  EXPECT_NEAR(first_of(slow_samples()).share.value_or(0), 0.25, 1e-9);
  Facts alike = slow_samples();
  alike.measured.busy_us_squared = kSteps * 20e3 * 20e3;
  EXPECT_EQ(first_of(alike).id, "loader.worker_bound");
  for (auto& worker : alike.measured.workers) {
    std::swap(worker.busy_ns, worker.idle_ns);
    worker.busy_ns /= 2;  // they hardly read
  }
  for (const Facts& of : {alike, with(one_late(), in_any_order)}) {
    for (const Finding& each : loader::loader_findings(of)) EXPECT_NE(each.id, "loader.straggler");
  }
}

TEST(LoaderFindings, EpochBorders_AreFound) {
  Facts facts;
  const auto anew = [](Facts& of) { of.options.persistent_workers = false; };
  Facts started_anew = with(steady(2, 2, 0, 20), anew);
  add_borders(started_anew, 4, 220, 20);  // 200 ms to start, and the first batch
  started_anew.window.elapsed_ns -= 4 * 20 * kMs;
  for (auto& worker : started_anew.measured.workers) worker.idle_ns += 4 * 200 * kMs;
  started_anew.machine.workers_lived_ns += 4 * 400 * kMs;
  facts = steady(2, 8, 10, 16);
  facts.measured.wait_ns[50] = 400 * kMs;
  add_borders(facts, 1, 410, 400);
  found("waits there are no steady waits", facts, "loader.epoch_drain", {},
        "loader.epochs=joined ");
  found("workers start anew",
        with(with(steady(2, 8, 10, 16), anew), [](Facts& of) { add_borders(of, 2, 150); }),
        "loader.epoch_gap", {"150 ms"}, "loader.persistent_workers=true ");
  facts = steady(2, 8, 10, 16);
  add_borders(facts, 2, 150);
  found("workers that stay begin with nothing read ahead", facts, "loader.epoch_drain", {},
        "loader.epochs=joined ");
  found("judged between the borders", started_anew, "loader.worker_bound loader.epoch_gap", {},
        "loader.persistent_workers=true ");
  facts = steady(2, 8, 10, 16);
  facts.first_wait_ns = 3000 * kMs;
  found("a late first batch", facts, "loader.start_up", {"3.00 s", "16.0 ms"});
  const loader::LoaderAnalysis r(started_anew);
  EXPECT_LT(r.busy_ns / r.worker_ns, 0.6);
  EXPECT_GT(r.utilisation(), 0.95);
}

TEST(LoaderFindings, MemoryAndTransport_AreFound) {
  Facts facts;
  found("fresh memory", with_faults(), "loader.page_faults",
        {"1,010 page faults per batch", "33.3 %"}, "loader.buffers=reused ");
  facts = with_faults();
  facts.transport = "torch_fd";
  found("of processes", facts, "loader.page_faults", {}, "loader.transport=shm_ring ");
  facts = with_faults();
  facts.offers = [](std::string_view option) { return option != "loader.buffers"; };
  found("an engine that takes no such advice", facts, "loader.page_faults",
        {"always makes fresh memory"});
  facts = with_faults();
  facts.options.reuse_buffers = true;
  found("reused memory", facts);
  found("both sides",
        with(handed_over_slowly(kSteps * kMs), [](Facts& of) { of.transport = "torch_fd"; }),
        "loader.transport", {"25.0 % of the training thread's time", "5.0 % of the workers'"},
        "loader.transport=shm_ring ");
  facts = handed_over_slowly(0);
  facts.measured.queue_thread_wait_ns = kSteps * 6 * kMs;
  facts.machine.workers.waited_ns = kSteps * 8 * kMs;
  facts.machine.training->waited_ns = facts.window.elapsed_ns / 5;
  found("the lock is no cause of its own where workers wait for a CPU", facts, "loader.transport",
        {"waits 6.00 ms for its worker's lock (GIL) or for a CPU", "waits 20.0 %"});
  facts = steady(0, 8, 100, 1);
  facts.measured.pinning_ns = facts.window.elapsed_ns / 10;
  found("pinning in the step's own thread", facts, "loader.pinning");
}

TEST(LoaderFindings, RepeatedOrMissingSamples_AreFound) {
  Facts facts;
  found("every worker reads all",
        with(steady(2, 8, 10, 16), [](Facts& of) { of.measured.workers_repeat = true; }),
        "loader.repeated_samples", {"2 times in an epoch"}, "", {}, Severity::kProblem);
  facts = steady(2, 8, 10, 16);
  facts.engine = "torch_cpp";
  facts.measured.lost_samples = 16;
  found("lost", facts, "loader.lost_samples", {}, "", {}, Severity::kProblem);
}

TEST(LoaderFacts, Options_DecideTheRemedies) {
  const auto faster = [](const char* kind, const Value& decode) {
    const ResolvedCase resolved = test::loader_case({{"data.kind", kind}, {"data.decode", decode}});
    return loader::loader_facts(resolved, {}, {}).may_decode_faster;
  };
  EXPECT_TRUE(faster("jpeg_folder", "exact"));
  EXPECT_TRUE(faster("webdataset", "exact"));
  EXPECT_FALSE(faster("webdataset", "fast"));
  EXPECT_FALSE(faster("synthetic", Value())) << "has no such option";
  const auto offers = [](const Value& buffers) {
    const ResolvedCase resolved = test::loader_case({{"loader.buffers", buffers}});
    return loader::loader_facts(resolved, {}, {}).offers("loader.buffers");
  };
  EXPECT_TRUE(offers("fresh"));
  EXPECT_FALSE(offers(Value())) << "an option that the engine refuses";
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
    batches.observe(batch);
  }
  return batches.repeat();
}

TEST(RepeatedBatches, SameBatchFromAllWorkers_IsRepeated) {
  EXPECT_TRUE(repeat(2, {5, 5, 6, 6, 7, 8}));
  EXPECT_TRUE(repeat(3, {5, 5, 5, 6, 6, 6}));
  EXPECT_FALSE(repeat(2, {5, 6, 7, 8}));
  EXPECT_FALSE(repeat(2, {5, 5, 6, 7}));
  EXPECT_FALSE(repeat(2, {5, 5, 5, 5})) << "all samples are alike: nothing is known";
  EXPECT_FALSE(repeat(2, {5, 5, 6})) << "too few";
  EXPECT_FALSE(repeat(1, {5, 5, 6, 6}));
}

TEST(LoaderAnalysis, Shares_IncludeEpochBorders) {
  Facts facts = steady(1, 8, 10, 40);
  const std::int64_t without_ns = facts.window.elapsed_ns;
  facts.measured.wait_ns.push_back(0);
  facts.window.borders = 1;
  facts.window.border_ns = without_ns / 4;
  facts.window.elapsed_ns += facts.window.border_ns;
  const loader::LoaderAnalysis r(facts);
  EXPECT_NEAR(r.wait_share, 0.75 * 0.8, 1e-9) << "the waits between borders";
  EXPECT_NEAR(r.gain_with(4), (1 - 10 / r.step_ns * kMs) * 0.8, 1e-9);
}

TEST(LoaderAnalysis, EpochBorders_AreNoSteadySteps) {
  constexpr std::int64_t kBorders = 20;
  Facts facts = steady(1, 4, 10, 40);
  facts.measured.wait_ns.resize(kSteps + kBorders, 5 * kMs);
  facts.window.borders = kBorders;
  facts.window.border_ns = kBorders * 6 * kMs;
  facts.window.border_next_ns = kBorders * 5 * kMs;
  facts.window.elapsed_ns += facts.window.border_ns;
  const loader::LoaderAnalysis r(facts);
  EXPECT_DOUBLE_EQ(r.step_ns, 40 * kMs);
  EXPECT_DOUBLE_EQ(r.consumer_ns, 10 * kMs);
}

TEST(LoaderAnalysis, StepThreadSleep_IsSplitIfCertain) {
  Facts facts = steady(0, 2, 1, 40);
  EXPECT_DOUBLE_EQ(loader::LoaderAnalysis(facts).reading->computing, 1);
  wait_for_storage(facts);
  EXPECT_NEAR(loader::LoaderAnalysis(facts).reading->blocked, 1, 0.03);
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kStorage);
  facts = steady(0, 2, 40, 40);
  facts.machine.training->cpu_ns /= 2;  // one of the two slept
  EXPECT_FALSE(loader::LoaderAnalysis(facts).reading);
}

TEST(LoaderAnalysis, Storage_NeedsBytesAndStalls) {
  Facts facts = steady(2, 2, 1, 40);
  wait_for_storage(facts);
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kStorage);
  facts.machine.storage_stalled_ns = 0;
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kOther)
      << "nothing stalled meanwhile";
  facts.machine.storage_stalled_ns = std::nullopt;
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kStorage);
  facts.machine.storage_bytes = 4096;
  EXPECT_EQ(loader::LoaderAnalysis(facts).blocked_on(), loader::Blocked::kOther);
}

TEST(LoaderAnalysis, PartlyNeededWorker_IsNeeded) {
  EXPECT_EQ(loader::LoaderAnalysis(steady(1, 8, 10, 45)).workers_that_keep_up(), 5);
  EXPECT_EQ(loader::LoaderAnalysis(steady(1, 8, 10, 50)).workers_that_keep_up(), 5);
  EXPECT_EQ(loader::LoaderAnalysis(steady(1, 4, 10, 45)).workers_that_keep_up(), 4)
      << "one per core";
}

}  // namespace
}  // namespace stepbench
