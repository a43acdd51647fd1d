// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/examine_machine.h"

#include "harness/base/error.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

class KeptMachineFile : public ::testing::Test {
 protected:
  const test::TemporaryFolder folder_;
  const machine::Variables variables_ = {{"XDG_STATE_HOME", (folder_ / "state").string()}};
  const Fields identity_ = {{"host", Value{std::string("a/b")}},
                            {"cpu.model", Value{std::string("Some CPU")}},
                            {"cores", Value{std::int64_t{2}}}};
  const verdict::MachineNoise noise_ = {.measured_utc = "2026-01-31T12:00:00Z",
                                        .machine = identity_,
                                        .seconds = 60,
                                        .others_share = 0.25,
                                        .cases = {{.name = "compute",
                                                   .launches = 20,
                                                   .step_ns = 1e6,
                                                   .launch_sd = 0.012,
                                                   .minutes_sd = 0.004,
                                                   .found_by_10 = 0.027,
                                                   .found_by_40 = 0.018,
                                                   .aa_interval = {-0.01, 0.02},
                                                   .differs = true}},
                                        .too_few = {"loader"}};
};

TEST_F(KeptMachineFile, SameMachine_IsReadBack) {
  EXPECT_FALSE(stored_machine(variables_, identity_).noise) << "nobody measured yet";
  EXPECT_THAT(stored_machine(variables_, identity_).problem, IsEmpty());
  const auto place = place_for_machine(variables_, identity_);
  EXPECT_EQ(place, folder_ / "state/stepbench/machine-a_b.json");
  store_machine(place, noise_);
  const StoredMachine kept = stored_machine(variables_, identity_);
  ASSERT_TRUE(kept.noise) << kept.problem;
  verdict::MachineNoise again = *kept.noise;
  again.too_few = noise_.too_few;  // only shown, not stored
  EXPECT_EQ(machine_json(again), machine_json(noise_));
}

TEST_F(KeptMachineFile, UnknownFields_AreAccepted) {
  const auto place = place_for_machine(variables_, identity_);
  std::string text = machine_json(noise_);
  text.insert(text.size() - 1, R"(,"controls":{"gemm_ns":3e7,"gemm_sd":0.01,"gemm_launches":8})");
  std::ofstream(place) << text << '\n';
  const StoredMachine kept = stored_machine(variables_, identity_);
  ASSERT_TRUE(kept.noise) << kept.problem;
  EXPECT_EQ(kept.noise->cases.front().name, "compute");
}

TEST_F(KeptMachineFile, OtherMachine_IsNotUsed) {
  store_machine(place_for_machine(variables_, identity_), noise_);
  Fields moved = identity_;
  moved["cpu.model"] = std::string("Another CPU");
  const StoredMachine kept = stored_machine(variables_, moved);
  EXPECT_FALSE(kept.noise);
  EXPECT_THAT(kept.problem, AllOf(HasSubstr("another cpu.model (Some CPU, now Another CPU)"),
                                  HasSubstr("`stepbench doctor --measure` measures it again")));
  Fields elsewhere = identity_;
  elsewhere["host"] = std::string("c");
  EXPECT_FALSE(stored_machine(variables_, elsewhere).noise) << "another host has a file of its own";
  EXPECT_THAT(stored_machine(variables_, elsewhere).problem, IsEmpty());
}

TEST_F(KeptMachineFile, BrokenFile_IsNamed) {
  for (const char* text :
       {"", "{", "[]", R"({"schema":"stepbench.night","version":"1.0.0"})",
        R"({"schema":"stepbench.machine","version":"2.0.0"})",
        R"({"schema":"stepbench.machine","version":"1.0.0","measured_utc":"x","seconds":1})",
        R"({"schema":"stepbench.machine","version":"1.0.0","measured_utc":"x","seconds":1,)"
        R"("cases":[{"name":"compute","launch_sd":"much"}]})"}) {
    folder_.write("state/stepbench/machine-a_b.json", text);
    const StoredMachine kept = stored_machine(variables_, identity_);
    EXPECT_FALSE(kept.noise) << text;
    EXPECT_THAT(kept.problem, HasSubstr("machine-a_b.json: ")) << text;
  }
}

TEST_F(KeptMachineFile, NoPlace_IsAnErrorWithARemedy) {
  EXPECT_THAT([&] { (void)place_for_machine({}, identity_); },
              ThrowsMessage<ConfigError>(HasSubstr("set XDG_STATE_HOME to a folder")));
  folder_.write("state", "a file where the folder should be");
  EXPECT_THAT([&] { (void)place_for_machine(variables_, identity_); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("--measure: cannot keep what it finds in"),
                                               HasSubstr("set XDG_STATE_HOME to a folder"))));
  EXPECT_EQ(stored_machine({{"HOME", "/home/somebody"}}, identity_).file,
            "/home/somebody/.local/state/stepbench/machine-a_b.json");
}

}  // namespace
}  // namespace stepbench::campaign
