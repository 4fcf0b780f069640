// SPDX-License-Identifier: MIT
// Replaces libcuda.so.1 by a driver that is older than every toolkit that builds this program.
extern "C" {

int cuInit(unsigned) {
  return 0;
}

int cuDriverGetVersion(int* version) {
  *version = 11040;
  return 0;
}

}  // extern "C"
