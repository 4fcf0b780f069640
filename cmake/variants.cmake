# SPDX-License-Identifier: MIT
# One file is one variant. Every .cpp and .cu file in solvers/<word>/ except problem.cpp is one, with the id
# <word>/<stem>. Its name determines the backend: cuda_* and other .cu files, opencl_*, opengl_*, and the host for all
# others. lapack_*, amgcl_*, hypre_*, cvode_*, cusolver_*, cusparse_*, hybrid_* and magma_* need a library; mpi_* and
# *_multi run on several ranks.
# Sets REPRISE_PROBLEM_SOURCES, REPRISE_HOST_VARIANTS (including OpenCL and OpenGL), REPRISE_CUDA_VARIANTS,
# REPRISE_EMULATED_VARIANTS, REPRISE_<X>_FILES and REPRISE_MANIFEST.

file(GLOB REPRISE_PROBLEM_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solvers/*/problem.cpp)
file(GLOB variant_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solvers/*/*.cpp ${PROJECT_SOURCE_DIR}/solvers/*/*.cu)
list(FILTER variant_sources EXCLUDE REGEX "/problem\\.cpp$")
reprise_keep_chosen_papers(REPRISE_PROBLEM_SOURCES)
reprise_keep_chosen_papers(variant_sources)

# OpenCL and GLSL kernels are embedded as text: X.cl becomes the constant X_cl in the header X.cl.hpp.
file(GLOB kernel_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solvers/*/*.cl ${PROJECT_SOURCE_DIR}/solvers/*/*.frag
  ${PROJECT_SOURCE_DIR}/solvers/*/*.comp ${PROJECT_SOURCE_DIR}/benchmarks/harness/roofs/*.cl ${PROJECT_SOURCE_DIR}/benchmarks/harness/roofs/*.frag)
foreach(file IN LISTS kernel_texts)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
  file(READ ${file} REPRISE_TEXT)
  get_filename_component(name ${file} NAME)
  string(MAKE_C_IDENTIFIER ${name} REPRISE_TEXT_NAME)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.hpp.in ${PROJECT_BINARY_DIR}/embedded/${path}.hpp @ONLY)
endforeach()

set(manifest_rows "")
foreach(file IN LISTS variant_sources)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(word ${folder} NAME)
  if(file MATCHES "\\.cu$")
    set(backend cuda)
  elseif(stem MATCHES "^(opencl|opengl)_")
    set(backend ${CMAKE_MATCH_1})
  else()
    set(backend cpu)
  endif()
  string(TOUPPER ${backend} BACKEND)
  if(backend STREQUAL cpu AND stem MATCHES "^(lapack|amgcl|hypre|cvode)_")
    string(TOUPPER ${CMAKE_MATCH_1} BACKEND)
  elseif(backend STREQUAL cuda AND stem MATCHES "^(cusolver|cusparse|hybrid|magma)_")
    string(TOUPPER ${CMAKE_MATCH_1} BACKEND)
  endif()
  list(APPEND REPRISE_${BACKEND}_FILES ${file})
  set(id "REPRISE_VARIANT_ID=\"${word}/${stem}\"")
  set_source_files_properties(${file} PROPERTIES COMPILE_DEFINITIONS "${id};REPRISE_VARIANT_BACKEND=${backend}")

  # Variants on several ranks need MPI; those of the atrium also need METIS to partition the sphere.
  set(libraries "")
  if(stem MATCHES "^mpi_|_multi$")
    set(libraries MPI)
    if(word STREQUAL atrium)
      list(APPEND libraries METIS)
    endif()
  endif()
  set(no_library "")
  foreach(library IN LISTS libraries)
    list(APPEND REPRISE_${library}_FILES ${file})
    if(NOT REPRISE_${library}_BUILT AND no_library STREQUAL "")
      set(no_library "not built: ${REPRISE_${library}_REASON}")
    endif()
  endforeach()

  set(not_built "${no_library}")
  if(NOT BACKEND STREQUAL CPU AND NOT REPRISE_${BACKEND}_BUILT)
    set(not_built "not built: ${REPRISE_${BACKEND}_REASON}")
  elseif(not_built STREQUAL "" AND backend STREQUAL cuda)
    list(APPEND REPRISE_CUDA_VARIANTS ${file})
  elseif(not_built STREQUAL "")
    list(APPEND REPRISE_HOST_VARIANTS ${file})
  endif()
  string(APPEND manifest_rows "      {\"${word}/${stem}\", \"${path}\", backend::${backend}, \"${not_built}\"},\n")

  if(backend STREQUAL cuda AND stem MATCHES "^cuda_" AND no_library STREQUAL "")
    # Compiles the same source a second time, with the host compiler for the emulated device.
    set(wrapper ${PROJECT_BINARY_DIR}/emulated/${word}_${stem}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${path}\"\n")
    set_source_files_properties(${wrapper} PROPERTIES
      COMPILE_DEFINITIONS "${id};REPRISE_VARIANT_BACKEND=emulated;REPRISE_CUDA_EMULATED=1")
    # Host compilers do not know nvcc's "#pragma unroll". Emulated kernels are never timed, so they need to compile
    # quickly rather than run quickly.
    set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "-Wno-unknown-pragmas;$<$<CONFIG:Release>:-O1>")
    list(APPEND REPRISE_EMULATED_VARIANTS ${wrapper})
  endif()
endforeach()

set(REPRISE_MANIFEST ${PROJECT_BINARY_DIR}/manifest.cpp)
file(CONFIGURE OUTPUT ${REPRISE_MANIFEST} CONTENT "// Made by the build from the files in solvers/.
#include \"solvers/common/base/registry.hpp\"

namespace reprise {

const std::vector<manifest_entry>& manifest() {
  static const std::vector<manifest_entry> entries{
@manifest_rows@  };
  return entries;
}

}  // namespace reprise
" @ONLY)
