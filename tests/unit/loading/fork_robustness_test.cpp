// SPDX-License-Identifier: Apache-2.0
// Workers that die, hang or are stopped, and limits of the system.
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "tests/testing.h"
#include "tests/unit/loading/formats.h"
#include "tests/unit/loading/leftovers.h"
#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/fork/fork_loader.h"
#include "workloads/loader/internal/fork/shared_memory.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench {
namespace {

const HostClock kForkClock;

class ForkRobustness : public test::LeavesNothing {};

std::unique_ptr<loader::Loader> robust_fork_loader(const data::Dataset& data,
                                                   const loader::LoaderOptions& options) {
  return loader::make_fork_loader(data, options, loader::sequential_order(data.size()), kForkClock);
}

void expect_death(const std::function<void()>& die, const std::string& how) {
  for (const loader::Transport transport :
       {loader::Transport::kShmRing, loader::Transport::kTorchFd}) {
    const test::Shared<pid_t> pid(1);
    const test::IndexDataset data(6, [&](const data::SampleKey& key) {
      if (key.index != 3) return;
      pid[0] = ::getpid();
      die();
    });
    const auto loader = robust_fork_loader(data, {.num_workers = 2, .transport = transport});
    loader->begin_epoch(0);
    const auto all = [&] {
      while (loader->next()) {
      }
    };
    const auto said = [&] { return "loader worker 1 (pid " + std::to_string(pid[0]) + ") " + how; };
    EXPECT_THAT(all, ThrowsMessage<Error>(HasSubstr(how)));
    EXPECT_THAT(all, ThrowsMessage<Error>(HasSubstr(said()))) << "and so does every next() after";
  }
}

TEST_F(ForkRobustness, Death_NamesWorkerAndCause) {
  expect_death([] { (void)std::raise(SIGSEGV); }, "was killed by SIGSEGV");
  expect_death([] { (void)std::raise(SIGKILL); },
               "was killed by SIGKILL, which the kernel sends when memory runs out");
  expect_death([] { ::_exit(3); }, "exited with status 3");
}

// No timeout is set, and the other worker sends nothing: only the pidfd can end the wait.
TEST_F(ForkRobustness, OutsideKill_EndsTheWait) {
  const test::SharedGate gate(2);
  const test::Shared<pid_t> pids(2);
  const test::IndexDataset data(2, [&](const data::SampleKey& key) {
    pids[key.index] = ::getpid();
    gate.pass(key.index);
  });
  const auto loader =
      robust_fork_loader(data, {.num_workers = 2, .patience = std::chrono::milliseconds(1)});
  loader->begin_epoch(0);
  for (const std::int64_t sample : {0, 1}) gate.wait_until_begun(sample);
  ::kill(pids[1], SIGTERM);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("worker 1"), HasSubstr("SIGTERM"))));
}

TEST_F(ForkRobustness, Hang_TimesOutAndIsKilled) {
  const test::SharedGate gate(2);
  const test::IndexDataset data(2, [&](const data::SampleKey& key) { gate.pass(key.index); });
  auto loader = robust_fork_loader(
      data, {.num_workers = 1, .timeout_s = 0.01, .patience = std::chrono::milliseconds(1)});
  loader->begin_epoch(0);
  gate.wait_until_begun(0);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>("the loader timed out after 0.01 seconds (loader.timeout_s)"));
  loader.reset();
}

TEST_F(ForkRobustness, MidEpochStop_FinishesOneSampleEach) {
  const test::Shared<std::atomic<int>> begun(1);
  for (const bool persistent : {false, true}) {
    begun[0] = 0;
    const test::SharedGate gate(1000);
    const test::IndexDataset data(1000, [&](const data::SampleKey& key) {
      ++begun[0];
      if (key.index % 100 == 0) gate.pass(key.index);
    });
    auto loader = robust_fork_loader(data, {.batch_size = 100,
                                            .num_workers = 2,
                                            .persistent_workers = persistent,
                                            .patience = std::chrono::milliseconds(1)});
    loader->begin_epoch(0);
    for (const std::int64_t sample : {0, 100}) gate.wait_until_begun(sample);
    loader.reset();
    EXPECT_EQ(begun[0], 2);
  }
}

// A hundred loaders, dropped at any point, leave the process unchanged.
TEST_F(ForkRobustness, Repetitions_LeakNothing) {
  const test::IndexDataset data(12, [](const data::SampleKey& key) {
    if (key.index == 7 && key.epoch == 1) throw Error("bad");
  });
  for (int i = 0; i < 100; ++i) {
    const auto loader = robust_fork_loader(
        data,
        {.num_workers = 1 + i % 3,
         .persistent_workers = i % 2 == 0,
         .transport = i % 5 == 0 ? loader::Transport::kTorchFd : loader::Transport::kShmRing});
    try {
      loader->begin_epoch(i % 2);
      for (int n = 0; n < i % 14; ++n) (void)loader->next();
    } catch (const Error&) {
    }
  }
}

TEST_F(ForkRobustness, Worker_HoldsNothingOfItsParent) {
  const test::Shared<std::int64_t> sockets(3);
  const test::Shared<std::int64_t> handles(3);
  const test::Shared<bool> default_signal(3);
  const auto before = std::signal(SIGTERM, SIG_IGN);
  const test::IndexDataset data(3, [&](const data::SampleKey& key) {
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code ignored;
      const std::string to = fs::read_symlink(entry.path(), ignored).string();
      if (to.starts_with("socket:")) ++sockets[key.index];
      if (to.starts_with("anon_inode:")) ++handles[key.index];
    }
    default_signal[key.index] = std::signal(SIGTERM, SIG_DFL) == SIG_DFL;
  });
  const auto loader = robust_fork_loader(data, {.num_workers = 3});
  (void)test::epoch(*loader, 0);
  (void)std::signal(SIGTERM, before);
  for (const std::int64_t worker : {0, 1, 2}) {
    EXPECT_EQ(sockets[worker], 1) << "its own";
    EXPECT_EQ(handles[worker], 0);
    EXPECT_TRUE(default_signal[worker]);
  }
}

TEST_F(ForkRobustness, Workers_HaveNameAndCore) {
  const test::Shared<int> cores(4);
  const test::Shared<int> last_letter(4);
  const test::IndexDataset data(4, [&](const data::SampleKey& key) {
    cpu_set_t set;
    CPU_ZERO(&set);
    ::sched_getaffinity(0, sizeof set, &set);
    cores[key.index] = CPU_COUNT(&set) == 1 ? ::sched_getcpu() : -1;
    std::ifstream file("/proc/self/comm");
    std::string name;
    file >> name;
    last_letter[key.index] = name.starts_with("sb_data_") ? name.back() : 0;
  });
  const auto loader = robust_fork_loader(data, {.num_workers = 2, .affinity = "compact"});
  (void)test::epoch(*loader, 0);
  const std::vector<int> mine = loader::cores_of_this_process();
  for (const int i : {0, 1, 2, 3}) {
    EXPECT_EQ(cores[i], mine[static_cast<std::size_t>(i % 2) % mine.size()]);
    EXPECT_EQ(last_letter[i], '0' + i % 2);
  }
}

// The intermediate process dies by SIGKILL without notice; its worker becomes an orphan of this
// one.
TEST_F(ForkRobustness, DeadParent_EndsItsWorkers) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const test::SharedGate gate(1);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const test::IndexDataset data(1, [&](const data::SampleKey&) { gate.pass(0); });
    const auto loader = robust_fork_loader(data, {.num_workers = 1});
    loader->begin_epoch(0);
    (void)loader->next();
    ::_exit(0);
  }
  gate.wait_until_begun(0);
  ::kill(parent, SIGKILL);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  int status = 0;
  EXPECT_GT(::waitpid(-1, &status, 0), 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(ForkRobustness, NoDescriptors_NamesTheLimit) {
#ifdef STEPBENCH_UBSAN
  GTEST_SKIP() << "UBSan opens a pipe to look at an object, and there is no descriptor left for it";
#endif
  const test::SharedGate gate(3);
  const test::IndexDataset data(3, [&](const data::SampleKey& key) { gate.pass(key.index); });
  const auto loader =
      robust_fork_loader(data, {.num_workers = 1, .transport = loader::Transport::kTorchFd});
  loader->begin_epoch(0);
  gate.open(0);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(0));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int first_free = ::dup(STDERR_FILENO);
  ::close(first_free);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(first_free);
  ::setrlimit(RLIMIT_NOFILE, &none);
  gate.open(1);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("ulimit -n"), HasSubstr("shm_ring"))));
  ::setrlimit(RLIMIT_NOFILE, &before);
  gate.open(2);
  EXPECT_THAT(test::indices(*loader->next()), ElementsAre(2)) << "the batch after it arrives";
}

TEST_F(ForkRobustness, TooLittleSharedMemory_IsAnError) {
  const test::IndexDataset data(1000);
  const loader::LoaderOptions options{.batch_size = 1024, .num_workers = 2, .prefetch_factor = 2};
  // 4 read ahead, 2 held, 2 being written; 8 KiB each
  EXPECT_EQ(loader::segment_bytes_needed(data, options), 8U * 8192);
  EXPECT_NO_THROW(loader::require_shared_memory(100, 100));
  EXPECT_THAT([] { loader::require_shared_memory(64U << 20U, 1U << 20U); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("loader.transport"), HasSubstr("64.0 MiB"),
                                               HasSubstr("1.0 MiB"))));
}

TEST_F(ForkRobustness, FullShm_IsAnErrorNotABusError) {
  EXPECT_THAT(
      [] {
        (void)loader::SharedSegment::create("/stepbench-" + std::to_string(::getpid()) + "-full",
                                            std::size_t{1} << 50U);
      },
      ThrowsMessage<Error>(HasSubstr("of /dev/shm and")));
}

TEST_F(ForkRobustness, RingBeyondMemory_IsRejected) {
  const test::IndexDataset data(1);
  EXPECT_THAT([&] { (void)robust_fork_loader(data, {.batch_size = 1LL << 42U, .num_workers = 2}); },
              ThrowsMessage<ConfigError>(HasSubstr("shm_ring needs")));
}

TEST_F(ForkRobustness, FailedStart_FailsEachBatch) {
  class NoScratch final : public data::Dataset {
   public:
    [[nodiscard]] std::int64_t size() const override { return 2; }
    [[nodiscard]] const std::vector<FieldSpec>& fields() const override { return fields_; }
    [[nodiscard]] std::unique_ptr<Scratch> make_scratch() const override {
      throw Error("no decoder");
    }
    void read(const data::SampleKey&, data::SampleSlots, Scratch&, data::ReadCost&) const override {
    }
    [[nodiscard]] std::string digest() const override { return {}; }

   private:
    std::vector<FieldSpec> fields_ = {{.name = "x", .shape = {}, .dtype = DType::kInt64}};
  };
  const NoScratch data;
  const auto loader = robust_fork_loader(data, {.num_workers = 1});
  loader->begin_epoch(0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT([&] { (void)loader->next(); }, ThrowsMessage<Error>("loader worker 0: no decoder"));
  }
}

TEST_F(ForkRobustness, CutFile_IsNamed) {
  const test::TemporaryFolder root;
  test::make("raw_tensor", root / "set", {{"samples", 40}, {"size", 32}});
  const auto data = data::open_raw_tensor({.common = {.path = root / "set", .classes = 10},
                                           .shape = {3, 32, 32},
                                           .stored = DType::kUInt8});
  const auto loader = robust_fork_loader(*data, {.batch_size = 8, .num_workers = 2});
  fs::resize_file(root / "set/input.bin", 0);
  loader->begin_epoch(0);
  EXPECT_THAT([&] { (void)loader->next(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("input.bin: offset 0: the file was cut here"),
                                         HasSubstr("it had 122880 bytes"))));
}

}  // namespace
}  // namespace stepbench
