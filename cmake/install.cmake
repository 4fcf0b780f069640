# SPDX-License-Identifier: MIT
# What `cmake --install` puts into a prefix: the program, the data that it reads, and a CMake package with the target
# reprise::reprise. The data keep the folders of the source tree, because scripts/plot finds its templates by them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(data_folder ${CMAKE_INSTALL_DATADIR}/reprise)
file(RELATIVE_PATH REPRISE_DATA_FROM_PROGRAM ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/reprise)

function(reprise_install)
  foreach(folder reference/published reports/claims reports/derived reports/layouts reports/baseline reports/recorded
      reports/page/templates scripts/plotting)
    cmake_path(GET folder PARENT_PATH parent)
    install(DIRECTORY ${folder} DESTINATION ${data_folder}/${parent} PATTERN __pycache__ EXCLUDE)
  endforeach()
  install(FILES reports/store/run.schema.json DESTINATION ${data_folder}/reports/store)
  install(FILES reports/judging/verdicts.schema.json DESTINATION ${data_folder}/reports/judging)
  install(FILES reports/costs.csv DESTINATION ${data_folder}/reports)
  install(FILES reports/page/report.schema.json DESTINATION ${data_folder}/reports/page)
  install(FILES reports/fleet/fleet.schema.json DESTINATION ${data_folder}/reports/fleet)
  install(FILES reports/compare/boards.csv reports/compare/comparison.schema.json
    DESTINATION ${data_folder}/reports/compare)
  install(PROGRAMS scripts/plot DESTINATION ${data_folder}/scripts)
  install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

  # Made by the program from the options and examples that --help shows.
  install(CODE "
    foreach(file man:${CMAKE_INSTALL_MANDIR}/man1/reprise.1 bash:${CMAKE_INSTALL_DATADIR}/bash-completion/completions/reprise
        zsh:${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_reprise
        fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/reprise.fish)
      string(REGEX MATCH \"^[a-z]+\" format \${file})
      string(REGEX REPLACE \"^[a-z]+:\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\" file \${file})
      cmake_path(GET file PARENT_PATH folder)
      file(MAKE_DIRECTORY \${folder})
      execute_process(COMMAND $<TARGET_FILE:reprise> manual \${format} OUTPUT_FILE \${file} COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS \"Installing: \${file}\")
    endforeach()")

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/reprise)
  install(TARGETS reprise EXPORT reprise RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(EXPORT reprise FILE reprise-config.cmake NAMESPACE reprise:: DESTINATION ${package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/reprise-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/reprise-config-version.cmake DESTINATION ${package})
endfunction()
