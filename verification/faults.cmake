# SPDX-License-Identifier: MIT
# A program whose variants all have one fault each, planted by one substitution in a copy of their own source:
# what `reprise verify` must find. The faults themselves are in faults_planted.cmake.
set(faulty_folder ${PROJECT_BINARY_DIR}/faulty)
set(faulty_sources "")
set(faulty_manifest_rows "")
set(fault_table "")

# As REPRISE_TEXT with one text in it replaced by another; the text must be there once.
function(substitute file original replacement)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solvers/${file})
  file(READ ${PROJECT_SOURCE_DIR}/solvers/${file} text)
  string(FIND "${text}" "${original}" first)
  string(FIND "${text}" "${original}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "verification/faults_planted.cmake: solvers/${file} does not hold this once: ${original}")
  endif()
  string(REPLACE "${original}" "${replacement}" text "${text}")
  set(REPRISE_TEXT "${text}" PARENT_SCOPE)
endfunction()

# plant(FILE FAULT ORIGINAL REPLACEMENT [VARIANT]): one more variant, WORD/STEM_fault_FAULT. FILE is below solvers/:
# a variant's own source, or the text of its kernels, with the variant's name where that differs from the file's. No
# header that variants share: of two versions of an inline function a program keeps one.
macro(plant file fault original replacement)
  get_filename_component(word ${file} DIRECTORY)
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(kernel ${file} NAME)
  set(is_kernel_text FALSE)
  if(${file} MATCHES "\\.(cl|frag)$")
    set(is_kernel_text TRUE)
  endif()
  if(${ARGC} GREATER 4)
    set(stem ${ARGV4})
  endif()
  set(id ${word}/${stem}_fault_${fault})
  set(backend cpu)
  if(${file} MATCHES "\\.cu$")
    set(backend cuda)
  elseif(stem MATCHES "^(opencl|opengl)_")
    set(backend ${CMAKE_MATCH_1})
  endif()
  string(TOUPPER ${backend} BACKEND)
  set(needs ${BACKEND})
  if(stem MATCHES "^lapack_")
    set(needs LAPACK)
  elseif(stem MATCHES "^mpi_|_multi$")
    set(needs METIS)
  endif()
  if(needs MATCHES "^(CPU|CUDA)$" OR REPRISE_${needs}_BUILT)
    string(REPLACE "/" "_" name ${id})
    set(source ${faulty_folder}/${name}.cpp)
    substitute(${file} "${original}" "${replacement}")
    if(is_kernel_text)
      # The honest host code, which finds the faulty kernels first.
      string(MAKE_C_IDENTIFIER ${kernel} REPRISE_TEXT_NAME)
      configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.hpp.in ${faulty_folder}/${name}/solvers/${file}.hpp @ONLY)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"solvers/${word}/${stem}.cpp\"\n")
      set_source_files_properties(${source} PROPERTIES INCLUDE_DIRECTORIES ${faulty_folder}/${name})
    else()
      file(CONFIGURE OUTPUT ${source} CONTENT "@REPRISE_TEXT@" @ONLY)
    endif()
    set(definitions "REPRISE_VARIANT_ID=\"${id}\"")
    if(backend STREQUAL cuda)
      list(APPEND definitions REPRISE_VARIANT_BACKEND=emulated REPRISE_CUDA_EMULATED=1)
    else()
      list(APPEND definitions REPRISE_VARIANT_BACKEND=${backend})
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS "${definitions}")
    list(APPEND faulty_sources ${source})
    string(APPEND faulty_manifest_rows "      {\"${id}\", \"solvers/${file}\", backend::${backend}, \"\"},\n")
    string(APPEND fault_table "${id} ${file}\n")
  endif()
endmacro()
include(faults_planted.cmake)

file(CONFIGURE OUTPUT ${faulty_folder}/faults.txt CONTENT "${fault_table}")
file(CONFIGURE OUTPUT ${faulty_folder}/manifest.cpp CONTENT "#include \"solvers/common/registry.hpp\"

namespace reprise {

const std::vector<manifest_entry>& manifest() {
  static const std::vector<manifest_entry> entries{
${faulty_manifest_rows}  };
  return entries;
}

}  // namespace reprise
")

# Cheap to compile: nobody times them.
add_library(reprise_faults OBJECT ${faulty_sources} ${faulty_folder}/manifest.cpp)
target_link_libraries(reprise_faults PRIVATE reprise_settings)
target_compile_options(reprise_faults PRIVATE -w -O1)
if(REPRISE_LAPACK_BUILT)
  target_include_directories(reprise_faults SYSTEM PRIVATE ${LAPACKE_INCLUDE_DIR})
endif()
if(REPRISE_OPENGL_BUILT)
  target_link_libraries(reprise_faults PRIVATE PkgConfig::epoxy)
endif()

set(honest_objects $<FILTER:$<TARGET_OBJECTS:reprise_solvers>,EXCLUDE,/manifest\\.cpp>)
add_executable(faulty_reprise ${PROJECT_SOURCE_DIR}/benchmarks/main.cpp $<TARGET_OBJECTS:reprise_faults>
  ${honest_objects} $<TARGET_OBJECTS:reprise_benchmarks>)
if(REPRISE_CUDA_BUILT)
  target_sources(faulty_reprise PRIVATE $<TARGET_OBJECTS:reprise_cuda>)
endif()
target_link_libraries(faulty_reprise PRIVATE reprise_benchmarks CLI11::CLI11 ${CMAKE_DL_LIBS})
target_compile_definitions(faulty_reprise PRIVATE REPRISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
