// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/doctor.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "harness/machine/command.h"
#include "tests/unit/measure/scripted_clock.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecond = 1'000'000'000;

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(finding.id);
  return out;
}

// Eight quiet CPUs; the same work took 2 ms each time.
Examination quiet() {
  Examination seen;
  seen.before = {.cores = 8,
                 .governor = "performance",
                 .load_1m = 0.1,
                 .run_queue_wait_ns = 1000,
                 .throttled_ns = 0,
                 .all_jiffies = 10'000,
                 .steal_jiffies = 5,
                 .swap_used_bytes = 0,
                 .shm_free_bytes = std::int64_t{8} << 30};
  seen.after = seen.before;
  seen.after.all_jiffies = 14'000;
  seen.spin_ns = 5 * kSecond;
  seen.spin.times_ns.assign(2500, 2e6);
  return seen;
}

TEST(Doctor, FindsNothingOnAQuietMachine) { EXPECT_THAT(diagnose(quiet()), IsEmpty()); }

TEST(Doctor, EachDoubtComesWithItsRemedy) {
  Examination seen = quiet();
  seen.before.governor = "powersave";
  seen.before.load_1m = 4.0;
  seen.before.quota_cores = 2.5;
  seen.before.swap_used_bytes = 5 << 20;
  seen.before.shm_free_bytes = 64 << 20;
  seen.after.run_queue_wait_ns = *seen.before.run_queue_wait_ns + kSecond / 10;
  seen.after.steal_jiffies = *seen.before.steal_jiffies + 80;
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings), ElementsAre("machine.run_queue", "machine.steal", "cpu.load",
                                         "cpu.governor", "cpu.quota", "memory.swap", "memory.shm"));
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.severity, Severity::kWarning) << finding.id;
    EXPECT_THAT(finding.remedy, testing::Not(IsEmpty())) << finding.id;
  }
  EXPECT_THAT(findings[0].text, HasSubstr("waited 2.00 % of the time for a CPU"));
  EXPECT_THAT(findings[1].text, HasSubstr("took 2.00 %"));
}

TEST(Doctor, WhatMakesMeasuringPointlessIsAProblemAndStandsFirst) {
  Examination seen = quiet();
  seen.before.governor = "powersave";
  for (std::size_t i = 0; i < seen.spin.times_ns.size(); i += 2) seen.spin.times_ns[i] = 6e6;
  seen.after.throttled_ns = kSecond;
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings),
              ElementsAre("machine.variation", "machine.quota_throttling", "cpu.governor"));
  EXPECT_EQ(findings[0].severity, Severity::kProblem);
  EXPECT_EQ(findings[1].severity, Severity::kProblem);
}

TEST(Doctor, LooksAtEachDevice) {
  Examination seen = quiet();
  seen.devices = {{.memory_used_bytes = 1, .memory_total_bytes = 100, .persistence = true},
                  {.temperature_c = 90,
                   .memory_used_bytes = 50,
                   .memory_total_bytes = 100,
                   .persistence = false,
                   .mig = true,
                   .clock_reasons = 0x40,
                   .processes = std::vector<int>{4, 5}}};
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings), ElementsAre("gpu.throttled", "gpu.others", "gpu.memory", "gpu.hot",
                                         "gpu.persistence", "gpu.mig"));
  for (const Finding& finding : findings) EXPECT_THAT(finding.text, HasSubstr("GPU 1"));
}

TEST(Doctor, WhatCannotBeReadIsNotDiagnosed) {
  Examination seen;
  seen.before.cores = seen.after.cores = 4;
  seen.spin.times_ns.assign(10, 2e6);
  seen.devices = {DeviceState{}};
  EXPECT_THAT(diagnose(seen), IsEmpty());
}

TEST(Spin, TimesTheSameWorkUntilTheTimeIsOver) {
  ScriptedClock clock;
  std::int64_t runs = 0;
  const Spin result = spin(
      clock, [&] { clock.pass(++runs % 2 == 0 ? 100 : 300); }, 4000);
  EXPECT_EQ(result.times_ns.size(), 20U);
  EXPECT_EQ(result.median_ns(), 200);
  EXPECT_NEAR(result.variation(), 0.513, 0.001);
  EXPECT_EQ(result.slowest(), 1.5);
}

TEST(Spin, OfOneRunVariesNotAtAll) {
  EXPECT_EQ(Spin{.times_ns = {5}}.variation(), 0);
  EXPECT_EQ(Spin{}.median_ns(), 0);
}

class DoctorCommand : public testing::Test {
 protected:
  DoctorCommand() {
    std::string pattern = fs::temp_directory_path() / "stepbench-doctor-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
  }
  ~DoctorCommand() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream{root_ / name} << text;
  }
  [[nodiscard]] CommandResult doctor(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {STEPBENCH_PROGRAM, "doctor", "--seconds", "0.05"});
    return run_command(arguments, "", std::chrono::seconds(30));
  }
  fs::path root_;
};

TEST_F(DoctorCommand, ReadsTheMachineMadeOfFiles) {
  write("proc/self/status", "Cpus_allowed_list:\t0-3\n");
  write("proc/loadavg", "2.00 1 1 1/100 7\n");
  write("proc/meminfo", "SwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
  const HostReading host = read_host(root_);
  EXPECT_EQ(host.cores, 4);
  EXPECT_EQ(host.load_1m, 2.0);
  EXPECT_EQ(host.swap_used_bytes, 1 << 20);
  EXPECT_EQ(host.governor, "schedutil");
  EXPECT_EQ(host.run_queue_wait_ns, std::nullopt);
  EXPECT_EQ(host.shm_free_bytes, std::nullopt);
}

TEST_F(DoctorCommand, ExitsWithFourWhereMeasuringIsPointless) {
  write("proc/self/status", "Cpus_allowed_list:\t0\n");
  write("proc/loadavg", "31.00 1 1 1/100 7\n");
  const CommandResult result = doctor({"--root", root_});
  EXPECT_EQ(result.exit_status, 4) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("problem: load 31.0 on 1 CPU(s)"));
  EXPECT_THAT(result.out, HasSubstr("remedy: wait until it is quiet"));
  EXPECT_THAT(result.out, HasSubstr("Measuring here is pointless"));
}

TEST_F(DoctorCommand, SaysTheSameToAProgram) {
  write("proc/self/status", "Cpus_allowed_list:\t0\n");
  write("proc/loadavg", "31.00 1 1 1/100 7\n");
  const CommandResult result = doctor({"--root", root_, "--format", "json"});
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_THAT(result.out, HasSubstr(R"("pointless":true)"));
  EXPECT_THAT(result.out, HasSubstr(R"("id":"cpu.load")"));
  EXPECT_THAT(result.out, HasSubstr(R"("variation":)"));
}

TEST_F(DoctorCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(doctor({"--format", "yaml"}).exit_status, 2);
  EXPECT_EQ(doctor({"--seconds", "-1"}).exit_status, 2);
}

}  // namespace
}  // namespace stepbench
