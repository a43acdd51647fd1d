// SPDX-License-Identifier: Apache-2.0
// Slow computing on a CPU: formats without instructions, more threads than cores.
#include "harness/machine/cpu_findings.h"

#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::machine {
namespace {

TEST(CpuPrecision, Features_AreTheKernelsWords) {
  const test::TemporaryFolder root;
  EXPECT_THAT(cpu_features(root.path()), IsEmpty());
  fs::create_directories(root / "proc");
  std::ofstream(root / "proc/cpuinfo")
      << "processor\t: 0\nflags\t\t: fpu avx2 sse2\nflags\t: other\n";
  EXPECT_THAT(cpu_features(root.path()), ElementsAre("avx2", "fpu", "sse2"));
  std::ofstream(root / "proc/cpuinfo") << "processor\t: 0\nFeatures\t: asimd asimdhp\n";
  EXPECT_THAT(cpu_features(root.path()), ElementsAre("asimd", "asimdhp"));
}

TEST(CpuPrecision, NoInstructions_IsEmulated) {
  const auto found = emulated_precision("bf16", {"sse2", "avx512f"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text,
            "this CPU computes bf16 in software: it has no instructions for it (avx512_bf16 or "
            "amx_bf16)");
  EXPECT_EQ(found->set.front().value, "fp32");
  EXPECT_THAT(emulated_precision("fp16", {"sse2", "avx512_bf16"})->text, HasSubstr("avx512_fp16"));
  EXPECT_TRUE(emulated_precision("bf16", {"asimd"}));
}

TEST(CpuPrecision, InstructionsOrUnknownCpu_HaveNone) {
  EXPECT_FALSE(emulated_precision("bf16", {"sse2", "avx512_bf16"}));
  EXPECT_FALSE(emulated_precision("bf16", {"sse2", "amx_bf16"}));
  EXPECT_FALSE(emulated_precision("fp16", {"sse2", "avx512_fp16"}));
  EXPECT_FALSE(emulated_precision("fp16", {"asimd", "asimdhp"}));
  EXPECT_FALSE(emulated_precision("fp32", {"sse2"}));
  EXPECT_FALSE(emulated_precision("bf16", {}));
}

TEST(CrowdedThreads, MoreThreadsThanCores_AreAFinding) {
  EXPECT_FALSE(crowded_threads(1, 2));
  EXPECT_FALSE(crowded_threads(2, 2));
  const auto finding = crowded_threads(8, 2);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "threads.oversubscribed");
  EXPECT_EQ(finding->value, 8);
  EXPECT_EQ(finding->threshold, 2);
  EXPECT_THAT(finding->text, HasSubstr("8 threads share each operation, on 2 cores"));
  ASSERT_EQ(finding->set.size(), 1U);
  EXPECT_EQ(finding->set.front().value, "2");
}

TEST(BoundCpus, FewerThanAtTheStart_AreAFinding) {
  EXPECT_FALSE(bound_cpus({0, 1}, {0, 1}));
  EXPECT_FALSE(bound_cpus({0, 1}, {0, 1, 2}));
  EXPECT_FALSE(bound_cpus({0, 1}, {})) << "unreadable";
  const auto finding = bound_cpus({0, 1, 4}, {4});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "script.cpus");
  EXPECT_THAT(finding->text, HasSubstr("may use 1 of the 3 CPUs"));
}

}  // namespace
}  // namespace stepbench::machine
