// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/gates.h"

#include <gmock/gmock.h>

#include <deque>

namespace stepbench::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Ten pairs of one case; a test changes what the machine did to some launches.
class MachineGates : public testing::Test {
 protected:
  MachineGates() : cases_(1) {
    for (int i = 0; i < 10; ++i) {
      for (CaseLaunches* side : {&cases_[0].base, &cases_[0].candidate}) {
        record::Launch& launch = launches_.emplace_back();
        launch.row.wall_ns = 5'000'000'000;
        side->measured.push_back(&launch);
      }
    }
  }
  record::LaunchRow& base(int i) { return launches_[static_cast<std::size_t>(2 * i)].row; }
  record::LaunchRow& candidate(int i) { return launches_[static_cast<std::size_t>(2 * i + 1)].row; }
  // In launch i of the base and of the candidate.
  void put(const std::string& field, const std::function<double(int)>& of_base,
           const std::function<double(int)>& of_candidate) {
    for (int i = 0; i < 10; ++i) {
      base(i).machine[field] = of_base(i);
      candidate(i).machine[field] = of_candidate(i);
    }
  }
  [[nodiscard]] std::vector<Gate> gates(Design design = Design::kInterleaved) const {
    return machine_gates(cases_, design);
  }
  static std::vector<std::string> words(const std::vector<Gate>& gates) {
    std::vector<std::string> all;
    for (const Gate& gate : gates)
      all.push_back(gate.name + " " + std::string(name_of(gate.state)));
    return all;
  }
  std::deque<record::Launch> launches_;
  std::vector<CasePair> cases_;
};

double ripple(int i) { return 0.001 * (i % 4); }

TEST_F(MachineGates, AQuietMachineHasNothingToSay) {
  EXPECT_THAT(gates(), IsEmpty());
  put("others_cpu_share", ripple, ripple);
  put("steal_share", ripple, [](int i) { return ripple(9 - i); });
  put(
      "gpu.sm_mhz_median", [](int) { return 1980; }, [](int) { return 1945; });
  EXPECT_THAT(gates(), IsEmpty());
}

TEST_F(MachineGates, OthersThatHitOneArmMakeTheCampaignInvalid) {
  put("others_cpu_share", ripple, [](int i) { return 0.06 + ripple(i); });
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("load failed"));
  EXPECT_NEAR(found[0].value, 0.06, 1e-12);
  EXPECT_EQ(found[0].fails_at, kLoadApartFails);
  EXPECT_THAT(found[0].text, HasSubstr("0.13 % in arm A, 6.1 % in arm B"));
  EXPECT_THAT(words(gates(Design::kSequential)), ElementsAre("load warning"));
}

TEST_F(MachineGates, OthersThatHitTheBaseCountAsWell) {
  put(
      "others_cpu_share", [](int i) { return 0.07 + ripple(i); }, ripple);
  EXPECT_THAT(words(gates()), ElementsAre("load failed"));
}

TEST_F(MachineGates, ADifferenceThatIsSmallOrMayBeChanceIsNone) {
  put("others_cpu_share", ripple, [](int i) { return 0.04 + ripple(i); });
  EXPECT_THAT(gates(), IsEmpty()) << "certain and small";
  put(
      "others_cpu_share", [](int i) { return i % 2 == 0 ? 0.4 : 0.0; },
      [](int i) { return i % 2 == 0 ? 0.0 : 0.5; });
  EXPECT_THAT(gates(), IsEmpty()) << "large and by chance";
}

TEST_F(MachineGates, AMachineThatOthersUseHalfOfIsWarnedOf) {
  put(
      "others_cpu_share", [](int i) { return 0.6 + ripple(i); },
      [](int i) { return 0.6 + ripple(9 - i); });
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("load warning"));
  EXPECT_THAT(found[0].text, HasSubstr("others used 60.1 % of its CPU time"));
}

TEST_F(MachineGates, StealInOneArmFailsAndInBothWarns) {
  put("steal_share", ripple, [](int i) { return 0.03 + ripple(i); });
  EXPECT_THAT(words(gates()), ElementsAre("steal failed"));
  put(
      "steal_share", [](int) { return 0.03; }, [](int) { return 0.03; });
  EXPECT_THAT(gates(), IsEmpty());
  for (int i = 0; i < 3; ++i) base(i).report.flags = {"steal"};
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("steal warning"));
  EXPECT_THAT(
      found[0].text,
      HasSubstr("in 3 of 20 launches the hypervisor took CPU time (3 of arm A, 0 of arm B)"));
  base(2).report.flags.clear();
  EXPECT_THAT(gates(), IsEmpty()) << "two of twenty";
}

TEST_F(MachineGates, SharesCountedInTicksNeedASecond) {
  for (const char* share : {"steal_share", "others_cpu_share"}) {
    put(share, ripple, [](int i) { return 0.8 + ripple(i); });
  }
  EXPECT_THAT(gates(), ::testing::SizeIs(2));
  for (record::Launch& launch : launches_) launch.row.wall_ns = 999'999'999;
  EXPECT_THAT(gates(), IsEmpty());
}

TEST_F(MachineGates, WaitingAndAQuotaMayBeAnArmsOwnDoingAndOnlyWarn) {
  put(
      "window_ns", [](int) { return 1e9; }, [](int) { return 1e9; });
  put(
      "window_run_queue_wait_ns", [](int) { return 1e6; }, [](int i) { return 5e7 + i; });
  EXPECT_THAT(words(gates()), ElementsAre("waiting warning"));
  put(
      "window_run_queue_wait_ns", [](int) { return 1e6; }, [](int) { return 1e6; });
  put(
      "cgroup_throttled_ns", [](int) { return 0; }, [](int i) { return 1e9 + i; });
  EXPECT_THAT(words(gates()), ElementsAre("quota warning"));
}

TEST_F(MachineGates, WithoutWindowsTheWaitOfAWholeLifeCounts) {
  put(
      "run_queue_wait_ns", [](int) { return 1e6; }, [](int i) { return 1e9 + i; });
  EXPECT_THAT(words(gates()), ElementsAre("waiting warning"));
}

TEST_F(MachineGates, OneSlowedDownLaunchWarnsAndAnArmOfThemFails) {
  for (record::Launch& launch : launches_) launch.row.machine["gpu.throttled"] = std::string("no");
  EXPECT_THAT(gates(), IsEmpty());
  candidate(4).report.flags = {"throttled"};
  EXPECT_THAT(words(gates()), ElementsAre("throttling warning"));
  for (int i = 0; i < 10; ++i) candidate(i).report.flags = {"throttled"};
  EXPECT_THAT(words(gates()), ElementsAre("throttling failed"));
  for (int i = 0; i < 10; ++i) base(i).report.flags = {"throttled"};
  EXPECT_THAT(words(gates()), ElementsAre("throttling warning")) << "both alike";
}

TEST_F(MachineGates, ClocksMoreThanTwoPerCentApartFail) {
  put(
      "gpu.sm_mhz_median", [](int) { return 1980; }, [](int) { return 1935; });
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("clocks failed"));
  EXPECT_THAT(found[0].text, HasSubstr("1980 MHz in arm A and 1935 MHz in arm B"));
  EXPECT_THAT(words(gates(Design::kSequential)), ElementsAre("clocks warning"));
}

TEST_F(MachineGates, ClocksThatThePowerLimitSetsWarnAsTheProgramDecidesThem) {
  put(
      "gpu.sm_mhz_median", [](int) { return 1980; }, [](int) { return 1700; });
  put(
      "gpu.power_capped_share", [](int) { return 0.0; }, [](int) { return 0.04; });
  EXPECT_THAT(words(gates()), ElementsAre("clocks failed")) << "capped for a moment";
  put(
      "gpu.power_capped_share", [](int) { return 0.0; }, [](int) { return 0.9; });
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("clocks warning"));
  EXPECT_THAT(found[0].text, HasSubstr("1980 MHz in arm A and 1700 MHz in arm B"));
  EXPECT_THAT(found[0].text, HasSubstr("at its power limit"));
}

TEST_F(MachineGates, PairsWithoutAReadingAreLeftOut) {
  put("others_cpu_share", ripple, [](int i) { return 0.1 + ripple(i); });
  for (int i = 0; i < 4; ++i) base(i).machine.clear();
  EXPECT_THAT(gates(), IsEmpty()) << "six pairs cannot tell";
}

}  // namespace
}  // namespace stepbench::compare
