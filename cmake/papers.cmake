# SPDX-License-Identifier: MIT
# REPRISE_PAPERS builds only some of the papers, which is quicker; the tests need all of them.
# reprise_keep_chosen_papers(LIST) removes from a list the source files in folders of papers that were not chosen.

set(REPRISE_PAPERS "" CACHE STRING "Words of the papers to build, for example jacobi;tissue; all where empty")

file(GLOB problems CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/solvers ${PROJECT_SOURCE_DIR}/solvers/*/problem.hpp)
set(REPRISE_LEFT_OUT "")
foreach(problem IN LISTS problems)
  get_filename_component(word ${problem} DIRECTORY)
  list(APPEND REPRISE_WORDS ${word})
  if(REPRISE_PAPERS AND NOT word IN_LIST REPRISE_PAPERS)
    list(APPEND REPRISE_LEFT_OUT ${word})
  endif()
endforeach()
foreach(word IN LISTS REPRISE_PAPERS)
  if(NOT word IN_LIST REPRISE_WORDS)
    message(FATAL_ERROR "REPRISE_PAPERS: no paper has the word '${word}'; there are ${REPRISE_WORDS}")
  endif()
endforeach()

function(reprise_keep_chosen_papers files)
  foreach(word IN LISTS REPRISE_LEFT_OUT)
    list(FILTER ${files} EXCLUDE REGEX "/${word}/[^/]+$")
  endforeach()
  set(${files} ${${files}} PARENT_SCOPE)
endfunction()
