// SPDX-License-Identifier: Apache-2.0
#include "workloads/types.h"

int main(int argc, char** argv) { return stepbench::stepbench_worker_main(argc, argv); }
