// SPDX-License-Identifier: MIT
// NVIDIA's libraries of linear algebra and MAGMA, loaded when they are first needed: together NVIDIA's take some 200 MB of
// memory.
#pragma once

#include "solvers/common/base/late_library.hpp"

namespace reprise {

namespace cublas {
const late_library& functions();
}
namespace cusolver {
const late_library& functions();
}
namespace cusparse {
const late_library& functions();
}
namespace magma {
const late_library& functions();
}

}  // namespace reprise
