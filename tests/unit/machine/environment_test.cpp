// SPDX-License-Identifier: Apache-2.0
// Uses a machine made of files.
#include "harness/machine/environment.h"

#include <unistd.h>

#include "harness/machine/processes.h"
#include "harness/machine/sampler.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "tests/scripted_clock.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::machine {
namespace {

class Machine : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  [[nodiscard]] std::string field(const std::string& name, const Devices& devices = {}) const {
    const Fields fields = host_environment(root_, devices);
    const auto found = fields.find(name);
    return found == fields.end() ? "absent" : to_text(found->second);
  }
  const test::TemporaryFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(Machine, Unreadable_IsAbsentNotZero) {
  for (const char* name : {"kernel", "cpu.model", "cpu.logical", "cpu.turbo", "memory.bytes",
                           "cgroup.cpu_quota_cores"}) {
    EXPECT_EQ(field(name), "absent") << name;
  }
  EXPECT_EQ(field("host"), "unknown");
  EXPECT_EQ(cores_in_affinity(root_), 1);
}

TEST_F(Machine, HostKernelAndSystem_AreRead) {
  write("proc/sys/kernel/hostname", "node7\n");
  write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  write("etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("proc/meminfo", "MemFree: 12 kB\nMemTotal:       16384 kB\n");
  EXPECT_EQ(field("host"), "node7");
  EXPECT_EQ(field("kernel"), "6.1.0-18-amd64");
  EXPECT_EQ(field("os"), "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(field("memory.thp"), "madvise");
  EXPECT_EQ(field("memory.bytes"), "16777216");
}

TEST_F(Machine, Cores_AreCountedAcrossPackages) {
  std::string cpuinfo;
  for (int cpu = 0; cpu < 8; ++cpu) {
    cpuinfo += "processor\t: " + std::to_string(cpu) +
               "\nmodel name\t: Fast CPU @ 3 GHz\nphysical id\t: " + std::to_string(cpu / 4) +
               "\ncore id\t: " + std::to_string(cpu % 2) + "\n\n";
  }
  write("proc/cpuinfo", cpuinfo);
  write("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n");
  EXPECT_EQ(field("cpu.model"), "Fast CPU @ 3 GHz");
  EXPECT_EQ(field("cpu.logical"), "8");
  EXPECT_EQ(field("cpu.cores"), "4");
  EXPECT_EQ(field("cpu.affinity"), "0-3,6");
  EXPECT_EQ(cores_in_affinity(root_), 5);
}

TEST_F(Machine, Turbo_IsReadFromBothDrivers) {
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_EQ(field("cpu.turbo"), "false");
  fs::remove_all(root_ / "sys");
  write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(field("cpu.turbo"), "true");
  EXPECT_EQ(field("cpu.governor"), "powersave");
}

struct Groups {
  const char* name;
  const char* files;  // one file of sys/fs per line; `|` separates its lines
  std::optional<double> quota = {};
  std::optional<std::int64_t> memory = {}, oom_kills = {}, throttled_ns = {};
};

constexpr Groups kGroups[] = {
    {"version 2", R"(own 0::/job/7
cgroup/job/7/cgroup.controllers cpu memory
cgroup/job/7/cpu.max 250000 100000
cgroup/job/7/memory.max 1073741824
cgroup/job/7/memory.events low 0|oom 3|oom_kill 2|oom_group_kill 1
cgroup/job/7/cpu.stat usage_usec 1|throttled_usec 12
)",
     2.5, 1073741824, 2, 12'000},
    {"version 1 as a container sees it, without a quota",
     R"(own 4:memory:/docker/abc|1:cpu,cpuacct:/docker/abc|0::/
cgroup/memory/memory.limit_in_bytes 1048576
cgroup/memory/memory.oom_control oom_kill_disable 0|under_oom 0|oom_kill 5
cgroup/cpu/cpu.cfs_period_us 100000
cgroup/cpu/cpu.cfs_quota_us -1
cgroup/cpu/cpu.stat nr_periods 0|throttled_time 99
)",
     std::nullopt, 1048576, 5, 99},
    {"a limit holds wherever it was set", R"(own 0::/slice/pod/container
cgroup/cgroup.controllers cpu memory
cgroup/slice/cgroup.controllers cpu memory
cgroup/slice/pod/cgroup.controllers cpu memory
cgroup/slice/pod/container/cgroup.controllers cpu memory
cgroup/slice/cpu.max 800000 100000
cgroup/slice/pod/cpu.max 150000 100000
cgroup/slice/pod/container/cpu.max max 100000
cgroup/slice/memory.max 4096
cgroup/slice/pod/container/memory.max max
cgroup/slice/pod/cpu.stat throttled_usec 7
cgroup/slice/pod/container/cpu.stat throttled_usec 2
)",
     1.5, 4096, std::nullopt, 9000},
    {"the groups around its own of version 1", R"(own 3:cpu,cpuacct:/pod/one|2:memory:/pod/one
cgroup/cpu,cpuacct/cpu.cfs_period_us 100000
cgroup/cpu,cpuacct/pod/cpu.cfs_period_us 100000
cgroup/cpu,cpuacct/pod/one/cpu.cfs_period_us 100000
cgroup/memory/memory.limit_in_bytes 9223372036854771712
cgroup/memory/pod/one/memory.limit_in_bytes 9223372036854771712
cgroup/cpu,cpuacct/pod/cpu.cfs_quota_us 50000
cgroup/cpu,cpuacct/pod/one/cpu.cfs_quota_us -1
)",
     0.5},
    {"a process moved out of its name space sees the group at the mount", R"(own 0::/../other
cgroup/cgroup.controllers cpu
cgroup/cpu.max 200000 100000
other/cgroup.controllers cpu
other/cpu.max 100000 100000
)",
     2.0},
    {"the unified hierarchy beside version 1", R"(own 1:name=systemd:/x|0::/x
cgroup/unified/x/cgroup.controllers cpu
cgroup/unified/x/cpu.max 300000 100000
)",
     3.0},
    {"a group without a limit", R"(own 0::/
cgroup/cgroup.controllers none
cgroup/cpu.max max 100000
cgroup/memory.max max
)"}};

TEST(ControlGroups, LimitsAndCounts_AreFoundAnywhere) {
  for (const Groups& groups : kGroups) {
    SCOPED_TRACE(groups.name);
    const test::TemporaryFolder root;
    std::istringstream lines(groups.files);
    for (std::string file, text; lines >> file && std::getline(lines >> std::ws, text);) {
      std::replace(text.begin(), text.end(), '|', '\n');
      root.write(file == "own" ? "proc/self/cgroup" : "sys/fs/" + file, text + '\n');
    }
    const Cgroup cgroup{root.path()};
    EXPECT_EQ(cgroup.cpu_quota(), groups.quota);
    EXPECT_EQ(cgroup.memory_limit_bytes(), groups.memory);
    EXPECT_EQ(cgroup.oom_kills(), groups.oom_kills);
    EXPECT_EQ(cgroup.throttled_ns(), groups.throttled_ns);
    const Fields fields = host_environment(root.path(), {});
    EXPECT_EQ(number_of(fields, "cgroup.cpu_quota_cores"), groups.quota);
    EXPECT_EQ(fields.contains("cgroup.memory_limit_bytes"), groups.memory.has_value());
  }
}

TEST_F(Machine, Devices_AreFoundWithoutCuda) {
  for (const char* file : {"dev/nvidia0", "dev/nvidia1", "dev/nvidiactl", "dev/nvidia-uvm"}) {
    write(file, "");
  }
  EXPECT_EQ(find_devices(root_, nullptr).count, 2) << "where the driver shows nothing else";
  // As with gVisor and WSL: the management library reports what proc hides.
  const auto reported = [] {
    return std::optional{Devices{.count = 8,
                                 .driver_version = "580.159.03",
                                 .cuda_version = 13000,
                                 .models = {"NVIDIA H200"}}};
  };
  const Devices by_library = find_devices(root_, reported);
  EXPECT_EQ(by_library.count, 8);
  EXPECT_EQ(field("gpu.driver", by_library), "580.159.03");
  EXPECT_EQ(field("gpu.0", by_library), "NVIDIA H200");
  EXPECT_EQ(by_library.cuda_version, 13000);
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Thu\nGCC version: 12\n");
  write("proc/driver/nvidia/gpus/0000:41:00.0/information",
        "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ: 5\n");
  const Devices devices = find_devices(root_, nullptr);
  EXPECT_EQ(devices.count, 1);
  EXPECT_EQ(devices.driver_version, "580.65.06");
  EXPECT_THAT(devices.models, ElementsAre("NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(field("gpu.0", devices), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(find_devices(root_, reported).count, 8) << "the management library knows better";
  EXPECT_EQ(find_devices(root_, reported).driver_version, "580.65.06");
}

TEST(Devices, AbsentOrHidden_AreUnavailable) {
  const Devices one{.count = 1};
  EXPECT_FALSE(cuda_available({}, {}));
  EXPECT_TRUE(cuda_available(one, {}));
  for (const auto& [visible, available] : {std::pair("0", true), {"", false}, {"-1", false}}) {
    EXPECT_EQ(cuda_available(one, {{"CUDA_VISIBLE_DEVICES", visible}}), available) << visible;
  }
}

void write_process(const fs::path& root, int pid, int parent, const std::string& name) {
  const fs::path folder = root / "proc" / std::to_string(pid);
  fs::create_directories(folder);
  std::ofstream{folder / "stat"} << pid << " (" << name << ") S " << parent << " 1 1 0\n";
  std::ofstream{folder / "statm"} << "1000 10 1 1 0 1 0\n";
  std::ofstream{folder / "smaps_rollup"}
      << "Rss: 40 kB\nPss:    24 kB\nPss_Shmem: 8 kB\nPrivate_Clean: 1 kB\n"
         "Private_Dirty: 2 kB\n";
  fs::create_directories(folder / "fd");
  for (const char* descriptor : {"0", "1", "2"}) std::ofstream{folder / "fd" / descriptor};
}

TEST_F(Machine, ProcessTree_IgnoresNames) {
  write_process(root_, 10, 1, "worker");
  write_process(root_, 11, 10, "a) S 1 (b");
  write_process(root_, 12, 11, "leaf");
  write_process(root_, 13, 1, "other");
  EXPECT_THAT(children_of(root_, 10), ElementsAre(11));
  EXPECT_THAT(process_tree(root_, 10), ElementsAre(10, 11, 12));
  // The kernel's list of children is trusted, if there is one.
  write("proc/20/task/20/children", "21 \n");
  write("proc/20/task/24/children", "25 \n");
  write("proc/21/task/21/children", "\n");
  write("proc/25/task/25/children", "\n");
  EXPECT_EQ(process_tree(root_, 20).size(), 3U);
}

TEST_F(Machine, FrequentCalls_SampleOnceASecond) {
  write_process(root_, 10, 1, "worker");
  write_process(root_, 11, 10, "loader");
  write("proc/10/schedstat", "500 70 3\n");
  write("proc/stat", "cpu  10 0 10 80 0 0 0 0 0 0\ncpu0 1\n");
  write("proc/loadavg", "0.50 0.4 0.3 1/100 7\n");
  ScriptedClock clock(0);
  MachineSampler sampler{root_, 10, clock};
  clock.set(sampler.next_ns());
  sampler.sample();
  sampler.sample();
  clock.pass(999'000'000);
  sampler.sample();
  write("proc/stat", "cpu  20 0 20 150 0 0 0 10 0 0\ncpu0 1\n");
  write("proc/10/schedstat", "900 80 4\n");
  write("proc/loadavg", "1.50 0.4 0.3 1/100 7\n");
  clock.pass(1'000'000);
  sampler.sample();
  sampler.worker_ended();
  const Fields fields = sampler.summary();
  const auto text = [&](const char* name) { return to_text(fields.at(name)); };
  for (const auto& [name, value] : {std::pair("samples", "2"),
                                    {"tree_peak_uss_bytes", "6144"},
                                    {"tree_peak_shared_bytes", "16384"},
                                    {"tree_peak_descriptors", "6"},
                                    {"tree_peak_processes", "2"},
                                    {"cpu_ns", "900"},
                                    {"run_queue_wait_ns", "80"},
                                    {"steal_share", "0.1"},
                                    {"load_1m_max", "1.5"}}) {
    EXPECT_EQ(text(name), value) << name;
  }
}

class PeakMemory : public Machine {
 protected:
  void SetUp() override {
    Machine::SetUp();
    write_process(root_, 10, 1, "worker");
    sampler_.emplace(root_, 10, clock_);
    sample();
  }
  void sample() {
    clock_.set(std::max(clock_.read_last(), sampler_->next_ns()));
    sampler_->sample();
  }
  void uses(const std::string& pss_kib) {
    write("proc/10/smaps_rollup", "Pss: " + pss_kib + " kB\n");
  }
  [[nodiscard]] std::string peak_kib() const {
    return std::to_string(sampler_->peak_pss_bytes() / 1024);
  }
  // Every reading takes 10 ms.
  TickClock clock_{10'000'000};
  std::optional<MachineSampler> sampler_;
};

TEST_F(PeakMemory, SteadyMemory_IsNotReadEachSecond) {
  uses("100");
  for (int second = 0; second < 5; ++second) sample();
  EXPECT_EQ(peak_kib(), "24");
  for (int second = 0; second < 10; ++second) sample();
  EXPECT_EQ(peak_kib(), "100");
  EXPECT_EQ(to_text(sampler_->summary().at("samples")), "16");
}

TEST_F(PeakMemory, Growth_IsReadWithinASecond) {
  uses("100");
  write("proc/10/statm", "1000 11 1 1 0 1 0\n");
  sample();
  EXPECT_EQ(peak_kib(), "100");
  uses("200");
  write("proc/10/statm", "1000 11 0 1 0 1 0\n");
  sample();
  EXPECT_EQ(peak_kib(), "200") << "pages that were shared count to the process alone now";
}

TEST_F(PeakMemory, Job_HasItsPeakWhileMeasuring) {
  uses("900");
  write("proc/10/statm", "1000 99 1 1 0 1 0\n");
  sample();
  EXPECT_FALSE(sampler_->job_pss_bytes()) << "set-up";
  uses("100");
  sampler_->measures(true);
  sample();
  EXPECT_EQ(sampler_->job_pss_bytes(), 100 * 1024) << "though it held more before";
  EXPECT_FALSE(sampler_->had_children());
  write_process(root_, 11, 10, "compiler");
  write("proc/11/cmdline", std::string("python\0torch/_inductor/compile_worker/__main__.py", 49));
  write("proc/11/smaps_rollup", "Pss: 50 kB\n");
  write("proc/11/statm", "1000 99 1 1 0 1 0\n");
  sample();
  EXPECT_EQ(sampler_->job_pss_bytes(), 150 * 1024);
  EXPECT_EQ(sampler_->compilers_bytes(), 50 * 1024);
  EXPECT_TRUE(sampler_->had_children());
  sampler_->measures(false);
  uses("5000");
  write("proc/10/statm", "9000 9900 1 1 0 1 0\n");
  sample();
  EXPECT_EQ(sampler_->job_pss_bytes(), 150 * 1024) << "tear-down";
}

TEST_F(PeakMemory, NoKernelFile_IsUnknown) {
  fs::remove(root_ / "proc/10/smaps_rollup");
  sampler_->measures(true);
  sample();
  EXPECT_FALSE(sampler_->job_pss_bytes());
}

TEST_F(PeakMemory, Growth_CountsInSteadyProcesses) {
  const auto window = [&](int pages, int shared_pages) {
    sampler_->window_begins();
    const std::int64_t begin_ns = clock_.read_last();
    for (int reading = 0; reading < 60; ++reading) {
      write("proc/10/statm", "9000 " + std::to_string(10 + pages * reading) + " 0 1 0 1 0\n");
      write("proc/10/status", "RssShmem: " + std::to_string(4 * shared_pages * reading) + " kB\n");
      clock_.set(std::max(begin_ns + reading * 10'000'000, sampler_->next_ns()));
      sampler_->sample();
    }
  };
  const auto growth_pages = [&] {
    return std::stod(to_text(sampler_->summary().at("window_growth_bytes"))) /
           static_cast<double>(::sysconf(_SC_PAGESIZE));
  };
  window(1, 0);
  sampler_->window_ends();
  EXPECT_NEAR(growth_pages(), 60, 6);
  window(0, 1);
  sampler_->window_ends();
  EXPECT_NEAR(growth_pages(), 120, 12) << "batches that the script keeps";
  write_process(root_, 11, 10, "loader");
  write("proc/11/statm", "0 0 0 0 0 0 0\n");
  window(1, 0);
  sampler_->window_ends();
  EXPECT_NEAR(growth_pages(), 180, 18) << "beside a process that has ended";
}

TEST_F(PeakMemory, WindowEnd_IsRead) {
  uses("100");
  clock_.set(clock_.read_last() + 300'000'000);
  sampler_->window_ends();
  EXPECT_EQ(peak_kib(), "100");
}

// The worker used 90 ticks with its children, this process 10, others 100 of 400.
TEST_F(Machine, OthersShare_IsOfTheWorkersCpus) {
  write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
  write("proc/self/stat", "1 (me) S 0 0 0 0 0 0 0 0 0 0 5 5 0 0 0 0\n");
  write("proc/10/stat", "10 (worker) S 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  write("proc/stat",
        "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\n");
  ScriptedClock clock(0);
  MachineSampler sampler{root_, 10, clock};
  write("proc/self/stat", "1 (me) S 0 0 0 0 0 0 0 0 0 0 10 10 7 7 0 0\n");
  write("proc/10/stat", "10 (worker) Z 1 0 0 0 0 0 0 0 0 0 40 10 30 10 0 0\n");
  write("proc/stat",
        "cpu  9 0 0 9 0 0 0 0 0 0\ncpu0 100 0 0 100 0 0 0 0 0 0\ncpu1 90 0 10 100 0 0 0 0 0 0\n"
        "cpu2 800 0 0 0 0 0 0 0 0 0\n");
  sampler.worker_ended();
  EXPECT_EQ(to_text(sampler.summary().at("others_cpu_share")), "0.25");
  EXPECT_EQ(sampler.own_share(), 0.25) << "both: to another rank neither is another program";
}

TEST_F(Machine, CpuWait_IsCountedPerWindow) {
  ScriptedClock clock(0);
  write("proc/10/schedstat", "500 1000 3\n");
  MachineSampler sampler{root_, 10, clock};
  clock.set(100'000'000);
  sampler.window_begins();
  write("proc/10/schedstat", "600 1040 3\n");
  clock.set(300'000'000);
  sampler.window_ends();
  sampler.window_ends();
  write("proc/10/schedstat", "600 9040 3\n");
  sampler.window_begins();
  write("proc/10/schedstat", "600 9050 3\n");
  clock.set(400'000'000);
  sampler.window_ends();
  sampler.worker_ended();
  const Fields fields = sampler.summary();
  EXPECT_EQ(to_text(fields.at("run_queue_wait_ns")), "9050");
  EXPECT_EQ(to_text(fields.at("window_ns")), "300000000");
  EXPECT_EQ(to_text(fields.at("window_run_queue_wait_ns")), "50");
}

TEST_F(Machine, WindowWithoutItsBegin_IsIgnored) {
  ScriptedClock clock(0);
  write("proc/10/schedstat", "500 1000 3\n");
  MachineSampler sampler{root_, 10, clock};
  sampler.window_begins();
  clock.set(50'000'000);
  sampler.window_ends();
  sampler.window_begins();
  clock.pass(6'000);
  sampler.window_ends();
  sampler.worker_ended();
  EXPECT_FALSE(sampler.summary().contains("window_ns"));
  EXPECT_FALSE(sampler.summary().contains("window_run_queue_wait_ns"));
  EXPECT_TRUE(sampler.summary().contains("run_queue_wait_ns"));
}

TEST_F(Machine, GitState_IsOfTheRepositoryAround) {
  using namespace std::chrono_literals;
  EXPECT_TRUE(git_state(root_).empty()) << "no repository";
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"git", "-C", root_.string(), "-c", "user.name=a", "-c", "user.email=a@b"});
    return os::run_command(words, "", 10min).exit_status;
  };
  write("file", "1");
  ASSERT_EQ(git({"init", "-q", "-b", "trunk"}) + git({"add", "file"}) +
                git({"commit", "-q", "-m", "first"}),
            0);
  Fields state = git_state(root_);
  EXPECT_EQ(to_text(state.at("git.sha")).size(), 40U);
  EXPECT_EQ(to_text(state.at("git.branch")), "trunk");
  EXPECT_EQ(to_text(state.at("git.dirty")), "false");
  write("file", "22");
  state = git_state(root_);
  EXPECT_EQ(to_text(state.at("git.dirty")), "true");
}

}  // namespace
}  // namespace stepbench::machine
