// SPDX-License-Identifier: Apache-2.0
// Maker of tar shards with the images of make_jpeg_folder.h.
#pragma once

#include "workloads/data/generate/maker.h"

namespace stepbench::data {

[[nodiscard]] const Maker& webdataset_maker();

}  // namespace stepbench::data
