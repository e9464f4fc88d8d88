# Tests of libinvar-tuned.so (src/shim), included by CMakeLists.txt beside it.
#
# The shim of each library is built once by the fixture mpi_shim.LIBRARY. Programs of tests are linked with its objects, so
# that one launch goes through many tables: shim_program(NAME SOURCE RANKS ...). What preloading is, preload_test.py looks at.
foreach(library ${INVAR_MPI_LIBRARIES} ${INVAR_MPI_WHEELS})
  set(fixtures mpi_engines)
  if(library IN_LIST INVAR_MPI_WHEELS)
    list(APPEND fixtures mpi_wheel.${library})
  endif()
  add_test(NAME mpi_shim.${library} COMMAND invar mpi shim ${library})
  set_tests_properties(mpi_shim.${library} PROPERTIES
    FIXTURES_REQUIRED "${fixtures}"
    FIXTURES_SETUP mpi_shim.${library}
    ENVIRONMENT "INVAR_HOME=${INVAR_TEST_HOME}"
    SKIP_REGULAR_EXPRESSION "library '${library}': there is no profile of that name"
    PROCESSORS 2
    RESOURCE_LOCK mpi
    TIMEOUT 600
    LABELS mpi)
endforeach()

# On so many RANKS under every library, on so many MORE under those of the system alone: CI has 20 minutes.
function(shim_program)
  cmake_parse_arguments(PARSE_ARGV 0 PROGRAM "" "NAME" "RANKS;MORE")
  set(name shim_${PROGRAM_NAME})
  invar_mpi_program(NAME ${name} SOURCE ../shim/${PROGRAM_NAME}.cpp RANKS ${PROGRAM_RANKS} TIMEOUT 600
                    OBJECTS tuned/objects FIXTURES mpi_shim.@LIBRARY@)
  invar_mpi_test(NAME ${name} RANKS ${PROGRAM_MORE} TIMEOUT 600 FIXTURES ${name}.@LIBRARY@
                 COMMAND ${CMAKE_CURRENT_BINARY_DIR}/@LIBRARY@/${name})
endfunction()

# Every candidate, counts around multiples of the ranks, in place, operators that do not commute.
shim_program(NAME replaced_selftest RANKS 2 3 MORE 1 4 5 6 7 8)
shim_program(NAME passed_on_selftest RANKS 2 3 MORE 1 4)
# 10^5 communicators on one rank and two.
shim_program(NAME kept_selftest RANKS 1 MORE 2 3)
shim_program(NAME threads_selftest RANKS 2)
foreach(library ${INVAR_MPI_LIBRARIES} ${INVAR_MPI_WHEELS})
  set_property(TEST shim_threads_selftest.${library}.2 APPEND PROPERTY
    SKIP_REGULAR_EXPRESSION "skipped: this library has no MPI_THREAD_MULTIPLE")
endforeach()

# Symbols, launchers, programs that load their library late, tables that are none, the report: preloaded.
foreach(library ${INVAR_MPI_LIBRARIES} ${INVAR_MPI_WHEELS})
  invar_program_test(shim_preload.${library} ${PROJECT_SOURCE_DIR}/tests/shim/preload_test.py ${library})
  set_property(TEST shim_preload.${library} APPEND PROPERTY FIXTURES_REQUIRED mpi_shim.${library})
endforeach()
