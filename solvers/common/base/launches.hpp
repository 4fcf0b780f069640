// SPDX-License-Identifier: MIT
// Counts the kernels that this process starts on GPUs, so that no variant has to declare how many it makes. Whatever
// starts one, through CUDA, its emulation, OpenCL or OpenGL, calls count_launch(). What a library starts by itself is
// not counted.
#pragma once

namespace reprise {

void count_launch();
long long launches_made();

}  // namespace reprise
