// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <cerrno>
#include <thread>

#include "tests/testing.h"

namespace stepbench::test {

// A fixture whose tests must leave the process unchanged: descriptors, threads, children (including
// zombies) and entries of /dev/shm.
class LeavesNothing : public testing::Test {
 public:
  // ThreadSanitizer starts a thread of its own with the first one.
  static void SetUpTestSuite() {
    std::thread([] {}).join();
  }

 protected:
  LeavesNothing()
      : descriptors_(entries("/proc/self/fd")),
        threads_(entries("/proc/self/task")),
        segments_(segments()) {}

  void TearDown() override {
    EXPECT_EQ(entries("/proc/self/fd"), descriptors_);
    EXPECT_TRUE(ends_new_threads()) << "a thread is left";
    EXPECT_EQ(segments(), segments_);
    siginfo_t info{};
    const int found = ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
    EXPECT_TRUE(found != 0 && errno == ECHILD) << "a child is left: " << info.si_pid;
  }

 private:
  // A thread may stay in /proc for a moment after it was joined.
  [[nodiscard]] bool ends_new_threads() const {
    for (int turn = 0; turn < kTurns; ++turn) {
      std::set<std::string> fresh = entries("/proc/self/task");
      std::erase_if(fresh, [&](const std::string& name) { return threads_.contains(name); });
      if (fresh.empty()) return true;
      std::this_thread::yield();
    }
    return false;
  }

  static constexpr int kTurns = 100'000;

  static std::set<std::string> entries(const char* folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  static std::set<std::string> segments() {
    const std::string ours = "stepbench-" + std::to_string(::getpid()) + "-";
    std::set<std::string> names = entries("/dev/shm");
    std::erase_if(names, [&](const std::string& name) { return !name.starts_with(ours); });
    return names;
  }

  std::set<std::string> descriptors_, threads_, segments_;
};

}  // namespace stepbench::test
