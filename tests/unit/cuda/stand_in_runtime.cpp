// SPDX-License-Identifier: Apache-2.0
// Replaces libcudart: one device whose events have not passed yet, and the calling thread's last
// error, kept until it is read, like the real one.
namespace {

constexpr int kNotReady = 600;
thread_local int last_error = 0;

int keep(int code) {
  if (code != 0) last_error = code;
  return code;
}

}  // namespace

extern "C" {

int cudaGetLastError() {
  const int code = last_error;
  last_error = 0;
  return code;
}
int cudaDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaDeviceGetPCIBusId(char* text, int, int ordinal) {
  text[0] = '\0';
  return keep(ordinal == 0 ? 0 : 101);
}
int cudaGetDeviceCount(int* count) {
  *count = 1;
  return 0;
}
int cudaSetDevice(int ordinal) { return keep(ordinal == 0 ? 0 : 101); }
int cudaDeviceSynchronize() { return 0; }
int cudaEventCreate(void** event) {
  *event = &last_error;
  return 0;
}
int cudaEventDestroy(void*) { return 0; }
int cudaEventRecord(void*, void*) { return 0; }
int cudaEventQuery(void*) { return keep(kNotReady); }
int cudaEventSynchronize(void*) { return 0; }
int cudaEventElapsedTime(float*, void*, void*) { return keep(kNotReady); }
int cudaMemcpyAsync(void*, const void*, unsigned long, int, void*) { return 0; }
int cudaDeviceGetAttribute(int* value, int attribute, int ordinal) {
  *value = attribute == 16 ? 108 : attribute;
  return keep(ordinal == 0 ? 0 : 101);
}
int cudaProfilerStart() { return 0; }
int cudaProfilerStop() { return 0; }
const char* cudaGetErrorName(int) { return "cudaErrorOfTheStandIn"; }
}
