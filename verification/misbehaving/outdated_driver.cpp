// SPDX-License-Identifier: MIT
// Stands in for libcuda.so.1: NVIDIA's driver, of a version older than any toolkit that builds this program.
extern "C" {

int cuInit(unsigned) {
  return 0;
}

int cuDriverGetVersion(int* version) {
  *version = 11040;
  return 0;
}

}  // extern "C"
