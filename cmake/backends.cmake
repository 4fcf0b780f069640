# SPDX-License-Identifier: MIT
# Decides which optional backends, and which variants that need a library, are built. REPRISE_<X> = AUTO builds what is
# found, ON requires it, OFF leaves it out.
# Sets REPRISE_<X>_BUILT and, if that is false, REPRISE_<X>_REASON: what is missing and how to get it.

foreach(backend CUDA OPENCL OPENGL LAPACK AMGCL HYPRE CVODE CUSOLVER CUSPARSE HYBRID MAGMA MPI METIS NCCL)
  set(REPRISE_${backend} AUTO CACHE STRING "Build the ${backend} variants: AUTO, ON or OFF")
  set_property(CACHE REPRISE_${backend} PROPERTY STRINGS AUTO ON OFF)
  if(NOT REPRISE_${backend} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "REPRISE_${backend}=${REPRISE_${backend}} is not known: give AUTO, ON or OFF")
  endif()
  set(REPRISE_${backend}_BUILT FALSE)
  set(REPRISE_${backend}_REASON "switched off by REPRISE_${backend}=OFF")
endforeach()

macro(reprise_backend_missing backend reason)
  set(REPRISE_${backend}_REASON "${reason}")
  if(REPRISE_${backend} STREQUAL ON)
    message(FATAL_ERROR "REPRISE_${backend}=ON, but ${reason}")
  endif()
endmacro()

# Sets CMAKE_CUDA_ARCHITECTURES for a machine without a GPU, such as a cluster's login node: machine code for the GPUs
# that clusters have, as far as the toolkit knows them; PTX of the newest of them for later GPUs; and PTX of 7.5, the
# oldest that current toolkits compile, which costs little because the driver compiles it on first use.
macro(reprise_choose_cuda_architectures)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known_architectures ERROR_QUIET)
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
  set(newest 80)
  foreach(architecture IN ITEMS 90 100)
    if(known_architectures MATCHES "compute_${architecture}[^0-9]")
      list(APPEND CMAKE_CUDA_ARCHITECTURES ${newest}-real)
      set(newest ${architecture})
    endif()
  endforeach()
  list(APPEND CMAKE_CUDA_ARCHITECTURES ${newest})  # without a suffix: machine code and PTX
endmacro()

# Makes two builds of a target's CUDA sources equal to the byte, so that a recording can go on with a program that was built again.
# Otherwise nvcc puts random numbers and the names of temporary files into objects.
function(reprise_build_alike target)
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA --frandom-seed=1 REPRISE_NVCC_TAKES_SEED)
  if(NOT REPRISE_NVCC_TAKES_SEED)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    file(RELATIVE_PATH seed ${PROJECT_SOURCE_DIR} ${path})
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS --frandom-seed=${seed} --objdir-as-tempdir)
  endforeach()
endfunction()

if(NOT REPRISE_CUDA STREQUAL OFF)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES AND DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
  elseif(NOT CMAKE_CUDA_ARCHITECTURES AND EXISTS /dev/nvidiactl)
    set(CMAKE_CUDA_ARCHITECTURES native)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      reprise_choose_cuda_architectures()
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      reprise_backend_missing(CUDA
        "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: install a CUDA toolkit of version 12 or later")
    else()
      if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
        # CMake 3.25 does not know that nvcc 12 and later support C++20.
        set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
        set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
      endif()
      set(REPRISE_CUDA_BUILT TRUE)
    endif()
  else()
    reprise_backend_missing(CUDA "no nvcc was found: install the CUDA toolkit (version 12 or later)")
  endif()
endif()

# reprise_backend(X REASON [NEEDS BACKENDS...] FOUND THINGS...): X is built if all these backends are built and all THINGS,
# which are variables or targets, are there. Otherwise X has the reason of the first backend that is not built, or REASON.
function(reprise_backend backend reason)
  cmake_parse_arguments(PARSE_ARGV 2 given "" "" "NEEDS;FOUND")
  if(REPRISE_${backend} STREQUAL OFF)
    return()
  endif()
  set(lacks "")
  foreach(thing IN LISTS given_FOUND)
    if(NOT TARGET ${thing} AND NOT ${thing})
      set(lacks "${reason}")
    endif()
  endforeach()
  list(REVERSE given_NEEDS)
  foreach(needed IN LISTS given_NEEDS)
    if(NOT REPRISE_${needed}_BUILT)
      set(lacks "${REPRISE_${needed}_REASON}")
    endif()
  endforeach()
  if(lacks STREQUAL "")
    set(REPRISE_${backend}_BUILT TRUE PARENT_SCOPE)
  else()
    reprise_backend_missing(${backend} "${lacks}")
    set(REPRISE_${backend}_REASON "${lacks}" PARENT_SCOPE)
  endif()
endfunction()

find_package(OpenCL QUIET)
reprise_backend(OPENCL "no OpenCL headers or loader: apt install opencl-headers ocl-icd-opencl-dev" FOUND OpenCL_FOUND)

# pkg-config only hints, because its files name the prefix that a package was built for, even if it was unpacked elsewhere.
# Only EGL's headers are needed: epoxy loads the library at run time and may find it missing.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(epoxy QUIET epoxy)
  pkg_check_modules(egl QUIET egl)
endif()
find_path(EPOXY_INCLUDE_DIR epoxy/gl.h HINTS ${epoxy_INCLUDE_DIRS})
find_library(EPOXY_LIBRARY epoxy HINTS ${epoxy_LIBRARY_DIRS})
find_path(EGL_INCLUDE_DIR EGL/eglplatform.h HINTS ${egl_INCLUDE_DIRS})
reprise_backend(OPENGL "no epoxy or EGL: apt install libepoxy-dev libegl-dev"
  FOUND EPOXY_INCLUDE_DIR EPOXY_LIBRARY EGL_INCLUDE_DIR)

# Names OpenBLAS explicitly: LAPACKE alone may link the host's alternative, which can be the slow reference BLAS. Debian keeps
# the builds of OpenBLAS in folders of their own and links one of them into the usual one.
find_path(LAPACKE_INCLUDE_DIR lapacke.h)
find_library(LAPACKE_LIBRARY lapacke)
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread openblas-openmp openblas-serial)
reprise_backend(LAPACK "no LAPACKE or OpenBLAS: apt install liblapacke-dev libopenblas-dev"
  FOUND LAPACKE_INCLUDE_DIR LAPACKE_LIBRARY OPENBLAS_LIBRARY)

find_path(AMGCL_INCLUDE_DIR amgcl/amg.hpp)
reprise_backend(AMGCL "no AMGCL: apt install libamgcl-dev (Debian: contrib, Ubuntu: multiverse)"
  FOUND AMGCL_INCLUDE_DIR)

# Does not use SUNDIALS' CMake files, because Debian's refer to libraries that belong to other packages.
find_path(SUNDIALS_INCLUDE_DIR cvode/cvode.h)
find_library(SUNDIALS_CVODE_LIBRARY sundials_cvode)
set(no_cvode "no SUNDIALS: apt install libsundials-dev")
set(SUNDIALS_FITS FALSE)
if(SUNDIALS_INCLUDE_DIR)
  file(STRINGS ${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h line REGEX "define SUNDIALS_VERSION \"")
  string(REGEX MATCH "[0-9.]+" SUNDIALS_VERSION "${line}")
  set(no_cvode "SUNDIALS ${SUNDIALS_VERSION} has other calls: install a version from 6.4 to 6.7")
  if(SUNDIALS_VERSION VERSION_GREATER_EQUAL 6.4 AND SUNDIALS_VERSION VERSION_LESS 7)
    set(SUNDIALS_FITS TRUE)
  endif()
endif()
reprise_backend(CVODE "${no_cvode}" FOUND SUNDIALS_CVODE_LIBRARY SUNDIALS_FITS)

reprise_backend(CUSOLVER "no cuSOLVER: install libcusolver-dev of the CUDA toolkit" NEEDS CUDA FOUND CUDA::cusolver)
reprise_backend(CUSPARSE "no cuSPARSE: install libcusparse-dev of the CUDA toolkit" NEEDS CUDA FOUND CUDA::cusparse)
# Uses LAPACK on the host together with cuBLAS on the device.
reprise_backend(HYBRID "no cuBLAS: install libcublas-dev of the CUDA toolkit" NEEDS CUDA LAPACK FOUND CUDA::cublas)

# MAGMA is no Debian package. It must be a shared library for NVIDIA's GPUs and for the CUDA that the program is built
# with: two versions of cuBLAS in one process are not to be trusted. Its own installation goes to /usr/local/magma.
find_path(MAGMA_INCLUDE_DIR magma_v2.h HINTS ${MAGMA_ROOT} $ENV{MAGMA_ROOT} PATHS /usr/local/magma
  PATH_SUFFIXES include magma)
find_library(MAGMA_LIBRARY libmagma.so HINTS ${MAGMA_ROOT} $ENV{MAGMA_ROOT} PATHS /usr/local/magma PATH_SUFFIXES lib)
set(no_magma "no MAGMA as a shared library: docs/installing.md says how to build it; then give -DMAGMA_ROOT=FOLDER")
set(MAGMA_FITS FALSE)
if(MAGMA_INCLUDE_DIR AND MAGMA_LIBRARY)
  set(magma_config "")
  if(EXISTS ${MAGMA_INCLUDE_DIR}/magma_config.h)
    file(STRINGS ${MAGMA_INCLUDE_DIR}/magma_config.h magma_config REGEX "^#define MAGMA_HAVE_CUDA")
  endif()
  file(STRINGS ${MAGMA_LIBRARY} magma_cublas REGEX "libcublas\\.so\\.[0-9]+")
  string(REGEX MATCH "libcublas\\.so\\.([0-9]+)" magma_cublas "${magma_cublas}")
  set(magma_cuda "${CMAKE_MATCH_1}")
  if(magma_config STREQUAL "")
    set(no_magma "MAGMA in ${MAGMA_INCLUDE_DIR} was not built for CUDA, or is older than 2.6: install another and give -DMAGMA_ROOT=FOLDER")
  elseif(magma_cublas AND CUDAToolkit_VERSION_MAJOR AND NOT magma_cuda EQUAL CUDAToolkit_VERSION_MAJOR)
    set(no_magma "${MAGMA_LIBRARY} was built for CUDA ${magma_cuda} and this program for CUDA ${CUDAToolkit_VERSION_MAJOR}: build MAGMA with the same toolkit and give -DMAGMA_ROOT=FOLDER")
  else()
    set(MAGMA_FITS TRUE)
  endif()
endif()
reprise_backend(MAGMA "${no_magma}" NEEDS CUDA FOUND MAGMA_FITS)

# Several ranks. NCCL carries the exchange between GPUs; without it data goes through the hosts' memory.
if(NOT REPRISE_MPI STREQUAL OFF)
  find_package(MPI QUIET COMPONENTS C)
endif()
reprise_backend(MPI "no MPI: apt install libopenmpi-dev openmpi-bin" FOUND MPI_C_FOUND)

# Debian's hypre counts in 32 bits, in real numbers of double precision, on processors.
find_path(HYPRE_INCLUDE_DIR HYPRE_config.h PATH_SUFFIXES hypre)
find_library(HYPRE_LIBRARY HYPRE)
set(no_hypre "no hypre: apt install libhypre-dev")
set(HYPRE_FITS FALSE)
if(HYPRE_INCLUDE_DIR)
  set(HYPRE_FITS TRUE)
  foreach(flaw IN ITEMS "(BIG|MIXED)INT=has 64-bit indices" "(SINGLE|LONG_DOUBLE)=is not in double precision"
      "COMPLEX=is in complex numbers" "USING_GPU=works on GPUs" "SEQUENTIAL=was built without MPI")
    string(REGEX MATCH "^(.*)=(.*)$" flaw "${flaw}")
    set(words "${CMAKE_MATCH_2}")
    file(STRINGS ${HYPRE_INCLUDE_DIR}/HYPRE_config.h defined REGEX "^#define HYPRE_${CMAKE_MATCH_1} ")
    if(defined)
      set(HYPRE_FITS FALSE)
      set(no_hypre "hypre in ${HYPRE_INCLUDE_DIR} ${words}: install the distribution's libhypre-dev, or give -DHYPRE_INCLUDE_DIR and -DHYPRE_LIBRARY of another")
    endif()
  endforeach()
endif()
reprise_backend(HYPRE "${no_hypre}" NEEDS MPI FOUND HYPRE_LIBRARY HYPRE_FITS)

find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
reprise_backend(METIS "no METIS: apt install libmetis-dev" NEEDS MPI FOUND METIS_INCLUDE_DIR METIS_LIBRARY)

# NVIDIA's packages install into default folders; NCCL_ROOT names the folder of another installation, such as nvidia/nccl
# from PyPI. The library itself is loaded at run time.
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} PATH_SUFFIXES include)
reprise_backend(NCCL "no NCCL: install NVIDIA's libnccl-dev, or give -DNCCL_ROOT=FOLDER" NEEDS CUDA MPI
  FOUND NCCL_INCLUDE_DIR)

# Prints the closing table of the configure step.
function(reprise_print_backends)
  message(STATUS "")
  message(STATUS "backend   built  variants lost")
  foreach(backend CUDA OPENCL OPENGL LAPACK AMGCL HYPRE CVODE CUSOLVER CUSPARSE HYBRID MAGMA MPI METIS NCCL)
    list(LENGTH REPRISE_${backend}_FILES count)
    string(SUBSTRING "${backend}          " 0 9 name)
    if(REPRISE_${backend}_BUILT)
      message(STATUS "${name} yes    none")
    else()
      message(STATUS "${name} no     ${count}: ${REPRISE_${backend}_REASON}")
    endif()
  endforeach()
  message(STATUS "")
endfunction()
