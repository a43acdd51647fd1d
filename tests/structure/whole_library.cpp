// SPDX-License-Identifier: Apache-2.0
// Linked with all of one library: the test is that it links.
int main() { return 0; }
