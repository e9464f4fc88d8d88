# Compiles one test program with a library's own wrapper and links it with the objects of the engine that `invar mpi list`
# has built (all but its main()), or of the shim: cmake -DWRAPPER=... -DSOURCE=... -DOBJECTS=... -DINCLUDE=a;b -DOUT=... -P build_program.cmake
if(NOT EXISTS ${WRAPPER})
  message("${WRAPPER}: the library is not installed")
  return()
endif()
file(GLOB objects ${OBJECTS}/*.o)
list(FILTER objects EXCLUDE REGEX "/engine-main[^/]*$")
if(NOT objects)
  message(FATAL_ERROR "no objects in ${OBJECTS}: 'invar mpi list' builds them")
endif()
list(TRANSFORM INCLUDE PREPEND "-I")
get_filename_component(folder ${OUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(
  COMMAND ${WRAPPER} -std=c++20 -O1 -g -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX ${INCLUDE} ${SOURCE} ${objects} -pthread
          -ldl -o ${OUT}
  RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "${SOURCE} does not compile with ${WRAPPER}")
endif()
