# Writes OUTPUT, a source with the commit that SOURCE_DIR is at, when that changed: cmake -DOUTPUT=... -DSOURCE_DIR=... [-DCOMMIT=...]
# -P commit.cmake. Without git, outside of a repository of its own, or where git refuses, it is "unknown": an archive that is
# unpacked inside of another project's repository is not at that one's commit. COMMIT: what a packager knows.
set(commit "${COMMIT}")
find_program(git NAMES git)
if(commit STREQUAL "" AND git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    file(REAL_PATH "${top}" top)
    file(REAL_PATH "${SOURCE_DIR}" here)
    if(top STREQUAL here)
      execute_process(COMMAND ${git} -C ${SOURCE_DIR} describe --always --tags --abbrev=12 --dirty=-changed
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
endif()
if(NOT commit MATCHES "^[A-Za-z0-9._/+-]+$")
  set(commit "unknown")
endif()
set(text "// Written by cmake/commit.cmake at every build.
namespace invar::store {
extern const char* const kCommit;
const char* const kCommit = \"${commit}\";
}  // namespace invar::store
")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
