// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/device_locks.h"

#include <csignal>

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

class DeviceLocks : public ::testing::Test {
 protected:
  [[nodiscard]] std::optional<std::vector<DeviceLock>> lock(const std::set<std::string>& devices,
                                                            LockPolicy policy) {
    return lock_devices(folder_.path(), devices, policy, interrupts_, progress_);
  }

  test::TemporaryFolder folder_;
  HostClock clock_;
  run::Interrupts interrupts_;
  std::ostringstream said_;
  run::Progress progress_{said_, {}, clock_};
};

TEST_F(DeviceLocks, DeviceInUse_IsRefusedWithRemedies) {
  const auto first = lock({"cuda:0"}, LockPolicy::kRefuse);
  EXPECT_THAT(
      [&] {
        (void)lock({"cpu", "cuda:0"}, LockPolicy::kRefuse);
      },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("device cuda:0: another run"),
                                       HasSubstr("--wait-lock"), HasSubstr("--no-lock"))));
  EXPECT_THAT(*lock({"cpu", "cuda:1"}, LockPolicy::kRefuse), SizeIs(2)) << "what it locked is free";
  EXPECT_THAT(*lock({"cuda:0"}, LockPolicy::kNone), SizeIs(0));
}

TEST_F(DeviceLocks, Interrupt_EndsTheWait) {
  const auto first = lock({"cpu"}, LockPolicy::kRefuse);
  ::raise(SIGTERM);
  EXPECT_FALSE(lock({"cpu"}, LockPolicy::kWait));
  EXPECT_EQ(interrupts_.first(), SIGTERM);
  EXPECT_THAT(said_.str(), HasSubstr("waiting: another run"));
}

TEST_F(DeviceLocks, RunnableCases_LockTheirDevices) {
  plan::Plan plan;
  plan.cases.resize(3);
  plan.cases[0].resolved.options["device"] = std::string("cuda:1");
  plan.cases[1].resolved.options["device"] = std::string("cuda:2");
  plan.cases[1].skip = "no such device";
  std::set<std::string> devices;
  add_devices(plan, devices);
  EXPECT_THAT(devices, ElementsAre("cpu", "cuda:1"));
}

}  // namespace
}  // namespace stepbench::campaign
