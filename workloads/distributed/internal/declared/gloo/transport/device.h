// SPDX-License-Identifier: Apache-2.0
// See README.md of the room.
#pragma once

namespace gloo::transport {

class Device;
class UnboundBuffer;

}  // namespace gloo::transport
