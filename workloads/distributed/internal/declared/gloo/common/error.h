// SPDX-License-Identifier: Apache-2.0
// See README.md of the room.
#pragma once
