// SPDX-License-Identifier: MIT
// CUDA as the emulation runs it, whatever devices the build is for.
#pragma once

#ifndef REPRISE_CUDA_EMULATED
#define REPRISE_CUDA_EMULATED 1
#endif

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/emulation/control.hpp"
#include "solvers/common/emulation/devices.hpp"
