// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/dataset.h"

#include "harness/base/error.h"

namespace stepbench::data {

void IterableDataset::read(const SampleKey&, SampleSlots, Scratch&, ReadCost&) const {
  throw Error("an iterable data set has no sample by index");
}

}  // namespace stepbench::data
