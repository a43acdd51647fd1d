// SPDX-License-Identifier: Apache-2.0
// Linked with all of one library: that this can be linked is the test.
int main() { return 0; }
