# The engine is built by each library's own wrapper (`invar mpi list`), never by this build. So that clang-tidy, editors
# and other compilers see its files all the same, the target engine_lint compiles those that include mpi.h against the
# headers of one MPI library of this machine; nothing links it, and `all` leaves it out.

# Sets `result` to the include folders of the first MPI wrapper that says them; empty: there is none.
function(invar_mpi_includes result)
  set(${result} "" PARENT_SCOPE)
  foreach(name mpicxx.openmpi mpicxx.mpich mpicxx mpic++ mpicc)
    find_program(wrapper ${name} NO_CACHE)
    if(wrapper)
      # Open MPI; then MPICH and its relatives, whose wrappers show the whole command.
      foreach(question --showme:compile -show)
        execute_process(COMMAND ${wrapper} ${question} OUTPUT_VARIABLE answer RESULT_VARIABLE status ERROR_QUIET)
        if(status EQUAL 0)
          string(REGEX MATCHALL "-I[^ \n]+" flags "${answer}")
          list(TRANSFORM flags REPLACE "^-I" "")
          list(REMOVE_DUPLICATES flags)
          if(flags)
            set(${result} "${flags}" PARENT_SCOPE)
            return()
          endif()
        endif()
      endforeach()
    endif()
    unset(wrapper)
  endforeach()
endfunction()

invar_mpi_includes(mpi_includes)
if(mpi_includes)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.cpp ${PROJECT_SOURCE_DIR}/src/engine/*.cpp)
  file(GLOB_RECURSE shim CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/shim/*.cpp)
  if(INVAR_TESTS)
    file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/ops/*.cpp ${PROJECT_SOURCE_DIR}/tests/shim/*.cpp)
  endif()
  add_library(engine_lint OBJECT EXCLUDE_FROM_ALL ${sources} ${tests})
  target_link_libraries(engine_lint PRIVATE invar_flags)
  # Not in one: programs with a main() each, experiments that share names, a type that GCC warns of inside of an included file.
  invar_unity(engine_lint)
  file(GLOB alone CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/engine/experiments/*.cpp)
  set_source_files_properties(${alone} ${tests} ${PROJECT_SOURCE_DIR}/src/ops/buffers/affine.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # The shim, for which MPI's functions have other names (launch/build/target.cpp).
  add_library(shim_lint OBJECT EXCLUDE_FROM_ALL ${shim})
  target_link_libraries(shim_lint PRIVATE invar_flags)
  invar_unity(shim_lint)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/shim/table/catalogue.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_compile_options(shim_lint PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/src/shim/library/library.hpp")
  add_dependencies(engine_lint shim_lint)
  target_include_directories(engine_lint PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  foreach(lint engine_lint shim_lint)
    # Nobody runs it, and optimising takes two thirds of the time.
    target_compile_options(${lint} PRIVATE -O0)
    target_include_directories(${lint} SYSTEM PRIVATE ${mpi_includes})
    target_compile_definitions(${lint} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX INVAR_ENGINE_FLAGS=lint)
  endforeach()
else()
  message(STATUS "no MPI wrapper here: clang-tidy and editors will not see src/ops, src/engine and src/shim")
endif()
