// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/doctor.h"

#include "harness/os/process.h"
#include "harness/record/quality.h"
#include "tests/scripted_clock.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::machine {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

std::vector<std::string> ids(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& finding : findings) out.push_back(finding.id);
  return out;
}

// Eight quiet CPUs; the same work took 2 ms each time.
Examination quiet() {
  Examination seen;
  seen.before = {.cores = 8,
                 .online = 8,
                 .one_per_core = {0, 1, 2, 3, 4, 5, 6, 7},
                 .governor = "performance",
                 .turbo = false,
                 .huge_pages = "madvise",
                 .load_1m = 0.1,
                 .run_queue_wait_ns = 1000,
                 .throttled_ns = 0,
                 .times = CpuTimes{.all = 10'000, .idle = 9000, .steal = 5},
                 .own_times = CpuTimes{.all = 10'000, .idle = 9000, .steal = 5},
                 .memory_bytes = std::int64_t{16} << 30,
                 .swap_used_bytes = 0,
                 .pages_swapped_in = 70,
                 .shm_free_bytes = std::int64_t{8} << 30};
  seen.after = seen.before;
  seen.after.times = seen.after.own_times = CpuTimes{.all = 14'000, .idle = 12'450, .steal = 5};
  seen.after.own_ticks = 500;
  seen.spin_ns = 5 * kSecondNs;
  seen.spin.times_ns.assign(2500, 2e6);
  return seen;
}

TEST(Doctor, EachDoubt_HasItsRemedy) {
  Examination seen = quiet();
  EXPECT_THAT(diagnose(seen), IsEmpty());
  seen.before.governor = "powersave";
  seen.before.quota_cores = 2.5;
  seen.before.swap_used_bytes = std::int64_t{1} << 30;
  seen.before.shm_free_bytes = 64 << 20;
  seen.before.gpu_driver = true;
  seen.after.run_queue_wait_ns = *seen.before.run_queue_wait_ns + kSecondNs / 10;
  seen.after.times->steal += 80;
  seen.after.own_times->idle -= 400;
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings),
              ElementsAre("machine.run_queue", "machine.steal", "cpu.others", "cpu.governor",
                          "cpu.quota", "memory.swap", "memory.shm", "gpu.library"));
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.severity, Severity::kWarning) << finding.id;
    EXPECT_THAT(finding.remedy, Not(IsEmpty())) << finding.id;
  }
  EXPECT_THAT(findings[0].text, HasSubstr("waited 2.0 % of the time for a CPU"));
  EXPECT_THAT(findings[1].text, HasSubstr("took 2.0 %"));
  EXPECT_THAT(findings[2].text, HasSubstr("others used 11.2 % of the 8 CPU(s)"));
  EXPECT_THAT(findings[4].remedy, EndsWith(": 2"));
}

TEST(Doctor, SmallDisturbances_AreNotes) {
  Examination seen = quiet();
  seen.before.one_per_core = {0, 2, 3, 4};
  seen.before.turbo = true;
  seen.before.turbo_off = "turn it off";
  seen.before.swap_used_bytes = 5 << 20;
  seen.before.huge_pages = "always";
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings),
              ElementsAre("cpu.turbo", "cpu.siblings", "memory.swap", "memory.huge_pages"));
  for (const Finding& finding : findings) EXPECT_EQ(finding.severity, Severity::kInfo);
  EXPECT_EQ(findings[0].remedy, "turn it off for comparisons");
  EXPECT_EQ(findings[1].remedy, "one CPU of each: taskset -c 0,2-4 stepbench ...");
}

TEST(Doctor, Remedy_FollowsTheMachine) {
  Examination swap = quiet();
  swap.before.swap_used_bytes = 5 << 20;
  swap.after.pages_swapped_in = 71;
  EXPECT_EQ(diagnose(swap).at(0).severity, Severity::kWarning) << "however little, it moves";
  Examination one = quiet();
  one.before.cores = 1;
  one.before.one_per_core = {0};
  EXPECT_THAT(ids(diagnose(one)), ElementsAre("cpu.affinity"));
  EXPECT_THAT(diagnose(one).at(0).remedy, HasSubstr("taskset -cp 0-7 $$"));
  one.before.online = 1;
  EXPECT_THAT(ids(diagnose(one)), ElementsAre("cpu.single"));
  Examination quota = quiet();
  quota.before.quota_cores = 0.5;
  EXPECT_THAT(diagnose(quota).at(0).remedy, HasSubstr("raise the quota"));
  quota.before.quota_cores = 8;
  EXPECT_THAT(diagnose(quota), IsEmpty());
}

TEST(Doctor, LoadAverage_IsTheFallback) {
  Examination seen = quiet();
  seen.before.load_1m = 30;
  EXPECT_THAT(diagnose(seen), IsEmpty()) << "it is over";
  seen.after.own_times.reset();
  EXPECT_THAT(ids(diagnose(seen)), ElementsAre("cpu.load"));
}

TEST(Doctor, VariationRemedy_FollowsItsCause) {
  Examination seen = quiet();
  for (std::size_t i = 0; i < seen.spin.times_ns.size(); i += 20) seen.spin.times_ns[i] = 3e6;
  EXPECT_THAT(diagnose(seen).at(0).remedy, HasSubstr("fix the clocks"));
  seen.after.times->steal += 80;
  EXPECT_THAT(diagnose(seen).at(0).remedy, HasSubstr("CPUs of its own"));
  seen.after.own_times->idle -= 400;
  EXPECT_THAT(diagnose(seen).at(0).remedy, HasSubstr("end what else runs"));
}

TEST(Doctor, Problem_ComesFirst) {
  Examination seen = quiet();
  seen.before.governor = "powersave";
  for (std::size_t i = 0; i < seen.spin.times_ns.size(); i += 2) seen.spin.times_ns[i] = 6e6;
  seen.after.throttled_ns = kSecondNs;
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings),
              ElementsAre("machine.variation", "machine.quota_throttling", "cpu.governor"));
  EXPECT_EQ(findings[0].severity, Severity::kProblem);
  EXPECT_EQ(findings[1].severity, Severity::kProblem);
}

TEST(Doctor, EachDevice_IsExamined) {
  Examination seen = quiet();
  seen.devices = {{.memory_used_bytes = 1, .memory_total_bytes = 100, .persistence = true},
                  {.temperature_c = 90,
                   .memory_used_bytes = 50,
                   .memory_total_bytes = 100,
                   .persistence = false,
                   .mig = true,
                   .memory_errors = 3,
                   .clock_reasons = 0x40,
                   .processes = std::vector<int>{4, 5}}};
  const std::vector<Finding> findings = diagnose(seen);
  EXPECT_THAT(ids(findings), ElementsAre("gpu.throttled", "gpu.memory_errors", "gpu.others",
                                         "gpu.memory", "gpu.hot", "gpu.persistence", "gpu.mig"));
  for (const Finding& finding : findings) EXPECT_THAT(finding.text, HasSubstr("GPU 1"));
}

TEST(Doctor, Unreadable_IsNotFine) {
  Examination seen;
  seen.before.cores = seen.after.cores = 4;
  seen.spin.times_ns.assign(10, 2e6);
  seen.devices = {DeviceState{}};
  const std::vector<Finding> findings = diagnose(seen);
  ASSERT_THAT(ids(findings), ElementsAre("machine.not_watched"));
  EXPECT_EQ(findings[0].text,
            "not watched: how long threads wait for a CPU, what other programs use, what a "
            "hypervisor takes");
  seen.before.load_1m = 0.1;
  EXPECT_THAT(diagnose(seen).at(0).text, Not(HasSubstr("other programs")));
}

// For each fact: below the level of a warning, at it, and at that of a problem.
TEST(Doctor, Levels_AreThoseOfTheTable) {
  using record::Fact;
  struct Planted {
    Fact fact;
    const char* id;
    void (*plant)(Examination& seen, double share);
  };
  const Planted facts[] = {
      {Fact::kWaited, "machine.run_queue",
       [](Examination& seen, double share) {
         *seen.after.run_queue_wait_ns += std::llround(share * static_cast<double>(seen.spin_ns));
       }},
      {Fact::kSteal, "machine.steal",
       [](Examination& seen, double share) {
         seen.after.times->steal += std::llround(share * 4000);
       }},
      {Fact::kOthers, "cpu.others",
       [](Examination& seen, double share) {
         seen.after.own_ticks = 550 - std::llround(share * 4000);
       }},
      {Fact::kQuota, "machine.quota_throttling", [](Examination& seen, double share) {
         *seen.after.throttled_ns += std::llround(share * static_cast<double>(seen.spin_ns));
       }}};
  for (const Planted& planted : facts) {
    const auto found = [&](double share) {
      Examination seen = quiet();
      planted.plant(seen, share);
      const std::vector<Finding> findings = diagnose(seen);
      const auto at = std::ranges::find(findings, planted.id, &Finding::id);
      return at == findings.end() ? std::optional<Severity>() : at->severity;
    };
    const record::FactRow& row = record::row_of(planted.fact);
    EXPECT_EQ(found(0), std::nullopt) << planted.id;
    EXPECT_EQ(found(row.reported * 0.9), std::nullopt) << planted.id;
    EXPECT_EQ(found(row.reported > 0 ? row.reported : 1e-6), Severity::kWarning) << planted.id;
    EXPECT_EQ(found(row.unusable * 0.9), Severity::kWarning) << planted.id;
    EXPECT_EQ(found(row.unusable), Severity::kProblem) << planted.id;
  }
}

TEST(Doctor, AdvisedClock_IsOffered) {
  const auto findings = diagnose_device(2, {.max_sm_mhz = 1980});
  ASSERT_THAT(ids(findings), ElementsAre("gpu.clocks"));
  EXPECT_EQ(findings[0].severity, Severity::kInfo);
  EXPECT_THAT(findings[0].remedy, HasSubstr("sudo nvidia-smi -i 2 -lgc 1485,1485"));
}

TEST(Spin, ScriptedWork_GivesMedianAndVariation) {
  ScriptedClock clock;
  std::int64_t runs = 0;
  const Spin result = spin(
      clock, [&] { clock.pass(++runs % 2 == 0 ? 100 : 300); }, 4000);
  EXPECT_EQ(result.times_ns.size(), 20U);
  EXPECT_EQ(result.median_ns(), 200);
  EXPECT_NEAR(result.variation(), 0.513, 0.001);
  EXPECT_EQ(result.slowest(), 1.5);
  EXPECT_EQ(Spin{.times_ns = {5}}.variation(), 0);
  EXPECT_EQ(Spin{}.median_ns(), 0);
}

class DoctorCommand : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  [[nodiscard]] os::CommandResult doctor(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {STEPBENCH_PROGRAM, "doctor", "--seconds", "0.05"});
    return os::run_command(arguments, "", std::chrono::minutes(10));
  }
  const test::TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(DoctorCommand, Machine_IsReadFromFiles) {
  write("proc/self/status", "Cpus_allowed_list:\t0-3\n");
  write("proc/loadavg", "2.00 1 1 1/100 7\n");
  write("proc/meminfo", "SwapTotal: 2048 kB\nSwapFree: 1024 kB\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
  const HostReading host = read_host(root_);
  EXPECT_EQ(host.cores, 4);
  EXPECT_EQ(host.load_1m, 2.0);
  EXPECT_EQ(host.swap_used_bytes, 1 << 20);
  EXPECT_EQ(host.turbo, std::nullopt);
  EXPECT_EQ(host.own_times, std::nullopt);
  EXPECT_EQ(host.governor, "schedutil");
  EXPECT_EQ(host.run_queue_wait_ns, std::nullopt);
  EXPECT_EQ(host.shm_free_bytes, std::nullopt);
}

TEST_F(DoctorCommand, OwnCpus_AreRead) {
  write("proc/self/status", "Cpus_allowed_list:\t1-3\n");
  write("proc/self/stat", "7 (a) b) S 1 1 1 0 -1 0 0 0 0 0 40 2 900 900 20 0\n");
  write("proc/stat",
        "cpu  9 0 0 9 0 0 0 0 0 0\ncpu0 5 0 0 5 0 0 0 0 0 0\ncpu1 10 1 2 50 3 4 5 6 0 0\n"
        "cpu2 1 0 0 1 0 0 0 0 0 0\ncpu30 70 0 0 0 0 0 0 0 0 0\nintr 5\n");
  write("sys/devices/system/cpu/online", "0-3\n");
  for (const auto& [cpu, threads] : {std::pair{"1", "0-1"}, {"2", "2-3"}, {"3", "2-3"}}) {
    write(std::string("sys/devices/system/cpu/cpu") + cpu + "/topology/thread_siblings_list",
          std::string(threads) + "\n");
  }
  write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  write("proc/vmstat", "pswpin 12\npswpout 13\n");
  const HostReading host = read_host(root_);
  EXPECT_EQ(host.online, 4);
  EXPECT_THAT(host.one_per_core, ElementsAre(1, 2));
  EXPECT_EQ(host.turbo, true);
  EXPECT_EQ(host.turbo_off, "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
  EXPECT_EQ(host.huge_pages, "always");
  EXPECT_EQ(host.pages_swapped_in, 12);
  EXPECT_EQ(host.own_ticks, 42);
  ASSERT_TRUE(host.own_times.has_value());
  EXPECT_EQ(host.own_times->all, 83);
  EXPECT_EQ(host.own_times->idle, 54);
  EXPECT_EQ(host.own_times->steal, 6);
  EXPECT_EQ(host.own_times->busy(), 23);
}

TEST(ShareOfOthers, BusyTimeBeyondOwn_IsTheShare) {
  const CpuTimes before{.all = 1000, .idle = 500, .steal = 0};
  const CpuTimes after{.all = 1200, .idle = 560, .steal = 20};
  EXPECT_EQ(share_of_others(before, after, 70), 0.25);
  EXPECT_EQ(share_of_others(before, after, 500), 0.0) << "ticks are coarse";
  EXPECT_EQ(share_of_others(before, {.all = 1099, .idle = 500, .steal = 0}, 0), std::nullopt);
}

TEST_F(DoctorCommand, PointlessMachine_ExitsWithFour) {
  write("proc/self/status", "Cpus_allowed_list:\t0\n");
  write("proc/loadavg", "31.00 1 1 1/100 7\n");
  const os::CommandResult result = doctor({"--root", root_});
  EXPECT_EQ(result.exit_status, 4) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("problem: load 31 on 1 CPU(s)"));
  EXPECT_THAT(result.out, HasSubstr("warning: not watched: how long threads wait for a CPU, what"));
  EXPECT_EQ(result.err, "") << "no progress beside a terminal";
  const os::CommandResult json = doctor({"--root", root_, "--format", "json"});
  EXPECT_EQ(json.exit_status, 4);
  EXPECT_THAT(json.out, AllOf(HasSubstr(R"("pointless":true)"), HasSubstr(R"("id":"cpu.load")"),
                              HasSubstr(R"("variation":)")));
  EXPECT_EQ(doctor({"--format", "yaml"}).exit_status, 2);
  EXPECT_EQ(doctor({"--seconds", "-1"}).exit_status, 2);
}

TEST(Doctor, OldDriver_IsAProblem) {
  const auto found = [](int of_driver, int needed) {
    Examination seen;
    seen.nvml = true;
    seen.cuda_of_driver = of_driver;
    seen.cuda_needed = needed;
    const std::vector<Finding> findings = diagnose(seen);
    const auto at = std::find_if(findings.begin(), findings.end(), [](const Finding& each) {
      return each.id == "gpu.driver_too_old";
    });
    return at == findings.end() ? std::string() : at->text + "; " + at->remedy;
  };
  EXPECT_EQ(
      found(12080, 13000),
      "the GPU's driver runs CUDA up to 12.8, and libtorch was built for CUDA 13: it will see "
      "no device; install a driver for CUDA 13, or a libtorch that is built for CUDA 12.8");
  EXPECT_EQ(found(13000, 13010), "") << "a minor version that is newer runs";
  EXPECT_EQ(found(13010, 13000), "");
  EXPECT_EQ(found(0, 13000), "") << "not known";
  EXPECT_EQ(found(12080, 0), "") << "built without CUDA";
}

// A file system without a free byte simulates a full one.
TEST(SharedMemory, Refused_IsExplainedAsDoctorDoes) {
  const std::string reason =
      "RuntimeError: unable to allocate shared memory(shm) for file </torch_29003_1_4>: busy";
  EXPECT_THAT(with_known_cause(reason, "/proc"),
              AllOf(HasSubstr("file </torch_...>: busy; /dev/shm has 0 MiB free: loader"),
                    HasSubstr("docker run --shm-size=8g")));
  EXPECT_EQ(with_known_cause("ValueError: no such label", "/proc"), "ValueError: no such label");
}

TEST(OpenFiles, Exhausted_AreExplainedAsDoctorDoes) {
  for (const char* reason :
       {"OSError: [Errno 24] Too many open files", "RuntimeError: received 0 items of ancdata"}) {
    EXPECT_THAT(with_known_cause(reason, "/dev/shm"),
                AllOf(StartsWith(reason), HasSubstr("; a process may have "),
                      HasSubstr("ulimit -n 65536")));
  }
  Examination seen;
  seen.before.open_files = 256;
  const auto is_it = [](const Finding& each) { return each.id == "memory.open_files"; };
  EXPECT_TRUE(std::ranges::any_of(diagnose(seen), is_it));
  seen.before.open_files = 1024;
  EXPECT_FALSE(std::ranges::any_of(diagnose(seen), is_it));
}

}  // namespace
}  // namespace stepbench::machine
