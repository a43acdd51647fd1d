// SPDX-License-Identifier: Apache-2.0
extern "C" int answer() { return 42; }
