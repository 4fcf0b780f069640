# SPDX-License-Identifier: MIT
# What misbehaviour_test.py does to the program: made-up GPUs that fail, a system that does, drivers that are no good.

# The emulation stands in for the GPUs, so what needs real ones stays out.
add_executable(misbehaving_gpus misbehaving/gpus.cpp misbehaving/program.cpp
  $<TARGET_OBJECTS:reprise_solvers> $<TARGET_OBJECTS:reprise_benchmarks>)
target_link_libraries(misbehaving_gpus PRIVATE reprise_benchmarks CLI11::CLI11 ${CMAKE_DL_LIBS})
target_compile_definitions(misbehaving_gpus PRIVATE REPRISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

add_library(misbehaving_system MODULE misbehaving/system.cpp)
target_compile_features(misbehaving_system PRIVATE cxx_std_20)
target_link_libraries(misbehaving_system PRIVATE ${CMAKE_DL_LIBS})
if(REPRISE_OPENCL_BUILT)
  target_compile_definitions(misbehaving_system PRIVATE MISBEHAVING_OPENCL)
  target_include_directories(misbehaving_system PRIVATE ${OpenCL_INCLUDE_DIRS})
endif()

add_library(crashing_driver MODULE misbehaving/crashing_driver.cpp)
add_library(outdated_driver MODULE misbehaving/outdated_driver.cpp)
set_target_properties(outdated_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/outdated_driver)

add_test(NAME misbehaviour
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/misbehaviour_test.py $<TARGET_FILE:reprise>
    $<TARGET_FILE:misbehaving_gpus> $<TARGET_FILE:misbehaving_system> $<TARGET_FILE:crashing_driver>
    $<TARGET_FILE_DIR:outdated_driver>)
set_tests_properties(misbehaviour PROPERTIES TIMEOUT 300 ENVIRONMENT "${test_environment};OMP_WAIT_POLICY=passive")
