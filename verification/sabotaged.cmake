# SPDX-License-Identifier: MIT
# The program once more with five of its variants sabotaged by one substitution each: what the gates must notice.
# Three answer wrongly; the others are right and take a twentieth longer.
set(sabotaged_folder ${PROJECT_BINARY_DIR}/sabotaged)
set(sabotaged_objects $<TARGET_OBJECTS:reprise_solvers>)
set(sabotaged_cuda_objects $<TARGET_OBJECTS:reprise_cuda>)

# Replaces a text in a file of solvers/, and the variant, which is or includes that file, by one made with it.
macro(sabotage variant file original replacement)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/solvers/${file})
  file(READ ${PROJECT_SOURCE_DIR}/solvers/${file} text)
  string(REPLACE "${original}" "${replacement}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "verification/sabotaged.cmake: solvers/${file} no longer holds \"${original}\"")
  endif()
  file(CONFIGURE OUTPUT ${sabotaged_folder}/solvers/${file} CONTENT "${changed}" @ONLY)
  string(REPLACE "/" "_" name ${variant})
  if("${file}" MATCHES "\\.cu$")
    set(extension cu)
    set(backend cuda)
    set(sabotaged_cuda_objects $<FILTER:${sabotaged_cuda_objects},EXCLUDE,solvers/${variant}\\.cu>)
  else()
    set(extension cpp)
    set(backend cpu)
    set(sabotaged_objects $<FILTER:${sabotaged_objects},EXCLUDE,solvers/${variant}\\.cpp>)
  endif()
  set(source ${sabotaged_folder}/${name}.${extension})
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"solvers/${variant}.${extension}\"\n")
  set_source_files_properties(${source} PROPERTIES
    COMPILE_DEFINITIONS "REPRISE_VARIANT_ID=\"${variant}\";REPRISE_VARIANT_BACKEND=${backend}")
  list(APPEND sabotaged_sources ${source})
endmacro()

# A coefficient of Merson's method, .375.
sabotage(curvature/cpu_serial curvature/cpu_serial.cpp "Real(.375)" "Real(.38)")
# The stencil's axial weight, 4.
sabotage(tissue/openmp tissue/cells.hpp "return 4 * (axial" "return 4.05 * (axial")
# The voltage in the middle of the sodium channel's fast gate.
sabotage(atrium/openmp atrium/cell.hpp "of(47.13)" "of(47.2)")
# A twentieth of the nodes computed once more, to the same result.
sabotage(jacobi/cpu_interleaved jacobi/cpu_interleaved.cpp "  for (std::size_t i = 0; i < n_; ++i) {
      const float* const row" "  for (const std::size_t end : {n_, n_ / 20})
    for (std::size_t i = 0; i < end; ++i) {
      const float* const row")
# Every twentieth sweep made once more, to the same result.
if(REPRISE_CUDA_BUILT)
  sabotage(jacobi/cuda_shared jacobi/cuda_shared.cu "  void sweep_once() override {" "  int sweeps_ = 0;
  void sweep_once() override {
    for (int again = ++sweeps_ % 20 == 0; again >= 0; --again)")
endif()

add_executable(sabotaged_reprise ${PROJECT_SOURCE_DIR}/benchmarks/main.cpp ${sabotaged_sources} ${sabotaged_objects}
  $<TARGET_OBJECTS:reprise_benchmarks>)
if(REPRISE_CUDA_BUILT)
  target_sources(sabotaged_reprise PRIVATE ${sabotaged_cuda_objects})
endif()
target_include_directories(sabotaged_reprise BEFORE PRIVATE ${sabotaged_folder})
target_link_libraries(sabotaged_reprise PRIVATE reprise_benchmarks CLI11::CLI11 ${CMAKE_DL_LIBS})
target_compile_definitions(sabotaged_reprise PRIVATE REPRISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
