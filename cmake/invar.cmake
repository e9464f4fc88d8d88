# Helpers that every folder uses: invar_library(NAME DEPENDENCIES...) and invar_test(NAME DEPENDENCIES...).

add_library(invar_flags INTERFACE)
target_compile_options(invar_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual)
if(INVAR_WERROR)
  target_compile_options(invar_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns of std::string's own operator+ (GCC bug 105651).
  target_compile_options(invar_flags INTERFACE -Wno-restrict)
endif()
target_include_directories(invar_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
if(INVAR_SANITIZE)
  target_compile_options(invar_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                               -fno-omit-frame-pointer)
  target_link_options(invar_flags INTERFACE -fsanitize=address,undefined)
endif()

# Compiles several sources at a time: most of the time goes into headers and templates that they share. The names in
# anonymous namespaces of one folder must differ for that.
function(invar_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${INVAR_UNITY} UNITY_BUILD_BATCH_SIZE 10)
endfunction()

# Where fuzz targets are led by what an input reaches. Elsewhere counting that would only cost time: in the unit tests above
# all, which the same build runs.
set(INVAR_FUZZED base record clock design store launch analysis driver report tuning platform)

# A folder of src/ with its rooms is one static library invar_NAME of all its .cpp files. A room FOLDER/ROOM that needs
# less than its folder may be one as well: invar_FOLDER_ROOM.
function(invar_library folder)
  string(REPLACE "/" "_" name ${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cpp)
  if(sources)
    add_library(invar_${name} STATIC ${sources})
    target_link_libraries(invar_${name} PUBLIC invar_flags ${ARGN})
    invar_unity(invar_${name})
    if(INVAR_FUZZ AND name IN_LIST INVAR_FUZZED)
      target_compile_options(invar_${name} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  else()
    add_library(invar_${name} INTERFACE)
    target_link_libraries(invar_${name} INTERFACE invar_flags ${ARGN})
  endif()
endfunction()

# All programs of unit tests: what the sanitizers run.
add_custom_target(unit_tests)

# A test of the whole program with the real MPI libraries, by a Python script: invar_program_test(NAME SCRIPT ARGUMENTS...).
# It needs the engines of tests/mpi and the machine for itself, because it starts and kills groups of pinned processes.
function(invar_program_test name)
  if(INVAR_PYTHON)
    add_test(NAME ${name} COMMAND ${INVAR_PYTHON} -B ${ARGN})
  else()
    add_test(NAME ${name} COMMAND sh -c "echo 'skipped: no python3 here'; exit 77")
  endif()
  set(environment
    "INVAR=$<TARGET_FILE:invar>"
    "INVAR_HOME=${PROJECT_BINARY_DIR}/invar-home"
    "INVAR_LAB=${PROJECT_BINARY_DIR}/lab"
    "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/campaign"
    "INVAR_YIELD_PRELOAD=$<TARGET_FILE:invar_yield_preload>")
  set_tests_properties(${name} PROPERTIES
    FIXTURES_REQUIRED mpi_engines
    ENVIRONMENT "${environment}"
    RUN_SERIAL ON
    SKIP_RETURN_CODE 77
    TIMEOUT 900
    LABELS mpi)
endfunction()

# All .cpp files of tests/NAME and its rooms become one program NAME_test, each TEST a test of CTest with the label `unit`.
function(invar_test folder)
  string(REPLACE "/" "_" name ${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE invar_flags ${ARGN} GTest::gmock GTest::gtest_main)
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE
    INVAR_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden"
    INVAR_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    INVAR_BUILD_DIR="${PROJECT_BINARY_DIR}")
  # Tests run for a minute; optimising them takes longer.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  invar_unity(${name}_test)
  if(INVAR_SANITIZE OR CMAKE_CROSSCOMPILING)
    # A process takes up to a tenth of a second to begin here, and there are two thousand tests: many to a process.
    foreach(shard RANGE 3)
      add_test(NAME ${name}_test.${shard} COMMAND ${name}_test --gtest_brief=1)
      set_tests_properties(${name}_test.${shard} PROPERTIES LABELS unit TIMEOUT 900
        ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}")
    endforeach()
  else()
    gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit TIMEOUT 300)
  endif()
  add_dependencies(unit_tests ${name}_test)
endfunction()
