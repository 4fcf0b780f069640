// SPDX-License-Identifier: MIT
// The experiment that compares single with double precision, which the paper demands and does not measure.
#pragma once

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness::tissue_cases {

experiment precisions_experiment();

}  // namespace reprise::harness::tissue_cases
