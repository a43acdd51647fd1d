// SPDX-License-Identifier: Apache-2.0
// OpenMP regions inside workers use threads_per_worker threads, also in processes forked after
// their parent's own region, where GNU OpenMP's team has no threads left.
#include <omp.h>

#include "tests/testing.h"
#include "tests/unit/loading/leftovers.h"
#include "tests/unit/loading/shared_gate.h"
#include "tests/unit/loading/test_data.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/fork/fork_loader.h"
#include "workloads/loader/internal/thread/thread_loader.h"

namespace stepbench {
namespace {

const HostClock kClock;

int threads_of_a_region() {
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
  return threads;
}

TEST(ThreadCaps, OpenMpTeams_AreCappedInWorkersOnly) {
  omp_set_dynamic(0);
  omp_set_num_threads(3);
  ASSERT_EQ(threads_of_a_region(), 3);
  const test::Shared<int> seen(4);
  const test::IndexDataset data(
      4, [&](const data::SampleKey& key) { seen[key.index] = threads_of_a_region(); });
  for (const std::int64_t cap : {1, 2}) {
    const loader::LoaderOptions options{.num_workers = 2, .threads_per_worker = cap};
    const auto threads =
        loader::make_thread_loader(data, options, loader::sequential_order(4), kClock);
    const auto processes =
        loader::make_fork_loader(data, options, loader::sequential_order(4), kClock);
    for (loader::Loader* loader : {threads.get(), processes.get()}) {
      for (const int i : {0, 1, 2, 3}) seen[i] = 0;
      (void)test::epoch(*loader, 0);
      for (const int i : {0, 1, 2, 3}) EXPECT_EQ(seen[i], cap);
    }
  }
  EXPECT_EQ(threads_of_a_region(), 3) << "the caller's own team is as it was";
}

}  // namespace
}  // namespace stepbench
