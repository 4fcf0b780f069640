# SPDX-License-Identifier: MIT
# Generates build_info.cpp: compiler, flags and git state of the build. Every build reads the git state, and rewrites
# the file only if it changed.
set(REPRISE_BUILD_INFO ${PROJECT_BINARY_DIR}/build_info.cpp)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}}" build_flags)
set(cuda_compiler "none")
if(REPRISE_CUDA_BUILT)
  set(cuda_compiler "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
endif()
add_custom_target(reprise_build_info
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${REPRISE_BUILD_INFO}
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DFLAGS=${build_flags}"
    -DBUILD_TYPE=${CMAKE_BUILD_TYPE} "-DCUDA=${cuda_compiler}" -DVERSION=${PROJECT_VERSION}
    -P ${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake
  BYPRODUCTS ${REPRISE_BUILD_INFO}
  VERBATIM)
