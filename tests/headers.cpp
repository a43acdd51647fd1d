// SPDX-License-Identifier: Apache-2.0
// Compiled only for its precompiled headers, which all torch-free tests share.
