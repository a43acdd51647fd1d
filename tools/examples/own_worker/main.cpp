// SPDX-License-Identifier: Apache-2.0
#include "sort_workload.h"

int main(int argc, char** argv) {
  return stepbench::worker_main(argc, argv, sorting::catalogue(), sorting::workloads());
}
